//! The addresses of a gateway: taken before anything is written, and named as others reach them.

use crate::jwt;
use gateway_tests::{Engine, Gateway, Options};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;

/// Everything that lies in a folder; nothing where there is none.
fn contents(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn a_gateway_whose_address_is_taken_writes_nothing() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for listener in ["server.public_addr", "server.internal_addr", "sandbox.addr"] {
        let gateway = Gateway::prepared(Engine::Sqlite, Options::sandbox()).await;
        let data = gateway.folder().join("data");
        let folder = data.display().to_string();
        let database = format!("sqlite:{folder}/gateway.db");
        let variable = format!("GATEWAY_{}", listener.to_uppercase().replace('.', "__"));
        let variables = [
            ("GATEWAY_DATA_DIR", folder.as_str()),
            ("GATEWAY_DATABASE__URL", &database),
            (&variable, &address),
        ];
        // A folder that is there already stays as empty as one that is not.
        for prepared in [false, true] {
            if prepared {
                std::fs::create_dir(&data).unwrap();
            }
            let ran = gateway.cli_with(&["serve"], &variables, "").await;
            let refused = format!(
                "error: nothing can listen on {address} (the port is in use): choose another address with {listener}\n"
            );
            assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "", refused.as_str()));
            assert_eq!(contents(&data), Vec::<String>::new(), "{listener}");
            assert_eq!(data.exists(), prepared, "{listener}");
            assert_eq!(
                contents(gateway.folder()).iter().filter(|name| *name != "plugin-cache").count(),
                usize::from(prepared)
            );
        }
    }
}

#[tokio::test]
async fn a_gateway_that_listens_everywhere_issues_tokens_by_an_address_that_can_be_called() {
    let options = Options::default()
        .variable("GATEWAY_SERVER__PUBLIC_ADDR", "0.0.0.0:0")
        .variable("GATEWAY_SERVER__INTERNAL_ADDR", "0.0.0.0:0");
    let gateway = Gateway::start(Engine::Sqlite, options).await;
    let client =
        gateway.cli(&["client", "create", "--name", "N", "--permission", "*", "--workspace", "*", "--json"]);
    let client = client.await.json();
    let public = gateway.public();
    let port =
        public.base().strip_prefix("http://127.0.0.1:").expect("it says where it is reached").to_owned();
    let issuer = json!(format!("http://127.0.0.1:{port}"));
    let request = json!({"grant_type": "client_credentials", "client_id": client["client_id"],
        "client_secret": client["client_secret"]});
    for listener in [&public, &gateway.internal()] {
        let token = listener.post("/v1/oauth2/token", &request).await.expect(200);
        let claims = jwt::parts(token["access_token"].as_str().unwrap()).1;
        assert_eq!((&claims["iss"], &claims["aud"]), (&issuer, &issuer), "{claims}");
        let metadata = listener.get("/.well-known/oauth-authorization-server").await;
        assert!(!metadata.text.contains("0.0.0.0"), "{metadata:?}");
    }
    let metadata: Value = public.get("/.well-known/oauth-authorization-server").await.expect(200);
    assert_eq!(metadata["issuer"], issuer);
    assert_eq!(metadata["token_endpoint"], json!(format!("http://127.0.0.1:{port}/v1/oauth2/token")));
}
