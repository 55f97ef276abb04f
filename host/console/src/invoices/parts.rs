//! The parts of a document's page, as they are shown.

use gateway_domain::ids::ClientId;
use gateway_domain::invoicing::{Acceptance, Balance, Invoice, RateTotal, Recipient, State};
use gateway_domain::money::Amount;
use gateway_domain::regime::Identity;
use gateway_domain_finance::{Attempt, AuthorityRecord};
use gateway_finance::SubmissionView;
use gateway_invoicing::TimelineEntry;
use gateway_presentation::Advice;
use gateway_presentation::faults::FaultRow;
use gateway_presentation::format::{self, ActorName};
use gateway_presentation::taxes;
use std::collections::BTreeMap;
use std::iter;

fn or_none(text: Option<impl ToString>) -> String {
    text.map_or_else(|| format::NONE.to_owned(), |text| text.to_string())
}

/// What a document says besides parties, lines and figures.
#[derive(Debug)]
pub(crate) struct FactsPart {
    pub(crate) kind: String,
    pub(crate) issued: String,
    pub(crate) operation_date: String,
    pub(crate) currency: String,
    pub(crate) prices_include_tax: bool,
    pub(crate) booking: Option<String>,
    pub(crate) notes: Option<String>,
    pub(crate) due: String,
    /// For the one who pays.
    pub(crate) payment_note: Option<String>,
}

impl From<&Invoice> for FactsPart {
    fn from(document: &Invoice) -> Self {
        let content = &document.content;
        let payment = content.payment.as_ref();
        Self {
            kind: format::title(content.document_type.as_str()),
            issued: or_none(content.issue_date),
            operation_date: or_none(content.operation_date),
            currency: content.currency.clone(),
            prices_include_tax: content.prices_include_tax,
            booking: content.booking_id.map(|id| id.to_string()),
            notes: content.notes.clone(),
            due: or_none(payment.and_then(|payment| payment.due_date)),
            payment_note: payment.and_then(|payment| payment.note.clone()),
        }
    }
}

/// The figures of a document.
#[derive(Debug)]
pub(crate) struct TotalsPart {
    pub(crate) rates: Vec<RateRow>,
    pub(crate) net: String,
    pub(crate) tax: String,
    pub(crate) gross: String,
    pub(crate) retained: String,
    pub(crate) payable: String,
}

impl From<&Invoice> for TotalsPart {
    fn from(document: &Invoice) -> Self {
        let totals = &document.totals;
        Self {
            rates: rates(&totals.rates),
            net: totals.net.to_string(),
            tax: totals.tax.to_string(),
            gross: totals.gross.to_string(),
            retained: totals.retained.to_string(),
            payable: format::money(totals.payable, &document.content.currency),
        }
    }
}

/// What is left of a document.
#[derive(Debug)]
pub(crate) struct BalancePart {
    pub(crate) credited: String,
    pub(crate) refunded: String,
    pub(crate) open: String,
    /// Draft credit notes that block a remainder.
    pub(crate) unissued: Vec<String>,
}

impl BalancePart {
    pub(crate) fn of(balance: &Balance, currency: &str) -> Self {
        Self {
            credited: balance.credited.to_string(),
            refunded: balance.refunded.to_string(),
            open: format::money(balance.open, currency),
            unissued: balance.unissued_credit_notes.iter().map(ToString::to_string).collect(),
        }
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
}

/// The lines of a document.
pub(crate) fn lines(document: &Invoice) -> Vec<LineRow> {
    let row = |(line, totals): (&gateway_domain::invoicing::Line, &gateway_domain::invoicing::LineTotals)| {
        let period =
            line.period.map_or_else(String::new, |period| format!(" ({} – {})", period.start, period.end));
        LineRow {
            description: format!("{}{period}", line.description),
            quantity: line.quantity.to_string(),
            unit_price: line.unit_price.to_string(),
            tax: taxes::label(
                &line.tax.category,
                line.tax.rate.map(|rate| rate.to_string()),
                line.tax.exemption.as_deref(),
                line.tax.surcharge.map(|surcharge| surcharge.to_string()),
            ),
            total: totals.total.to_string(),
        }
    };
    document.content.lines.iter().zip(&document.totals.lines).map(row).collect()
}

/// A row of the breakdown.
#[derive(Debug)]
pub(crate) struct RateRow {
    pub(crate) tax: String,
    pub(crate) base: String,
    pub(crate) amount: String,
}

/// The rows of the breakdown, which add up to the tax of the document: a surcharge has one of its own below that of its rate.
pub(crate) fn rates(rates: &[RateTotal]) -> Vec<RateRow> {
    let rows = |total: &RateTotal| {
        let rate = total.rate.map(|rate| rate.to_string());
        let row = |tax: String, amount: Amount| RateRow {
            tax,
            base: total.base.to_string(),
            amount: amount.to_string(),
        };
        let surcharge = total.surcharge.zip(total.surcharge_amount);
        let surcharge = surcharge.map(|(surcharge, amount)| {
            row(format!("{} equivalence surcharge {surcharge} %", total.category), amount)
        });
        let main = row(taxes::label(&total.category, rate, total.exemption.as_deref(), None), total.amount);
        iter::once(main).chain(surcharge)
    };
    rates.iter().flat_map(rows).collect()
}

/// Whom a document is for.
#[derive(Debug)]
pub(crate) struct RecipientPart {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) identity: String,
    pub(crate) address: String,
    pub(crate) email: String,
}

impl From<&Recipient> for RecipientPart {
    fn from(recipient: &Recipient) -> Self {
        match recipient {
            Recipient::Individual { name, identity_document, address, email, .. } => {
                let identity = identity_document.as_ref().map(|document| {
                    let country = document.country.as_deref().unwrap_or(format::NONE);
                    format!(
                        "{} {} ({country})",
                        format::title(&format::word(&document.kind)),
                        document.number
                    )
                });
                Self {
                    name: name.clone(),
                    kind: "person",
                    identity: or_none(identity.as_ref()),
                    address: format::address(address.as_ref()),
                    email: or_none(email.as_ref()),
                }
            }
            Recipient::Company { name, tax_number, country, address, email, .. } => Self {
                name: name.clone(),
                kind: "company",
                identity: format!("{} ({})", or_none(tax_number.as_ref()), or_none(country.as_ref())),
                address: format::address(address.as_ref()),
                email: or_none(email.as_ref()),
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
    pub(crate) actor: ActorName,
}

impl TimelineRow {
    pub(crate) fn of(entry: &TimelineEntry, clients: &BTreeMap<ClientId, String>) -> Self {
        let actor = format::actor(&entry.actor, clients);
        Self { at: format::time(entry.at), event: entry.event.clone(), actor }
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
    /// Its code, what to do, and its message as it was recorded.
    pub(crate) alert: Option<(&'static str, Advice, String)>,
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
            alert: submission.alert.as_ref().map(|alert| {
                let advice = Advice::about(alert.code, submission.document, submission.workspace);
                (alert.code.as_str(), advice, alert.message.clone())
            }),
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
