//! A tax regime as the host sees it: what goes into a plugin and what comes out, in the words of the WIT
//! contract (`wit/v1`). The plugin host turns these types into the guest's and back, losing nothing.

mod amend;
mod canary_share;
mod deadline;
mod description;
mod evidence;
mod identity;
mod printing;

pub use crate::fault::Remark;
pub use crate::money::Rounding;
pub use crate::stamp::Stamp;
pub use amend::{AmendDemand, AmendDescription, NotAPathPattern, PathPattern, RegimeAmendment};
pub use canary_share::{CanaryShare, NotACanaryShare};
pub use deadline::{
    DeclaredOutage, FilingFacts, FilingMark, FilingTerms, NotAFilingMark, OUTAGES_MAX, OutageSide,
};
pub use description::{
    CategoryChoice, Choice, NotARegimeKey, RateChoice, RegimeDescription, RegimeDocumentKind, RegimeKey,
};
pub use evidence::{AddressProblem, EvidenceDescription, VERIFICATION_ADDRESS_BYTES_MAX, plain_address};
pub use identity::{IdentifiedBy, Identity, IdentityMapping, IdentityRule, RecipientKind};
pub use printing::{ExemptionName, PrintingDescription};

use crate::fault::Fault;
use crate::ids::InvoiceId;
use crate::invoicing::{
    Address, Content, DocumentKind, Ext, Invoice, Line, Payment, Recipient, State, Totals,
};
use crate::money::Amount;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Which plugin did something: recorded with every attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginRef {
    /// Of the one regime whose documents it converts.
    pub key: RegimeKey,
    /// Semantic Versioning 2.0.0, from the plugin's own description.
    pub version: String,
    /// SHA-256 of the component, lower-case hex.
    pub digest: String,
}

impl RegimeDocumentKind {
    /// What a tax system makes of a document of the platform; `None` where it takes none of them. An invoice for
    /// nobody in particular is a simplified one; whether it replaces others, the documents it refers to tell.
    pub const fn of(content: &Content) -> Option<Self> {
        match (content.document_type, &content.recipient) {
            (DocumentKind::Invoice, Some(_)) => Some(Self::Invoice),
            (DocumentKind::Invoice, None) => Some(Self::SimplifiedInvoice),
            (DocumentKind::CreditNote, _) => Some(Self::CreditNote),
            (DocumentKind::Proforma | DocumentKind::Receipt, _) => None,
        }
    }
}

/// Who issues: the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Supplier {
    /// As registered; a blank one counts as missing, see [`Supplier::lacks`].
    pub legal_name: String,
    /// The tax identifier, without country prefix; see [`tax_id`](crate::tax_id::tax_id).
    pub tax_id: String,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// Where it is registered.
    pub address: Option<Address>,
    /// Where to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

impl Supplier {
    /// Which of the members that a regime requires are not there, as the regime calls them.
    pub fn lacks(&self, required: &[String]) -> Vec<String> {
        let filled = |field: &str| match field {
            "legal-name" => !self.legal_name.trim().is_empty(),
            "tax-id" => !self.tax_id.trim().is_empty(),
            "country" => !self.country.trim().is_empty(),
            "address" => self.address.is_some(),
            "email" => self.email.is_some(),
            // What this gateway has no member for is the plugin's own business.
            _ => true,
        };
        required.iter().filter(|field| !filled(field)).cloned().collect()
    }
}

/// What a pure function has to be told about its surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegimeContext {
    /// Now, with the offset of the workspace's time zone.
    pub now: jiff::Zoned,
    /// The workspace's settings for the regime, a JSON object.
    pub settings: serde_json::Value,
    /// The workspace's legal identity.
    pub supplier: Supplier,
    /// The supplier's UUID at the provider.
    pub company_id: String,
}

/// A document this one refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preceding {
    /// The gateway's id of the document that is referred to.
    pub id: InvoiceId,
    /// What the tax system made of it, see [`RegimeDocumentKind::of`].
    pub kind: RegimeDocumentKind,
    /// The one it was issued under.
    pub number: String,
    /// When it was issued.
    pub issue_date: Date,
    /// None only in a golden case that writes it without lines.
    pub totals: Option<Totals>,
    /// Why this document refers to it.
    pub reason: Option<String>,
    /// What the authority gave for it.
    pub stamps: Vec<Stamp>,
    /// What it told the tax system besides.
    pub ext: Ext,
}

impl Preceding {
    /// A document that is referred to, without what the authority gave for it here; none of one that is not issued, or that no tax
    /// system takes. One that another system issued has what was imported with it.
    pub fn of(document: &Invoice) -> Option<Self> {
        let State::Issued { number, imported, .. } = &document.state else { return None };
        Some(Self {
            id: document.id,
            kind: RegimeDocumentKind::of(&document.content)?,
            number: number.0.clone(),
            issue_date: document.content.issue_date?,
            totals: Some(document.totals.clone()),
            reason: None,
            stamps: imported.as_ref().map(|origin| origin.stamps.clone()).unwrap_or_default(),
            ext: document.content.ext.clone(),
        })
    }
}

/// The document as a plugin receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegimeInvoice {
    /// The gateway's, the same in every attempt.
    pub id: InvoiceId,
    /// What the tax system makes of it, see [`RegimeDocumentKind::of`].
    pub kind: RegimeDocumentKind,
    /// The reserved number; none in a check.
    pub number: Option<String>,
    /// Today in the workspace's time zone while none was given.
    pub issue_date: Date,
    /// When the supply took place, if on another day.
    pub operation_date: Option<Date>,
    /// ISO 4217.
    pub currency: String,
    /// Whether line prices include the tax.
    pub prices_include_tax: bool,
    /// None: a simplified invoice.
    pub recipient: Option<Recipient>,
    /// Its lines; their sums stand in `totals.lines`, in the same order.
    pub lines: Vec<Line>,
    /// Computed by the host from `lines` and what is retained, in `currency`.
    pub totals: Totals,
    /// Documents it refers to.
    pub preceding: Vec<Preceding>,
    /// Free text.
    pub notes: Option<String>,
    /// When it has to be paid.
    pub payment: Option<Payment>,
    /// What an earlier attempt at this very document received.
    pub stamps: Vec<Stamp>,
    /// What the tax system wants to know besides.
    pub ext: Ext,
}

impl RegimeInvoice {
    /// The document as a plugin receives it, with the figures the gateway computed; none when no regime takes
    /// documents of this kind. `today` is the issue date of a document that names none.
    pub fn of(
        id: InvoiceId,
        content: &Content,
        totals: &Totals,
        number: Option<String>,
        preceding: Vec<Preceding>,
        today: Date,
    ) -> Option<Self> {
        Some(Self {
            id,
            kind: replacing(RegimeDocumentKind::of(content)?, &preceding),
            number,
            issue_date: content.issue_date.unwrap_or(today),
            operation_date: content.operation_date,
            currency: content.currency.clone(),
            prices_include_tax: content.prices_include_tax,
            recipient: content.recipient.clone(),
            lines: content.lines.clone(),
            totals: totals.clone(),
            preceding,
            notes: content.notes.clone(),
            payment: content.payment.clone(),
            stamps: Vec::new(),
            ext: content.ext.clone(),
        })
    }
}

/// An invoice for somebody that refers to simplified ones replaces them.
fn replacing(kind: RegimeDocumentKind, preceding: &[Preceding]) -> RegimeDocumentKind {
    let simplified = |preceding: &Preceding| preceding.kind == RegimeDocumentKind::SimplifiedInvoice;
    if kind == RegimeDocumentKind::Invoice && preceding.iter().any(simplified) {
        RegimeDocumentKind::ReplacementInvoice
    } else {
        kind
    }
}

/// A golden case that a plugin brings along (release 1.1 of the contract).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// How it is called where it fails.
    pub name: String,
    /// The case, JSON: `{"document": …, "context": …}`.
    pub case: String,
    /// What holds where the case says nothing else, JSON: `{"now", "settings", "supplier"}`.
    pub context: Option<String>,
    /// What is made of it, JSON: the structured document, or `{"faults": …}`.
    pub expected: String,
}

/// What a plugin makes of a document; it is stored at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuredDocument {
    /// `application/json`.
    pub media_type: String,
    /// Text of that media type; well-formed where that is JSON.
    pub body: String,
    /// The amount due it states; compared with the host's own before anything is sent.
    pub payable: Amount,
}

/// A complaint of provider or authority.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderFault {
    /// The system that complains, as it calls itself; none when it did not say.
    pub provider: Option<String>,
    /// In the complainer's own list; a number is written as text. None when it gave none.
    pub code: Option<String>,
    /// In the complainer's own words; none when it gave none.
    pub message: Option<String>,
    /// Where in the structured document.
    #[serde(default)]
    pub paths: Vec<String>,
}

impl ProviderFault {
    /// Whether it says nothing but, perhaps, who complains.
    pub fn is_silent(&self) -> bool {
        let blank = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
        blank(&self.code) && blank(&self.message)
    }

    /// Whether it is `other` again; one of them may leave out who complains.
    pub fn repeats(&self, other: &Self) -> bool {
        let same_provider =
            self.provider.is_none() || other.provider.is_none() || self.provider == other.provider;
        same_provider
            && (&self.code, &self.message, &self.paths) == (&other.code, &other.message, &other.paths)
    }
}

/// What the provider reports about the finished job of the current attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderReport {
    /// Whether the job ran to its end without a failed step.
    pub succeeded: bool,
    /// Complaints of job and entry.
    pub faults: Vec<ProviderFault>,
    /// Proofs on the entry.
    pub stamps: Vec<Stamp>,
    /// The job as sent, JSON.
    pub job: String,
    /// The entry as sent, JSON.
    pub entry: String,
}

/// What the authority said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It has the record.
    Accepted {
        /// Where anybody verifies the document.
        qr_url: Option<String>,
        /// The tax system's hash of the record.
        tax_system_hash: Option<String>,
        /// Remarks of the authority.
        warnings: Vec<Remark>,
    },
    /// It refuses the record.
    Rejected {
        /// The authority's code.
        code: Option<String>,
        /// What it objects to, one sentence.
        reason: String,
        /// With code and path each, as the plugin reads them; may be empty.
        faults: Vec<Fault>,
    },
    /// The answer does not tell; why, for an operator.
    Undecided {
        /// One sentence.
        reason: String,
    },
}

/// Under which names an authority files a document (the plugin's `sandbox` interface).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filing {
    /// The chain of records it belongs to.
    pub chain: String,
    /// What makes the record unique.
    pub record_key: String,
}

/// A document handed to a stand-in authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthoritySubmission {
    /// The structured document, JSON.
    pub document: String,
    /// Now, with the offset of the authority's time zone.
    pub now: jiff::Zoned,
    /// The last record of the chain.
    pub previous: Option<String>,
    /// What already stands under this record key.
    pub registered: Option<String>,
    /// The record key accepted for an earlier version of the same entry.
    pub amends: Option<String>,
    /// The code a tester asked for.
    pub forced_code: Option<String>,
}

/// What a stand-in authority did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorityOutcome {
    /// Whether it took the record.
    pub accepted: bool,
    /// Proofs.
    pub stamps: Vec<Stamp>,
    /// Complaints and remarks.
    pub faults: Vec<ProviderFault>,
    /// What it remembers, opaque.
    pub record: Option<String>,
    /// What would go over the wire, for people to look at.
    pub payload: Option<String>,
}

/// A message from a stand-in authority: release 1.5 of the contract, `wit/v1.5`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorityAnswer {
    /// The name of the file, as the authority gives it.
    pub name: String,
    /// `application/xml`.
    pub media_type: String,
    /// Text.
    pub body: String,
}

/// A component as it was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginComponent {
    /// WebAssembly.
    pub bytes: Vec<u8>,
    /// Its detached signature, text.
    pub signature: Option<String>,
}
