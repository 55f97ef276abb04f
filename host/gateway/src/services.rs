//! Every service of a process. Only the wiring and the program's own commands name them all; a handler takes the one it
//! needs.

use crate::clock::SystemIds;
use futures::FutureExt;
use gateway_access::secrets::Keyring;
use gateway_access::{Audit, Clients, LegacyUses, RequestClaims, Requests};
use gateway_amendment::Amendments;
use gateway_annotations::DocumentAnnotations;
use gateway_cli::CommandContext;
use gateway_deadlines::LegalClock;
use gateway_domain::access::Actor;
use gateway_domain::ports::{Clock, Ids, Regimes};
use gateway_domain_events::notices::{MailAddress, PerWorkspace};
use gateway_domain_evidence::ports::RecordLinks;
use gateway_domain_finance::ports::{EarlierNumbers, InvoicingClient, Provider};
use gateway_domain_recipients::ports::VatRegister;
use gateway_domain_rules::ports::ComingRules;
use gateway_events::{Consumer, Consumers, Events};
use gateway_evidence::ChainCheck;
use gateway_finance::{DocumentLists, Finance, SubmissionQueue, Submissions};
use gateway_invoicing::{Documents, Invoicing};
use gateway_jobs::JobQueue;
use gateway_mail::NoticeQueue;
use gateway_platform::Platform;
use gateway_read_models::{
    Activity, BookingDocuments, FeedPositions, FinanceDocuments, RemoteFeed, VerdictCounts,
};
use gateway_recipients::{Network, Recipients};
use gateway_reconciliation::{Authorities, FiledBefore, Reconciliations};
use gateway_registry::Plugins;
use gateway_rendering::{RendererVersions, Renderers, Rendering};
use gateway_retention::Retention;
use gateway_rules::RuleChecks;
use gateway_storage::Db;
use gateway_watchdog::{WaitingForSomebody, Watchdog};
use gateway_webhooks::{GivenUpWebhooks, WebhookSender, WebhookSettings, Webhooks};
use gateway_workspaces::{Destinations, StoredWorkspaces, Workspaces};
use jiff::SignedDuration;
use std::sync::Arc;

/// What can be read with nothing but the database, for whoever looks what is wrong: keys and plugins may be what is.
#[derive(Debug)]
pub(crate) struct Readers {
    pub(crate) workspaces: StoredWorkspaces,
    /// Whether what was issued holds together.
    pub(crate) chain: ChainCheck,
    /// Documents that wait for somebody.
    pub(crate) waiting: WaitingForSomebody,
    /// Webhooks that are told nothing any more.
    pub(crate) given_up: GivenUpWebhooks,
    /// How far the feeds of remote invoice data services were kept.
    pub(crate) feeds: FeedPositions,
}

impl Readers {
    /// Of a database that is up to date.
    pub(crate) fn new(db: &Db, clock: Arc<dyn Clock>) -> Self {
        Self {
            workspaces: StoredWorkspaces::new(db.clone()),
            chain: ChainCheck::new(db.clone()),
            waiting: WaitingForSomebody::new(db.clone(), clock),
            given_up: GivenUpWebhooks::new(db.clone()),
            feeds: FeedPositions::new(db.clone()),
        }
    }
}

/// What the services are built from.
#[derive(Debug)]
pub(crate) struct Adapters {
    pub(crate) db: Db,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) regimes: Arc<dyn Regimes>,
    /// What plugins will say of drafts.
    pub(crate) coming_rules: Arc<dyn ComingRules>,
    /// What plugins read in messages to authorities.
    pub(crate) record_links: Arc<dyn RecordLinks>,
    /// What reads the authorities' own lists; none where nobody is asked.
    pub(crate) authorities: Option<Authorities>,
    /// The provider; none until one is configured.
    pub(crate) provider: Option<Arc<dyn Provider>>,
    /// The invoice data service that finance works with, when it is not the one in this process.
    pub(crate) invoicing: Option<Arc<dyn InvoicingClient>>,
    /// Who carries webhooks to customers; none where nothing is sent.
    pub(crate) webhook_sender: Option<Arc<dyn WebhookSender>>,
    /// The VAT register; none where recipients are not checked.
    pub(crate) vat_register: Option<Arc<dyn VatRegister>>,
    /// The delivery network; none where recipients are not looked up.
    pub(crate) network: Option<Network>,
    pub(crate) recipient_settings: gateway_recipients::Settings,
    pub(crate) finance_settings: gateway_finance::Settings,
    /// How long calls to the provider have to fail until it counts as an outage.
    pub(crate) outage_after: SignedDuration,
    /// How long before the legal limit of a filing somebody is told.
    pub(crate) due_alert_before: SignedDuration,
    pub(crate) webhook_settings: WebhookSettings,
    pub(crate) reconciliation_settings: gateway_reconciliation::Settings,
    /// Who is written to when something needs somebody; nobody unless mail is configured.
    pub(crate) mail_recipients: PerWorkspace<MailAddress>,
    pub(crate) rendering_settings: gateway_rendering::Settings,
}

/// The services. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Services {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// Whom documents are converted by, workspace by workspace.
    pub regimes: Arc<dyn Regimes>,
    /// Who may call.
    pub clients: Clients,
    /// Who did what; for operators.
    pub audit: Audit,
    /// The requests that were given a key.
    pub requests: Requests,
    /// The same where the key is claimed beforehand.
    pub claims: RequestClaims,
    /// Who still uses the legacy API.
    pub legacy_uses: LegacyUses,
    /// What happened, in order: what integrators read and consumers follow.
    pub events: Events,
    /// Who follows it.
    pub consumers: Consumers,
    /// With their settings, number series and ways to the provider.
    pub workspaces: Workspaces,
    /// The platform's own data.
    pub platform: Platform,
    /// The webhooks of customers.
    pub webhooks: Webhooks,
    /// The documents of the invoice data service in this process.
    pub documents: Documents,
    /// Documents as files that people read.
    pub rendering: Rendering,
    /// Documents in lists, wherever they are kept.
    pub lists: DocumentLists,
    /// The invoice data service in this process.
    pub invoicing: Invoicing,
    /// Carries out commands on documents, and shows documents as finance knows them.
    pub finance: Finance,
    /// Submissions: what operators see of them and do about them.
    pub submissions: Submissions,
    /// Looks after documents that are issuing.
    pub watchdog: Watchdog,
    /// Compares what was filed with what provider and tax authority hold.
    pub reconciliations: Reconciliations,
    /// Amendments of issued documents.
    pub amendments: Amendments,
    /// What people keep beside documents.
    pub annotations: DocumentAnnotations,
    /// Checks of recipients, and their evidence.
    pub recipients: Recipients,
    /// Checks drafts as of a later day.
    pub rules: RuleChecks,
    /// Until when documents have to be filed, and what stood in the way.
    pub deadlines: LegalClock,
    /// Where the submissions of the database go.
    pub destinations: Destinations,
    /// The event feed of a remote invoice data service.
    pub feed: RemoteFeed,
    /// What must follow, done in the background.
    pub jobs: JobQueue,
    /// How submissions fared over time.
    pub activity: Activity,
}

impl Services {
    /// What the GraphQL API shows.
    pub(crate) fn graphql(&self) -> gateway_graphql::Services {
        gateway_graphql::Services {
            platform: self.platform.clone(),
            documents: self.lists.clone(),
            submissions: self.submissions.clone(),
            webhooks: self.webhooks.clone(),
        }
    }

    /// What the commands of an operator work with.
    pub(crate) fn for_commands(self, plugins: Plugins, operator: Actor) -> CommandContext {
        let db = self.db;
        CommandContext {
            retention: Retention::new(db.clone(), self.clock, Arc::new(SystemIds)),
            operator,
            ids: Arc::new(SystemIds),
            regimes: self.regimes,
            clients: self.clients,
            legacy_uses: self.legacy_uses,
            consumers: self.consumers,
            workspaces: self.workspaces,
            platform: self.platform,
            webhooks: self.webhooks,
            documents: self.lists,
            rendering: self.rendering,
            finance: self.finance,
            submissions: self.submissions,
            watchdog: self.watchdog,
            reconciliations: self.reconciliations,
            amendments: self.amendments,
            annotations: self.annotations,
            recipients: self.recipients,
            rules: self.rules,
            deadlines: self.deadlines,
            plugins,
            closing: async move { db.close().await }.boxed(),
        }
    }

    /// Puts the services together.
    pub(crate) fn new(adapters: &Adapters) -> Self {
        let Adapters { db, clock, ids, keyring, regimes, .. } = adapters;
        let activity = Activity::new(db.clone(), Arc::clone(clock));
        let events = Events::new(db.clone(), Arc::clone(clock), Arc::clone(ids));
        let webhooks = adapters.webhooks();
        let documents = adapters.documents(&events);
        let renderers = Renderers::new(db.clone(), adapters.rendering_settings.clone());
        let workspaces = adapters.workspaces(&renderers);
        let deadlines = adapters.deadlines();
        let recipients = adapters.recipients();
        let sources = (&events, &workspaces, &documents);
        let finance = adapters.finance(sources, (&deadlines, &recipients), &activity);
        let reconciliations = adapters.reconciliations(&finance, &workspaces, &activity);
        let amendments = adapters.amendments(&events, &finance.finance, &workspaces, &documents, &activity);
        let audit = Audit::new(db.clone(), Arc::clone(clock), Arc::clone(ids));
        let registry = amendments.register(reconciliations.register(recipients.register(finance.registry)));
        let platform =
            Platform::new(db.clone(), Arc::clone(clock), Arc::clone(ids), events.clone(), workspaces.clone());
        Self {
            // Another service takes its own documents over.
            platform: match adapters.invoicing {
                None => platform.with_documents(documents.clone()),
                Some(_) => platform,
            },
            consumers: Consumers::new(events.clone(), following(&events, &webhooks, adapters)),
            invoicing: Invoicing::new(documents.clone(), finance.follow_ups),
            requests: Requests::new(db.clone()),
            claims: RequestClaims::new(db.clone(), Arc::clone(keyring), Arc::clone(clock)),
            legacy_uses: LegacyUses::new(db.clone(), Arc::clone(clock)),
            clients: Clients::new(db.clone(), Arc::clone(keyring), Arc::clone(clock), Arc::clone(ids)),
            annotations: DocumentAnnotations::new(db.clone(), Arc::clone(clock), audit.clone()),
            audit,
            rendering: adapters.rendering(&finance.finance, &finance.lists, renderers),
            watchdog: adapters.watchdog(finance.queue),
            rules: adapters.rules(&finance.finance, &finance.lists, &workspaces),
            reconciliations,
            amendments,
            recipients,
            deadlines,
            lists: finance.lists,
            finance: finance.finance,
            submissions: finance.submissions,
            destinations: Destinations::new(db.clone()),
            feed: finance.feed,
            jobs: JobQueue::new(db.clone(), Arc::clone(clock), registry),
            db: db.clone(),
            clock: Arc::clone(clock),
            regimes: Arc::clone(regimes),
            events,
            workspaces,
            webhooks,
            documents,
            activity,
        }
    }
}

/// The services that are made of more than database, clock and identifiers.
impl Adapters {
    fn webhooks(&self) -> Webhooks {
        Webhooks::new(gateway_webhooks::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            keyring: Arc::clone(&self.keyring),
            webhook_sender: self.webhook_sender.clone(),
            settings: self.webhook_settings,
        })
    }

    fn documents(&self, events: &Events) -> Documents {
        Documents::new(gateway_invoicing::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            events: events.clone(),
            regimes: Arc::clone(&self.regimes),
        })
    }

    fn workspaces(&self, renderers: &Renderers) -> Workspaces {
        Workspaces::new(gateway_workspaces::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            keyring: Arc::clone(&self.keyring),
            regimes: Arc::clone(&self.regimes),
            sandbox: self.finance_settings.sandbox,
        })
        .with_templates_of(Arc::new(renderers.clone()))
    }

    fn finance(
        &self,
        (events, workspaces, documents): (&Events, &Workspaces, &Documents),
        (deadlines, recipients): (&LegalClock, &Recipients),
        activity: &Activity,
    ) -> gateway_finance::Services {
        gateway_finance::Services::new(gateway_finance::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            events: events.clone(),
            workspaces: workspaces.clone(),
            documents: documents.clone(),
            regimes: Arc::clone(&self.regimes),
            provider: self.provider.clone().map(|provider| activity.counting(provider)),
            invoicing: self.invoicing.clone(),
            earlier_numbers: self.earlier_numbers(workspaces),
            recipient_checks: recipients.checks(),
            coming_rules: Some(Arc::clone(&self.coming_rules)),
            deadlines: deadlines.clone(),
            settings: self.finance_settings.clone(),
        })
    }

    fn recipients(&self) -> Recipients {
        Recipients::new(gateway_recipients::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            register: self.vat_register.clone(),
            network: self.network.clone(),
            settings: self.recipient_settings,
        })
    }

    fn deadlines(&self) -> LegalClock {
        LegalClock::new(gateway_deadlines::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            keyring: Arc::clone(&self.keyring),
            outage_after: self.outage_after,
            alert_before: self.due_alert_before,
        })
    }

    /// Numbers of a remote invoice data service are its own to know.
    fn earlier_numbers(&self, workspaces: &Workspaces) -> Option<Arc<dyn EarlierNumbers>> {
        let provider = self.provider.clone().filter(|_| self.invoicing.is_none())?;
        Some(Arc::new(FiledBefore::new(self.db.clone(), workspaces.clone(), provider)))
    }

    fn rendering(&self, finance: &Finance, lists: &DocumentLists, renderers: Renderers) -> Rendering {
        Rendering::new(gateway_rendering::Parts {
            db: self.db.clone(),
            finance: finance.clone(),
            lists: lists.clone(),
            regimes: Arc::clone(&self.regimes),
            clock: Arc::clone(&self.clock),
            versions: RendererVersions::new(
                self.db.clone(),
                Arc::clone(&self.clock),
                Arc::clone(&self.ids),
                renderers,
            ),
        })
    }

    fn amendments(
        &self,
        events: &Events,
        finance: &Finance,
        workspaces: &Workspaces,
        documents: &Documents,
        activity: &Activity,
    ) -> Amendments {
        Amendments::new(gateway_amendment::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            events: events.clone(),
            workspaces: workspaces.clone(),
            documents: documents.clone(),
            finance: finance.clone(),
            regimes: Arc::clone(&self.regimes),
            provider: self.provider.clone().map(|provider| activity.counting(provider)),
            settings: self.finance_settings.clone(),
        })
    }

    fn reconciliations(
        &self,
        finance: &gateway_finance::Services,
        workspaces: &Workspaces,
        activity: &Activity,
    ) -> Reconciliations {
        Reconciliations::new(gateway_reconciliation::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            workspaces: workspaces.clone(),
            provider: self.provider.clone().map(|provider| activity.counting(provider)),
            authorities: self.authorities.clone(),
            chain: ChainCheck::new(self.db.clone()).with_links(Arc::clone(&self.record_links)),
            documents: finance.lists.clone(),
            queue: finance.queue.clone(),
            submissions: finance.submissions.clone(),
            settings: self.reconciliation_settings.clone(),
        })
    }

    fn rules(&self, finance: &Finance, lists: &DocumentLists, workspaces: &Workspaces) -> RuleChecks {
        RuleChecks::new(gateway_rules::Parts {
            lists: lists.clone(),
            finance: finance.clone(),
            workspaces: workspaces.clone(),
            rules: Arc::clone(&self.coming_rules),
            clock: Arc::clone(&self.clock),
        })
    }

    fn watchdog(&self, queue: SubmissionQueue) -> Watchdog {
        Watchdog::new(gateway_watchdog::Parts {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            queue,
        })
    }
}

/// Who follows the event log.
fn following(events: &Events, webhooks: &Webhooks, adapters: &Adapters) -> [Arc<dyn Consumer>; 5] {
    [
        Arc::new(FinanceDocuments::new(events.clone())),
        Arc::new(BookingDocuments::new(events.clone())),
        Arc::new(VerdictCounts::default()),
        Arc::new(webhooks.fanout()),
        Arc::new(NoticeQueue::new(adapters.mail_recipients.clone())),
    ]
}
