//! A document as a client sends it, and what has to hold before it becomes [`Content`].
//!
//! Everything is checked and every complaint names its member, so that a client can mend all at once.

mod described;
mod extras;
mod recipient;

pub use described::{CompanyForm, IndividualForm};
pub use extras::{ExtForm, PaymentForm, PeriodForm};
pub use recipient::is_email;

use super::tax_check::TaxCheck;
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    Content, DocumentKind, IdentityKind, LINES_MAX, Line, LineTax, Recipient, Retention, is_currency,
};
use gateway_domain::money::{Amount, Percent};
use gateway_domain::regime::RegimeDescription;
use gateway_domain::{ErrorCode, FieldError, calendar};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use utoipa::ToSchema;

/// Most retentions, and most documents referred to.
const LIST_MAX: usize = 100;
/// Longest single-line text, characters.
const TEXT_CHARS_MAX: usize = 500;
/// Longest free text, characters.
const NOTES_CHARS_MAX: usize = 5_000;

/// A document as sent. Types are loose where that lets one answer name every mistake.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DocumentForm {
    /// Whose document it is; it never changes.
    #[schema(value_type = i64, required = true, examples(1))]
    pub workspace_id: Option<i64>,
    /// `proforma` and `receipt` have no number series and stay drafts.
    #[schema(value_type = DocumentKind, required = true)]
    pub document_type: Option<String>,
    /// ISO 4217.
    #[schema(value_type = String, required = true, pattern = "^[A-Z]{3}$", examples("EUR"))]
    pub currency: Option<String>,
    /// The booking it bills.
    #[schema(value_type = Option<Uuid>)]
    pub booking_id: Option<String>,
    /// From 1900 to 9998; the day of the issue unless given.
    #[schema(format = Date, examples("2026-11-20"))]
    pub issue_date: Option<String>,
    /// When the supply took place, if on another day.
    #[schema(format = Date)]
    pub operation_date: Option<String>,
    /// Whether the prices of the lines include tax. Totals are computed net to gross, aggregated per rate, either way.
    #[schema(value_type = bool, required = true, examples(true))]
    pub prices_include_tax: Option<bool>,
    /// Whom it is for.
    pub recipient: Option<RecipientForm>,
    /// What it bills.
    #[schema(max_items = 1000)]
    pub lines: Option<Vec<LineForm>>,
    /// What the recipient withholds.
    #[schema(max_items = 100)]
    pub retentions: Option<Vec<RetentionForm>>,
    /// Documents it refers to.
    #[schema(value_type = Option<Vec<Uuid>>, max_items = 100)]
    pub referenced_document_ids: Option<Vec<String>>,
    /// Free text.
    #[schema(max_length = 5000, pattern = r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$")]
    pub notes: Option<String>,
    /// When it has to be paid.
    pub payment: Option<PaymentForm>,
    /// What the workspace's tax system wants to know besides; its plugin lists the keys (`GET /admin/plugins`).
    #[schema(schema_with = extras::schema)]
    pub ext: Option<ExtForm>,
}

/// A recipient as sent: the members of an individual, or those of a company.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecipientForm {
    /// `individual` or `company`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The full name, or the registered one.
    pub name: Option<String>,
    /// Of an individual.
    pub identity_document: Option<IdentityForm>,
    /// Of a company.
    pub tax_number: Option<String>,
    /// Of a company, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// Where the recipient lives or is registered.
    pub address: Option<AddressForm>,
    /// Where to write.
    pub email: Option<String>,
    /// What the tax system wants to know of the recipient besides.
    pub ext: Option<ExtForm>,
}

/// A postal address as sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AddressForm {
    /// Street and number.
    #[schema(max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("1 High St"))]
    pub street: Option<String>,
    /// Town.
    #[schema(max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("Leeds"))]
    pub locality: Option<String>,
    /// Province or state.
    #[schema(max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    pub region: Option<String>,
    /// Postal code.
    #[schema(max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("LS1 1AA"))]
    pub postcode: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[schema(pattern = "^[A-Z]{2}$", examples("GB"))]
    pub country: Option<String>,
}

/// An identity document as sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdentityForm {
    /// An `id_card` without country is Spanish, one of another country is a foreign national ID.
    #[serde(rename = "type")]
    #[schema(value_type = IdentityKind, required = true, examples("passport"))]
    pub kind: Option<String>,
    /// Its number.
    #[schema(value_type = String, required = true, min_length = 1, max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("123456789"))]
    pub number: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[schema(pattern = "^[A-Z]{2}$", examples("GB"))]
    pub country: Option<String>,
}

/// A line as sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LineForm {
    /// Names the line for later commands.
    #[schema(max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    pub transaction_id: Option<String>,
    /// What is sold.
    #[schema(value_type = String, required = true, min_length = 1, max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("Studio, 3 nights"))]
    pub description: Option<String>,
    /// A decimal number of at most 18 digits, as a string.
    #[schema(value_type = String, required = true, pattern = r"^-?[0-9]+(\.[0-9]+)?$", examples("3"))]
    pub quantity: Option<String>,
    /// Price of one; negative for a reduction.
    #[schema(value_type = String, required = true, pattern = r"^-?[0-9]+(\.[0-9]+)?$", examples("89.90"))]
    pub unit_price: Option<String>,
    /// Its tax.
    #[schema(value_type = TaxForm, required = true)]
    pub tax: Option<TaxForm>,
    /// The days it bills.
    pub period: Option<PeriodForm>,
    /// What the tax system wants to know of it besides.
    #[schema(schema_with = extras::schema)]
    pub ext: Option<ExtForm>,
}

/// Either a rate or an exemption. The keys are those of the workspace's tax regime.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = LineTaxForm)]
pub struct TaxForm {
    /// A key of the regime.
    #[schema(value_type = String, required = true, min_length = 1, max_length = 64, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("VAT"))]
    pub category: Option<String>,
    /// A percentage from 0 to 100 without sign, at most 4 decimals.
    #[schema(pattern = r"^[0-9]+(\.[0-9]{1,4})?$", examples("10.0"))]
    pub rate: Option<String>,
    /// Stands only beside a rate.
    #[schema(pattern = r"^[0-9]+(\.[0-9]{1,4})?$")]
    pub surcharge: Option<String>,
    /// A key of the regime; stands in place of a rate.
    #[schema(min_length = 1, max_length = 64, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    pub exemption: Option<String>,
}

/// A retention as sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionForm {
    /// A key of the regime.
    #[schema(value_type = String, required = true, min_length = 1, max_length = 64, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("IRPF"))]
    pub category: Option<String>,
    /// A percentage from 0 to 100 without sign, at most 4 decimals.
    #[schema(value_type = String, required = true, pattern = r"^[0-9]+(\.[0-9]{1,4})?$", examples("15.0"))]
    pub rate: Option<String>,
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
    if date.to_string() == text && calendar::is_supported(date) { Ok(date) } else { Err(WRONG) }
}
