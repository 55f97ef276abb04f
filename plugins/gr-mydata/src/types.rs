//! Which type a document has at myDATA: by its kind, by whom it is for, by what is sold.

use einvoice_eu::Findings;
use einvoice_eu::codes;
use einvoice_gobl::ext;
use einvoice_gobl::text::excerpt;
use einvoice_plugin::{DocumentKind, Invoice, Recipient};

use crate::identity::{self, is_member_state};
use crate::tables::{EXT, EXT_INVOICE_TYPE};

/// Whom a document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Market {
    /// A business in Greece.
    Greece,
    /// A business in another member state.
    Union,
    /// A business anywhere else.
    ThirdCountry,
    /// A consumer, known or not.
    Retail,
}

impl Market {
    /// Whom a document is for.
    pub fn of(invoice: &Invoice) -> Self {
        let of_retail = invoice.kind == DocumentKind::SimplifiedInvoice || corrects_receipts(invoice);
        match &invoice.recipient {
            Some(Recipient::Company(company)) if !of_retail => match identity::country(company) {
                None | Some("GR") => Self::Greece,
                Some(country) if is_member_state(country) => Self::Union,
                Some(_) => Self::ThirdCountry,
            },
            Some(Recipient::Company(_) | Recipient::Individual(_)) | None => Self::Retail,
        }
    }

    /// Where income from it stands in the form E3.
    pub const fn income_type(self) -> &'static str {
        match self {
            Self::Greece => "E3_561_001",
            Self::Retail => "E3_561_003",
            Self::Union => "E3_561_005",
            Self::ThirdCountry => "E3_561_006",
        }
    }
}

/// Whether a document corrects receipts and nothing else.
pub fn corrects_receipts(invoice: &Invoice) -> bool {
    invoice.kind == DocumentKind::CreditNote
        && !invoice.preceding.is_empty()
        && invoice.preceding.iter().all(|one| one.kind == DocumentKind::SimplifiedInvoice)
}

/// A type of myDATA (`InvoiceType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocType {
    /// The code.
    pub code: &'static str,
    kind: DocumentKind,
    /// For whom; empty for any business.
    market: Option<Market>,
    /// Whether it is about goods; none for any supply.
    goods: Option<bool>,
    /// Whether it names what it corrects; none where it may.
    pub correlates: Option<bool>,
    /// From which the format derives it.
    pub tags: &'static [&'static str],
}

use DocumentKind::{CreditNote, DebitNote, Invoice as Regular, SimplifiedInvoice as Receipt};
use Market::{Greece, Retail, ThirdCountry, Union};

const GOODS: Option<bool> = Some(true);
const SERVICES: Option<bool> = Some(false);

const fn sale(
    code: &'static str,
    kind: DocumentKind,
    market: Market,
    goods: Option<bool>,
    tags: &'static [&'static str],
) -> DocType {
    DocType { code, kind, market: Some(market), goods, correlates: Some(false), tags }
}

const fn of_business(
    code: &'static str,
    kind: DocumentKind,
    goods: Option<bool>,
    correlates: bool,
) -> DocType {
    DocType { code, kind, market: None, goods, correlates: Some(correlates), tags: &[] }
}

/// All types; the first of those a document may have is the usual one.
pub const DOC_TYPES: &[DocType] = &[
    sale("1.1", Regular, Greece, GOODS, &["goods"]),
    sale("1.2", Regular, Union, GOODS, &["goods", "export", "eu"]),
    sale("1.3", Regular, ThirdCountry, GOODS, &["goods", "export"]),
    sale("2.1", Regular, Greece, SERVICES, &["services"]),
    sale("2.2", Regular, Union, SERVICES, &["services", "export", "eu"]),
    sale("2.3", Regular, ThirdCountry, SERVICES, &["services", "export"]),
    sale("11.1", Regular, Retail, GOODS, &["goods", "simplified"]),
    sale("11.2", Regular, Retail, SERVICES, &["services", "simplified"]),
    sale("11.1", Receipt, Retail, GOODS, &["goods", "simplified"]),
    sale("11.2", Receipt, Retail, SERVICES, &["services", "simplified"]),
    sale("11.3", Receipt, Retail, None, &["simplified"]),
    of_business("5.1", CreditNote, None, true),
    of_business("5.2", CreditNote, None, false),
    DocType { correlates: None, ..sale("11.4", CreditNote, Retail, None, &["simplified"]) },
    of_business("1.6", DebitNote, GOODS, true),
    of_business("2.4", DebitNote, SERVICES, true),
];

/// What stands for a type where a document has none: it demands nothing.
const NONE: DocType = DocType { correlates: None, ..sale("11.3", Receipt, Retail, None, &["simplified"]) };

impl DocType {
    /// Whether it is for a consumer, who has no place in what myDATA gets.
    pub fn is_retail(self) -> bool {
        self.market == Some(Retail)
    }

    /// The format's document type. It derives its codes from `standard` and `credit-note` with tags; a credit note
    /// without anything that it corrects, and any other type, are `other` to it and keep the code that they state.
    pub fn format_kind(self, is_correlated: bool) -> &'static str {
        match self.kind {
            Regular | Receipt => "standard",
            CreditNote if is_correlated => "credit-note",
            CreditNote | DebitNote | DocumentKind::ReplacementInvoice => "other",
        }
    }

    fn serves(&self, invoice: &Invoice, market: Market) -> bool {
        let of_market = match self.market {
            Some(own) => own == market,
            None => market != Retail,
        };
        self.kind == invoice.kind && of_market
    }
}

/// The type of a document. `sells_goods` is what the workspace sells, unless the document says otherwise.
pub(crate) fn choose(invoice: &Invoice, sells_goods: bool, findings: &mut Findings) -> DocType {
    let market = Market::of(invoice);
    let allowed = || DOC_TYPES.iter().filter(move |one| one.serves(invoice, market)).copied();
    let usual = allowed().find(|one| one.goods.is_none_or(|goods| goods == sells_goods));
    let nearest = usual.unwrap_or(NONE);
    if market == Retail && invoice.kind == DebitNote {
        let message = "myDATA has no debit note for consumers; issue another receipt.";
        findings.error(codes::KIND, "/document_type", message);
    }
    let Some(requested) = ext::of(EXT, &invoice.ext, EXT_INVOICE_TYPE) else { return nearest };
    if let Some(found) = allowed().find(|one| one.code == requested.value) {
        return found;
    }
    let known: Vec<_> = allowed().map(|one| one.code).collect();
    let known = if known.is_empty() { "another kind of document".to_owned() } else { known.join(" or ") };
    let message = format!("This document cannot go out as '{}'; use {known}.", excerpt(&requested.value));
    findings.error(codes::DOC_TYPE, format!("/ext/{}", requested.key), message);
    nearest
}
