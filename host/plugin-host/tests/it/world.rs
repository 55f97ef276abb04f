//! Components built for the tests, a host that shares one cache of compiled code, and a document to convert.

use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Address, Content, DocumentKind, Ext, IdentityDocument, IdentityKind, Line, LineTax, Payment, Period,
    Recipient, Retention, Totals,
};
use gateway_domain::money::{Amount, Percent};
use gateway_domain::ports::{Converter, ConverterError};
use gateway_domain::regime::{
    Preceding, RegimeContext, RegimeDocumentKind, RegimeInvoice, RegimeKey, Stamp, Supplier,
};
use gateway_plugin_host::{Limits, Options, Plugin, PluginHost, ServingTable};
use jiff::civil::date;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use uuid::Uuid;

/// What an outer cargo hands down and a build for another target must not see.
const OUTER: [&str; 6] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "CARGO_CFG_",
    "CARGO_FEATURE_",
    "CARGO_BUILD_",
    "CARGO_TARGET_WASM32_",
];

fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()
}

/// Builds components with the profile of real plugins and returns their folder. A target folder of its own: the
/// outer cargo holds the lock of the usual one.
fn build(arguments: &[&str]) -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        if OUTER.iter().any(|outer| name.to_string_lossy().starts_with(outer)) {
            cargo.env_remove(name);
        }
    }
    let folder = target().join("plugin-build");
    let output = cargo
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .args(["build", "--target", "wasm32-unknown-unknown", "--profile", "plugin", "--target-dir"])
        .arg(&folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("wasm32-unknown-unknown/plugin")
}

fn hostile(file: &str) -> Vec<u8> {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder =
        FOLDER.get_or_init(|| build(&["--package", "hostile-plugin", "--examples"]).join("examples"));
    std::fs::read(folder.join(file)).unwrap()
}

/// The plugin that misbehaves on demand, with a sandbox.
pub(crate) fn hostile_component() -> Vec<u8> {
    hostile("hostile_with_sandbox.wasm")
}

/// The plugin that carries WASI and reaches for what it may not have.
pub(crate) fn reaching_component() -> Vec<u8> {
    hostile("hostile_with_wasi.wasm")
}

/// The same without a sandbox.
pub(crate) fn hostile_component_without_sandbox() -> Vec<u8> {
    hostile("hostile_plain.wasm")
}

/// A plugin built against the first release of the contract and nothing else.
pub(crate) fn first_release() -> Vec<u8> {
    hostile("first_release.wasm")
}

/// The plugin that misbehaves on demand, of a release that is not out yet.
pub(crate) fn later_release() -> Vec<u8> {
    hostile("later_release.wasm")
}

/// The plugin that misbehaves on demand, with every optional interface.
pub(crate) fn hostile_component_with_evidence() -> Vec<u8> {
    hostile("hostile_with_evidence.wasm")
}

/// The plugin with another behaviour of `describe`.
pub(crate) fn hostile_component_that_describes(behaviour: &str) -> Vec<u8> {
    that_describes(hostile_component(), behaviour)
}

/// Another behaviour of `describe`, by changing it in the finished component.
pub(crate) fn that_describes(mut bytes: Vec<u8>, behaviour: &str) -> Vec<u8> {
    let steering = format!("{:.<32}", format!("DESCRIBE={behaviour}"));
    let places: Vec<usize> =
        (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"DESCRIBE=SOUND..................")).collect();
    let [place] = places[..] else { panic!("the steering stands at {places:?}") };
    bytes[place..place + 32].copy_from_slice(steering.as_bytes());
    bytes
}

/// The Spanish plugin as it is installed.
pub(crate) fn verifactu_component() -> PathBuf {
    build(&["--package", "es-verifactu", "--lib"]).join("es_verifactu.wasm")
}

/// Options with tight limits, so that misbehaviour shows quickly.
pub(crate) fn options() -> Options {
    let limits = Limits { deadline: Duration::from_millis(400), calls: 8, ..Limits::default() };
    Options { cache_dir: Some(target().join("plugin-cache")), limits, ..Options::default() }
}

/// The same with time for whatever ends by itself, or is ended by another limit than the deadline.
pub(crate) fn patient() -> Options {
    let mut options = options();
    options.limits.deadline = Duration::from_secs(20);
    options.limits.describe_deadline = Duration::from_secs(20);
    options
}

/// The document a plugin makes, whatever it is.
pub(crate) async fn text(host: &PluginHost, key: &str, notes: &str) -> String {
    host.convert(&key.parse().unwrap(), &invoice(notes), &context()).await.unwrap().value.body
}

/// A host without plugins.
pub(crate) fn host() -> PluginHost {
    PluginHost::new(options()).unwrap()
}

/// A host in which the plugin that misbehaves on demand is active.
pub(crate) async fn hostile_host() -> PluginHost {
    hostile_host_with(options()).await
}

pub(crate) async fn hostile_host_with(options: Options) -> PluginHost {
    let host = PluginHost::new(options).unwrap();
    load(&host, hostile_component()).await;
    host
}

/// Takes the default plugin of the regime out of force.
pub(crate) fn deactivate(host: &PluginHost) -> Option<Arc<Plugin>> {
    let mut table = ServingTable::clone(&host.serving());
    let before = table.remove(&key(), None);
    host.serve(table);
    before
}

/// Loads and activates.
pub(crate) async fn load(host: &PluginHost, bytes: Vec<u8>) -> Arc<Plugin> {
    let plugin = host.load_bytes("test.wasm", bytes).await.unwrap();
    host.activate(&plugin);
    plugin
}

pub(crate) fn key() -> RegimeKey {
    "hostile".parse().unwrap()
}

/// The fault of a plugin that misbehaved.
pub(crate) fn defect<T: std::fmt::Debug>(answer: Result<T, ConverterError>) -> Fault {
    match answer {
        Err(ConverterError::Broken(fault)) => fault,
        other => panic!("expected a broken plugin, found {other:?}"),
    }
}

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

fn percent(text: &str) -> Percent {
    Percent::new(amount(text)).unwrap()
}

fn line(description: &str, quantity: &str, unit_price: &str, tax: LineTax) -> Line {
    Line {
        transaction_id: None,
        description: description.into(),
        quantity: amount(quantity),
        unit_price: amount(unit_price),
        tax,
        period: None,
        ext: Ext::new(),
    }
}

fn vat(rate: Option<&str>, surcharge: Option<&str>, exemption: Option<&str>) -> LineTax {
    LineTax {
        category: "VAT".into(),
        rate: rate.map(percent),
        surcharge: surcharge.map(percent),
        exemption: exemption.map(str::to_owned),
    }
}

fn address() -> Address {
    Address {
        street: Some("Calle Mayor 1".into()),
        locality: Some("Madrid".into()),
        region: Some("Madrid".into()),
        postcode: Some("28013".into()),
        country: Some("ES".into()),
    }
}

fn content(lines: Vec<Line>) -> Content {
    Content {
        document_type: DocumentKind::Invoice,
        currency: "EUR".into(),
        booking_id: None,
        issue_date: Some("2026-11-20".parse().unwrap()),
        operation_date: Some("2026-11-18".parse().unwrap()),
        prices_include_tax: false,
        recipient: Some(Recipient::Individual {
            name: "Ana García".into(),
            identity_document: Some(IdentityDocument {
                kind: IdentityKind::Passport,
                number: "X123".into(),
                country: Some("FR".into()),
            }),
            address: Some(address()),
            email: Some("ana@example.com".into()),
            ext: Ext::new(),
        }),
        lines,
        retentions: vec![Retention { category: "IRPF".into(), rate: percent("19") }],
        referenced_document_ids: Vec::new(),
        notes: None,
        payment: Some(Payment {
            due_date: Some("2026-12-20".parse().unwrap()),
            note: Some("By transfer".into()),
        }),
        ext: ext("of-document"),
    }
}

fn ext(value: &str) -> Ext {
    Ext::from([("told".into(), value.into())])
}

/// A plain Spanish document: one night, paid by a person with a French passport.
pub(crate) fn night() -> RegimeInvoice {
    let mut content = content(vec![line("Room", "1", "100.00", vat(Some("10"), None, None))]);
    content.retentions.clear();
    let totals = Totals::of(&content).unwrap();
    RegimeInvoice {
        preceding: Vec::new(),
        recipient: content.recipient,
        lines: content.lines,
        totals,
        notes: None,
        payment: None,
        stamps: Vec::new(),
        ext: Ext::new(),
        ..invoice("")
    }
}

/// A document with something in every member that the domain has. `notes` steers the plugin.
pub(crate) fn invoice(notes: &str) -> RegimeInvoice {
    let mut content = content(vec![
        line("Room", "3", "100.00", vat(Some("10"), None, None)),
        line("Goods", "1.5", "9.999", vat(Some("21"), Some("5.2"), None)),
        line("Discount", "1", "-10", vat(Some("10"), None, None)),
        line("Insurance", "1", "20.00", vat(None, None, Some("article_20"))),
    ]);
    content.lines[0].period = Some(Period { start: date(2026, 11, 17), end: date(2026, 11, 19) });
    content.lines[0].ext = ext("of-line");
    if let Some(Recipient::Individual { ext: own, .. }) = &mut content.recipient {
        *own = ext("of-recipient");
    }
    let totals = Totals::of(&content).unwrap();
    RegimeInvoice {
        id: InvoiceId(Uuid::from_u128(7)),
        kind: RegimeDocumentKind::Invoice,
        number: Some("F-2026-000001".into()),
        issue_date: content.issue_date.unwrap(),
        operation_date: content.operation_date,
        currency: content.currency,
        prices_include_tax: content.prices_include_tax,
        recipient: content.recipient,
        lines: content.lines,
        preceding: vec![Preceding {
            id: InvoiceId(Uuid::from_u128(8)),
            kind: RegimeDocumentKind::CreditNote,
            number: "R-2026-000001".into(),
            issue_date: "2026-11-19".parse().unwrap(),
            totals: Some(totals.clone()),
            reason: Some("wrong name".into()),
            stamps: vec![Stamp { provider: "verifactu-qr".into(), value: "https://example.com".into() }],
            ext: ext("of-preceding"),
        }],
        totals,
        notes: Some(notes.into()),
        payment: content.payment,
        stamps: vec![Stamp { provider: "verifactu-hash".into(), value: "AB12".into() }],
        ext: content.ext,
    }
}

pub(crate) fn context() -> RegimeContext {
    RegimeContext {
        now: "2026-11-20T09:30:00+01:00[Europe/Madrid]".parse().unwrap(),
        settings: r#"{"b":1,"a":"x"}"#.parse().unwrap(),
        supplier: Supplier {
            legal_name: "Hotel SL".into(),
            tax_id: "B12345674".into(),
            country: "ES".into(),
            address: Some(address()),
            email: Some("hotel@example.com".into()),
        },
        company_id: "0192f0c1-0000-7000-8000-000000000001".into(),
    }
}
