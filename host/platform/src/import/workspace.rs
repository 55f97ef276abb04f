//! Workspaces of an import: the tenant itself, and what integrators see of it.

use super::Importer;
use super::kind::members;
use super::outcome::Outcome;
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Address, NumberPattern, country_hint, is_country};
use gateway_domain::regime::Supplier;
use gateway_domain::tax_id::{TAX_ID_HINT, is_possible, tax_id};
use gateway_domain::workspace::{RejectionStrategy, Workspace};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::{Faults, sentence};
use gateway_domain_platform::spaces::check_address;
use gateway_domain_platform::workspaces::{Profile, WorkspaceStatus, slug};
use gateway_storage::{Tx, profiles, workspaces};
use gateway_workspaces::series_conflicts;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

/// A workspace as a line says it. What is absent stays as it is stored; in a new one the legal name is the name, and the
/// tax data are empty until somebody gives them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct WorkspaceLine {
    pub(super) id: WorkspaceId,
    name: String,
    #[serde(default)]
    slug: Option<String>,
    #[serde(default)]
    status: Option<WorkspaceStatus>,
    #[serde(default)]
    logo_url: Option<String>,
    #[serde(default)]
    legal_name: Option<String>,
    #[serde(default)]
    tax_id: Option<String>,
    #[serde(default)]
    country: Option<String>,
    #[serde(default)]
    time_zone: Option<String>,
    #[serde(default)]
    address: Option<Address>,
}

impl WorkspaceLine {
    pub(super) const NAME: &'static str = "workspace";
    pub(super) const MEMBERS: &'static [&'static str] = &[
        "id",
        "name",
        "slug",
        "status",
        "logo_url",
        "legal_name",
        "tax_id",
        "country",
        "time_zone",
        "address",
    ];

    pub(super) fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
        let mut line: Self = members(line)?;
        let mut faults = Faults::default();
        if !line.id.is_possible() {
            faults.refuse(
                "id",
                ErrorCode::OutOfRange,
                format!("use a number from 1 to {}", WorkspaceId::MAX),
            );
        }
        faults.text("name", &line.name);
        faults.optional_text("slug", line.slug.as_deref());
        faults.optional_text("logo_url", line.logo_url.as_deref());
        faults.optional_text("legal_name", line.legal_name.as_deref());
        faults.optional_text("tax_id", line.tax_id.as_deref());
        if line.tax_id.as_deref().is_some_and(|text| !text.trim().is_empty() && tax_id(text, "").is_empty()) {
            faults.refuse(
                "tax_id",
                ErrorCode::InvalidFormat,
                "has neither letters nor digits: leave it out when there is none",
            );
        } else if line.tax_id.as_deref().is_some_and(|text| !is_possible(text)) {
            faults.refuse("tax_id", ErrorCode::InvalidFormat, TAX_ID_HINT);
        }
        line.country = line.country.map(|code| code.to_uppercase());
        if let Some(code) = line.country.as_deref().filter(|code| !is_country(code)) {
            faults.refuse("country", ErrorCode::InvalidFormat, country_hint(code));
        }
        if let Some(zone) = line.time_zone.as_deref()
            && TimeZone::get(zone).is_err()
        {
            faults.refuse("time_zone", ErrorCode::InvalidFormat, "use an IANA name such as Europe/Madrid");
        }
        if let Some(address) = &line.address {
            check_address(address, &mut faults);
        }
        faults.or(line)
    }

    fn supplier(&self, stored: Option<&Supplier>) -> Supplier {
        let text = |given: &Option<String>, stored: Option<&String>, other: &str| {
            given.clone().or_else(|| stored.cloned()).unwrap_or_else(|| other.to_owned())
        };
        let country = text(&self.country, stored.map(|stored| &stored.country), "");
        Supplier {
            legal_name: text(&self.legal_name, stored.map(|stored| &stored.legal_name), &self.name),
            tax_id: tax_id(&text(&self.tax_id, stored.map(|stored| &stored.tax_id), ""), &country),
            country,
            address: self.address.clone().or_else(|| stored.and_then(|stored| stored.address.clone())),
            email: stored.and_then(|stored| stored.email.clone()),
        }
    }

    /// The stored workspace as the line leaves it.
    pub(super) fn over(&self, stored: &Workspace) -> Workspace {
        Workspace {
            name: self.name.clone(),
            supplier: self.supplier(Some(&stored.supplier)),
            time_zone: self.time_zone().unwrap_or_else(|| stored.time_zone.clone()),
            ..stored.clone()
        }
    }

    fn time_zone(&self) -> Option<TimeZone> {
        self.time_zone.as_deref().and_then(|zone| TimeZone::get(zone).ok())
    }

    fn profile(&self, stored: Option<&Profile>) -> Profile {
        // A slug that only followed the name goes on following it.
        let own = stored.filter(|stored| stored.slug != slug(&stored.name, stored.id));
        Profile {
            id: self.id,
            name: self.name.clone(),
            slug: self
                .slug
                .clone()
                .or_else(|| own.map(|stored| stored.slug.clone()))
                .unwrap_or_else(|| slug(&self.name, self.id)),
            status: self
                .status
                .or_else(|| stored.map(|stored| stored.status))
                .unwrap_or(WorkspaceStatus::Active),
            logo_url: self.logo_url.clone().or_else(|| stored.and_then(|stored| stored.logo_url.clone())),
        }
    }
}

/// Stores one line, and says what deserves a second look.
pub(super) async fn store(
    importer: &Importer,
    tx: &mut Tx,
    line: &WorkspaceLine,
) -> Result<(Outcome, Option<String>), StoreError> {
    // Keeps others from taking the same id or the same patterns meanwhile.
    workspaces::free_id(tx).await?;
    let now = importer.context.now();
    let Some(stored) = workspaces::find(&mut *tx, line.id).await? else {
        let workspace = match new(tx, line).await? {
            Ok(workspace) => workspace,
            Err(faults) => return Ok((Outcome::Refused(sentence(&faults)), None)),
        };
        workspaces::insert(tx, &workspace, now).await?;
        profiles::set(tx, &line.profile(None), now).await?;
        return Ok((Outcome::Created, None));
    };
    let stored_profile = profiles::by_ids(&mut *tx, &Workspaces::All, &[line.id]).await?.remove(&line.id);
    let profile = line.profile(stored_profile.as_ref());
    let workspace = line.over(&stored);
    let Workspace { name, supplier, time_zone, .. } = &workspace;
    let same = stored_profile.as_ref() == Some(&profile)
        && (&stored.name, &stored.supplier, &stored.time_zone) == (name, supplier, time_zone);
    if same {
        return Ok((Outcome::Unchanged, None));
    }
    workspaces::stop(tx, line.id).await?;
    let faults = series_conflicts(tx, &workspace, Some(&stored)).await?;
    if !faults.is_empty() {
        return Ok((Outcome::Refused(sentence(&about_the_tax_id(&faults))), None));
    }
    workspaces::update(tx, &workspace, now).await?;
    profiles::set(tx, &profile, now).await?;
    Ok((Outcome::Changed, taxpayer_changed(&stored.supplier, &workspace.supplier)))
}

/// What to say when a workspace that had a taxpayer has another one now: its next invoices are issued by it. Another
/// spelling of its tax id is no other taxpayer.
fn taxpayer_changed(before: &Supplier, now: &Supplier) -> Option<String> {
    let taxpayer = |of: &Supplier| format!("{}, {} ({})", of.legal_name, of.tax_id, of.country);
    let spelled = tax_id(&before.tax_id, &before.country);
    let changed =
        (&before.legal_name, &spelled, &before.country) != (&now.legal_name, &now.tax_id, &now.country);
    (changed && !before.tax_id.is_empty()).then(|| {
        let (before, now) = (taxpayer(before), taxpayer(now));
        format!("tax_id: its invoices are issued by {now} from now on, and no longer by {before}")
    })
}

/// A new workspace, with number patterns that no other workspace of its supplier has.
async fn new(tx: &mut Tx, line: &WorkspaceLine) -> Result<Result<Workspace, Vec<FieldError>>, StoreError> {
    let mut workspace = Workspace {
        id: line.id,
        name: line.name.clone(),
        supplier: line.supplier(None),
        time_zone: line.time_zone().unwrap_or(TimeZone::UTC),
        invoice_pattern: NumberPattern::default_invoice(),
        credit_pattern: NumberPattern::default_credit(),
        rejection_strategy: RejectionStrategy::A,
    };
    if series_conflicts(tx, &workspace, None).await?.is_empty() {
        return Ok(Ok(workspace));
    }
    let own = |letter: char| format!("{letter}{}-{{year}}-{{number:06}}", line.id).parse();
    if let (Ok(invoice), Ok(credit)) = (own('F'), own('R')) {
        (workspace.invoice_pattern, workspace.credit_pattern) = (invoice, credit);
    }
    let faults = series_conflicts(tx, &workspace, None).await?;
    Ok(if faults.is_empty() { Ok(workspace) } else { Err(about_the_tax_id(&faults)) })
}

/// A line says nothing of patterns.
fn about_the_tax_id(faults: &[FieldError]) -> Vec<FieldError> {
    let message = format!("its invoices cannot be numbered under it: {}", sentence(faults));
    vec![FieldError::new("tax_id", ErrorCode::SeriesConflict, message)]
}
