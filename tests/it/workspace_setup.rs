//! What cannot work is refused when a workspace is set up, and not at its first invoice.

use gateway_tests::{COMPANY, Engine, Gateway, Options, PROVIDER_TOKEN, Ran, WORKFLOW, World, on_both};
use serde_json::{Value, json};

/// With the command line, under this regime.
async fn configure(gateway: &Gateway, workspace: &str, regime: &str) -> Ran {
    let set = ["workspace", "e-invoicing", "set", "--workspace", workspace, "--regime", regime];
    let more = ["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-"];
    gateway.cli_with(&[set.as_slice(), more.as_slice()].concat(), &[], PROVIDER_TOKEN).await
}

fn configuration(regime: &str) -> Value {
    json!({"regime": regime, "company_id": COMPANY, "workflow_id": WORKFLOW, "token": PROVIDER_TOKEN})
}

fn first_error(refused: &Value) -> (&str, &str, &str) {
    let error = &refused["errors"][0];
    let text = |member: &str| error[member].as_str().unwrap();
    (text("field"), text("code"), text("message"))
}

#[tokio::test]
async fn a_regime_that_no_plugin_serves_is_refused_with_the_one_that_was_meant() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let path = format!("/admin/workspaces/{}/e-invoicing", world.workspace);
        let refused = world.api.put(&path, &configuration("es-verifactoo")).await.expect(422);
        let (field, code, message) = first_error(&refused);
        assert_eq!((field, code), ("regime", "regimeUnknown"));
        assert!(message.ends_with("did you mean 'es-verifactu'?"), "{message}");
        let refused = world.api.put(&path, &configuration("pt-saft")).await.expect(422);
        assert!(first_error(&refused).2.contains("es-verifactu"), "those there are: {refused}");
        world.api.get(&path).await.expect(404);

        let ran = configure(&world.gateway, &world.workspace.to_string(), "es-verifactoo").await;
        assert_eq!((ran.code, ran.stderr.trim().lines().count()), (1, 1), "{ran:?}");
        assert!(ran.stderr.contains("did you mean 'es-verifactu'?"), "{ran:?}");

        let mut wrong = configuration("es-verifactu");
        wrong["settings"] = json!({"refuse_warnings": 5, "x": 1});
        let refused = world.api.put(&path, &wrong).await.expect(422);
        let said = refused["errors"].to_string();
        for words in ["must be true or false", "x is no setting of this regime: leave it out"] {
            assert!(said.contains(words), "{said}");
        }

        world.api.put(&path, &configuration("es-verifactu")).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn a_regime_whose_plugin_is_installed_and_not_in_force_is_known() {
    let world = World::start(Engine::Sqlite).await;
    world.gateway.cli(&["plugin", "disable", "es-verifactu"]).await.succeeded();
    let path = format!("/admin/workspaces/{}/e-invoicing", world.workspace);
    let kept = configure(&world.gateway, &world.workspace.to_string(), "es-verifactu").await;
    assert!(kept.succeeded().stderr.contains("not checked"), "{kept:?}");
    let refused = world.api.put(&path, &configuration("es-verifactoo")).await.expect(422);
    assert_eq!(first_error(&refused).1, "regimeUnknown");
}

#[tokio::test]
async fn a_workspace_is_configured_before_there_is_any_plugin() {
    let empty = tempfile::tempdir().unwrap();
    let options = Options { plugins: Some(empty.path().to_owned()), ..Options::default() };
    let world = World::unconfigured(Engine::Sqlite, options).await;
    let ran = configure(&world.gateway, &world.workspace.to_string(), "es-verifactoo").await;
    assert!(ran.succeeded().stderr.contains("not checked"), "{ran:?}");
    let path = format!("/admin/workspaces/{}/e-invoicing", world.workspace);
    world.api.put(&path, &configuration("pt-saft")).await.expect(200);
    let refused = world.api.put(&path, &configuration("PT SAFT")).await.expect(422);
    assert_eq!(first_error(&refused).0, "regime", "that is no key of any regime");
}

#[tokio::test]
async fn a_tax_id_that_the_country_cannot_have_given_is_refused_when_its_regime_is_chosen() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        // The last digit does not follow from the others.
        let wrong = world.another_workspace(&["--tax-id", "B98602643"]).await;
        let (workspace, path) =
            (format!("/admin/workspaces/{wrong}"), format!("/admin/workspaces/{wrong}/e-invoicing"));
        let refused = world.api.put(&path, &configuration("es-verifactu")).await.expect(422);
        let (field, code, message) = first_error(&refused);
        assert_eq!((field, code), ("supplier.tax_id", "supplierRefused"));
        assert!(message.contains("B98602643") && message.contains("(ES-VERIFACTU-"), "{message}");
        let ran = configure(&world.gateway, &wrong.to_string(), "es-verifactu").await;
        assert_eq!((ran.code, ran.stderr.trim().lines().count()), (1, 1), "{ran:?}");
        assert!(ran.stderr.contains("supplier.tax_id: ") && ran.stderr.contains("B98602643"), "{ran:?}");
        world.api.get(&path).await.expect(404);

        let changed = |body: Value| {
            let (api, path) = (world.api.clone(), workspace.clone());
            async move {
                let json = [("content-type", "application/json")];
                api.send("PATCH", &path, &json, Some(body.to_string().into_bytes())).await
            }
        };
        changed(json!({"tax_id": "A58818501"})).await.expect(200);
        world.api.put(&path, &configuration("es-verifactu")).await.expect(200);
        // What is configured is held to it, and members that nobody touches are not.
        let refused = changed(json!({"tax_id": "A58818502"})).await.expect(422);
        assert_eq!((first_error(&refused).0, first_error(&refused).1), ("tax_id", "supplierRefused"));
        let refused = changed(json!({"country": "PT"})).await.expect(422);
        assert_eq!((first_error(&refused).0, first_error(&refused).1), ("country", "supplierRefused"));
        changed(json!({"name": "Flats"})).await.expect(200);
        let id = wrong.to_string();
        let ran = world.gateway.cli(&["workspace", "set", "--workspace", &id, "--tax-id", "A58818502"]).await;
        assert_eq!((ran.code, ran.stderr.trim().lines().count()), (1, 1), "{ran:?}");
    })
    .await;
}

#[tokio::test]
async fn a_tax_id_that_no_country_gives_is_refused_when_a_workspace_is_created() {
    let world = World::unconfigured(Engine::Sqlite, Options::default()).await;
    let long = "1".repeat(31);
    for (tax_id, country, field, says) in [
        ("B98602642", "ESP", "country", "did you mean ES?"),
        ("B98602642", "UK", "country", "did you mean GB?"),
        ("B98602642", "Spain", "country", "such as ES"),
        ("B98602642; DROP", "ES", "tax_id", "no tax id of any country"),
        ("B986\t02642", "ES", "tax_id", "on one line"),
        (&long, "ES", "tax_id", "no tax id of any country"),
    ] {
        let form = json!({"name": "N", "legal_name": "N SL", "tax_id": tax_id, "country": country});
        let refused = world.api.post("/admin/workspaces", &form).await.expect(422);
        assert_eq!(refused["errors"].as_array().unwrap().len(), 1, "{refused}");
        assert!(first_error(&refused).0 == field && first_error(&refused).2.contains(says), "{refused}");
        let create = ["workspace", "create", "--name", "N", "--legal-name", "N SL", "--tax-id", tax_id];
        let ran = world.gateway.cli(&[create.as_slice(), &["--country", country]].concat()).await;
        assert_eq!((ran.code, ran.stderr.trim().lines().count()), (1, 1), "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
}

#[tokio::test]
async fn a_tax_id_that_the_only_regime_of_the_country_refuses_is_remarked_when_a_workspace_is_created() {
    let world = World::start(Engine::Sqlite).await;
    let create = async |tax_id: &str, country: &str| {
        let create = ["workspace", "create", "--name", "N", "--legal-name", "N SL", "--tax-id", tax_id];
        let ran = world.gateway.cli(&[create.as_slice(), &["--country", country]].concat()).await;
        ran.succeeded().stderr.clone()
    };
    let wrong = create("B98602643", "ES").await;
    assert!(wrong.starts_with("note: tax_id – ") && wrong.contains("check character"), "{wrong}");
    assert_eq!(create("B98602643", "FR").await, "", "no regime is of that country");
}

#[tokio::test]
async fn an_import_refuses_the_tax_id_that_is_refused_when_it_is_set_by_hand() {
    let world = World::start(Engine::Sqlite).await;
    let imported = async |tax_id: &str| {
        let line = json!({"kind": "workspace", "id": world.workspace, "name": "Flats", "tax_id": tax_id, "country": "ES"});
        world.gateway.cli_with(&["import", "-"], &[], &format!("{line}\n")).await
    };
    // The last digit does not follow from the others.
    let refused = imported("A58818502").await;
    assert_eq!(refused.code, 1, "{refused:?}");
    let line = refused.stderr.lines().find(|line| line.contains("line 1: tax_id: ")).unwrap();
    assert!(line.contains("A58818502") && line.contains("(ES-VERIFACTU-"), "{refused:?}");
    imported("A58818501").await.succeeded();
}
