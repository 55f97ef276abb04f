//! Releases of the contract: what is published never changes, and plugins of every release run side by side.

use crate::components::{
    first_release, hostile_component_with_evidence, hostile_component_with_rules,
    hostile_component_without_sandbox, later_release, that_describes,
};
use crate::documents::{context, invoice};
use crate::hosts::{defect, host, key};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::ports::{Converter, ConverterError, ServedDocument};
use gateway_domain::regime::EvidenceDescription;
use gateway_domain_rules::ports::ComingRules;
use gateway_plugin_host::{Plugin, ScheduledPlugin, ServingTable};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The published files of the contract and their SHA-256. A row is added with a release and never changed: whoever has to
/// change a file needs a new minor release (an optional interface in a folder of its own) or a new major one.
const RELEASED: [(&str, &str); 13] = [
    ("v1/regime.wit", "f33a99c8500f0a89382073af1f56f548261bc3c3325e08c5e412daed4a48bbf3"),
    ("v1.1/samples.wit", "671ce71cd8529241e37f53250c71cf51b05a3fb65f4d2395fda054ef72999f31"),
    ("v1.2/evidence.wit", "ca68f6c07422208f37aff4417a5e61ae3ce668f33a3678cba18cf3140f08effe"),
    ("v1.3/printing.wit", "5234fa7296fefe51e7fe7ffd85f26e5147354a8d2fe0d6e359d30a7f9c3dcafb"),
    ("v1.4/exemptions.wit", "765108da4e5727924edad820eb6acf87e47b7f900141ed781f3bcc43662b61de"),
    ("v1.5/answers.wit", "176857cb43b78044e5020e471075fc0685df52d3812b47d9f6fc544c0c4c90d0"),
    ("v1.6/amend.wit", "d217e2ac06efe74a5b59c8747fddbc6292843272271d8d3c8dcb9880d2084c0c"),
    ("v1.7/deadline.wit", "23fd84a03feca5901d3d6586ac597b0501d4ce7e9049af33bd65aa1557aeab59"),
    ("v1.8/rules.wit", "c24733b0a62556480a84df3df0a15680a2e9c071ca1224f212c54ee03c48e06c"),
    ("v1.9/reconcile.wit", "d50eff7cdf0abfa30a4d00c95aa108386d3244b59ef988c98d9dbddbb5356578"),
    ("v1.10/chain.wit", "307dbb26688867793afe3defbc5595cfb42ee0f6254ec6a437df84ea59eb55ce"),
    ("v1.10/remarks.wit", "7fa930fe09241bba442839876885ae0ab084fe694a7073bdd1326ffe82e13bc3"),
    ("render-v1/render.wit", "d5d0d40de0ed5c5c1426797818d5bc367780564f4df7d6adecdd29b40f71fc3d"),
];

#[test]
fn a_released_contract_never_changes() {
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    let mut found = BTreeMap::new();
    for release in std::fs::read_dir(&wit).unwrap() {
        for file in std::fs::read_dir(release.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.strip_prefix(&wit).unwrap().display().to_string();
            found.insert(name, hex::encode(Sha256::digest(std::fs::read(&path).unwrap())));
        }
    }
    let released = RELEASED.map(|(name, digest)| (name.to_owned(), digest.to_owned()));
    assert_eq!(
        found,
        BTreeMap::from(released),
        "a released interface is frozen: undo the change of wit/, and give a new version a folder of its own, with a row here"
    );
}

#[tokio::test]
async fn plugins_of_two_minor_releases_serve_side_by_side() {
    let host = host();
    let first = host.load_bytes("first.wasm", first_release()).await.unwrap();
    let later = host.load_bytes("later.wasm", later_release()).await.unwrap();
    assert_eq!((first.release(), later.release()), ("1.0", "1.1"));
    host.activate(&first);
    host.activate(&later);

    let (invoice, context) = (invoice("fine"), context());
    let regime = "xx-first".parse().unwrap();
    assert!(host.check(&regime, &invoice, &context).await.unwrap().value.is_empty());
    let made = host.convert(&regime, &invoice, &context).await.unwrap().value;
    let payable = invoice.totals.payable;
    assert_eq!(
        made.body,
        format!(
            r#"{{"units":{},"scale":{},"lines":{},"today":"{}"}}"#,
            payable.units(),
            payable.scale(),
            invoice.lines.len(),
            context.now.date()
        )
    );
    assert_eq!(host.convert(&key(), &invoice, &context).await.unwrap().value.body, "{}");
}

#[tokio::test]
async fn samples_are_asked_of_those_who_have_them() {
    let host = host();
    for without in [first_release(), hostile_component_without_sandbox()] {
        let plugin = host.load_bytes("x.wasm", without).await.unwrap();
        assert_eq!(host.samples(&plugin).await.unwrap(), []);
    }
    let later = host.load_bytes("later.wasm", later_release()).await.unwrap();
    let samples = host.samples(&later).await.unwrap();
    assert_eq!((samples.len(), samples[0].name.as_str(), samples[0].expected.as_str()), (1, "plain", "{}"));
}

#[tokio::test]
async fn samples_that_trap_or_never_end_are_a_defect() {
    let host = host();
    for (behaviour, code) in [("SAMPLES-PANIC", "PLUGIN-TRAP"), ("SAMPLES-MANY", "PLUGIN-OUTPUT")] {
        let bytes = that_describes(later_release(), behaviour);
        let plugin = host.load_bytes("later.wasm", bytes).await.unwrap();
        assert_eq!(defect(host.samples(&plugin).await).code, code, "{behaviour}");
    }
}

#[tokio::test]
async fn evidence_is_asked_of_those_who_have_it_and_kept() {
    let host = host();
    for (without, release) in
        [(hostile_component_without_sandbox(), "1.0"), (first_release(), "1.0"), (later_release(), "1.1")]
    {
        let plugin = host.load_bytes("x.wasm", without).await.unwrap();
        host.activate(&plugin);
        assert_eq!((plugin.release(), plugin.evidence()), (release, None));
        assert_eq!(host.evidence(&plugin.identity().key), None);
    }
    let plugin = host.load_bytes("x.wasm", hostile_component_with_evidence()).await.unwrap();
    assert_eq!(plugin.release(), "1.2");
    assert_eq!(host.samples(&plugin).await.unwrap().len(), 1, "each interface is looked for on its own");
    host.activate(&plugin);
    let evidence = EvidenceDescription {
        verification_hosts: vec!["verify.hostile.example".to_owned()],
        verification_number: Some("number".to_owned()),
        duplicate_codes: vec!["TWICE".to_owned()],
    };
    assert_eq!(host.evidence(&key()).as_deref(), Some(&evidence));
    assert_eq!(host.evidence(&"none".parse().unwrap()), None);
}

#[tokio::test]
async fn rules_that_change_are_asked_of_those_who_have_them_and_kept() {
    let host = host();
    for (without, release) in [(first_release(), "1.0"), (hostile_component_with_evidence(), "1.2")] {
        let plugin = host.load_bytes("x.wasm", without).await.unwrap();
        assert_eq!((plugin.release(), plugin.rule_sets().len()), (release, 0));
    }
    let component = that_describes(hostile_component_with_rules(), "RULES-2026-12-15");
    let plugin = host.load_bytes("x.wasm", component).await.unwrap();
    let [set] = &plugin.rule_sets()[..] else { panic!("{:?}", plugin.rule_sets()) };
    assert_eq!(
        (plugin.release(), set.id.as_str(), set.from.to_string().as_str()),
        ("1.8", "notes", "2026-12-15")
    );
}

#[tokio::test]
async fn a_plugin_with_unusable_rules_is_refused_with_a_sentence() {
    let host = host();
    for (behaviour, what) in [
        ("RULES-TWICE", "returned two rule sets with the id 'notes'"),
        ("RULES-DAY", "returned the rule set 'notes' with the day 'soon', which is none such as 2027-01-01"),
        ("RULES-BACKWARDS", "returned the rule set 'notes', which ends before it begins"),
        ("RULES-MANY", "returned too many rule sets, more than the 200 allowed"),
        ("RULES-PANIC", "gave up (it panicked or aborted)"),
    ] {
        let bytes = that_describes(hostile_component_with_rules(), behaviour);
        let refused = host.load_bytes("x.wasm", bytes).await.unwrap_err().to_string();
        let beginning = "the plugin x.wasm is refused: asked which rules change on a day, it";
        assert!(refused.starts_with(&format!("{beginning} {what}: ")), "{behaviour}: {refused}");
    }
}

/// The document of a draft, for the version that serves it.
fn served(workspace: i64) -> ServedDocument {
    let (workspace, id) = (WorkspaceId(workspace), InvoiceId(uuid::Uuid::from_u128(7)));
    ServedDocument { workspace, id, converted_by: None }
}

#[tokio::test]
async fn a_draft_is_tried_on_the_version_that_is_in_force_by_then_and_a_trap_blocks_nobody() {
    let host = host();
    let now = host.load_bytes("now.wasm", hostile_component_without_sandbox()).await.unwrap();
    let other = that_describes(hostile_component_without_sandbox(), "OTHER-VERSION");
    let later = host.load_bytes("later.wasm", other).await.unwrap();
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let schedule = |workspace: Option<i64>, due: &str, plugin: Option<&Arc<Plugin>>| ScheduledPlugin {
        version: later.identity().clone(),
        workspace: workspace.map(WorkspaceId),
        due_at: at(due),
        plugin: plugin.cloned(),
    };
    let mut table = ServingTable::default();
    table.set(None, Arc::clone(&now));
    table.set(Some(WorkspaceId(2)), Arc::clone(&now));
    table.schedule(schedule(None, "2027-01-01T00:00:00Z", Some(&later)));
    table.schedule(schedule(Some(3), "2026-12-01T00:00:00Z", None));
    host.serve(table);

    let version = |workspace: i64, time: &str| {
        host.version_at(&served(workspace), &key(), at(time)).map(|version| version.plugin.version)
    };
    for (workspace, time, serves) in [
        (1, "2026-12-31T23:59:59Z", Some("1.2.3")),
        (1, "2027-01-01T00:00:00Z", Some("2.0.0")),
        // It has a version of its own, which stays.
        (2, "2027-01-01T00:00:00Z", Some("1.2.3")),
        // What is scheduled for it alone does not load.
        (3, "2026-11-30T00:00:00Z", Some("1.2.3")),
        (3, "2027-01-01T00:00:00Z", None),
    ] {
        assert_eq!(version(workspace, time).as_deref(), serves, "{workspace} {time}");
    }
    assert_eq!(host.due_versions(WorkspaceId(1), &key()).len(), 1);
    assert_eq!(host.due_versions(WorkspaceId(2), &key()).len(), 0);
    assert_eq!(host.due_versions(WorkspaceId(3), &key()).len(), 2);

    let (then, context) = (at("2027-01-01T00:00:00Z"), context());
    for _ in 0..20 {
        let tried = host.check_at(&served(1), (&key(), then), &invoice("TRAP"), &context).await;
        assert_eq!(defect(tried).code, "PLUGIN-TRAP");
    }
    assert!(later.blocked().is_none() && now.blocked().is_none(), "a try counts for nobody");
    let refused =
        host.check_at(&served(1), (&key(), then), &invoice("REFUSED-BY OTHER-VERSION"), &context).await;
    assert_eq!(refused.unwrap()[0].code, "HOSTILE-05");
    let missing = host.check_at(&served(3), (&key(), then), &invoice("fine"), &context).await;
    assert_eq!(defect(missing).code, "PLUGIN-NOT-LOADED");
    let nobody =
        host.check_at(&served(1), (&"none".parse().unwrap(), then), &invoice("fine"), &context).await;
    assert!(matches!(nobody, Err(ConverterError::UnknownRegime(_))));
}

#[tokio::test]
async fn a_plugin_with_unusable_evidence_is_refused_with_a_sentence() {
    let mut options = crate::hosts::options();
    options.limits.describe_deadline = std::time::Duration::from_millis(400);
    let host = gateway_plugin_host::PluginHost::new(options).unwrap();
    let remedy = "report it to the plugin's author, or install another version";
    for (behaviour, what) in [
        (
            "EVIDENCE-HOST",
            "returned the host 'not a host' for verifying documents, which is no host name in lower case such as www.example.com",
        ),
        ("EVIDENCE-MANY", "returned evidence of too many entries, more than the 300 allowed"),
        ("EVIDENCE-LONG", "returned evidence with an entry of too many bytes, more than the 255 allowed"),
        (
            "EVIDENCE-BLANK",
            "returned the code for a duplicate '', which is empty or has blanks around it or control characters",
        ),
        ("EVIDENCE-PANIC", "gave up (it panicked or aborted)"),
        ("EVIDENCE-LOOP", "did not finish within 400 ms"),
    ] {
        let bytes = that_describes(hostile_component_with_evidence(), behaviour);
        let refused = host.load_bytes("x.wasm", bytes).await.unwrap_err().to_string();
        let beginning = "the plugin x.wasm is refused: asked what its authority's evidence is, it";
        assert_eq!(refused, format!("{beginning} {what}: {remedy}"), "{behaviour}");
    }
}
