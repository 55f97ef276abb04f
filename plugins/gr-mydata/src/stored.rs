//! The structured document as the provider stored it: the members that the record for myDATA is made of.
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
        series: String,
        code: String,
        issue_date: String,
        currency: String,
        preceding: Vec<Reference>,
        tax: Tax,
        supplier: Party,
        customer: Option<Party>,
        lines: Vec<Line>,
        charges: Vec<Charge>,
        payment: Payment,
        totals: Totals,
    }
}

members! {
    /// `org.DocumentRef`.
    Reference { stamps: Vec<Stamp>, }
}

members! {
    /// `head.Stamp`.
    Stamp {
        prv: String,
        val: String,
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
        street: String,
        locality: String,
        code: String,
    }
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
    /// `bill.Charge`: a tax or fee beside VAT.
    Charge {
        amount: Decimal,
        ext: Ext,
    }
}

members! {
    /// `bill.PaymentDetails`.
    Payment { instructions: Option<Instructions>, }
}

members! {
    /// `pay.Instructions`.
    Instructions { ext: Ext, }
}

members! {
    /// `bill.Totals`.
    Totals {
        total: Decimal,
        tax: Decimal,
        total_with_tax: Decimal,
    }
}
