//! What operators do in the console: clients, keys, plugins, the audit trail.

use super::{OPERATOR, READ, browser};
use gateway_tests::{Browser, Credentials, World, between, built_plugins, on_both, until};

#[tokio::test]
async fn an_operator_looks_after_clients() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        let created = [
            ("name", "integrator"),
            ("workspaces", "1"),
            ("permission", "invoicing.rpc"),
            ("permission", "finance.rpc"),
        ];
        let html = operator.submit("/console/clients", &created).await.text;
        let secret = between(&html, "id=\"client-secret\" class=\"long\">", "<").unwrap().to_owned();
        let client = between(&html, "id=\"client-id\">", "<").unwrap().to_owned();
        let credentials = Credentials { id: client.clone(), secret };
        let api = credentials.sign_in(&world.gateway.internal()).await;
        assert_eq!(api.get("/invoicing/rpc/documents").await.status, 200);
        let path = format!("/console/clients/{client}");
        let page = until("its use is noted", || async {
            Some(operator.get(&path).await.text).filter(|text| !text.contains("<dd>never</dd>"))
        });
        assert!(!page.await.contains(&credentials.secret));
        let fewer = [("name", "integrator"), ("workspaces", "1"), ("permission", "finance.rpc")];
        assert_eq!(operator.submit(&path, &fewer).await.status, 303);
        until("it counts", || async {
            (api.get("/invoicing/rpc/documents").await.status == 403).then_some(())
        })
        .await;
        let page = operator.get(&path).await.text;
        let request = between(&page, "name=\"request\" value=\"", "\"").unwrap().to_owned();
        let once = [("request", request.as_str())];
        let rotated = operator.submit(&format!("{path}/rotate-secret"), &once).await.text;
        assert!(rotated.contains("gws_"), "{rotated}");
        let again = operator.submit(&format!("{path}/rotate-secret"), &once).await;
        assert!(again.status == 409 && !again.text.contains("gws_"), "loaded again: {}", again.text);
        assert_eq!(operator.submit(&format!("{path}/disable"), &[]).await.status, 303);
        assert_eq!(operator.submit(&path, &fewer).await.status, 409, "it is disabled");
        assert_eq!(operator.submit(&format!("{path}/enable"), &[]).await.status, 303);
    })
    .await;
}

#[tokio::test]
async fn an_operator_looks_after_keys_plugins_and_the_trail() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::sandbox()).await;
        let operator = browser(&world, OPERATOR).await;
        until("the plugin is in force", || async {
            Some(operator.get("/console/plugins").await.text).filter(|text| text.contains("es-verifactu@"))
        })
        .await;
        let rotated = operator.submit("/console/keys", &[]).await.text;
        assert!(rotated.contains("is published and signs from"), "{rotated}");
        let name = between(&operator.get("/console/plugins").await.text, "id=\"es-verifactu@", "\"")
            .unwrap()
            .to_owned();
        let name = format!("es-verifactu@{name}");
        let canary = [("name", name.as_str()), ("workspace_id", "1")];
        let activated = operator.submit("/console/plugins/activate", &canary).await.text;
        assert!(activated.contains("It serves workspace 1"), "{activated}");
        let scope = [("key", "es-verifactu"), ("workspace_id", "1")];
        assert_eq!(operator.submit("/console/plugins/disable", &scope).await.status, 303);
        let unknown = [("key", "es-nothing"), ("workspace_id", "everybody")];
        let nothing = operator.submit("/console/plugins/roll-back", &unknown).await;
        assert_eq!(nothing.status, 409, "{}", nothing.text);
        let audit = operator.get("/console/audit?subject=client:").await.text;
        assert!(audit.contains("client.create") && audit.contains("permissions"), "{audit}");
        assert!(audit.contains("client.create") && !audit.contains("plugin.activate"), "{audit}");
        for path in [
            "/console/health",
            "/console/jobs",
            "/console/reconciliations",
            "/console/webhooks",
            "/console/clients",
            "/console/workspaces",
        ] {
            assert_eq!(operator.get(path).await.status, 200, "{path}");
        }
        assert_eq!(operator.get("/console/nothing").await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn a_component_is_installed_by_its_form_and_by_nobody_else() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        let reader = browser(&world, READ).await;
        let component = std::fs::read(built_plugins().join("es-tbai.wasm")).unwrap();
        let send = async |browser: &Browser, token: &str, component: &[u8]| {
            browser
                .upload(
                    "/console/plugins/upload",
                    &[("form_token", token), ("signature", "")],
                    ("component", component),
                )
                .await
        };
        let (own, foreign) = (operator.form_token(), reader.form_token());
        assert_eq!(send(&operator, &foreign, &component).await.status, 403);
        assert_eq!(send(&reader, &foreign, &component).await.status, 403);
        assert_eq!(send(&operator, &own, b"no component").await.status, 422);
        let tokenless = operator.upload("/console/plugins/upload", &[], ("component", &component)).await;
        assert_eq!(tokenless.status, 403);
        assert!(!operator.get("/console/plugins").await.text.contains("es-tbai@"));
        let answer = send(&operator, &own, &component).await;
        let listed = "/console/plugins?done=installed";
        assert_eq!((answer.status, answer.header("location")), (303, listed), "{}", answer.text);
        assert!(operator.get("/console/plugins").await.text.contains("es-tbai@"));
    })
    .await;
}
