//! How the recipient of a document is identified to the tax authority, before it is issued and after.

use gateway_tests::{
    Answer, COMPANY, Document, Fault, Options, PROVIDER_TOKEN, Rpc, WORKFLOW, World, fresh_uuid,
    hostile_component, on_both, on_both_remote, on_every, until,
};
use serde_json::{Value, json};

async fn identity_of(world: &World, uuid: &str) -> Answer {
    world.api.get(&format!("/finance/rpc/documents/{uuid}/identity")).await
}

/// What a dry run of issue shows.
async fn dry_run(world: &World, uuid: &str) -> Value {
    let path = format!("/finance/rpc/documents/{uuid}/commands/issue?dry_run=true");
    world.api.post(&path, &json!({})).await.expect(200)
}

fn codes(answer: &Value) -> Vec<(&str, &str)> {
    let faults = answer["faults"].as_array().unwrap().iter();
    faults.map(|fault| (fault["code"].as_str().unwrap(), fault["path"].as_str().unwrap())).collect()
}

fn rule(recipient: &str, identified_by: Option<&str>, country: Option<&str>) -> Value {
    json!({"recipient": recipient, "identified_by": identified_by, "country": country})
}

fn other(country: &str, code: &str, key: &str, entry: &str) -> Value {
    json!({"type": "identity", "country": country, "code": code, "type_key": key, "type_code": entry})
}

fn company(world: &World, number: Option<&str>, country: &str) -> Document {
    let recipient = json!({"type": "company", "name": "Client", "tax_number": number, "country": country});
    world.document().with("recipient", recipient)
}

#[tokio::test]
async fn a_recipient_is_mapped_as_the_plugin_of_the_workspace_says() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let person = |kind, number, country| world.document().identified(kind, number, country);
        let tax_id = |code: &str| json!({"type": "tax_id", "country": "ES", "code": code});
        let rows = [
            (
                person("id_card", "54387763-p", None),
                rule("individual", Some("id_card"), None),
                tax_id("54387763P"),
            ),
            (
                company(&world, Some("B17002288"), "ES"),
                rule("company", Some("tax_number"), Some("ES")),
                tax_id("B17002288"),
            ),
            (
                person("passport", "123456789", Some("GB")),
                rule("individual", Some("passport"), Some("GB")),
                other("GB", "123456789", "passport", "03"),
            ),
            (
                company(&world, Some("DE111111125"), "DE"),
                rule("company", Some("tax_number"), Some("DE")),
                other("DE", "DE111111125", "foreign", "04"),
            ),
        ];
        for (document, rule, mapped_to) in rows {
            let uuid = world.draft(&document).await;
            let identity = identity_of(&world, &uuid).await.expect(200);
            assert_eq!(
                (&identity["rule"], &identity["mapped_to"], &identity["faults"]),
                (&rule, &mapped_to, &json!([]))
            );
            assert_eq!(identity["plugin"], "es-verifactu");
            let trial = dry_run(&world, &uuid).await;
            assert_eq!((&trial["identity"], &trial["would_issue"]), (&identity, &json!(true)));
            assert_eq!(world.read(&uuid).await["version"], 1, "nothing changed");
        }
        let issued = world.issue(&world.document()).await;
        world.until(&issued, "issued").await;
        let (identity, submission) =
            (identity_of(&world, &issued).await.expect(200), world.submission(&issued).await);
        assert_eq!(identity["mapped_to"], other("GB", "123456789", "passport", "03"));
        for member in ["plugin", "plugin_version", "plugin_digest"] {
            assert_eq!(identity[member], submission["attempts"][0][member], "{member}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_recipient_that_nothing_identifies_is_mapped_to_nothing_and_the_plugin_says_why() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let address_only = json!({"type": "individual", "name": "Jane Roe",
            "address": {"street": "1 High St", "locality": "Leeds", "postcode": "LS1 1AA", "country": "GB"}});
        let rows = [
            (
                world.document().with("recipient", address_only),
                rule("individual", None, None),
                ("ES-VERIFACTU-IDENTITY-01", "/recipient/identity_document"),
            ),
            (
                company(&world, None, "ES"),
                rule("company", None, Some("ES")),
                ("ES-VERIFACTU-IDENTITY-01", "/recipient/tax_number"),
            ),
            (
                world.document().identified("id_card", "54387763A", Some("ES")),
                rule("individual", Some("id_card"), Some("ES")),
                ("ES-VERIFACTU-NIF-01", "/recipient/identity_document/number"),
            ),
        ];
        for (document, rule, fault) in rows {
            let uuid = world.draft(&document).await;
            let identity = identity_of(&world, &uuid).await.expect(200);
            assert_eq!((&identity["rule"], &identity["mapped_to"]), (&rule, &Value::Null), "{identity}");
            assert_eq!(codes(&identity), [fault]);
            let trial = dry_run(&world, &uuid).await;
            assert_eq!((&trial["identity"], &trial["would_issue"]), (&identity, &json!(false)));
            assert!(codes(&trial).contains(&fault), "{trial}");
        }
        // For nobody in particular: there is nothing to map, and nothing wrong with that.
        let nobody = world.draft(&world.document().with("recipient", Value::Null)).await;
        let identity = identity_of(&world, &nobody).await.expect(200);
        let empty = (&Value::Null, &Value::Null, &json!([]));
        assert_eq!((&identity["rule"], &identity["mapped_to"], &identity["faults"]), empty);
        assert_eq!(dry_run(&world, &nobody).await["identity"], identity);
    })
    .await;
}

#[tokio::test]
async fn a_client_that_may_not_see_a_document_does_not_see_its_recipient() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let path = format!("/finance/rpc/documents/{uuid}/identity");
        assert_eq!(world.gateway.internal().get(&path).await.status, 401);
        let own = world.workspace.to_string();
        assert_eq!(world.as_client(&["invoicing.rpc"], &[&own]).await.get(&path).await.status, 403);
        let stranger = world.another_workspace(&["--tax-id", "B12345674"]).await.to_string();
        let remote_service = world.as_client(&["finance.rpc"], &[&stranger]).await.get(&path).await;
        assert_eq!(remote_service.fields(410), ["uuid"]);
        assert_eq!(
            identity_of(&world, &fresh_uuid()).await.text,
            remote_service.text,
            "as if it did not exist"
        );
        assert_eq!(identity_of(&world, "1").await.fields(400), ["uuid"]);
        assert_eq!(world.api.get(&format!("{path}?colour=red")).await.fields(422), ["colour"]);
        world.as_client(&["finance.rpc"], &[&own]).await.get(&path).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn a_document_that_is_sent_to_no_authority_has_no_identity() {
    on_every(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let uuid = world.draft(&world.document()).await;
        let refused = identity_of(&world, &uuid).await.expect(422);
        assert_eq!(
            (&refused["result"], &refused["code"]),
            (&json!("failure"), &json!("eInvoicingNotConfigured"))
        );
        assert!(
            refused["message"].as_str().unwrap().contains("gateway workspace e-invoicing set"),
            "{refused}"
        );
        let trial = dry_run(&world, &uuid).await;
        assert_eq!((&trial["route"], &trial["identity"]), (&json!("standard"), &Value::Null));
        assert_eq!((&trial["would_issue"], &trial["faults"]), (&json!(true), &json!([])));
    })
    .await;
}

/// A workspace whose regime is the plugin that misbehaves.
async fn workspace_of_hostile_plugin(world: &World) -> i64 {
    let wasm = [("content-type", "application/wasm")];
    let installed =
        world.api.send("POST", "/admin/plugins?activate=true", &wasm, Some(hostile_component())).await;
    installed.expect(201);
    let workspace = world.another_workspace(&["--tax-id", "B12345674"]).await;
    let id = workspace.to_string();
    let mut set = vec!["workspace", "e-invoicing", "set", "--workspace", &id, "--regime", "hostile"];
    set.extend(["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-", "--json"]);
    world.gateway.cli_with(&set, &[], PROVIDER_TOKEN).await.json();
    workspace
}

#[tokio::test]
async fn a_plugin_that_traps_on_a_recipient_is_a_fault_and_serves_the_next_one() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let workspace = workspace_of_hostile_plugin(&world).await;
        let named = |name: &str| Document::of(workspace).named(name);
        let (bad, good) = (world.draft(&named("TRAP")).await, world.draft(&named("Jane")).await);
        let refused = identity_of(&world, &bad).await.expect(422);
        assert_eq!((&refused["tag"], &refused["code"]), (&json!("validation_error"), &json!("pluginFailed")));
        assert_eq!(codes(&refused), [("PLUGIN-TRAP", "")]);
        let trial = dry_run(&world, &bad).await;
        assert_eq!((&trial["would_issue"], &trial["identity"]["mapped_to"]), (&json!(true), &Value::Null));
        assert_eq!(codes(&trial["identity"]), [("PLUGIN-TRAP", "")]);
        assert_eq!(
            identity_of(&world, &good).await.expect(200)["mapped_to"],
            json!({"type": "tax_id", "country": "XX", "code": "Jane"})
        );

        // Over as many documents as it takes to block it: then it is called no more.
        let blocked = until("it is blocked", || async {
            let bad = world.draft(&named("TRAP")).await;
            Some(identity_of(&world, &bad).await.expect(422))
                .filter(|refused| refused["code"] != "pluginFailed")
        })
        .await;
        assert_eq!(blocked["code"], "regimeNotActive", "{blocked}");
        assert_eq!(identity_of(&world, &good).await.expect(422)["code"], "regimeNotActive");
        identity_of(&world, &world.draft(&world.document()).await).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn an_invoice_data_service_that_fails_is_no_fault_of_the_caller() {
    on_both_remote(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let proxy = &world.remote_service().proxy;
        proxy.fail(Rpc::Read, 1, Fault::Status(200, json!({"no": "document"})));
        assert_eq!(identity_of(&world, &uuid).await.errors(502).len(), 1);
        proxy.fail(Rpc::Read, 99, Fault::Closed);
        assert_eq!(identity_of(&world, &uuid).await.errors(503).len(), 1);
        proxy.mend();
        identity_of(&world, &uuid).await.expect(200);
    })
    .await;
}
