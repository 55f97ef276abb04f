//! The slice of the structured format (GOBL, `bill.Invoice`) this plugin writes, member by member in the order the
//! reference implementation prints them.

use einvoice_plugin::Amount;
use serde::{Serialize, Serializer};

/// Names the type of the document.
pub const SCHEMA: &str = "https://gobl.org/draft-0/bill/invoice";
/// The add-on that carries the agency's codes.
pub const ADDON: &str = "es-verifactu-v1";

/// Codes of the add-on, sorted by key.
pub type Ext = Vec<(&'static str, &'static str)>;

/// A decimal as the format prints it: a string with all its decimals.
#[derive(Debug, Clone, Copy)]
pub struct Money(pub Amount);

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A percentage: `21.0%`, one decimal at least as in the format's rate tables, and `0%`.
#[derive(Debug, Clone, Copy)]
pub struct Percent(pub Amount);

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let printed = if self.0.is_zero() { Amount::new(0, 0) } else { self.0.canonical(1) };
        serializer.collect_str(&format_args!("{printed}%"))
    }
}

fn ext<S: Serializer>(ext: &Ext, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(ext.iter().copied())
}

macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Serialize)]
        pub struct $name<'a> {
            $($(#[$attribute])* #[doc = "As in the format."] pub $field: $type,)*
        }
    };
}

record! {
    /// `bill.Invoice`.
    Invoice {
        #[serde(rename = "$schema")]
        schema: &'a str,
        #[serde(rename = "$regime")]
        regime: &'a str,
        #[serde(rename = "$addons")]
        addons: [&'a str; 1],
        #[serde(rename = "$tags", skip_serializing_if = "Vec::is_empty")]
        tags: Vec<&'a str>,
        uuid: &'a str,
        #[serde(rename = "type")]
        kind: &'a str,
        code: &'a str,
        issue_date: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        op_date: Option<&'a str>,
        currency: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        preceding: Vec<DocumentRef<'a>>,
        tax: DocumentTax<'a>,
        supplier: Party<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        customer: Option<Party<'a>>,
        lines: Vec<Line<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        payment: Option<Payment<'a>>,
        totals: Totals<'a>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        notes: Vec<Note<'a>>,
    }
}

record! {
    /// `org.DocumentRef`.
    DocumentRef {
        uuid: &'a str,
        #[serde(rename = "type")]
        kind: &'a str,
        issue_date: &'a str,
        code: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tax: Option<TaxTotal<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        payable: Option<Money>,
    }
}

record! {
    /// `bill.Tax`.
    DocumentTax {
        #[serde(skip_serializing_if = "Option::is_none")]
        prices_include: Option<&'a str>,
        #[serde(serialize_with = "ext")]
        ext: Ext,
    }
}

record! {
    /// `org.Party`.
    Party {
        #[serde(skip_serializing_if = "Option::is_none")]
        uuid: Option<&'a str>,
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        tax_id: Option<TaxId<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        identities: Vec<Identity<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        addresses: Vec<Address<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        emails: Vec<Email<'a>>,
    }
}

record! {
    /// `tax.Identity`.
    TaxId { country: &'a str, code: &'a str, }
}

record! {
    /// `org.Identity`.
    Identity {
        country: &'a str,
        key: &'a str,
        code: &'a str,
        #[serde(serialize_with = "ext")]
        ext: Ext,
    }
}

record! {
    /// `org.Address`.
    Address {
        #[serde(skip_serializing_if = "Option::is_none")]
        street: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        locality: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        region: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        country: Option<&'a str>,
    }
}

record! {
    /// `org.Email`.
    Email { addr: &'a str, }
}

record! {
    /// `bill.Line`.
    Line {
        i: u32,
        quantity: Money,
        #[serde(skip_serializing_if = "Option::is_none")]
        period: Option<Period<'a>>,
        item: Item<'a>,
        sum: Money,
        taxes: Vec<Combo<'a>>,
        total: Money,
    }
}

record! {
    /// `cal.Period`.
    Period { start: &'a str, end: &'a str, }
}

record! {
    /// `org.Item`.
    Item { name: &'a str, price: Money, }
}

record! {
    /// `tax.Combo`.
    Combo {
        cat: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        percent: Option<Percent>,
        #[serde(skip_serializing_if = "Option::is_none")]
        surcharge: Option<Percent>,
        #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "ext")]
        ext: Ext,
    }
}

record! {
    /// `bill.PaymentDetails`.
    Payment { terms: Terms<'a>, }
}

record! {
    /// `pay.Terms`.
    Terms {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        due_dates: Vec<DueDate<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        notes: Option<&'a str>,
    }
}

record! {
    /// `pay.DueDate`.
    DueDate { date: &'a str, amount: Money, percent: &'a str, }
}

record! {
    /// `bill.Totals`.
    Totals {
        sum: Money,
        #[serde(skip_serializing_if = "Option::is_none")]
        tax_included: Option<Money>,
        total: Money,
        taxes: TaxTotal<'a>,
        tax: Money,
        total_with_tax: Money,
        #[serde(skip_serializing_if = "Option::is_none")]
        retained_tax: Option<Money>,
        payable: Money,
    }
}

record! {
    /// `tax.Total`.
    TaxTotal {
        categories: Vec<CategoryTotal<'a>>,
        sum: Money,
        #[serde(skip_serializing_if = "Option::is_none")]
        retained: Option<Money>,
    }
}

record! {
    /// `tax.CategoryTotal`.
    CategoryTotal {
        code: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        retained: bool,
        rates: Vec<RateTotal<'a>>,
        amount: Money,
        #[serde(skip_serializing_if = "Option::is_none")]
        surcharge: Option<Money>,
    }
}

record! {
    /// `tax.RateTotal`.
    RateTotal {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "ext")]
        ext: Ext,
        base: Money,
        #[serde(skip_serializing_if = "Option::is_none")]
        percent: Option<Percent>,
        #[serde(skip_serializing_if = "Option::is_none")]
        surcharge: Option<SurchargeTotal>,
        amount: Money,
    }
}

/// `tax.RateTotalSurcharge`.
#[derive(Debug, Serialize)]
pub struct SurchargeTotal {
    /// As in the format.
    pub percent: Percent,
    /// As in the format.
    pub amount: Money,
}

record! {
    /// `org.Note`.
    Note { key: &'a str, text: &'a str, }
}
