//! A gateway with a clock that stands still, a provider that follows a script and a regime that maps little.

use crate::gateway::{Gateway, Parts};
pub(crate) use crate::provider::Op;
use crate::provider::ScriptedProvider;
use crate::service::Service;
use crate::webhooks::KeepingWebhookSender;
use async_trait::async_trait;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, Recipient, State};
use gateway_domain::money::Amount;
use gateway_domain::ports::{Converter, ConverterError, Ids, PluginOutput, Regimes};
use gateway_domain::regime::{
    CategoryChoice, EvidenceDescription, Identity, PluginRef, ProviderReport, RegimeContext,
    RegimeDescription, RegimeDocumentKind, RegimeInvoice, RegimeKey, Rounding, StructuredDocument, Verdict,
};
use gateway_domain::workspace::EInvoicing;
use gateway_domain_finance::CommandForm;
use gateway_domain_finance::ports::{InvoicingClient, Provider};
use gateway_domain_input::document::DocumentForm;
use gateway_finance::{CommandError, Outcome, Settings, SubmissionView};
use gateway_invoicing::SaveError;
use gateway_storage::Db;
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb, samples};
use gateway_workspaces::{EInvoicingForm, NewWorkspace};
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

/// Seconds until the provider is asked when its webhook does not come.
pub(crate) const POLL_AFTER_S: i64 = 60;
/// Seconds until a job at the provider is overdue.
pub(crate) const OVERDUE_AFTER_S: i64 = 3600;
/// Tries of a call beyond the first.
pub(crate) const RETRIES_MAX: u32 = 3;

/// What the regime does next.
#[derive(Debug, Clone, Default)]
pub(crate) enum Mood {
    #[default]
    Sound,
    Finds(Vec<Fault>),
    RefusesToConvert(Vec<Fault>),
    RefusesAll(Vec<Fault>),
    Broken,
    BrokenCheck,
    Miscalculates,
    Inactive,
}

#[derive(Default)]
pub(crate) struct PlainRegime(
    Mutex<Mood>,
    Mutex<Vec<RegimeDocumentKind>>,
    Mutex<Option<Interruption>>,
    Mutex<Option<(RegimeInvoice, RegimeContext)>>,
);

/// What somebody does while the regime checks a document or maps its recipient.
type Interruption = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

impl std::fmt::Debug for PlainRegime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PlainRegime").field(&self.0).finish_non_exhaustive()
    }
}

/// What the plugin host says of a plugin that traps.
fn broken() -> Fault {
    Fault::error("PLUGIN-TRAP", "", "the plugin broke: report it to its author")
}

impl PlainRegime {
    pub(crate) fn is(&self, mood: Mood) {
        *self.0.lock().unwrap() = mood;
    }

    /// Somebody does this while it checks a document or maps its recipient.
    pub(crate) fn meanwhile(&self, act: impl Future<Output = ()> + Send + 'static) {
        *self.2.lock().unwrap() = Some(Box::pin(act));
    }

    /// What it converted last, and in which surroundings.
    pub(crate) fn converted(&self) -> (RegimeInvoice, RegimeContext) {
        self.3.lock().unwrap().clone().unwrap()
    }

    /// It takes credit notes too.
    pub(crate) fn takes_credit_notes(&self) {
        self.1.lock().unwrap().push(RegimeDocumentKind::CreditNote);
    }

    fn output<T>(key: &RegimeKey, value: T) -> PluginOutput<T> {
        let plugin = PluginRef { key: key.clone(), version: "1.0.0".to_owned(), digest: "d".repeat(64) };
        PluginOutput { value, plugin }
    }
}

fn rate_total(row: &gateway_domain::invoicing::RateTotal) -> Value {
    let percent = row.rate.map(|rate| format!("{rate}%"));
    let surcharge =
        row.surcharge.map(|rate| json!({"percent": format!("{rate}%"), "amount": row.surcharge_amount}));
    json!({"base": row.base, "percent": percent, "amount": row.amount, "surcharge": surcharge})
}

fn structured(invoice: &RegimeInvoice, payable: Amount) -> String {
    let totals = &invoice.totals;
    let categories: Vec<_> = totals
        .categories
        .iter()
        .map(|category| {
            let rates = totals.rates.iter().filter(|rate| rate.category == category.category);
            let rates: Vec<_> = rates.map(rate_total).collect();
            json!({"code": category.category, "amount": category.amount, "rates": rates})
        })
        .collect();
    json!({"uuid": invoice.id, "code": invoice.number, "customer": {"name": invoice.recipient.as_ref().map(gateway_domain::invoicing::Recipient::name)},
        "totals": {"payable": payable, "total_with_tax": totals.gross, "taxes": {"categories": categories}}})
    .to_string()
}

impl Regimes for PlainRegime {
    fn within(self: Arc<Self>, _: WorkspaceId) -> Arc<dyn Converter> {
        self
    }
}

#[async_trait]
impl Converter for PlainRegime {
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)> {
        Vec::new()
    }

    fn describe(&self, key: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)> {
        let kinds = self.1.lock().unwrap().clone();
        let vat = CategoryChoice { key: "VAT".to_owned(), title: "VAT".to_owned(), rates: Vec::new() };
        let description = RegimeDescription {
            key: key.clone(),
            title: "Plain".to_owned(),
            country: "ES".to_owned(),
            tax_system: "plain".to_owned(),
            version: "1.0.0".to_owned(),
            kinds,
            categories: vec![vat],
            exemptions: Vec::new(),
            retentions: Vec::new(),
            rounding: Rounding::Precise,
            settings_schema: json!({}),
            required_workspace_fields: Vec::new(),
            ext: Vec::new(),
        };
        let made = Self::output(key, Arc::new(description));
        Some((made.value, made.plugin))
    }

    fn evidence(&self, _: &RegimeKey) -> Option<Arc<EvidenceDescription>> {
        None
    }

    async fn check(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        _: &RegimeContext,
    ) -> Result<PluginOutput<Vec<Fault>>, ConverterError> {
        assert_eq!(invoice.number, None, "no number exists before the check");
        let meanwhile = self.2.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile.await;
        }
        match &*self.0.lock().unwrap() {
            Mood::Finds(faults) | Mood::RefusesAll(faults) => Ok(Self::output(key, faults.clone())),
            Mood::BrokenCheck => Err(ConverterError::Broken(broken())),
            _ => Ok(Self::output(key, Vec::new())),
        }
    }

    async fn convert(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        assert_eq!(context.company_id, COMPANY.to_string());
        *self.3.lock().unwrap() = Some((invoice.clone(), context.clone()));
        let mut payable = invoice.totals.payable;
        match self.0.lock().unwrap().clone() {
            Mood::RefusesToConvert(faults) | Mood::RefusesAll(faults) => {
                return Err(ConverterError::Faults(faults));
            }
            Mood::Broken => return Err(ConverterError::Broken(broken())),
            Mood::Inactive => return Err(ConverterError::UnknownRegime(key.clone())),
            Mood::Miscalculates => payable = payable.plus("0.01".parse().unwrap()).unwrap(),
            Mood::Sound | Mood::Finds(_) | Mood::BrokenCheck => {}
        }
        let body = structured(invoice, payable);
        let media_type = "application/json".to_owned();
        Ok(Self::output(key, StructuredDocument { media_type, body, payable }))
    }

    async fn map_identity(
        &self,
        key: &RegimeKey,
        recipient: &Recipient,
    ) -> Result<PluginOutput<Identity>, ConverterError> {
        let meanwhile = self.2.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile.await;
        }
        match &*self.0.lock().unwrap() {
            Mood::RefusesToConvert(faults) | Mood::RefusesAll(faults) => {
                return Err(ConverterError::Faults(faults.clone()));
            }
            Mood::Broken => return Err(ConverterError::Broken(broken())),
            Mood::Inactive => return Err(ConverterError::UnknownRegime(key.clone())),
            Mood::Sound | Mood::Finds(_) | Mood::BrokenCheck | Mood::Miscalculates => {}
        }
        let code = recipient.name().to_owned();
        Ok(Self::output(key, Identity::TaxId { country: "ES".to_owned(), code }))
    }

    async fn interpret(
        &self,
        key: &RegimeKey,
        report: &ProviderReport,
    ) -> Result<PluginOutput<Verdict>, ConverterError> {
        let stamp = |provider: &str| {
            report.stamps.iter().find(|stamp| stamp.provider == provider).map(|stamp| stamp.value.clone())
        };
        let verdict = match (report.succeeded, report.faults.first()) {
            (false, Some(fault)) => Verdict::Rejected {
                code: fault.code.clone(),
                reason: fault.message.clone().unwrap_or_default(),
                faults: Vec::new(),
            },
            (true, _) if stamp("qr").is_some() => Verdict::Accepted {
                qr_url: stamp("qr"),
                tax_system_hash: stamp("hash"),
                warnings: Vec::new(),
            },
            _ => Verdict::Undecided { reason: "the proof is missing".to_owned() },
        };
        Ok(Self::output(key, verdict))
    }
}

const COMPANY: Uuid = Uuid::from_u128(0xc0);

/// Everything a test needs.
pub(crate) struct World {
    pub(crate) gateway: Gateway,
    /// Keeps the documents: the same gateway, or the remote invoice data service.
    pub(crate) keeper: Gateway,
    /// The remote invoice data service.
    pub(crate) service: Option<Arc<Service>>,
    pub(crate) provider: Arc<ScriptedProvider>,
    pub(crate) regime: Arc<PlainRegime>,
    pub(crate) webhook_sender: Arc<KeepingWebhookSender>,
    pub(crate) workspace: WorkspaceId,
    pub(crate) acting: Acting,
    pub(crate) db: TestDb,
    clock: Arc<TestClock>,
    /// Where the remote invoice data service keeps the documents.
    other: Option<TestDb>,
}

/// The same test on both databases and with both invoice data services, each in a world of its own.
pub(crate) async fn both() -> Vec<World> {
    let mut worlds = here().await;
    worlds.extend(remote_worlds().await);
    worlds
}

/// The same test on both databases, with the invoice data service in the same gateway.
pub(crate) async fn here() -> Vec<World> {
    let mut worlds = Vec::new();
    for db in testing::both().await {
        worlds.push(World::on(db, true).await);
    }
    worlds
}

/// The same test on both databases, with the remote invoice data service.
pub(crate) async fn remote_worlds() -> Vec<World> {
    let mut worlds = Vec::new();
    for db in testing::both().await {
        let other = testing::database(db.engine()).await;
        worlds.push(World::built(db, Some(other), true).await);
    }
    worlds
}

impl World {
    pub(crate) async fn on(db: TestDb, with_provider: bool) -> Self {
        Self::built(db, None, with_provider).await
    }

    async fn built(db: TestDb, other: Option<TestDb>, with_provider: bool) -> Self {
        let clock = Arc::new(TestClock::at(samples::at(3600)));
        let (provider, regime) = (Arc::new(ScriptedProvider::default()), Arc::new(PlainRegime::default()));
        let webhook_sender = Arc::new(KeepingWebhookSender::default());
        let settings = Settings {
            poll_after: Duration::from_secs(POLL_AFTER_S.unsigned_abs()),
            overdue_after: Duration::from_secs(OVERDUE_AFTER_S.unsigned_abs()),
            retries_max: RETRIES_MAX,
            sandbox: false,
        };
        let parts = |db: &TestDb, invoicing| Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            ids: Arc::new(RandomIds),
            regimes: regime.clone(),
            provider: with_provider.then(|| provider.clone() as Arc<dyn Provider>),
            invoicing,
            webhook_sender: Some(webhook_sender.clone()),
            settings: settings.clone(),
        };
        let service = other.as_ref().map(|db| Arc::new(Service::new(Gateway::new(parts(db, None)))));
        let gateway =
            Gateway::new(parts(&db, service.clone().map(|service| service as Arc<dyn InvoicingClient>)));
        let keeper = service.as_ref().map_or_else(|| gateway.clone(), |service| service.gateway.clone());
        let new = NewWorkspace {
            name: "Casa".to_owned(),
            legal_name: "Casa S.L.".to_owned(),
            tax_id: "B98602642".to_owned(),
            country: "ES".to_owned(),
            ..NewWorkspace::default()
        };
        let workspace = gateway.workspaces().create(&Actor::operator(), &new).await.unwrap().workspace.id;
        if service.is_some() {
            let there = keeper.workspaces().create(&Actor::operator(), &new).await.unwrap().workspace.id;
            assert_eq!(there, workspace, "the workspace is known by one id");
        }
        let configuration = EInvoicing {
            regime: "es-verifactu".parse().unwrap(),
            company_id: COMPANY,
            workflow_id: Uuid::from_u128(0xf0),
            settings: json!({}),
        };
        let token = Some("provider-token".to_owned().into());
        let form = EInvoicingForm { configuration, token, webhook_token: None };
        gateway.workspaces().set_e_invoicing(&Actor::operator(), workspace, &form).await.unwrap();
        let acting = Acting {
            workspaces: Workspaces::Only(vec![workspace]),
            actor: Actor("jane".to_owned()),
            request: None,
        };
        Self {
            gateway,
            keeper,
            service,
            provider,
            regime,
            webhook_sender,
            workspace,
            acting,
            db,
            clock,
            other,
        }
    }

    /// The database of the invoice data service.
    pub(crate) fn kept(&self) -> &Db {
        self.other.as_ref().unwrap_or(&self.db).db()
    }

    pub(crate) async fn draft(&self) -> InvoiceId {
        let id = InvoiceId(RandomIds.next());
        self.write(id, "10.00").await;
        id
    }

    pub(crate) async fn write(&self, id: InvoiceId, price: &str) {
        self.try_write(id, price).await.unwrap();
    }

    /// Saves the content of a document, unless its state forbids it.
    pub(crate) async fn try_write(&self, id: InvoiceId, price: &str) -> Result<(), SaveError> {
        let form: DocumentForm = serde_json::from_value(json!({"workspace_id": self.workspace, "document_type": "invoice",
            "currency": "EUR", "prices_include_tax": false,
            "recipient": {"type": "company", "name": "Guest", "tax_number": "B1", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "2", "unit_price": price, "tax": {"category": "VAT", "rate": "10.0"}}]}))
        .unwrap();
        self.keeper.invoicing().save(&self.acting, id, form, None).await.map(drop)
    }

    pub(crate) async fn issue(&self, id: InvoiceId) -> Result<Outcome, CommandError> {
        self.gateway.command(&self.acting, id, CommandForm::Issue { at: None }, None).await
    }

    /// A document on its way: issued, converted, stored and started at the provider.
    pub(crate) async fn waiting(&self) -> InvoiceId {
        let id = self.draft().await;
        self.issue(id).await.unwrap();
        self.work().await;
        id
    }

    /// A document that was rejected and is on its way for the second time; the provider accepts it.
    pub(crate) async fn submitted_again(&self) -> InvoiceId {
        let id = self.waiting().await;
        self.provider.rejects("1110", "no");
        self.notified(id).await;
        self.provider.accepts();
        self.issue(id).await.unwrap();
        self.work().await;
        id
    }

    pub(crate) async fn work(&self) -> usize {
        self.gateway.job_queue().run_due("worker").await.unwrap()
    }

    pub(crate) fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    pub(crate) async fn document(&self, id: InvoiceId) -> Invoice {
        self.gateway.invoice(&self.acting, id).await.unwrap().unwrap()
    }

    pub(crate) async fn number(&self, id: InvoiceId) -> String {
        self.document(id).await.state.number().unwrap().to_string()
    }

    pub(crate) async fn rejection(&self, id: InvoiceId) -> String {
        match self.document(id).await.state {
            State::Rejected { reason, .. } => reason,
            other => panic!("not rejected but {other:?}"),
        }
    }

    pub(crate) async fn submission(&self, id: InvoiceId) -> SubmissionView {
        self.gateway.submissions().find(&self.acting, id).await.unwrap().unwrap()
    }

    /// The code of the alert, if one is up.
    pub(crate) async fn alert(&self, id: InvoiceId) -> Option<&'static str> {
        self.submission(id).await.submission.alert.map(|alert| alert.code.as_str())
    }

    pub(crate) async fn events(&self, id: InvoiceId) -> Vec<String> {
        let events = self.gateway.finance_events(&self.acting, id).await.unwrap();
        events.into_iter().map(|event| event.kind).collect()
    }

    pub(crate) async fn notified(&self, id: InvoiceId) {
        let entry = self.submission(id).await.submission.entry().unwrap();
        self.gateway.submissions().provider_notified(entry.uuid(), None).await.unwrap();
        self.work().await;
    }
}
