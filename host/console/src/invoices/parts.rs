//! The parts of a document's page, as they are shown.

use crate::format;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::{Acceptance, Invoice, RateTotal, Recipient, State};
use gateway_domain::regime::Identity;
use gateway_domain_finance::{Attempt, AuthorityRecord};
use gateway_finance::SubmissionView;
use gateway_invoicing::TimelineEntry;
use serde::Serialize;

/// A complaint, and the member that it means (a JSON Pointer).
#[derive(Debug, Clone)]
pub(crate) struct FaultRow {
    pub(crate) code: String,
    pub(crate) path: String,
    pub(crate) message: String,
    pub(crate) stops: bool,
}

impl From<&Fault> for FaultRow {
    fn from(fault: &Fault) -> Self {
        Self {
            code: fault.code.clone(),
            path: fault.path.clone(),
            message: fault.message.clone(),
            stops: fault.stops(),
        }
    }
}

/// Those that mean a member or something within it.
pub(crate) fn within(faults: &[Fault], pointer: &str) -> Vec<FaultRow> {
    let is_within = |fault: &&Fault| {
        fault.path.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    faults.iter().filter(is_within).map(FaultRow::from).collect()
}

/// Those that mean neither the recipient nor a line, which are shown beside these.
pub(crate) fn about_neither(faults: &[Fault]) -> Vec<FaultRow> {
    let is_beside = |fault: &Fault| {
        ["/recipient", "/lines"].iter().any(|member| {
            fault.path.strip_prefix(member).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    faults.iter().filter(|fault| !is_beside(fault)).map(FaultRow::from).collect()
}

/// A word of a contract, as JSON writes it.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// A line with its figures.
#[derive(Debug)]
pub(crate) struct LineRow {
    pub(crate) description: String,
    pub(crate) quantity: String,
    pub(crate) unit_price: String,
    pub(crate) tax: String,
    pub(crate) total: String,
    pub(crate) faults: Vec<FaultRow>,
}

fn tax(category: &str, rate: Option<String>, exemption: Option<&str>, surcharge: Option<String>) -> String {
    let rate = rate.map(|rate| format!("{rate} %"));
    let what = rate.or_else(|| exemption.map(|exemption| exemption.replace('_', " ")));
    let surcharge = surcharge.map_or_else(String::new, |surcharge| format!(" + {surcharge} %"));
    format!("{category} {}{surcharge}", what.unwrap_or_default())
}

/// The lines of a document, with the faults that mean them.
pub(crate) fn lines(document: &Invoice, faults: &[Fault]) -> Vec<LineRow> {
    let lines = document.content.lines.iter().zip(&document.totals.lines).enumerate();
    let row = |(at, (line, totals)): (
        usize,
        (&gateway_domain::invoicing::Line, &gateway_domain::invoicing::LineTotals),
    )| {
        let period =
            line.period.map_or_else(String::new, |period| format!(" ({} – {})", period.start, period.end));
        LineRow {
            description: format!("{}{period}", line.description),
            quantity: line.quantity.to_string(),
            unit_price: line.unit_price.to_string(),
            tax: tax(
                &line.tax.category,
                line.tax.rate.map(|rate| rate.to_string()),
                line.tax.exemption.as_deref(),
                line.tax.surcharge.map(|surcharge| surcharge.to_string()),
            ),
            total: totals.total.to_string(),
            faults: within(faults, &format!("/lines/{at}")),
        }
    };
    lines.map(row).collect()
}

/// A row of the breakdown.
#[derive(Debug)]
pub(crate) struct RateRow {
    pub(crate) tax: String,
    pub(crate) base: String,
    pub(crate) amount: String,
}

impl From<&RateTotal> for RateRow {
    fn from(total: &RateTotal) -> Self {
        Self {
            tax: tax(
                &total.category,
                total.rate.map(|rate| rate.to_string()),
                total.exemption.as_deref(),
                total.surcharge.map(|surcharge| surcharge.to_string()),
            ),
            base: total.base.to_string(),
            amount: total.amount.to_string(),
        }
    }
}

/// Whom a document is for.
#[derive(Debug)]
pub(crate) struct RecipientPart {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) identity: String,
    pub(crate) address: String,
    pub(crate) email: String,
    pub(crate) faults: Vec<FaultRow>,
}

impl RecipientPart {
    pub(crate) fn of(recipient: &Recipient, faults: &[Fault]) -> Self {
        let or_none = |text: Option<&String>| text.map_or(format::NONE, String::as_str).to_owned();
        let faults = within(faults, "/recipient");
        match recipient {
            Recipient::Individual { name, identity_document, address, email, .. } => {
                let identity = identity_document.as_ref().map(|document| {
                    let country = document.country.as_deref().unwrap_or(format::NONE);
                    format!("{} {} ({country})", format::title(&word(&document.kind)), document.number)
                });
                Self {
                    name: name.clone(),
                    kind: "person",
                    identity: or_none(identity.as_ref()),
                    address: format::address(address.as_ref()),
                    email: or_none(email.as_ref()),
                    faults,
                }
            }
            Recipient::Company { name, tax_number, country, address, email, .. } => Self {
                name: name.clone(),
                kind: "company",
                identity: format!("{} ({})", or_none(tax_number.as_ref()), or_none(country.as_ref())),
                address: format::address(address.as_ref()),
                email: or_none(email.as_ref()),
                faults,
            },
        }
    }
}

/// How the authority knows a recipient, in a sentence.
pub(crate) fn identity(identity: &Identity) -> String {
    match identity {
        Identity::TaxId { country, code } => format!("tax id {code} of {country}"),
        Identity::Other { country, code, type_key, type_code } => {
            format!("{} {code} of {country} (type {type_code})", type_key.replace('_', " "))
        }
    }
}

/// What happened, and who did it.
#[derive(Debug)]
pub(crate) struct TimelineRow {
    pub(crate) at: String,
    pub(crate) event: String,
    pub(crate) actor: String,
}

impl From<&TimelineEntry> for TimelineRow {
    fn from(entry: &TimelineEntry) -> Self {
        Self { at: format::time(entry.at), event: entry.event.clone(), actor: format::actor(&entry.actor) }
    }
}

/// One job of the provider.
#[derive(Debug)]
pub(crate) struct AttemptRow {
    pub(crate) number: String,
    pub(crate) started: String,
    pub(crate) took: String,
    pub(crate) outcome: &'static str,
    pub(crate) plugin: String,
    pub(crate) job: String,
    pub(crate) authority: &'static str,
    pub(crate) faults: Vec<FaultRow>,
}

impl From<&Attempt> for AttemptRow {
    fn from(attempt: &Attempt) -> Self {
        let took = attempt.ended_at.map(|end| end.duration_since(attempt.started_at));
        Self {
            number: attempt.number.as_ref().map_or(format::NONE, |number| &number.0).to_owned(),
            started: format::time(attempt.started_at),
            took: took.map_or_else(|| format::NONE.to_owned(), format::span),
            outcome: attempt.outcome.map_or("running", gateway_domain_finance::AttemptOutcome::as_str),
            plugin: attempt.plugin.as_ref().map_or_else(
                || format::NONE.to_owned(),
                |plugin| {
                    format!(
                        "{} {} ({})",
                        plugin.key,
                        plugin.version,
                        plugin.digest.get(..12).unwrap_or_default()
                    )
                },
            ),
            job: attempt.job.to_string(),
            authority: match attempt.authority_record {
                Some(AuthorityRecord::Nothing) => "the authority holds nothing of it",
                Some(AuthorityRecord::Refused) => "the authority refused it",
                Some(AuthorityRecord::Accepted) => "the authority holds it",
                None => "what the authority holds is not known",
            },
            faults: attempt.faults.iter().map(FaultRow::from).collect(),
        }
    }
}

/// How far a submission is.
#[derive(Debug)]
pub(crate) struct SubmissionPart {
    pub(crate) stage: &'static str,
    pub(crate) next_step: String,
    pub(crate) retries: String,
    pub(crate) last_error: Option<String>,
    pub(crate) entry: String,
    pub(crate) alert: Option<(String, String)>,
    pub(crate) attempts: Vec<AttemptRow>,
}

impl From<&SubmissionView> for SubmissionPart {
    fn from(view: &SubmissionView) -> Self {
        let submission = &view.submission;
        let last_error = submission.calls().and_then(|calls| calls.last_error.as_ref());
        Self {
            stage: submission.stage().as_str(),
            next_step: format::time_or_none(view.next_step_at),
            retries: format!("{} of {}", submission.retries(), view.retries_max),
            last_error: last_error.map(|error| error.message.clone()),
            entry: submission.entry().map_or_else(|| format::NONE.to_owned(), |entry| entry.to_string()),
            alert: submission
                .alert
                .as_ref()
                .map(|alert| (alert.code.as_str().to_owned(), alert.message.clone())),
            attempts: view.attempts.iter().rev().map(AttemptRow::from).collect(),
        }
    }
}

/// The authority's proof.
#[derive(Debug)]
pub(crate) struct ProofPart {
    pub(crate) qr_url: Option<String>,
    pub(crate) hash: Option<String>,
    pub(crate) accepted: String,
    pub(crate) warnings: Vec<String>,
    pub(crate) is_sandbox: bool,
}

impl From<&Acceptance> for ProofPart {
    fn from(acceptance: &Acceptance) -> Self {
        let warning =
            |remark: &gateway_domain::fault::Remark| format!("{} ({})", remark.message, remark.code);
        Self {
            qr_url: acceptance.qr_url.clone(),
            hash: acceptance.tax_system_hash.clone(),
            accepted: format::time(acceptance.accepted_at),
            warnings: acceptance.warnings.iter().map(warning).collect(),
            is_sandbox: acceptance.sandbox,
        }
    }
}

/// The authority's proof of a document, if it has one.
pub(crate) const fn acceptance(document: &Invoice) -> Option<&Acceptance> {
    match &document.state {
        State::Issued { acceptance, .. } => acceptance.as_ref(),
        State::Draft | State::Issuing { .. } | State::Rejected { .. } => None,
    }
}

/// Why a document was rejected, if it was.
pub(crate) fn reason(document: &Invoice) -> Option<&str> {
    match &document.state {
        State::Rejected { reason, .. } => Some(reason),
        State::Draft | State::Issuing { .. } | State::Issued { .. } => None,
    }
}

/// A document that this one has to do with.
#[derive(Debug)]
pub(crate) struct RelatedRow {
    pub(crate) id: String,
    pub(crate) how: &'static str,
    pub(crate) number: String,
    pub(crate) status: &'static str,
    pub(crate) gross: String,
}

impl RelatedRow {
    pub(crate) fn of(document: &Invoice, how: &'static str) -> Self {
        Self {
            id: document.id.to_string(),
            how,
            number: format::number(document),
            status: document.state.status().as_str(),
            gross: format::money(document.totals.gross, &document.content.currency),
        }
    }
}
