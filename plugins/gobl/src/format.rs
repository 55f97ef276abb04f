//! The slice of the format our plugins write, member by member in the order the reference implementation prints them.
//!
//! What is empty is left out. To write a member that is not here yet, add it at its place in the reference's order. With the
//! feature `harness` every type is read too, and refuses what it does not know.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Money, Percent};

/// A text of the invoice, of the plugin's tables or made for the occasion.
pub type Text<'a> = Cow<'a, str>;

/// Codes of add-ons by key; printed in the order of the keys.
pub type Ext<'a> = Vec<(&'static str, Text<'a>)>;

/// How codes are printed, and read back by tests.
mod codes {
    use super::Ext;
    use serde::Serializer;

    pub(super) fn serialize<S: Serializer>(ext: &Ext<'_>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sorted: Vec<_> = ext.iter().map(|(key, value)| (*key, value.as_ref())).collect();
        sorted.sort_unstable();
        serializer.collect_map(sorted)
    }

    #[cfg(feature = "harness")]
    pub(super) fn deserialize<'de, 'a, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Ext<'a>, D::Error> {
        let read: std::collections::BTreeMap<String, String> = serde::Deserialize::deserialize(deserializer)?;
        // Keys live as long as the tables of a plugin do; a test reads few of them.
        Ok(read.into_iter().map(|(key, value)| (&*key.leak(), value.into())).collect())
    }
}

/// Whether a member says nothing and is left out.
trait SkipIfEmpty {
    fn is_empty_member(&self) -> bool;
}

impl<T> SkipIfEmpty for Option<T> {
    fn is_empty_member(&self) -> bool {
        self.is_none()
    }
}

impl<T> SkipIfEmpty for Vec<T> {
    fn is_empty_member(&self) -> bool {
        self.is_empty()
    }
}

impl SkipIfEmpty for Text<'_> {
    fn is_empty_member(&self) -> bool {
        self.is_empty()
    }
}

impl SkipIfEmpty for bool {
    fn is_empty_member(&self) -> bool {
        !self
    }
}

/// Members marked `?` are left out when they are silent.
macro_rules! record {
    (@ [$(#[$doc:meta])*] $name:ident { $($done:tt)* } ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, Serialize)]
        #[cfg_attr(feature = "harness", derive(serde::Deserialize), serde(deny_unknown_fields))]
        pub struct $name<'a> { $($done)* }
    };
    (@ $docs:tt $name:ident { $($done:tt)* } $(#[$attribute:meta])* ? $field:ident: $type:ty, $($rest:tt)*) => {
        record!(@ $docs $name { $($done)*
            $(#[$attribute])* #[serde(skip_serializing_if = "SkipIfEmpty::is_empty_member")]
            #[cfg_attr(feature = "harness", serde(default))]
            #[doc = "As in the format; left out when empty."] pub $field: $type,
        } $($rest)*);
    };
    (@ $docs:tt $name:ident { $($done:tt)* } $(#[$attribute:meta])* $field:ident: $type:ty, $($rest:tt)*) => {
        record!(@ $docs $name { $($done)*
            $(#[$attribute])* #[doc = "As in the format."] pub $field: $type,
        } $($rest)*);
    };
    ($(#[$doc:meta])* $name:ident { $($fields:tt)* }) => { record!(@ [$(#[$doc])*] $name { } $($fields)*); };
}

record! {
    /// `bill.Invoice`.
    Invoice {
        #[serde(rename = "$schema")] schema: Text<'a>,
        /// None of a country that the format has no regime for.
        #[serde(rename = "$regime")] ? regime: Text<'a>,
        #[serde(rename = "$addons")] ? addons: Vec<Text<'a>>,
        #[serde(rename = "$tags")] ? tags: Vec<Text<'a>>,
        uuid: Text<'a>,
        #[serde(rename = "type")] kind: Text<'a>,
        ? series: Option<Text<'a>>,
        code: Text<'a>,
        issue_date: Text<'a>,
        ? op_date: Option<Text<'a>>,
        currency: Text<'a>,
        ? preceding: Vec<DocumentRef<'a>>,
        ? tax: Option<DocumentTax<'a>>,
        supplier: Party<'a>,
        ? customer: Option<Party<'a>>,
        lines: Vec<Line<'a>>,
        ? ordering: Option<Ordering<'a>>,
        ? payment: Option<Payment<'a>>,
        totals: Totals<'a>,
        ? notes: Vec<Note<'a>>,
        /// What the format has no member for.
        #[serde(with = "codes")] ? meta: Ext<'a>,
    }
}

record! {
    /// `org.DocumentRef`.
    DocumentRef {
        uuid: Text<'a>,
        #[serde(rename = "type")] kind: Text<'a>,
        issue_date: Text<'a>,
        code: Text<'a>,
        ? reason: Option<Text<'a>>,
        ? stamps: Vec<Stamp<'a>>,
        ? tax: Option<TaxTotal<'a>>,
        ? payable: Option<Money>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}

record! {
    /// `head.Stamp`.
    Stamp {
        #[serde(rename = "prv")] provider: Text<'a>,
        #[serde(rename = "val")] value: Text<'a>,
    }
}

record! {
    /// `bill.Tax`.
    DocumentTax {
        ? prices_include: Option<Text<'a>>,
        /// Only where it is not the regime's own rule.
        ? rounding: Option<Text<'a>>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
        ? notes: Vec<TaxNote<'a>>,
    }
}

record! {
    /// `tax.Note`: why a situation of a category is not taxed.
    TaxNote {
        cat: Text<'a>,
        key: Text<'a>,
        text: Text<'a>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}

record! {
    /// `org.Party`.
    Party {
        ? uuid: Option<Text<'a>>,
        name: Text<'a>,
        ? tax_id: Option<TaxId<'a>>,
        ? identities: Vec<Identity<'a>>,
        ? people: Vec<Person<'a>>,
        ? inboxes: Vec<Inbox<'a>>,
        ? addresses: Vec<Address<'a>>,
        ? emails: Vec<Email<'a>>,
        ? telephones: Vec<Telephone<'a>>,
        ? registration: Option<Registration<'a>>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}

record! {
    /// `tax.Identity`.
    TaxId {
        country: Text<'a>,
        ? code: Option<Text<'a>>,
    }
}

record! {
    /// `org.Identity`. Key and type exclude each other.
    Identity {
        /// `legal` or `tax`: what it is registered for.
        ? scope: Option<Text<'a>>,
        ? country: Option<Text<'a>>,
        ? key: Option<Text<'a>>,
        #[serde(rename = "type")] ? kind: Option<Text<'a>>,
        code: Text<'a>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}

record! {
    /// `org.Person`.
    Person {
        name: PersonName<'a>,
        ? emails: Vec<Email<'a>>,
        ? telephones: Vec<Telephone<'a>>,
    }
}

record! {
    /// `org.Name`.
    PersonName {
        ? given: Option<Text<'a>>,
        ? surname: Option<Text<'a>>,
    }
}

record! {
    /// `org.Inbox`.
    Inbox {
        ? key: Option<Text<'a>>,
        ? scheme: Option<Text<'a>>,
        ? code: Option<Text<'a>>,
        ? email: Option<Text<'a>>,
    }
}

record! {
    /// `org.Address`.
    Address {
        ? num: Option<Text<'a>>,
        ? street: Option<Text<'a>>,
        ? locality: Option<Text<'a>>,
        ? region: Option<Text<'a>>,
        ? code: Option<Text<'a>>,
        ? country: Option<Text<'a>>,
    }
}

record! {
    /// `org.Email`.
    Email { addr: Text<'a>, }
}

record! {
    /// `org.Telephone`.
    Telephone { num: Text<'a>, }
}

record! {
    /// `org.Registration`.
    Registration {
        ? capital: Option<Money>,
        ? currency: Option<Text<'a>>,
        ? office: Option<Text<'a>>,
        ? entry: Option<Text<'a>>,
    }
}

record! {
    /// `bill.Line`.
    Line {
        i: u32,
        quantity: Money,
        ? period: Option<Period<'a>>,
        item: Item<'a>,
        sum: Money,
        ? taxes: Vec<Combo<'a>>,
        total: Money,
    }
}

record! {
    /// `cal.Period`.
    Period {
        start: Text<'a>,
        end: Text<'a>,
    }
}

record! {
    /// `org.Item`.
    Item {
        ? key: Option<Text<'a>>,
        name: Text<'a>,
        price: Money,
        ? unit: Option<Text<'a>>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}

record! {
    /// `tax.Combo`.
    Combo {
        cat: Text<'a>,
        ? key: Option<Text<'a>>,
        /// The regime's name of the percent, `general`: only while the percent is in force, for the format puts the
        /// percent of its own table in its place.
        ? rate: Option<Text<'a>>,
        ? percent: Option<Percent>,
        ? surcharge: Option<Percent>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}

record! {
    /// `bill.Ordering`.
    Ordering {
        ? code: Option<Text<'a>>,
        ? purchases: Vec<OrderRef<'a>>,
    }
}

record! {
    /// `org.DocumentRef` of an order: its number is all that the platform knows.
    OrderRef { code: Text<'a>, }
}

record! {
    /// `bill.PaymentDetails`.
    Payment {
        ? terms: Option<Terms<'a>>,
        ? advances: Vec<Advance<'a>>,
        ? instructions: Option<Instructions<'a>>,
    }
}

record! {
    /// `pay.Terms`.
    Terms {
        ? key: Option<Text<'a>>,
        ? due_dates: Vec<DueDate<'a>>,
        ? notes: Option<Text<'a>>,
    }
}

record! {
    /// `pay.DueDate`.
    DueDate {
        date: Text<'a>,
        amount: Money,
        percent: Text<'a>,
    }
}

record! {
    /// `pay.Record`: what was paid already.
    Advance {
        ? date: Option<Text<'a>>,
        ? key: Option<Text<'a>>,
        ? description: Option<Text<'a>>,
        amount: Money,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}

record! {
    /// `pay.Instructions`.
    Instructions {
        key: Text<'a>,
        ? detail: Option<Text<'a>>,
        ? credit_transfer: Vec<CreditTransfer<'a>>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}

record! {
    /// `pay.CreditTransfer`.
    CreditTransfer {
        ? iban: Option<Text<'a>>,
        ? bic: Option<Text<'a>>,
        ? name: Option<Text<'a>>,
    }
}

record! {
    /// `bill.Totals`.
    Totals {
        sum: Money,
        ? tax_included: Option<Money>,
        total: Money,
        ? taxes: Option<TaxTotal<'a>>,
        tax: Money,
        total_with_tax: Money,
        ? retained_tax: Option<Money>,
        payable: Money,
        /// What [`Payment::advances`] come to.
        ? advance: Option<Money>,
        /// What is left after them.
        ? due: Option<Money>,
    }
}

record! {
    /// `tax.Total`.
    TaxTotal {
        ? categories: Vec<CategoryTotal<'a>>,
        sum: Money,
        ? retained: Option<Money>,
    }
}

record! {
    /// `tax.CategoryTotal`.
    CategoryTotal {
        code: Text<'a>,
        ? retained: bool,
        rates: Vec<RateTotal<'a>>,
        amount: Money,
        ? surcharge: Option<Money>,
    }
}

record! {
    /// `tax.RateTotal`.
    RateTotal {
        ? key: Option<Text<'a>>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
        base: Money,
        ? percent: Option<Percent>,
        ? surcharge: Option<SurchargeTotal>,
        amount: Money,
    }
}

/// `tax.RateTotalSurcharge`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "harness", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct SurchargeTotal {
    /// As in the format.
    pub percent: Percent,
    /// As in the format.
    pub amount: Money,
}

record! {
    /// `org.Note`.
    Note {
        key: Text<'a>,
        ? code: Option<Text<'a>>,
        ? src: Option<Text<'a>>,
        text: Text<'a>,
        #[serde(with = "codes")] ? ext: Ext<'a>,
    }
}
