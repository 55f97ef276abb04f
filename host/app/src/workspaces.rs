//! Workspaces: who issues, how numbers look, and how each sends its invoices to a tax authority.
//!
//! The provider's API token and the webhook token are sealed before they are stored and never shown again.

use crate::Gateway;
use crate::secrets::{Place, Purpose, Unsealable};
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Address, DocumentKind, FieldError, NumberPattern, SeriesKey, is_country};
use gateway_domain::ports::{ProviderAccess, ProviderToken};
use gateway_domain::regime::Supplier;
use gateway_domain::workspace::{EInvoicing, RejectionStrategy, Workspace};
use gateway_storage::workspaces::{self as store, SealedWebhookToken};
use gateway_storage::{Corrupt, StoreError, Tx, audit, series};
use jiff::tz::TimeZone;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use uuid::Uuid;

/// Workspaces read at once; there are few.
const BATCH: i64 = 500;
/// Longest text of a workspace, characters.
const TEXT_CHARS_MAX: usize = 200;
/// Longest token, bytes.
const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// Highest number a series can be told to start at.
const START_MAX: i64 = 999_999_999;

/// A workspace to be created. Texts are taken as typed and checked here.
#[derive(Debug, Clone, Default)]
pub struct NewWorkspace {
    /// For people.
    pub name: String,
    /// The registered name of who issues.
    pub legal_name: String,
    /// Without country prefix; separators are dropped.
    pub tax_id: String,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// IANA name; UTC unless given.
    pub time_zone: Option<String>,
    /// Where the supplier is registered.
    pub address: Option<Address>,
    /// How invoice numbers look.
    pub invoice_pattern: Option<String>,
    /// How credit note numbers look.
    pub credit_pattern: Option<String>,
}

/// What to change of a workspace; `None` keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceChange {
    /// For people.
    pub name: Option<String>,
    /// The registered name of who issues.
    pub legal_name: Option<String>,
    /// Without country prefix; separators are dropped.
    pub tax_id: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// IANA name.
    pub time_zone: Option<String>,
    /// Where the supplier is registered; replaces the whole address.
    pub address: Option<Address>,
    /// What happens after a rejection.
    pub rejection_strategy: Option<RejectionStrategy>,
    /// How invoice numbers look from now on.
    pub invoice_pattern: Option<String>,
    /// How credit note numbers look from now on.
    pub credit_pattern: Option<String>,
    /// Where this year's invoice series starts; only before its first use.
    pub next_number: Option<i64>,
}

/// A workspace that was created.
#[derive(Debug, Clone)]
pub struct CreatedWorkspace {
    /// As stored.
    pub workspace: Workspace,
    /// Whether the usual patterns were taken by another workspace of the same supplier, so that others were chosen.
    pub derived_patterns: bool,
}

/// An e-invoicing configuration to be set. Its settings were checked against the regime's schema by the caller.
#[derive(Debug, Clone)]
pub struct EInvoicingForm {
    /// What is not secret.
    pub configuration: EInvoicing,
    /// The provider's API token; `None` keeps the stored one.
    pub token: Option<SecretString>,
    /// The bearer token the provider's webhook will carry; `None` stores none.
    pub webhook_token: Option<SecretString>,
}

/// An e-invoicing configuration as anybody may see it.
#[derive(Debug, Clone, PartialEq)]
pub struct EInvoicingView {
    /// What is not secret.
    pub configuration: EInvoicing,
    /// Whether the webhook has to carry a token.
    pub has_webhook_token: bool,
}

/// What the bearer token of a webhook says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookBearer {
    /// No workspace has a webhook token: none is asked for.
    NotNeeded,
    /// It belongs to these workspaces.
    Workspaces(Vec<WorkspaceId>),
    /// It is missing, or belongs to nobody.
    Refused,
}

/// Why a workspace was not created or changed.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no such workspace.
    #[error("there is no workspace {0}: list them with 'gateway workspace list'")]
    Unknown(WorkspaceId),
    /// Members have mistakes; at least one.
    #[error("{}", sentence(.0))]
    Invalid(Vec<FieldError>),
    /// The series was started before.
    #[error("the invoice series of {0} was started before: its next number cannot be set any more")]
    SeriesStarted(i16),
    /// A token could not be sealed.
    #[error("the token could not be encrypted: the system gave no randomness")]
    Secret(#[from] Unsealable),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WorkspaceChange {
    /// The workspace as it would be typed now.
    fn over(&self, stored: &Workspace) -> NewWorkspace {
        let text = |given: &Option<String>, kept: &str| given.clone().unwrap_or_else(|| kept.to_owned());
        let supplier = &stored.supplier;
        let zone = stored.time_zone.iana_name().unwrap_or("UTC");
        NewWorkspace {
            name: text(&self.name, &stored.name),
            legal_name: text(&self.legal_name, &supplier.legal_name),
            tax_id: text(&self.tax_id, &supplier.tax_id),
            country: text(&self.country, &supplier.country),
            time_zone: Some(text(&self.time_zone, zone)),
            address: self.address.clone().or_else(|| supplier.address.clone()),
            invoice_pattern: Some(text(&self.invoice_pattern, &stored.invoice_pattern.to_string())),
            credit_pattern: Some(text(&self.credit_pattern, &stored.credit_pattern.to_string())),
        }
    }
}

impl WorkspaceError {
    fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(field, message)])
    }
}

fn sentence(errors: &[FieldError]) -> String {
    errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect::<Vec<_>>().join("; ")
}

/// Workspaces.
impl Gateway {
    /// Creates a workspace under the next free id.
    pub async fn create_workspace(
        &self,
        actor: &Actor,
        new: &NewWorkspace,
    ) -> Result<CreatedWorkspace, WorkspaceError> {
        let draft = Draft::check(new)?;
        let mut tx = self.db().begin().await?;
        let id = store::free_id(&mut tx).await?;
        let taken = patterns_of_supplier(&mut tx, &draft.supplier).await?;
        let derived_patterns = [
            (&draft.invoice_pattern, NumberPattern::default_invoice()),
            (&draft.credit_pattern, NumberPattern::default_credit()),
        ]
        .iter()
        .any(|(given, usual)| given.is_none() && taken.contains(&usual.to_string()));
        let workspace = draft.into_workspace(id, derived_patterns)?;
        unlike(&workspace, &taken)?;
        store::insert(&mut tx, &workspace, self.now()).await?;
        self.record(&mut tx, actor, "workspace.create", id, &json!({"name": workspace.name})).await?;
        tx.commit().await?;
        tracing::info!(workspace.id = %id, "Created workspace {id}");
        Ok(CreatedWorkspace { workspace, derived_patterns })
    }

    /// Changes a workspace. Numbers that were given stay as they are.
    pub async fn set_workspace(
        &self,
        actor: &Actor,
        id: WorkspaceId,
        change: &WorkspaceChange,
    ) -> Result<Workspace, WorkspaceError> {
        if change.next_number.is_some_and(|next| !(1..=START_MAX).contains(&next)) {
            return Err(WorkspaceError::invalid(
                "next_number",
                format!("use a number from 1 to {START_MAX}"),
            ));
        }
        let mut tx = self.db().begin().await?;
        // Keeps other workspaces of the supplier from taking the same patterns meanwhile.
        store::free_id(&mut tx).await?;
        let stored = store::find(&mut tx, id).await?.ok_or(WorkspaceError::Unknown(id))?;
        let strategy = change.rejection_strategy.unwrap_or(stored.rejection_strategy);
        let mut workspace = Draft::check(&change.over(&stored))?.into_workspace(id, false)?;
        workspace.rejection_strategy = strategy;
        let taken = patterns_of_others(&mut tx, &workspace).await?;
        unlike(&workspace, &taken)?;
        store::update(&mut tx, &workspace, self.now()).await?;
        if let Some(next) = change.next_number {
            let year = workspace.time_zone.to_datetime(self.now()).year();
            let key = SeriesKey { workspace: id, kind: DocumentKind::Invoice, year };
            if !series::start_at(&mut tx, key, next).await? {
                return Err(WorkspaceError::SeriesStarted(year));
            }
        }
        let data = json!({
            "name": workspace.name,
            "supplier": workspace.supplier,
            "rejection_strategy": workspace.rejection_strategy,
            "invoice_pattern": workspace.invoice_pattern.to_string(),
            "credit_pattern": workspace.credit_pattern.to_string(),
            "next_number": change.next_number,
        });
        self.record(&mut tx, actor, "workspace.set", id, &data).await?;
        tx.commit().await?;
        tracing::info!(workspace.id = %id, "Changed workspace {id}");
        Ok(workspace)
    }

    /// Every workspace, by id.
    pub async fn workspaces(&self) -> Result<Vec<Workspace>, StoreError> {
        let mut all: Vec<Workspace> = Vec::new();
        loop {
            let after = all.last().map_or(WorkspaceId(0), |last| last.id);
            let batch = store::list(self.db(), after, BATCH).await?;
            if batch.is_empty() {
                return Ok(all);
            }
            all.extend(batch);
        }
    }
}

/// E-invoicing configuration.
impl Gateway {
    /// Sets how a workspace sends its invoices, replacing what was there.
    pub async fn set_e_invoicing(
        &self,
        actor: &Actor,
        workspace: WorkspaceId,
        form: &EInvoicingForm,
    ) -> Result<EInvoicingView, WorkspaceError> {
        form.check()?;
        let webhook = form.webhook_token.as_ref().map(|token| self.seal_webhook_token(workspace, token));
        let webhook = webhook.transpose()?;
        let has_webhook_token = webhook.is_some();
        let mut tx = self.db().begin().await?;
        let stored = store::e_invoicing(&mut tx, workspace).await?;
        let token = match (&form.token, stored) {
            (Some(token), _) => {
                self.keyring().seal(Place::ProviderToken(workspace), token.expose_secret().as_bytes())?
            }
            (None, Some(stored)) => stored.token,
            (None, None) => {
                return Err(WorkspaceError::invalid("token", "the provider's API token is missing"));
            }
        };
        store::put_e_invoicing(&mut tx, workspace, &form.configuration, &token, webhook, self.now())
            .await
            .map_err(|error| match error {
                error if error.is_foreign_key_violation() => WorkspaceError::Unknown(workspace),
                error => error.into(),
            })?;
        let data = json!({
            "regime": form.configuration.regime,
            "company_id": form.configuration.company_id,
            "workflow_id": form.configuration.workflow_id,
        });
        self.record(&mut tx, actor, "workspace.e_invoicing.set", workspace, &data).await?;
        tx.commit().await?;
        tracing::info!(workspace.id = %workspace, "Configured e-invoicing of workspace {workspace}");
        self.wake();
        Ok(EInvoicingView { configuration: form.configuration.clone(), has_webhook_token })
    }

    /// How a workspace sends its invoices, without the tokens.
    pub async fn e_invoicing(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Option<EInvoicingView>, WorkspaceError> {
        if let Some(stored) = store::e_invoicing(self.db(), workspace).await? {
            let has_webhook_token = stored.webhook_token.is_some();
            return Ok(Some(EInvoicingView { configuration: stored.configuration, has_webhook_token }));
        }
        match store::find(self.db(), workspace).await? {
            Some(_) => Ok(None),
            None => Err(WorkspaceError::Unknown(workspace)),
        }
    }

    /// Removes the configuration: documents issued from now on follow the standard flow. `false` when there was
    /// none.
    pub async fn clear_e_invoicing(
        &self,
        actor: &Actor,
        workspace: WorkspaceId,
    ) -> Result<bool, WorkspaceError> {
        let mut tx = self.db().begin().await?;
        if store::find(&mut tx, workspace).await?.is_none() {
            return Err(WorkspaceError::Unknown(workspace));
        }
        let cleared = store::clear_e_invoicing(&mut tx, workspace).await?;
        if cleared {
            self.record(&mut tx, actor, "workspace.e_invoicing.clear", workspace, &json!({})).await?;
        }
        tx.commit().await?;
        if cleared {
            tracing::info!(workspace.id = %workspace, "Cleared e-invoicing of workspace {workspace}");
        }
        Ok(cleared)
    }

    /// The configuration of a workspace with the opened token, for calls to the provider.
    ///
    /// A token that does not open is a damaged row.
    pub(crate) async fn e_invoicing_access(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Option<(EInvoicing, ProviderAccess)>, StoreError> {
        let Some(stored) = store::e_invoicing(self.db(), workspace).await? else { return Ok(None) };
        let token = self
            .keyring()
            .open_text(Place::ProviderToken(workspace), &stored.token)
            .map_err(|error| Corrupt::new("e_invoicing", workspace, "token", error))?;
        Ok(Some((stored.configuration, ProviderAccess { token: ProviderToken::new(&token) })))
    }

    /// Whether a webhook with this bearer token is taken. Once any workspace has a webhook token, one is demanded.
    pub async fn webhook_bearer(&self, bearer: Option<&str>) -> Result<WebhookBearer, StoreError> {
        if !store::any_webhook_token(self.db()).await? {
            return Ok(WebhookBearer::NotNeeded);
        }
        let Some(bearer) = bearer else { return Ok(WebhookBearer::Refused) };
        // The keyed hash is looked up, so that how long it takes tells nothing about a stored token.
        let mut owners = Vec::new();
        for hash in self.keyring().hashes(Purpose::WebhookToken, bearer) {
            owners.extend(store::by_webhook_token(self.db(), &hash.bytes).await?);
        }
        Ok(if owners.is_empty() { WebhookBearer::Refused } else { WebhookBearer::Workspaces(owners) })
    }

    /// Who changed what, in the transaction of the change. Secrets have no place in it.
    async fn record(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        action: &str,
        workspace: WorkspaceId,
        data: &Value,
    ) -> Result<(), StoreError> {
        let entry = audit::Entry {
            id: self.ids().next(),
            at: self.now(),
            actor: actor.clone(),
            action: action.to_owned(),
            subject: format!("workspace:{workspace}"),
            data: data.to_string(),
        };
        audit::append(tx, &entry).await
    }

    fn seal_webhook_token(
        &self,
        workspace: WorkspaceId,
        token: &SecretString,
    ) -> Result<SealedWebhookToken, Unsealable> {
        let token = token.expose_secret();
        Ok(SealedWebhookToken {
            sealed: self.keyring().seal(Place::WebhookToken(workspace), token.as_bytes())?,
            hash: self.keyring().hash(Purpose::WebhookToken, token).bytes,
        })
    }
}

impl EInvoicingForm {
    fn check(&self) -> Result<(), WorkspaceError> {
        let mut mistakes = Vec::new();
        let nil =
            [("company_id", self.configuration.company_id), ("workflow_id", self.configuration.workflow_id)];
        mistakes.extend(
            nil.into_iter()
                .filter(|(_, id)| *id == Uuid::nil())
                .map(|(field, _)| FieldError::new(field, "the nil UUID names nothing")),
        );
        if !self.configuration.settings.is_object() {
            mistakes.push(FieldError::new("settings", "the settings must be a JSON object"));
        }
        for (field, token) in [("token", &self.token), ("webhook_token", &self.webhook_token)] {
            let Some(token) = token.as_ref().map(ExposeSecret::expose_secret) else { continue };
            let sendable = !token.is_empty()
                && token.len() <= TOKEN_BYTES_MAX
                && token.bytes().all(|byte| byte.is_ascii_graphic());
            if !sendable {
                let message = "a token is printable ASCII without spaces, at least one character";
                mistakes.push(FieldError::new(field, message));
            }
        }
        if mistakes.is_empty() { Ok(()) } else { Err(WorkspaceError::Invalid(mistakes)) }
    }
}

/// A workspace whose members are sound and which has no id yet.
struct Draft {
    name: String,
    supplier: Supplier,
    time_zone: TimeZone,
    invoice_pattern: Option<NumberPattern>,
    credit_pattern: Option<NumberPattern>,
}

impl Draft {
    /// Every mistake at once.
    fn check(new: &NewWorkspace) -> Result<Self, WorkspaceError> {
        let mut mistakes = Vec::new();
        let name = text("name", &new.name, &mut mistakes);
        let legal_name = text("legal_name", &new.legal_name, &mut mistakes);
        let tax_id: String = text("tax_id", &new.tax_id, &mut mistakes)
            .chars()
            .filter(|character| !matches!(character, ' ' | '-' | '.' | '/'))
            .collect::<String>()
            .to_uppercase();
        let country = country("country", &new.country, &mut mistakes);
        let address = new.address.clone().map(|address| checked_address(address, &mut mistakes));
        let zone = new.time_zone.as_deref().unwrap_or("UTC");
        let time_zone = TimeZone::get(zone).unwrap_or_else(|_| {
            let message = format!("'{zone}' is no time zone: use an IANA name such as Europe/Madrid");
            mistakes.push(FieldError::new("time_zone", message));
            TimeZone::UTC
        });
        let invoice_pattern = pattern("invoice_pattern", new.invoice_pattern.as_deref(), &mut mistakes);
        let credit_pattern = pattern("credit_pattern", new.credit_pattern.as_deref(), &mut mistakes);
        if !mistakes.is_empty() {
            return Err(WorkspaceError::Invalid(mistakes));
        }
        let supplier = Supplier { legal_name, tax_id, country, address };
        Ok(Self { name, supplier, time_zone, invoice_pattern, credit_pattern })
    }

    /// With the patterns given, the usual ones, or ones with the id in them.
    fn into_workspace(self, id: WorkspaceId, derived: bool) -> Result<Workspace, WorkspaceError> {
        let chosen = |given: Option<NumberPattern>, usual: NumberPattern, letter: char| match given {
            Some(given) => Ok(given),
            None if derived => format!("{letter}{id}-{{year}}-{{number:06}}").parse().map_err(
                |error: gateway_domain::invoicing::NotAPattern| {
                    WorkspaceError::invalid("invoice_pattern", error.to_string())
                },
            ),
            None => Ok(usual),
        };
        Ok(Workspace {
            id,
            name: self.name,
            supplier: self.supplier,
            time_zone: self.time_zone,
            invoice_pattern: chosen(self.invoice_pattern, NumberPattern::default_invoice(), 'F')?,
            credit_pattern: chosen(self.credit_pattern, NumberPattern::default_credit(), 'R')?,
            rejection_strategy: RejectionStrategy::A,
        })
    }
}

fn text(field: &str, value: &str, mistakes: &mut Vec<FieldError>) -> String {
    let value = value.trim();
    if value.is_empty() {
        mistakes.push(FieldError::new(field, "it is empty"));
    } else if value.chars().count() > TEXT_CHARS_MAX || value.chars().any(char::is_control) {
        let message = format!("use at most {TEXT_CHARS_MAX} characters on one line");
        mistakes.push(FieldError::new(field, message));
    }
    value.to_owned()
}

fn country(field: &str, value: &str, mistakes: &mut Vec<FieldError>) -> String {
    let code = value.trim().to_uppercase();
    if !is_country(&code) {
        let message = format!("'{value}' is no country: use two letters of ISO 3166-1, such as ES");
        mistakes.push(FieldError::new(field, message));
    }
    code
}

fn checked_address(address: Address, mistakes: &mut Vec<FieldError>) -> Address {
    let mut part = |field: &str, value: Option<String>| {
        value.filter(|value| !value.trim().is_empty()).map(|value| text(field, &value, mistakes))
    };
    let street = part("address.street", address.street);
    let locality = part("address.locality", address.locality);
    let region = part("address.region", address.region);
    let postcode = part("address.postcode", address.postcode);
    let country = address.country.map(|code| country("address.country", &code, mistakes));
    Address { street, locality, region, postcode, country }
}

fn pattern(field: &str, value: Option<&str>, mistakes: &mut Vec<FieldError>) -> Option<NumberPattern> {
    match value?.parse() {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let error: gateway_domain::invoicing::NotAPattern = error;
            mistakes.push(FieldError::new(field, error.to_string()));
            None
        }
    }
}

/// The patterns of every workspace of this supplier.
async fn patterns_of_supplier(tx: &mut Tx, supplier: &Supplier) -> Result<Vec<String>, StoreError> {
    patterns(tx, supplier, None).await
}

/// The patterns of the other workspaces of the same supplier.
async fn patterns_of_others(tx: &mut Tx, workspace: &Workspace) -> Result<Vec<String>, StoreError> {
    patterns(tx, &workspace.supplier, Some(workspace.id)).await
}

async fn patterns(
    tx: &mut Tx,
    supplier: &Supplier,
    except: Option<WorkspaceId>,
) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    let mut after = WorkspaceId(0);
    loop {
        let batch = store::list(&mut *tx, after, BATCH).await?;
        let Some(last) = batch.last() else { return Ok(found) };
        after = last.id;
        let same = batch.iter().filter(|other| {
            other.supplier.country == supplier.country
                && other.supplier.tax_id == supplier.tax_id
                && Some(other.id) != except
        });
        found.extend(
            same.flat_map(|other| [other.invoice_pattern.to_string(), other.credit_pattern.to_string()]),
        );
    }
}

/// Two series of one supplier with one pattern would give the same number twice.
fn unlike(workspace: &Workspace, taken: &[String]) -> Result<(), WorkspaceError> {
    let (invoice, credit) = (workspace.invoice_pattern.to_string(), workspace.credit_pattern.to_string());
    if invoice == credit {
        return Err(WorkspaceError::invalid(
            "credit_pattern",
            "invoices and credit notes need different patterns",
        ));
    }
    let mistakes: Vec<FieldError> = [("invoice_pattern", invoice), ("credit_pattern", credit)]
        .into_iter()
        .filter(|(_, pattern)| taken.contains(pattern))
        .map(|(field, pattern)| {
            FieldError::new(
                field,
                format!("another workspace of the same supplier uses {pattern}: choose another"),
            )
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(WorkspaceError::Invalid(mistakes)) }
}
