//! The structured document as the provider stored it: the members that the file for the AT is made of.
//!
//! Everything may be missing or foreign, for a tester can store what no plugin made.

use std::collections::BTreeMap;

use serde::Deserialize;

use einvoice_gobl::decimal::{Decimal, Percent};

/// Codes of the add-on.
pub type Ext = BTreeMap<String, String>;

/// Declares members that may be missing, as the format names them.
macro_rules! members {
    ($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(default)]
        pub struct $name { $($(#[$attribute])* #[doc = "As in the format."] pub $field: $type,)* }
    };
}

members! {
    /// `bill.Invoice`.
    Invoice {
        #[serde(rename = "$tags")] tags: Vec<String>,
        series: String,
        code: String,
        issue_date: String,
        op_date: String,
        currency: String,
        preceding: Vec<Reference>,
        tax: Tax,
        supplier: Party,
        customer: Option<Party>,
        lines: Vec<Line>,
        payment: Payment,
        totals: Totals,
        notes: Vec<Note>,
    }
}

members! {
    /// `org.DocumentRef`.
    Reference {
        series: String,
        code: String,
        reason: String,
    }
}

members! {
    /// `bill.Tax`.
    Tax {
        prices_include: String,
        ext: Ext,
    }
}

members! {
    /// `org.Party`.
    Party {
        name: String,
        tax_id: TaxId,
        addresses: Vec<Address>,
        emails: Vec<Email>,
    }
}

members! {
    /// `tax.Identity`.
    TaxId {
        country: String,
        code: String,
    }
}

members! {
    /// `org.Address`.
    Address {
        num: String,
        street: String,
        locality: String,
        region: String,
        code: String,
        country: String,
    }
}

members! {
    /// `org.Email`.
    Email { addr: String, }
}

members! {
    /// `bill.Line`.
    Line {
        i: u32,
        quantity: Decimal,
        item: Item,
        taxes: Vec<Combo>,
        total: Decimal,
    }
}

members! {
    /// `org.Item`.
    Item {
        name: String,
        price: Decimal,
        ext: Ext,
    }
}

members! {
    /// `tax.Combo`.
    Combo {
        cat: String,
        percent: Option<Percent>,
        ext: Ext,
    }
}

members! {
    /// `bill.PaymentDetails`.
    Payment {
        terms: Terms,
        advances: Vec<Advance>,
    }
}

members! {
    /// `pay.Terms`.
    Terms {
        due_dates: Vec<DueDate>,
        notes: String,
    }
}

members! {
    /// `pay.DueDate`.
    DueDate {
        date: String,
        amount: Decimal,
    }
}

members! {
    /// `pay.Record`.
    Advance {
        date: String,
        amount: Decimal,
        ext: Ext,
    }
}

members! {
    /// `bill.Totals`.
    Totals {
        total: Decimal,
        taxes: TaxTotal,
        tax: Decimal,
        total_with_tax: Decimal,
    }
}

members! {
    /// `tax.Total`.
    TaxTotal { categories: Vec<Category>, }
}

members! {
    /// `tax.CategoryTotal`.
    Category {
        code: String,
        retained: bool,
        rates: Vec<Rate>,
        amount: Decimal,
    }
}

members! {
    /// `tax.RateTotal`.
    Rate {
        ext: Ext,
        base: Decimal,
        percent: Option<Percent>,
        amount: Decimal,
    }
}

members! {
    /// `org.Note`.
    Note {
        src: String,
        code: String,
    }
}

impl Invoice {
    /// Series and code as one number: a series is `FT A2026`, its code `35`.
    pub fn number(&self) -> String {
        number(&self.series, &self.code)
    }

    /// A code of the document as a whole, else nothing.
    pub fn code_of(&self, key: &str) -> &str {
        self.tax.ext.get(key).map_or("", String::as_str)
    }

    /// The code of the note from this source, else nothing.
    pub fn note_of(&self, source: &str) -> &str {
        self.notes.iter().find(|note| note.src == source).map_or("", |note| note.code.as_str())
    }
}

impl Reference {
    /// Series and code as one number.
    pub fn number(&self) -> String {
        number(&self.series, &self.code)
    }
}

fn number(series: &str, code: &str) -> String {
    if series.is_empty() { code.to_owned() } else { format!("{series}/{code}") }
}
