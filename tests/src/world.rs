//! A gateway with what a client needs: a workspace that sends its invoices, and credentials.

use crate::api::{Answer, Api};
use crate::credentials::{Credentials, grants};
use crate::document::{Document, fresh_uuid};
use crate::gateway::{Gateway, Options};
use crate::proxy::Proxy;
use crate::{TIMEOUT, is_remote, until, until_within};
use gateway_storage::Engine;
use serde_json::{Value, json};
use std::time::Duration;

/// The supplier's UUID at the provider.
pub const COMPANY: &str = "0193a1b2-0000-7000-8000-00000000c0de";
/// The provider's processing pipeline.
pub const WORKFLOW: &str = "0193a1b2-0000-7000-8000-0000000f1000";
/// The provider's API token, which nobody may ever read.
pub const PROVIDER_TOKEN: &str = "provider-token-5d0c2f7b91e84a36";

/// A gateway, one configured workspace, one client that may do everything.
#[derive(Debug)]
pub struct World {
    /// The gateway.
    pub gateway: Gateway,
    /// The workspace.
    pub workspace: i64,
    /// The client.
    pub client: Credentials,
    /// The internal listener with the client's token. Calls to the invoice data service go where that is.
    pub api: Api,
    /// The invoice data service, when it is elsewhere.
    pub service: Option<Service>,
}

/// An invoice data service elsewhere.
#[derive(Debug)]
pub struct Service {
    /// Its gateway.
    pub gateway: Gateway,
    /// What finance calls.
    pub proxy: Proxy,
    /// The client of the tests.
    client: Credentials,
}

impl World {
    /// With the built-in provider.
    pub async fn start(engine: Engine) -> Self {
        Self::with(engine, Options::sandbox()).await
    }

    /// With other options.
    pub async fn with(engine: Engine, options: Options) -> Self {
        let world = Self::unconfigured(engine, options).await;
        world.configure(world.workspace, &[]).await;
        world
    }

    /// With a workspace that does not send its invoices.
    pub async fn unconfigured(engine: Engine, options: Options) -> Self {
        if is_remote() {
            return Self::split(engine, options).await;
        }
        Self::of(Gateway::start(engine, options).await).await
    }

    /// With a workspace that does not send its invoices, in this gateway, which serves.
    pub async fn of(gateway: Gateway) -> Self {
        let client = create_client(&gateway, &grants(&["*"], &["*"])).await;
        let api = client.sign_in(&gateway.internal()).await;
        let workspace = usual_workspace(&api).await;
        Self { gateway, workspace, client, api, service: None }
    }

    /// Finance in one gateway, the invoice data service in another.
    async fn split(engine: Engine, options: Options) -> Self {
        let service = Gateway::start(engine, Options::default()).await;
        let finance = create_client(&service, &["--permission", "invoicing.rpc", "--workspace", "*"]).await;
        let proxy = Proxy::start(service.internal().base()).await;
        let secret = service.folder().join("finance.secret");
        std::fs::write(&secret, &finance.secret).expect("there is room for a secret");
        let options = options
            .variable("GATEWAY_FINANCE__INVOICING_URL", &proxy.url())
            .variable("GATEWAY_FINANCE__INVOICING_CLIENT_ID", &finance.id)
            .variable("GATEWAY_FINANCE__INVOICING_CLIENT_SECRET_FILE", &secret.display().to_string());
        let gateway = Gateway::start(engine, options).await;
        let everything = grants(&["*"], &["*"]);
        let client = create_client(&gateway, &everything).await;
        let service = Service { client: create_client(&service, &everything).await, gateway: service, proxy };
        let api = Api::new("");
        let mut world = Self { gateway, workspace: 0, client, api, service: Some(service) };
        world.workspace = world.another_workspace(&[]).await;
        world.sign_in().await;
        world
    }

    /// Fresh tokens, also after a gateway was started again elsewhere.
    pub async fn sign_in(&mut self) {
        self.api = self.client.sign_in(&self.gateway.internal()).await;
        if let Some(service) = &self.service {
            let invoicing = service.client.sign_in(&service.gateway.internal()).await;
            self.api = self.api.with_invoicing_at(&invoicing);
        }
    }

    /// The invoice data service elsewhere.
    ///
    /// # Panics
    /// When there is none.
    pub fn remote_service(&self) -> &Service {
        self.service.as_ref().expect("the invoice data service is elsewhere")
    }

    /// Kills the invoice data service elsewhere, as a power cut would.
    pub fn kill_service(&mut self) {
        if let Some(service) = &mut self.service {
            service.gateway.kill9();
        }
    }

    /// Starts the invoice data service elsewhere again, after a kill.
    pub async fn serve_service_again(&mut self) {
        if let Some(service) = &mut self.service {
            service.gateway.serve().await;
            service.proxy.leads_to(service.gateway.internal().base());
        }
        self.sign_in().await;
    }

    /// Configures a workspace to send its invoices; `more` are further arguments of the command. Without any it is the route: a process
    /// that starts for it takes longer than most tests.
    pub async fn configure(&self, workspace: i64, more: &[&str]) -> Value {
        if more.is_empty() {
            let body = json!({"regime": "es-verifactu", "company_id": COMPANY, "workflow_id": WORKFLOW,
                "token": PROVIDER_TOKEN});
            let path = format!("/admin/workspaces/{workspace}/e-invoicing");
            return self.api.put(&path, &body).await.expect(200);
        }
        let id = workspace.to_string();
        let mut arguments =
            vec!["workspace", "e-invoicing", "set", "--workspace", &id, "--regime", "es-verifactu"];
        arguments.extend(["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-", "--json"]);
        arguments.extend(more);
        self.gateway.cli_with(&arguments, &[], PROVIDER_TOKEN).await.json()
    }

    /// Another workspace, not configured; `more` are further arguments.
    ///
    /// # Panics
    /// When finance and the invoice data service elsewhere know it by different ids.
    pub async fn another_workspace(&self, more: &[&str]) -> i64 {
        let here = create_workspace(&self.gateway, more).await;
        if let Some(service) = &self.service {
            let there = create_workspace(&service.gateway, more).await;
            assert_eq!(here, there, "a workspace is known by one id");
        }
        here
    }

    /// Calls of another client with these permissions in these workspaces.
    pub async fn as_client(&self, permissions: &[&str], workspaces: &[&str]) -> Api {
        let credentials = self.another_client(permissions, workspaces).await;
        self.authenticated(&credentials).await
    }

    /// What somebody should hear of without having looked, as the feed has it so far.
    ///
    /// # Panics
    /// When the feed has no events.
    pub async fn notices(&self) -> Vec<Value> {
        let reader = self.as_client(&["invoicing.rpc", "notices.read"], &["*"]).await;
        let events = reader.get("/invoicing/rpc/events?source=notices").await.expect(200);
        events.get("events").and_then(Value::as_array).expect("a feed has events").clone()
    }

    /// Those that are about runs of the reconciliation, as soon as there is one.
    pub async fn run_notices(&self) -> Vec<Value> {
        until("a notice of a run is in the feed", || async {
            let mut notices = self.notices().await;
            notices
                .retain(|event| event.pointer("/data/about").is_some_and(|about| about == "reconciliation"));
            (!notices.is_empty()).then_some(notices)
        })
        .await
    }

    /// Another client.
    pub async fn another_client(&self, permissions: &[&str], workspaces: &[&str]) -> Credentials {
        create_client(&self.gateway, &grants(permissions, workspaces)).await
    }

    /// Calls with a fresh token of these credentials.
    pub async fn authenticated(&self, credentials: &Credentials) -> Api {
        credentials.sign_in(&self.gateway.internal()).await
    }

    /// A document of the workspace that is accepted by everybody.
    pub fn document(&self) -> Document {
        Document::of(self.workspace)
    }

    /// Saves a draft under a fresh id.
    pub async fn draft(&self, document: &Document) -> String {
        let uuid = fresh_uuid();
        self.put_draft(&uuid, document).await.expect(201);
        uuid
    }

    /// Saves a document under an id.
    pub async fn put_draft(&self, uuid: &str, document: &Document) -> Answer {
        self.api.put(&path(uuid), document.json()).await
    }

    /// Saves a draft and gives the issue command.
    pub async fn issue(&self, document: &Document) -> String {
        let uuid = self.draft(document).await;
        self.command(&uuid, "issue", &json!({})).await.expect(200);
        uuid
    }

    /// Gives a command to the finance service.
    pub async fn command(&self, uuid: &str, command: &str, body: &Value) -> Answer {
        self.api.post(&format!("/finance/rpc/documents/{uuid}/commands/{command}"), body).await
    }

    /// Calls `issuing`, `issue` or `reject` of the invoice data service, without a body.
    pub async fn rpc(&self, uuid: &str, call: &str) -> Answer {
        self.api.put_empty(&format!("{}/{call}", path(uuid))).await
    }

    /// The document as it is.
    pub async fn read(&self, uuid: &str) -> Value {
        self.api.get(&path(uuid)).await.expect(200)
    }

    /// The submission as it is.
    pub async fn submission(&self, uuid: &str) -> Value {
        self.api.get(&format!("/finance/rpc/documents/{uuid}/submission")).await.expect(200)
    }

    /// Waits until the document has this status.
    ///
    /// # Panics
    /// When it never has; with its submission.
    pub async fn until(&self, uuid: &str, status: &str) -> Value {
        self.until_within(TIMEOUT, uuid, status).await
    }

    /// [`World::until`] with another patience.
    ///
    /// # Panics
    /// When it never has; with its submission.
    pub async fn until_within(&self, patience: Duration, uuid: &str, status: &str) -> Value {
        let what = format!("{uuid} is {status}");
        let search = until_within(patience, &what, || async {
            let document = self.read(uuid).await;
            (document.get("status") == Some(&json!(status))).then_some(document)
        });
        let quick = patience.saturating_sub(Duration::from_millis(200));
        if let Ok(document) = tokio::time::timeout(quick, search).await {
            self.until_finance_recorded(uuid).await;
            return document;
        }
        let (document, submission) = (self.read(uuid).await, self.submission(uuid).await);
        panic!("waited in vain until {what}: {document}\n{submission}\n{}", self.gateway.log())
    }

    /// Elsewhere a document is final a moment before finance has recorded so.
    async fn until_finance_recorded(&self, uuid: &str) {
        if self.service.is_none() {
            return;
        }
        let path = format!("/finance/rpc/documents/{uuid}/submission");
        crate::until(&format!("finance has recorded what became of {uuid}"), || async {
            let answer = self.api.get(&path).await;
            let settling = answer.status == 200 && answer.json().get("state") == Some(&json!("settling"));
            (!settling).then_some(())
        })
        .await;
    }

    /// An operator's retry of a submission that waits with an alert, unless the gateway has looked again by itself.
    ///
    /// # Panics
    /// When it is refused while there is an alert.
    pub async fn retry(&self, uuid: &str) {
        let answer = self.api.post(&format!("/finance/rpc/submissions/{uuid}/retry"), &json!({})).await;
        if answer.status != 200 {
            let submission = self.submission(uuid).await;
            assert_eq!(submission.get("alert"), Some(&Value::Null), "{answer:?} for {submission}");
        }
    }

    /// Waits until the submission has an alert of this code.
    ///
    /// # Panics
    /// When it never has.
    pub async fn until_alert(&self, uuid: &str, code: &str) -> Value {
        let what = format!("the submission of {uuid} has the alert {code}");
        crate::until(&what, || async {
            let submission = self.submission(uuid).await;
            (submission.pointer("/alert/code") == Some(&json!(code))).then_some(submission)
        })
        .await
    }

    /// Starts the gateway again, after a kill, with a fresh token.
    pub async fn serve_again(&mut self) {
        self.gateway.serve().await;
        self.sign_in().await;
    }

    /// The number of a position in this year's series of invoices.
    pub fn number(&self, document: &Value, position: u64) -> String {
        let date = document.get("issue_date").and_then(Value::as_str).unwrap_or_default();
        format!("F-{}-{position:06}", date.split('-').next().unwrap_or_default())
    }
}

fn path(uuid: &str) -> String {
    format!("/invoicing/rpc/documents/{uuid}")
}

/// A workspace as most tests need one, over HTTP.
async fn usual_workspace(api: &Api) -> i64 {
    let body = json!({"name": "Sample", "legal_name": "Sample S.L.", "tax_id": "B98602642", "country": "ES",
        "time_zone": "Europe/Madrid"});
    let created = api.post("/admin/workspaces", &body).await.expect(201);
    created.get("id").and_then(Value::as_i64).unwrap_or_else(|| panic!("no workspace id: {created}"))
}

async fn create_workspace(gateway: &Gateway, more: &[&str]) -> i64 {
    let mut arguments =
        vec!["workspace", "create", "--json", "--name", "Sample", "--legal-name", "Sample S.L."];
    for [name, usual] in [["--country", "ES"], ["--time-zone", "Europe/Madrid"], ["--tax-id", "B98602642"]] {
        if !more.contains(&name) {
            arguments.extend([name, usual]);
        }
    }
    arguments.extend(more);
    let created = gateway.cli(&arguments).await.json();
    created.get("id").and_then(Value::as_i64).unwrap_or_else(|| panic!("no workspace id: {created}"))
}

async fn create_client(gateway: &Gateway, grants: &[&str]) -> Credentials {
    Credentials::of_new_client(gateway, "tests", grants).await
}
