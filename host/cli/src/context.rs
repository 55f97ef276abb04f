//! What a command works with.

use futures::future::{BoxFuture, LocalBoxFuture};
use gateway_access::{Clients, LegacyUses};
use gateway_amendment::Amendments;
use gateway_annotations::DocumentAnnotations;
use gateway_config::Config;
use gateway_deadlines::LegalClock;
use gateway_domain::access::Actor;
use gateway_domain::ports::{Clock, Ids, Regimes};
use gateway_events::Consumers;
use gateway_finance::{DocumentLists, Finance, Submissions};
use gateway_platform::Platform;
use gateway_recipients::Recipients;
use gateway_reconciliation::Reconciliations;
use gateway_registry::Plugins;
use gateway_rendering::Rendering;
use gateway_retention::Retention;
use gateway_rules::RuleChecks;
use gateway_terminal::Failure;
use gateway_watchdog::Watchdog;
use gateway_webhooks::Webhooks;
use gateway_workspaces::Workspaces;
use std::fmt;
use std::sync::Arc;

/// The services of a gateway that serves nobody, beside one that may serve the same database.
pub struct CommandContext {
    /// Who typed the command, for the audit trail.
    pub operator: Actor,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// Whom documents are converted by, workspace by workspace.
    pub regimes: Arc<dyn Regimes>,
    /// Who may call.
    pub clients: Clients,
    /// Who still uses the legacy API.
    pub legacy_uses: LegacyUses,
    /// Takes old entries out of the audit trail.
    pub retention: Retention,
    /// Who follows the event log.
    pub consumers: Consumers,
    /// With their settings, number series and ways to the provider.
    pub workspaces: Workspaces,
    /// The platform's own data.
    pub platform: Platform,
    /// The webhooks of customers.
    pub webhooks: Webhooks,
    /// Documents in lists, wherever they are kept.
    pub documents: DocumentLists,
    /// Documents as files that people read.
    pub rendering: Rendering,
    /// Carries out commands on documents, and shows those that a plugin is tried on.
    pub finance: Finance,
    /// Submissions: what operators see of them and do about them.
    pub submissions: Submissions,
    /// Amends issued documents.
    pub amendments: Amendments,
    /// What people keep beside documents.
    pub annotations: DocumentAnnotations,
    /// Checks of recipients, and their evidence.
    pub recipients: Recipients,
    /// Checks drafts as of a later day.
    pub rules: RuleChecks,
    /// Until when documents have to be filed, and what stood in the way.
    pub deadlines: LegalClock,
    /// Knows the documents that nobody submits.
    pub watchdog: Watchdog,
    /// Asks for comparisons of what was filed with what the provider holds.
    pub reconciliations: Reconciliations,
    /// Installs and activates versions of plugins.
    pub plugins: Plugins,
    /// Closes the database.
    pub closing: BoxFuture<'static, ()>,
}

/// Opens what a command works with.
type Open = for<'c> fn(&'c Config, Actor) -> LocalBoxFuture<'c, Result<CommandContext, Failure>>;

/// What only the binary knows: the adapters, the real clock, and who typed the command.
#[derive(Debug)]
pub struct Program {
    open: Open,
    clock: &'static dyn Clock,
    operator: Actor,
}

impl Program {
    /// The binary opens services with `open`; what is changed with them is the deed of `operator`.
    pub const fn new(open: Open, clock: &'static dyn Clock, operator: Actor) -> Self {
        Self { open, clock, operator }
    }

    /// Opens everything a command needs, beside a running `serve`.
    pub async fn open(&self, config: &Config) -> Result<CommandContext, Failure> {
        (self.open)(config, self.operator.clone()).await
    }

    /// Runs a command with everything that it needs, and closes the database, whatever came of it.
    pub(crate) async fn run<T, E: Into<Failure>>(
        &self,
        config: &Config,
        command: impl AsyncFnOnce(&CommandContext) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let context = self.open(config).await?;
        let done = command(&context).await;
        context.close().await;
        done.map_err(Into::into)
    }

    /// Who typed the command.
    pub const fn operator(&self) -> &Actor {
        &self.operator
    }

    /// The clock that the binary gave.
    pub(crate) const fn clock(&self) -> &'static dyn Clock {
        self.clock
    }
}

impl CommandContext {
    /// Closes the database.
    pub async fn close(self) {
        self.closing.await;
    }
}

impl fmt::Debug for CommandContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandContext").finish_non_exhaustive()
    }
}
