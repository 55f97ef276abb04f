//! A document as a client sends it, and what has to hold before it becomes [`Content`].
//!
//! Everything is checked and every complaint names its member, so that a client can mend all at once.

mod extras;
mod recipient;

pub use extras::{ExtForm, PaymentForm, PeriodForm};
pub use recipient::is_email;

use super::{Address, Content, DocumentKind, Line, LineTax, Recipient, Retention, is_currency};
use crate::ids::{BookingId, InvoiceId, WorkspaceId};
use crate::money::{Amount, Percent};
use crate::regime::RegimeDescription;
use crate::{ErrorCode, FieldError};
use jiff::civil::Date;
use serde::Deserialize;
use std::str::FromStr;

/// Most lines of one document.
pub const LINES_MAX: usize = 1_000;
/// Most retentions, and most documents referred to.
const LIST_MAX: usize = 100;
/// Longest single-line text, characters.
const TEXT_CHARS_MAX: usize = 500;
/// Longest free text, characters.
const NOTES_CHARS_MAX: usize = 5_000;

/// A document as sent. Types are loose where that lets one answer name every mistake.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the members are those of Content, as sent")]
pub struct DocumentForm {
    pub workspace_id: Option<i64>,
    pub document_type: Option<String>,
    pub currency: Option<String>,
    pub booking_id: Option<String>,
    pub issue_date: Option<String>,
    pub operation_date: Option<String>,
    pub prices_include_tax: Option<bool>,
    pub recipient: Option<RecipientForm>,
    pub lines: Option<Vec<LineForm>>,
    pub retentions: Option<Vec<RetentionForm>>,
    pub referenced_document_ids: Option<Vec<String>>,
    pub notes: Option<String>,
    pub payment: Option<PaymentForm>,
    pub ext: Option<ExtForm>,
}

/// A recipient as sent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the members are those of the domain type, as sent")]
pub struct RecipientForm {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub name: Option<String>,
    pub identity_document: Option<IdentityForm>,
    pub tax_number: Option<String>,
    pub country: Option<String>,
    pub address: Option<Address>,
    pub email: Option<String>,
    pub ext: Option<ExtForm>,
}

/// An identity document as sent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IdentityForm {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub number: Option<String>,
    pub country: Option<String>,
}

/// A line as sent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the members are those of the domain type, as sent")]
pub struct LineForm {
    pub transaction_id: Option<String>,
    pub description: Option<String>,
    pub quantity: Option<String>,
    pub unit_price: Option<String>,
    pub tax: Option<TaxForm>,
    pub period: Option<PeriodForm>,
    pub ext: Option<ExtForm>,
}

/// The tax of a line as sent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaxForm {
    pub category: Option<String>,
    pub rate: Option<String>,
    pub surcharge: Option<String>,
    pub exemption: Option<String>,
}

/// A retention as sent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionForm {
    pub category: Option<String>,
    pub rate: Option<String>,
}

/// Which keys of taxes a document may use.
#[derive(Debug, Clone, Copy)]
pub enum TaxCheck<'a> {
    /// No regime is active in the workspace: any key that looks like one.
    Syntax,
    /// The keys of this regime.
    Regime(&'a RegimeDescription),
}

impl DocumentForm {
    /// The workspace, before anything else can be checked.
    pub fn workspace(&self) -> Result<WorkspaceId, FieldError> {
        self.workspace_id.map(WorkspaceId).ok_or_else(|| {
            FieldError::new("workspace_id", ErrorCode::Required, "name the workspace of the document")
        })
    }

    /// The content, or everything that is wrong with it.
    pub fn check(self, taxes: TaxCheck<'_>) -> Result<Content, Vec<FieldError>> {
        let mut check = Check { errors: Vec::new(), taxes };
        let content = check.content(self);
        match content {
            Some(content) if check.errors.is_empty() => Ok(content),
            _ => Err(check.errors),
        }
    }
}

impl RecipientForm {
    /// The recipient, or everything that is wrong with it.
    pub fn check(self) -> Result<Recipient, Vec<FieldError>> {
        let mut check = Check { errors: Vec::new(), taxes: TaxCheck::Syntax };
        let recipient = check.recipient(self);
        recipient.filter(|_| check.errors.is_empty()).ok_or(check.errors)
    }
}

impl LineForm {
    /// The line, or everything that is wrong with it; `field` names it in the complaints.
    pub fn check(self, field: &str, taxes: TaxCheck<'_>) -> Result<Line, Vec<FieldError>> {
        let mut check = Check { errors: Vec::new(), taxes };
        let line = check.line(field, self);
        line.filter(|_| check.errors.is_empty()).ok_or(check.errors)
    }
}

/// What is wrong with a text: its code and a sentence.
type Mistake = (ErrorCode, &'static str);

struct Check<'a> {
    errors: Vec<FieldError>,
    taxes: TaxCheck<'a>,
}

impl Check<'_> {
    fn refuse(&mut self, field: impl Into<String>, code: ErrorCode, message: impl Into<String>) {
        self.errors.push(FieldError::new(field, code, message));
    }

    fn content(&mut self, form: DocumentForm) -> Option<Content> {
        let document_type = self.required(form.document_type, "document_type", |text| {
            DocumentKind::parse(text)
                .ok_or((ErrorCode::NotOneOf, "use invoice, credit_note, proforma or receipt"))
        });
        let currency = self.required(form.currency, "currency", |text| {
            if is_currency(text) {
                Ok(text.to_owned())
            } else {
                Err((ErrorCode::InvalidFormat, "use an ISO 4217 currency code, such as EUR"))
            }
        });
        if form.prices_include_tax.is_none() {
            self.refuse(
                "prices_include_tax",
                ErrorCode::Required,
                "say whether the line prices include tax: true or false",
            );
        }
        let booking_id = self.optional(form.booking_id, "booking_id", |text| {
            BookingId::from_str(text).map_err(|_| (ErrorCode::InvalidFormat, "use a UUID"))
        });
        let issue_date = self.optional(form.issue_date, "issue_date", date);
        let operation_date = self.optional(form.operation_date, "operation_date", date);
        let recipient = form.recipient.and_then(|recipient| self.recipient(recipient));
        let lines = self.list(form.lines, "lines", LINES_MAX, Self::line);
        let retentions = self.list(form.retentions, "retentions", LIST_MAX, Self::retention);
        let referenced_document_ids = self.list(
            form.referenced_document_ids,
            "referenced_document_ids",
            LIST_MAX,
            |check, field, text| {
                check.required(Some(text), field, |text| {
                    InvoiceId::from_str(text).map_err(|_| (ErrorCode::InvalidFormat, "use a UUID"))
                })
            },
        );
        let notes = self.text(form.notes, "notes", NOTES_CHARS_MAX, true);
        let payment = form.payment.and_then(|payment| self.payment(payment));
        let ext = self.ext(form.ext, "ext");
        Some(Content {
            document_type: document_type?,
            currency: currency?,
            booking_id,
            issue_date,
            operation_date,
            prices_include_tax: form.prices_include_tax?,
            recipient,
            lines,
            retentions,
            referenced_document_ids,
            notes,
            payment,
            ext,
        })
    }

    fn required<T>(
        &mut self,
        text: Option<String>,
        field: &str,
        parse: impl FnOnce(&str) -> Result<T, Mistake>,
    ) -> Option<T> {
        if text.is_none() {
            self.refuse(field, ErrorCode::Required, "is required");
        }
        self.optional(text, field, parse)
    }

    fn optional<T>(
        &mut self,
        text: Option<String>,
        field: &str,
        parse: impl FnOnce(&str) -> Result<T, Mistake>,
    ) -> Option<T> {
        match parse(&text?) {
            Ok(value) => Some(value),
            Err((code, message)) => {
                self.refuse(field, code, message);
                None
            }
        }
    }

    fn list<F, T>(
        &mut self,
        items: Option<Vec<F>>,
        field: &str,
        max: usize,
        mut each: impl FnMut(&mut Self, &str, F) -> Option<T>,
    ) -> Vec<T> {
        let items = items.unwrap_or_default();
        if items.len() > max {
            self.refuse(field, ErrorCode::TooMany, format!("may have at most {max} members"));
            return Vec::new();
        }
        let mut out = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            out.extend(each(self, &format!("{field}[{index}]"), item));
        }
        out
    }

    /// A text without control characters; an empty one counts as absent.
    fn text(&mut self, text: Option<String>, field: &str, max: usize, multi_line: bool) -> Option<String> {
        let text = text?;
        if text.chars().any(|c| c.is_control() && !(multi_line && matches!(c, '\n' | '\r' | '\t'))) {
            self.refuse(field, ErrorCode::InvalidCharacters, "may not contain control characters");
        }
        if text.chars().count() > max {
            self.refuse(field, ErrorCode::TooLong, format!("may have at most {max} characters"));
        }
        if text.trim().is_empty() { None } else { Some(text) }
    }

    fn required_text(&mut self, text: Option<String>, field: &str) -> Option<String> {
        let before = self.errors.len();
        let text = self.text(text, field, TEXT_CHARS_MAX, false);
        if text.is_none() && self.errors.len() == before {
            self.refuse(field, ErrorCode::Required, "is required and may not be empty");
        }
        text
    }

    fn line(&mut self, field: &str, form: LineForm) -> Option<Line> {
        let transaction_id =
            self.text(form.transaction_id, &format!("{field}.transaction_id"), TEXT_CHARS_MAX, false);
        let description = self.required_text(form.description, &format!("{field}.description"));
        let quantity = self.amount(form.quantity, &format!("{field}.quantity"));
        let unit_price = self.amount(form.unit_price, &format!("{field}.unit_price"));
        if form.tax.is_none() {
            self.refuse(
                format!("{field}.tax"),
                ErrorCode::Required,
                "is required: give category and rate or exemption",
            );
        }
        let tax = form.tax.and_then(|tax| self.tax(&format!("{field}.tax"), tax));
        let period = form.period.and_then(|period| self.period(period, &format!("{field}.period")));
        let ext = self.ext(form.ext, &format!("{field}.ext"));
        Some(Line {
            transaction_id,
            description: description?,
            quantity: quantity?,
            unit_price: unit_price?,
            tax: tax?,
            period,
            ext,
        })
    }

    fn amount(&mut self, text: Option<String>, field: &str) -> Option<Amount> {
        self.required(text, field, |text| {
            const WRONG: &str = "write a decimal number of at most 18 digits, such as 12.50";
            Amount::from_str(text).map_err(|_| (ErrorCode::InvalidFormat, WRONG))
        })
    }

    fn percent(&mut self, text: Option<String>, field: &str) -> Option<Percent> {
        self.optional(text, field, |text| {
            const WRONG: Mistake = (
                ErrorCode::InvalidFormat,
                "write a percentage from 0 to 100 with at most 4 decimals, such as 21.0",
            );
            let amount = Amount::from_str(text).map_err(|_| WRONG)?;
            let hundred = Amount::new(100, 0).map_err(|_| WRONG)?;
            if amount.is_negative() || amount.cmp_value(hundred).is_gt() || amount.scale() > 4 {
                return Err(WRONG);
            }
            Percent::new(amount).map_err(|_| WRONG)
        })
    }

    fn tax(&mut self, field: &str, form: TaxForm) -> Option<LineTax> {
        let category = self.key(form.category, &format!("{field}.category"), |regime| {
            regime.categories.iter().map(|choice| choice.key.as_str()).collect()
        });
        if form.rate.is_some() == form.exemption.is_some() {
            self.refuse(field, ErrorCode::NotTogether, "give either rate or exemption");
        }
        if form.surcharge.is_some() && form.rate.is_none() {
            self.refuse(format!("{field}.surcharge"), ErrorCode::NotTogether, "stands only beside a rate");
        }
        let rate = self.percent(form.rate, &format!("{field}.rate"));
        let surcharge = self.percent(form.surcharge, &format!("{field}.surcharge"));
        let exemption = form.exemption.and_then(|exemption| {
            self.key(Some(exemption), &format!("{field}.exemption"), |regime| {
                regime.exemptions.iter().map(|choice| choice.key.as_str()).collect()
            })
        });
        Some(LineTax { category: category?, rate, surcharge, exemption })
    }

    fn retention(&mut self, field: &str, form: RetentionForm) -> Option<Retention> {
        let category = self.key(form.category, &format!("{field}.category"), |regime| {
            regime.retentions.iter().map(|choice| choice.key.as_str()).collect()
        });
        if form.rate.is_none() {
            self.refuse(format!("{field}.rate"), ErrorCode::Required, "is required");
        }
        let rate = self.percent(form.rate, &format!("{field}.rate"));
        Some(Retention { category: category?, rate: rate? })
    }

    /// A key of the regime, or of the right shape where no regime is active.
    fn key(
        &mut self,
        text: Option<String>,
        field: &str,
        known: impl FnOnce(&RegimeDescription) -> Vec<&str>,
    ) -> Option<String> {
        let key = self.required_text(text, field)?;
        match self.taxes {
            TaxCheck::Syntax => {
                let sound =
                    key.len() <= 64 && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-+".contains(&b));
                if !sound {
                    self.refuse(
                        field,
                        ErrorCode::InvalidFormat,
                        "use letters, digits, _, - and +, at most 64",
                    );
                }
            }
            TaxCheck::Regime(regime) => {
                let known = known(regime);
                if !known.contains(&key.as_str()) {
                    let key = &regime.key;
                    let advice = if known.is_empty() {
                        format!("{key} knows none: leave it out")
                    } else {
                        format!("use one of {} ({key})", known.join(", "))
                    };
                    self.refuse(field, ErrorCode::NotOneOf, advice);
                }
            }
        }
        Some(key)
    }
}

fn date(text: &str) -> Result<Date, Mistake> {
    const WRONG: Mistake = (ErrorCode::InvalidFormat, "use a date as YYYY-MM-DD, from 1900 to 9998");
    let date = Date::from_str(text).map_err(|_| WRONG)?;
    if date.to_string() == text && (1900..=9998).contains(&date.year()) { Ok(date) } else { Err(WRONG) }
}
