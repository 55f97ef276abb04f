//! The API over the sample data, with a clock that stands still.

use async_trait::async_trait;
use gateway_access::secrets::Keyring;
use gateway_domain::access::{Acting, Actor, Caller, Permission, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{ClientId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::Recipient;
use gateway_domain::ports::{Converter, ConverterError, Ids, PluginOutput, Regimes};
use gateway_domain::regime::{
    EvidenceDescription, Identity, PluginRef, ProviderReport, RegimeContext, RegimeDescription,
    RegimeInvoice, RegimeKey, StructuredDocument, Verdict,
};
use gateway_events::Events;
use gateway_graphql::{Api, GraphQLParams, Services};
use gateway_invoicing::{Documents, FollowUps, Invoicing};
use gateway_platform::{Platform, sample};
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb, samples};
use gateway_webhooks::{WebhookSettings, Webhooks};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// A gateway without a plugin.
#[derive(Debug)]
struct NoRegimes;

impl Regimes for NoRegimes {
    fn within(self: Arc<Self>, _: WorkspaceId) -> Arc<dyn Converter> {
        self
    }
}

#[async_trait]
impl Converter for NoRegimes {
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)> {
        Vec::new()
    }

    fn describe(&self, _: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)> {
        None
    }

    fn evidence(&self, _: &RegimeKey) -> Option<Arc<EvidenceDescription>> {
        None
    }

    async fn check(
        &self,
        key: &RegimeKey,
        _: &RegimeInvoice,
        _: &RegimeContext,
    ) -> Result<PluginOutput<Vec<Fault>>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }

    async fn convert(
        &self,
        key: &RegimeKey,
        _: &RegimeInvoice,
        _: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }

    async fn map_identity(
        &self,
        key: &RegimeKey,
        _: &Recipient,
    ) -> Result<PluginOutput<Identity>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }

    async fn interpret(
        &self,
        key: &RegimeKey,
        _: &ProviderReport,
    ) -> Result<PluginOutput<Verdict>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }
}

/// The API over a database of its own with the sample data.
pub(crate) struct World {
    api: Api,
    documents: Documents,
    follow_ups: Arc<dyn FollowUps>,
    _db: TestDb,
}

impl World {
    async fn on(db: TestDb) -> Self {
        let (clock, ids, regimes) =
            (Arc::new(TestClock::at(samples::at(3600))), Arc::new(RandomIds), Arc::new(NoRegimes));
        samples::stored_workspace(&db, 1).await;
        let events = Events::new(db.db().clone(), clock.clone(), ids.clone());
        let workspaces = gateway_workspaces::Workspaces::new(gateway_workspaces::Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            keyring: Arc::new(Keyring::ephemeral().unwrap()),
            regimes: regimes.clone(),
            sandbox: false,
        });
        let platform =
            Platform::new(db.db().clone(), clock.clone(), ids.clone(), events.clone(), workspaces.clone());
        let lines = sample::few_lines().collect::<Result<Vec<String>, _>>().unwrap().join("\n");
        let imported = platform.importer.import(&Actor::operator(), lines.as_bytes(), |_| {}).await.unwrap();
        assert_eq!(imported.refused(), 0);
        let documents = Documents::new(gateway_invoicing::Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            events: events.clone(),
            regimes: regimes.clone(),
        });
        let settings = gateway_finance::Settings {
            poll_after: Duration::from_mins(1),
            overdue_after: Duration::from_hours(1),
            retries_max: 1,
            sandbox: false,
        };
        let deadlines = gateway_deadlines::LegalClock::new(gateway_deadlines::Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            keyring: Arc::new(Keyring::ephemeral().unwrap()),
            outage_after: jiff::SignedDuration::from_mins(2),
            alert_before: jiff::SignedDuration::from_hours(24),
        });
        let finance = gateway_finance::Services::new(gateway_finance::Parts {
            db: db.db().clone(),
            clock,
            ids,
            events,
            workspaces,
            documents: documents.clone(),
            regimes,
            provider: None,
            invoicing: None,
            earlier_numbers: None,
            recipient_checks: None,
            coming_rules: None,
            deadlines,
            settings,
        });
        let webhooks = Webhooks::new(gateway_webhooks::Parts {
            db: db.db().clone(),
            clock: Arc::new(TestClock::at(samples::at(3600))),
            ids: Arc::new(RandomIds),
            keyring: Arc::new(Keyring::ephemeral().unwrap()),
            webhook_sender: None,
            settings: WebhookSettings::default(),
        });
        let services =
            Services { platform, documents: finance.lists, submissions: finance.submissions, webhooks };
        Self { api: Api::new(services), documents, follow_ups: finance.follow_ups, _db: db }
    }

    /// Stores a draft as the invoice data service takes it.
    pub(crate) async fn draft(&self, form: Value) -> Uuid {
        let id = RandomIds.next();
        let acting = Acting { workspaces: Workspaces::All, actor: Actor("jane".to_owned()), request: None };
        let invoicing = Invoicing::new(self.documents.clone(), Arc::clone(&self.follow_ups));
        let form = serde_json::from_value(form).unwrap();
        invoicing.save(&acting, InvoiceId(id), form, None).await.unwrap();
        id
    }

    /// What somebody is answered who may do this, in these workspaces.
    pub(crate) async fn answer_to(
        &self,
        permissions: &[Permission],
        workspaces: &[i64],
        query: &str,
    ) -> Value {
        let caller = Caller {
            client: ClientId(Uuid::from_u128(1)),
            act_sub: None,
            permissions: permissions.to_vec(),
            workspaces: Workspaces::Only(workspaces.iter().copied().map(WorkspaceId).collect()),
        };
        let params = GraphQLParams { query: Some(query.to_owned()), ..GraphQLParams::default() };
        serde_json::to_value(self.api.run(caller, params, "r").await).unwrap()
    }

    /// What somebody is answered who may do everything in both workspaces of the sample data.
    pub(crate) async fn answer(&self, query: &str) -> Value {
        self.answer_to(&[Permission::All], &[1, 2], query).await
    }

    /// The data of an answer without errors.
    pub(crate) async fn data(&self, query: &str) -> Value {
        let mut answer = self.answer(query).await;
        assert_eq!(answer.get("errors"), None, "{query}");
        answer["data"].take()
    }

    /// `code reason: message` of every error.
    pub(crate) async fn errors(&self, query: &str) -> Vec<String> {
        let answer = self.answer(query).await;
        let errors = answer["errors"].as_array().cloned().unwrap_or_default();
        let text = |error: &Value, member: &str| error["extensions"][member].as_str().unwrap().to_owned();
        errors
            .iter()
            .map(|error| {
                let message = error["message"].as_str().unwrap();
                format!("{} {}: {message}", text(error, "code"), text(error, "reason"))
            })
            .collect()
    }
}

/// The same test on both databases.
pub(crate) async fn here() -> Vec<World> {
    let mut worlds = Vec::new();
    for db in testing::both().await {
        worlds.push(World::on(db).await);
    }
    worlds
}

/// A thing of the sample data: its kind's number and its own.
pub(crate) fn id(kind: u8, index: u64) -> String {
    format!("{kind:08x}-0000-7000-8000-{index:012x}")
}

/// A draft of an invoice of workspace 1, with some members of its own.
pub(crate) fn invoice(members: &Value) -> Value {
    let mut form = json!({"workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "5",
            "tax": {"category": "VAT", "rate": "10.0"}}]});
    for (name, value) in members.as_object().unwrap() {
        form[name] = value.clone();
    }
    form
}
