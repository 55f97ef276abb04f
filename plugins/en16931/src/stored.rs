//! The members of a stored document (GOBL, `bill.Invoice`) that the standard has terms for. What a document does not say
//! is empty; what it says besides is not read.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// Codes of add-ons, and what the format has no members for.
type Ext = BTreeMap<String, String>;

/// A member that is null says nothing, like one that is not there.
fn null_is_nothing<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

macro_rules! stored {
    ($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Deserialize)]
        #[serde(default)]
        pub(crate) struct $name { $($(#[$attribute])* #[serde(deserialize_with = "null_is_nothing")] pub(crate) $field: $type,)* }
    };
}

stored! {
    /// `bill.Invoice`.
    Document {
        series: String,
        code: String,
        issue_date: String,
        op_date: Option<String>,
        currency: String,
        preceding: Vec<DocumentRef>,
        tax: DocumentTax,
        supplier: Party,
        customer: Option<Party>,
        lines: Vec<Line>,
        ordering: Ordering,
        payment: Payment,
        totals: Totals,
        notes: Vec<Note>,
    }
}

stored! {
    /// `org.DocumentRef`.
    DocumentRef { series: String, code: String, issue_date: String, }
}

stored! {
    /// `bill.Tax`.
    DocumentTax { prices_include: String, rounding: String, ext: Ext, notes: Vec<TaxNote>, }
}

stored! {
    /// `tax.Note`.
    TaxNote { key: String, text: String, ext: Ext, }
}

stored! {
    /// Anything with a code.
    Coded { country: String, code: String, }
}

stored! {
    /// `org.Identity`.
    Identity { scope: String, key: String, code: String, ext: Ext, }
}

stored! {
    /// `bill.Ordering`.
    Ordering { code: String, purchases: Vec<Coded>, }
}

stored! {
    /// `org.Party`.
    Party {
        name: String,
        tax_id: Coded,
        identities: Vec<Identity>,
        people: Vec<Person>,
        inboxes: Vec<Inbox>,
        addresses: Vec<Address>,
        emails: Vec<Email>,
        telephones: Vec<Telephone>,
    }
}

stored! {
    /// `org.Person`.
    Person { name: PersonName, emails: Vec<Email>, telephones: Vec<Telephone>, }
}

stored! {
    /// `org.Name`.
    PersonName { given: String, surname: String, }
}

stored! {
    /// `org.Inbox`.
    Inbox { scheme: String, code: String, email: String, }
}

stored! {
    /// `org.Address`.
    Address { num: String, street: String, locality: String, region: String, code: String, country: String, }
}

stored! {
    /// `org.Email`.
    Email { addr: String, }
}

stored! {
    /// `org.Telephone`.
    Telephone { num: String, }
}

stored! {
    /// `bill.Line`.
    Line { i: u32, quantity: String, period: Option<Period>, item: Item, taxes: Vec<Combo>, total: String, }
}

stored! {
    /// `cal.Period`.
    Period { start: String, end: String, }
}

stored! {
    /// `org.Item`.
    Item { name: String, price: String, }
}

stored! {
    /// `tax.Combo`.
    Combo { cat: String, key: String, percent: Option<String>, surcharge: Option<String>, ext: Ext, }
}

stored! {
    /// `bill.PaymentDetails`.
    Payment { terms: Terms, instructions: Option<Instructions>, }
}

stored! {
    /// `pay.Terms`.
    Terms { due_dates: Vec<DueDate>, notes: String, }
}

stored! {
    /// `pay.DueDate`.
    DueDate { date: String, }
}

stored! {
    /// `pay.Instructions`.
    Instructions { credit_transfer: Vec<CreditTransfer>, ext: Ext, }
}

stored! {
    /// `pay.CreditTransfer`.
    CreditTransfer { iban: String, bic: Option<String>, name: Option<String>, }
}

stored! {
    /// `bill.Totals`.
    Totals {
        total: String,
        taxes: Taxes,
        tax: String,
        total_with_tax: String,
        rounding: Option<String>,
        payable: String,
        /// What was paid in advance.
        #[serde(rename = "advance")]
        advances: Option<String>,
    }
}

stored! {
    /// `tax.Total`.
    Taxes { categories: Vec<Category>, }
}

stored! {
    /// `tax.CategoryTotal`.
    Category { code: String, retained: bool, rates: Vec<Rate>, amount: String, }
}

stored! {
    /// `tax.RateTotal`.
    Rate { key: String, ext: Ext, base: String, percent: Option<String>, amount: String, }
}

stored! {
    /// `org.Note`.
    Note { text: String, ext: Ext, }
}

impl Document {
    /// The taxes that the document charges.
    pub(crate) fn charged(&self) -> impl Iterator<Item = &Category> {
        self.totals.taxes.categories.iter().filter(|category| !category.retained)
    }

    /// The taxes that the recipient withholds.
    pub(crate) fn withheld(&self) -> impl Iterator<Item = &Category> {
        self.totals.taxes.categories.iter().filter(|category| category.retained)
    }
}

impl Line {
    /// The tax that is charged on the line.
    pub(crate) fn charged<'a>(&'a self, document: &'a Document) -> Option<&'a Combo> {
        let retained = |combo: &&Combo| document.withheld().all(|category| category.code != combo.cat);
        self.taxes.iter().find(retained)
    }
}
