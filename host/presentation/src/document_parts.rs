//! The parts of a document's page, as they are shown.

use crate::advice::Advice;
use crate::faults::FaultRow;
use crate::format;
use crate::taxes;
use gateway_domain::invoicing::{Acceptance, Balance, DocumentKind, Invoice, RateTotal, Recipient, State};
use gateway_domain::money::Amount;
use gateway_domain::regime::Identity;
use gateway_domain_finance::{Attempt, AuthorityRecord, SubmissionView};
use std::iter;

fn or_none(text: Option<impl ToString>) -> String {
    text.map_or_else(|| format::NONE.to_owned(), |text| text.to_string())
}

/// What a document says besides parties, lines and figures.
#[derive(Debug)]
pub struct FactsPart {
    pub kind: String,
    pub is_credit_note: bool,
    pub issued: String,
    pub operation_date: String,
    pub currency: String,
    pub prices_include_tax: bool,
    pub booking: Option<String>,
    pub notes: Option<String>,
    pub due: String,
    /// For the one who pays.
    pub payment_note: Option<String>,
}

impl From<&Invoice> for FactsPart {
    fn from(document: &Invoice) -> Self {
        let content = &document.content;
        let payment = content.payment.as_ref();
        Self {
            kind: format::title(content.document_type.as_str()),
            is_credit_note: content.document_type == DocumentKind::CreditNote,
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
pub struct TotalsPart {
    pub rates: Vec<RateRow>,
    pub net: String,
    pub tax: String,
    pub gross: String,
    pub retained: String,
    pub payable: String,
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
pub struct BalancePart {
    pub credited: String,
    pub refunded: String,
    pub open: String,
    /// Draft credit notes that block a remainder.
    pub unissued: Vec<String>,
}

impl BalancePart {
    /// Of a document in this currency.
    pub fn of(balance: &Balance, currency: &str) -> Self {
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
pub struct LineRow {
    pub description: String,
    pub quantity: String,
    pub unit_price: String,
    pub tax: String,
    pub total: String,
}

/// The lines of a document.
pub fn lines(document: &Invoice) -> Vec<LineRow> {
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
pub struct RateRow {
    pub tax: String,
    pub base: String,
    pub amount: String,
}

/// The rows of the breakdown, which add up to the tax of the document: a surcharge has one of its own below that of its rate.
pub fn rates(rates: &[RateTotal]) -> Vec<RateRow> {
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
pub struct RecipientPart {
    pub name: String,
    pub kind: &'static str,
    pub identity: String,
    pub address: String,
    pub email: String,
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
pub fn identity(identity: &Identity) -> String {
    match identity {
        Identity::TaxId { country, code } => format!("tax id {code} of {country}"),
        Identity::Other { country, code, type_key, type_code } => {
            format!("{} {code} of {country} (type {type_code})", type_key.replace('_', " "))
        }
    }
}

/// One job of the provider.
#[derive(Debug)]
pub struct AttemptRow {
    pub number: String,
    pub started: String,
    pub took: String,
    pub outcome: &'static str,
    pub plugin: String,
    pub job: String,
    pub authority: &'static str,
    pub faults: Vec<FaultRow>,
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
pub struct SubmissionPart {
    pub stage: &'static str,
    pub next_step: String,
    /// How much time the law leaves; none where it sets no limit.
    pub due_in: Option<String>,
    /// What its filing carries, and what its plugin says of the limit.
    pub filing: Vec<String>,
    pub retries: String,
    pub last_error: Option<String>,
    pub entry: String,
    /// Its code, what to do, and its message as it was recorded.
    pub alert: Option<(&'static str, Advice, String)>,
    pub attempts: Vec<AttemptRow>,
}

impl SubmissionPart {
    /// A submission with its attempts and its next step.
    pub fn of(view: &SubmissionView) -> Self {
        let SubmissionView { submission, next_step_at, retries_max, attempts, filing, .. } = view;
        let mark = filing.as_ref().and_then(|filing| filing.mark.as_ref());
        let note = filing.as_ref().and_then(|filing| filing.note.clone());
        let last_error = submission.calls().and_then(|calls| calls.last_error.as_ref());
        Self {
            stage: submission.stage().as_str(),
            next_step: format::time_or_none(*next_step_at),
            due_in: view.due_sentence(),
            filing: mark
                .map(|mark| format!("Filed with the mark {}.", mark.as_str()))
                .into_iter()
                .chain(note)
                .collect(),
            retries: format!("{} of {}", submission.retries(), retries_max),
            last_error: last_error.map(|error| error.message.clone()),
            entry: submission.entry().map_or_else(|| format::NONE.to_owned(), |entry| entry.to_string()),
            alert: submission.alert.as_ref().map(|alert| {
                let advice = Advice::about(alert.code, submission.document, submission.workspace);
                (alert.code.as_str(), advice, alert.message.clone())
            }),
            attempts: attempts.iter().rev().map(AttemptRow::from).collect(),
        }
    }
}

/// The authority's proof.
#[derive(Debug)]
pub struct ProofPart {
    pub qr_url: Option<String>,
    pub hash: Option<String>,
    pub accepted: String,
    pub warnings: Vec<String>,
    pub is_sandbox: bool,
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

impl ProofPart {
    /// With more behind the remarks of the authority, a sentence each.
    #[must_use]
    pub fn with_remarks<T: ToString>(mut self, more: &[T]) -> Self {
        self.warnings.extend(more.iter().map(ToString::to_string));
        self
    }
}

/// The authority's proof of a document, if it has one.
pub const fn acceptance(document: &Invoice) -> Option<&Acceptance> {
    match &document.state {
        State::Issued { acceptance, .. } => acceptance.as_ref(),
        State::Draft | State::Issuing { .. } | State::Rejected { .. } => None,
    }
}

/// Why a document was rejected, if it was.
pub fn reason(document: &Invoice) -> Option<&str> {
    match &document.state {
        State::Rejected { reason, .. } => Some(reason),
        State::Draft | State::Issuing { .. } | State::Issued { .. } => None,
    }
}

/// A document that this one has to do with.
#[derive(Debug)]
pub struct RelatedRow {
    pub id: String,
    pub how: &'static str,
    pub number: String,
    pub status: &'static str,
    pub gross: String,
}

impl RelatedRow {
    /// A document, and what it has to do with the other one.
    pub fn of(document: &Invoice, how: &'static str) -> Self {
        Self {
            id: document.id.to_string(),
            how,
            number: format::number(document),
            status: document.state.status().as_str(),
            gross: format::money(document.totals.gross, &document.content.currency),
        }
    }
}
