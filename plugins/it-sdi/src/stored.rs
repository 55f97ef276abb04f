//! The structured document as the provider stored it: the members that the file for SdI is made of.
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
        #[serde(rename = "type")] kind: String,
        series: String,
        code: String,
        issue_date: String,
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
        issue_date: String,
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
        identities: Vec<Identity>,
        inboxes: Vec<Inbox>,
        addresses: Vec<Address>,
        emails: Vec<Email>,
        registration: Option<Registration>,
        ext: Ext,
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
    /// `org.Identity`.
    Identity {
        key: String,
        code: String,
    }
}

members! {
    /// `org.Inbox`.
    Inbox {
        key: String,
        code: String,
        email: String,
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
    /// `org.Registration`.
    Registration {
        capital: Option<Decimal>,
        office: String,
        entry: String,
    }
}

members! {
    /// `bill.Line`.
    Line {
        i: u32,
        quantity: Decimal,
        period: Option<Period>,
        item: Item,
        taxes: Vec<Combo>,
        total: Decimal,
    }
}

members! {
    /// `cal.Period`.
    Period {
        start: String,
        end: String,
    }
}

members! {
    /// `org.Item`.
    Item {
        name: String,
        price: Decimal,
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
        instructions: Option<Instructions>,
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
    /// `pay.Instructions`.
    Instructions {
        credit_transfer: Vec<CreditTransfer>,
        ext: Ext,
    }
}

members! {
    /// `pay.CreditTransfer`.
    CreditTransfer {
        iban: String,
        bic: String,
        name: String,
    }
}

members! {
    /// `bill.Totals`.
    Totals {
        taxes: TaxTotal,
        total_with_tax: Decimal,
        payable: Decimal,
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
    Note { text: String, }
}

impl Invoice {
    /// Series and code as one number.
    pub fn number(&self) -> String {
        number(&self.series, &self.code)
    }

    /// A code of the document as a whole, else nothing.
    pub fn code_of(&self, key: &str) -> &str {
        self.tax.ext.get(key).map_or("", String::as_str)
    }
}

impl Reference {
    /// Series and code as one number.
    pub fn number(&self) -> String {
        number(&self.series, &self.code)
    }
}

impl Party {
    /// The tax id's code, else the first identity's.
    pub fn number(&self) -> &str {
        let of_identity = || self.identities.first().map_or("", |identity| &identity.code);
        if self.tax_id.code.is_empty() { of_identity() } else { &self.tax_id.code }
    }

    /// The code of the first identity under this key.
    pub fn identity(&self, key: &str) -> Option<&str> {
        self.identities.iter().find(|identity| identity.key == key).map(|identity| identity.code.as_str())
    }

    /// The first inbox under this key.
    pub fn inbox(&self, key: &str) -> Option<&Inbox> {
        self.inboxes.iter().find(|inbox| inbox.key == key)
    }
}

fn number(series: &str, code: &str) -> String {
    if series.is_empty() { code.to_owned() } else { format!("{series}-{code}") }
}
