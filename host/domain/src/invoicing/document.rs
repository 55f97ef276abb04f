//! What a document is made of.

use super::{ImportOrigin, InvoiceNumber, Totals};
use crate::fault::Remark;
use crate::ids::{BookingId, InvoiceId, WorkspaceId};
use crate::money::{Amount, Percent};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use utoipa::ToSchema;

/// Most lines of one document.
pub const LINES_MAX: usize = 1_000;

/// What kind of document it is; the tax system's own code is the plugin's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum DocumentKind {
    /// A regular invoice.
    Invoice,
    /// Cancels all or part of an invoice.
    CreditNote,
    /// An offer in the shape of an invoice; has no number series.
    Proforma,
    /// An acknowledgement of payment; has no number series.
    Receipt,
}

impl DocumentKind {
    /// Every kind.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and storage.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    /// Whether documents of this kind get a number, and so can be issued.
    pub const fn has_series(self) -> bool {
        match self {
            Self::Invoice | Self::CreditNote => true,
            Self::Proforma | Self::Receipt => false,
        }
    }
}

/// A postal address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// Street and number.
    #[serde(default)]
    #[schema(required, examples("Calle Mayor 1"))]
    pub street: Option<String>,
    /// Town.
    #[serde(default)]
    #[schema(required, examples("Madrid"))]
    pub locality: Option<String>,
    /// Province or state.
    #[serde(default)]
    #[schema(required)]
    pub region: Option<String>,
    /// Postal code.
    #[serde(default)]
    #[schema(required, examples("28013"))]
    pub postcode: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[serde(default)]
    #[schema(required, pattern = "^[A-Z]{2}$", examples("ES"))]
    pub country: Option<String>,
}

/// The kinds of identity document of a natural person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdentityKind {
    /// National identity card; Spanish unless its country says otherwise.
    IdCard,
    /// Residence permit of Spain, which carries a Spanish tax id.
    SpanishResidentPermit,
    /// Passport.
    Passport,
    /// National identity card of another country.
    ForeignNationalId,
    /// Driving licence.
    DrivingLicense,
    /// Student identity card.
    StudentId,
    /// Anything else.
    Other,
}

/// An identity document of a natural person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IdentityDocument {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: IdentityKind,
    /// Its number.
    #[schema(examples("123456789"))]
    pub number: String,
    /// Who issued it, ISO 3166-1 alpha-2.
    #[schema(required, pattern = "^[A-Z]{2}$", examples("GB"))]
    pub country: Option<String>,
}

/// Whom the document is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Recipient {
    /// A natural person.
    Individual {
        /// Full name.
        #[schema(examples("Jane Roe"))]
        name: String,
        /// How the person is identified.
        #[schema(required)]
        identity_document: Option<IdentityDocument>,
        /// Where the person lives.
        #[schema(required)]
        address: Option<Address>,
        /// Where to write.
        #[schema(required)]
        email: Option<String>,
        /// What the tax system wants to know of the recipient besides.
        #[serde(default, skip_serializing_if = "Ext::is_empty")]
        #[schema(value_type = BTreeMap<String, String>, required = false)]
        ext: Ext,
    },
    /// A legal person.
    Company {
        /// Registered name.
        #[schema(examples("Casa Azul S.L."))]
        name: String,
        /// Tax identifier.
        #[schema(required, examples("B98602642"))]
        tax_number: Option<String>,
        /// ISO 3166-1 alpha-2; Spanish when `ES`.
        #[schema(required, pattern = "^[A-Z]{2}$", examples("ES"))]
        country: Option<String>,
        /// Where it is registered.
        #[schema(required)]
        address: Option<Address>,
        /// Where to write.
        #[schema(required)]
        email: Option<String>,
        /// What the tax system wants to know of the recipient besides.
        #[serde(default, skip_serializing_if = "Ext::is_empty")]
        #[schema(value_type = BTreeMap<String, String>, required = false)]
        ext: Ext,
    },
}

impl Recipient {
    /// Full name of a person, registered name of a company.
    pub fn name(&self) -> &str {
        match self {
            Self::Individual { name, .. } | Self::Company { name, .. } => name,
        }
    }

    /// The number of a person's identity document, the tax number of a company.
    pub fn tax_id(&self) -> Option<&str> {
        match self {
            Self::Individual { identity_document, .. } => {
                identity_document.as_ref().map(|document| document.number.as_str())
            }
            Self::Company { tax_number, .. } => tax_number.as_deref(),
        }
    }
}

/// The tax of a line: a rate, or an exemption, of one category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineTax {
    /// A key of the regime: `VAT`.
    #[schema(examples("VAT"))]
    pub category: String,
    /// Percent; none for an exemption.
    #[schema(required)]
    pub rate: Option<Percent>,
    /// Equivalence surcharge beside the rate, percent.
    #[schema(required)]
    pub surcharge: Option<Percent>,
    /// A key of the regime: `article_20`; none for a rate.
    #[schema(required)]
    pub exemption: Option<String>,
}

/// What a tax system wants to know beyond the document's own members, by the keys its plugin describes.
pub type Ext = BTreeMap<String, String>;

/// Days in a row, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Period {
    /// The first day.
    #[schema(value_type = String, format = Date, examples("2026-11-01"))]
    pub start: Date,
    /// The last day; never before the first.
    #[schema(value_type = String, format = Date, examples("2026-11-30"))]
    pub end: Date,
}

/// When the document has to be paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Payment {
    /// The last day.
    #[schema(required, value_type = Option<String>, format = Date, examples("2026-12-20"))]
    pub due_date: Option<Date>,
    /// For the one who pays.
    #[schema(required)]
    pub note: Option<String>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Line {
    /// The billable entry of a booking this line came from, when it came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_id: Option<String>,
    /// What is sold.
    #[schema(examples("Studio, 3 nights"))]
    pub description: String,
    /// How much of it.
    pub quantity: Amount,
    /// Price of one; may be negative.
    pub unit_price: Amount,
    /// Its tax.
    pub tax: LineTax,
    /// The days it bills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// What the tax system wants to know of it besides.
    #[serde(default, skip_serializing_if = "Ext::is_empty")]
    #[schema(value_type = BTreeMap<String, String>, required = false)]
    pub ext: Ext,
}

/// A tax the recipient withholds from the payment, on the net of all lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Retention {
    /// A key of the regime: `IRPF`.
    #[schema(examples("IRPF"))]
    pub category: String,
    /// Percent.
    pub rate: Percent,
}

/// What the user writes; everything else of a document is the gateway's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Decides the number series, and what a tax regime makes of it.
    pub document_type: DocumentKind,
    /// ISO 4217.
    pub currency: String,
    /// None when it bills no booking of the platform.
    pub booking_id: Option<BookingId>,
    /// Issue date; today when none was given by the time it is issued.
    pub issue_date: Option<Date>,
    /// When the supply took place, if on another day.
    pub operation_date: Option<Date>,
    /// Whether line prices include the tax.
    pub prices_include_tax: bool,
    /// None on a simplified invoice, and in a draft that has none yet.
    pub recipient: Option<Recipient>,
    /// In the order in which they are printed.
    pub lines: Vec<Line>,
    /// What the recipient withholds.
    pub retentions: Vec<Retention>,
    /// Documents it refers to.
    pub referenced_document_ids: Vec<InvoiceId>,
    /// Free text.
    pub notes: Option<String>,
    /// When it has to be paid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<Payment>,
    /// What the tax system wants to know of it besides.
    #[serde(default, skip_serializing_if = "Ext::is_empty")]
    pub ext: Ext,
}

/// What the authority gave for an accepted document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Acceptance {
    /// Where anybody verifies the document.
    #[schema(required, examples("https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642"))]
    pub qr_url: Option<String>,
    /// The tax system's hash of the record.
    #[schema(required)]
    pub tax_system_hash: Option<String>,
    /// When the gateway learned of it.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    pub accepted_at: Timestamp,
    /// Remarks of the authority.
    pub warnings: Vec<Remark>,
    /// Whether a stand-in authority said so.
    pub sandbox: bool,
}

/// Where a document is on its way. What belongs to one state cannot outlive it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Still being written.
    Draft,
    /// At the tax authority; locked.
    Issuing {
        /// Reserved on entry.
        number: InvoiceNumber,
        /// Since when.
        since: Timestamp,
    },
    /// Final.
    Issued {
        /// Reserved while it was issuing, or given on entry in the standard flow.
        number: InvoiceNumber,
        /// Since when.
        at: Timestamp,
        /// The authority's proof; none in the standard flow.
        acceptance: Option<Acceptance>,
        /// Where it comes from, if another system issued it.
        imported: Option<Box<ImportOrigin>>,
    },
    /// Refused by the authority; may be edited and resubmitted.
    Rejected {
        /// The number it was refused under; never used again.
        number: InvoiceNumber,
        /// Since when.
        at: Timestamp,
        /// Why.
        reason: String,
    },
}

/// The name of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// See [`State::Draft`].
    Draft,
    /// See [`State::Issuing`].
    Issuing,
    /// See [`State::Issued`].
    Issued,
    /// See [`State::Rejected`].
    Rejected,
}

impl Status {
    /// Every status.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and storage.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl State {
    /// The state without its data, as JSON and storage name it.
    pub const fn status(&self) -> Status {
        match self {
            Self::Draft => Status::Draft,
            Self::Issuing { .. } => Status::Issuing,
            Self::Issued { .. } => Status::Issued,
            Self::Rejected { .. } => Status::Rejected,
        }
    }

    /// Where the document comes from, if another system issued it.
    pub fn imported(&self) -> Option<&ImportOrigin> {
        match self {
            Self::Issued { imported, .. } => imported.as_deref(),
            Self::Draft | Self::Issuing { .. } | Self::Rejected { .. } => None,
        }
    }

    /// None for a draft; a rejected document keeps the one it was refused under.
    pub const fn number(&self) -> Option<&InvoiceNumber> {
        match self {
            Self::Draft => None,
            Self::Issuing { number, .. } | Self::Issued { number, .. } | Self::Rejected { number, .. } => {
                Some(number)
            }
        }
    }
}

/// A document: what the user wrote, what follows from it, and where it is on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Invoice {
    /// Given by whoever makes it, and the same for ever.
    pub id: InvoiceId,
    /// Of the supplier: number series, settings and access are its.
    pub workspace: WorkspaceId,
    /// What the user wrote.
    pub content: Content,
    /// The figures of `content`.
    pub totals: Totals,
    /// Where it is.
    pub state: State,
    /// Whether finance sends it to a tax authority (`send_to_tax_authority?` of the specification).
    pub send_to_tax_authority: bool,
    /// Grows by one with every change; the `ETag` of edits.
    pub version: i64,
    /// First seen.
    pub created_at: Timestamp,
    /// Last changed.
    pub updated_at: Timestamp,
}
