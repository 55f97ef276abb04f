//! The structured document as the provider stored it: the members that records of authorities are made of.
//!
//! Everything may be missing or foreign, for a tester can store what no plugin made. What is null says nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::decimal::{Decimal, Percent};

/// Codes of add-ons by key.
pub type Ext = BTreeMap<String, String>;

/// A member that is null is like one that is not there.
fn null_is_nothing<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Declares members that may be missing, as the format names them.
macro_rules! members {
    ($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(default)]
        pub struct $name { $(
            $(#[$attribute])* #[serde(deserialize_with = "null_is_nothing")] #[doc = "As in the format."]
            pub $field: $type,
        )* }
    };
}

members! {
    /// `bill.Invoice`.
    Invoice {
        #[serde(rename = "$tags")] tags: Vec<String>,
        #[serde(rename = "type")] kind: String,
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
        charges: Vec<Charge>,
        payment: Payment,
        totals: Totals,
        notes: Vec<Note>,
    }
}

members! {
    /// `org.DocumentRef`.
    Reference { series: String, code: String, issue_date: String, reason: String, stamps: Vec<Stamp>, }
}

members! {
    /// `head.Stamp`.
    Stamp { prv: String, val: String, }
}

members! {
    /// `bill.Tax`.
    Tax { prices_include: String, ext: Ext, }
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
    TaxId { country: String, code: String, }
}

members! {
    /// `org.Identity`.
    Identity { key: String, code: String, }
}

members! {
    /// `org.Inbox`.
    Inbox { key: String, code: String, email: String, }
}

members! {
    /// `org.Address`.
    Address { num: String, street: String, locality: String, region: String, code: String, country: String, }
}

members! {
    /// `org.Email`.
    Email { addr: String, }
}

members! {
    /// `org.Registration`.
    Registration { capital: Option<Decimal>, office: String, entry: String, }
}

members! {
    /// `bill.Line`.
    Line { i: u32, quantity: Decimal, period: Option<Period>, item: Item, taxes: Vec<Combo>, total: Decimal, }
}

members! {
    /// `cal.Period`.
    Period { start: String, end: String, }
}

members! {
    /// `org.Item`.
    Item { name: String, price: Decimal, ext: Ext, }
}

members! {
    /// `tax.Combo`.
    Combo { cat: String, percent: Option<Percent>, ext: Ext, }
}

members! {
    /// `bill.Charge`: a tax or fee beside VAT.
    Charge { amount: Decimal, ext: Ext, }
}

members! {
    /// `bill.PaymentDetails`.
    Payment { terms: Terms, advances: Vec<Advance>, instructions: Option<Instructions>, }
}

members! {
    /// `pay.Terms`.
    Terms { due_dates: Vec<DueDate>, notes: String, }
}

members! {
    /// `pay.DueDate`.
    DueDate { date: String, amount: Decimal, }
}

members! {
    /// `pay.Record`.
    Advance { date: String, amount: Decimal, ext: Ext, }
}

members! {
    /// `pay.Instructions`.
    Instructions { credit_transfer: Vec<CreditTransfer>, ext: Ext, }
}

members! {
    /// `pay.CreditTransfer`.
    CreditTransfer { iban: String, bic: String, name: String, }
}

members! {
    /// `bill.Totals`.
    Totals { total: Decimal, taxes: TaxTotal, tax: Decimal, total_with_tax: Decimal, payable: Decimal, }
}

members! {
    /// `tax.Total`.
    TaxTotal { categories: Vec<Category>, }
}

members! {
    /// `tax.CategoryTotal`.
    Category { code: String, retained: bool, rates: Vec<Rate>, amount: Decimal, }
}

members! {
    /// `tax.RateTotal`.
    Rate { ext: Ext, base: Decimal, percent: Option<Percent>, amount: Decimal, }
}

members! {
    /// `org.Note`.
    Note { code: String, src: String, text: String, }
}

impl Invoice {
    /// Series and code as one number, with this between them.
    pub fn number(&self, separator: char) -> String {
        number(&self.series, separator, &self.code)
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
    /// Series and code as one number, with this between them.
    pub fn number(&self, separator: char) -> String {
        number(&self.series, separator, &self.code)
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

fn number(series: &str, separator: char, code: &str) -> String {
    if series.is_empty() { code.to_owned() } else { format!("{series}{separator}{code}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json};

    #[test]
    fn what_is_missing_null_or_foreign_says_nothing() {
        for document in
            [json!({}), json!({"supplier": null, "lines": null, "totals": {"tax": null}, "colour": "red"})]
        {
            let invoice: Invoice = from_value(document).unwrap();
            assert_eq!(
                (invoice.number('-').as_str(), invoice.code_of("x"), invoice.note_of("x")),
                ("", "", "")
            );
            assert_eq!((invoice.supplier.number(), invoice.totals.tax), ("", Decimal::ZERO));
        }
        for document in [json!({"lines": [{"quantity": "1e3"}]}), json!({"code": 1}), Value::Null] {
            assert!(from_value::<Invoice>(document).is_err());
        }
    }

    #[test]
    fn a_number_has_its_series_before_it() {
        let invoice: Invoice =
            from_value(json!({"series": "FT A", "code": "35", "preceding": [{"code": "7"}]})).unwrap();
        assert_eq!((invoice.number('-'), invoice.number('/')), ("FT A-35".to_owned(), "FT A/35".to_owned()));
        assert_eq!(invoice.preceding[0].number('/'), "7");
    }

    #[test]
    fn a_party_goes_by_its_tax_id_or_else_by_its_first_identity() {
        let party = |json: Value| from_value::<Party>(json).unwrap();
        let both = party(json!({"tax_id": {"code": "1"}, "identities": [{"key": "a", "code": "2"}]}));
        assert_eq!((both.number(), both.identity("a"), both.identity("b")), ("1", Some("2"), None));
        assert_eq!(party(json!({"identities": [{"code": "2"}]})).number(), "2");
        let boxed = party(json!({"inboxes": [{"key": "pec", "email": "a@example.it"}]}));
        assert_eq!(boxed.inbox("pec").map(|inbox| inbox.email.as_str()), Some("a@example.it"));
    }
}
