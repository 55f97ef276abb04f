//! The slice of the format (GOBL) that this plugin writes, in the order in which the provider prints it. A member that the
//! format has and this plugin does not write yet is added at its place.

use serde::Serialize;
use serde_json::Value;

/// `bill.Invoice`.
#[derive(Debug, Serialize)]
pub struct Invoice<'a> {
    #[serde(rename = "$schema")]
    pub schema: &'a str,
    #[serde(rename = "$addons")]
    pub addons: Vec<&'a str>,
    pub uuid: &'a str,
    #[serde(rename = "type")]
    pub kind: &'a str,
    pub code: Option<&'a str>,
    pub issue_date: &'a str,
    pub op_date: Option<&'a str>,
    pub currency: &'a str,
    pub preceding: Vec<DocumentRef<'a>>,
    pub tax: Option<DocumentTax<'a>>,
    pub supplier: Party<'a>,
    pub customer: Option<Party<'a>>,
    pub lines: Vec<Line<'a>>,
    pub payment: Option<Payment<'a>>,
    pub totals: Totals<'a>,
    pub notes: Vec<Note<'a>>,
}

/// `org.DocumentRef`.
#[derive(Debug, Serialize)]
pub struct DocumentRef<'a> {
    pub uuid: &'a str,
    #[serde(rename = "type")]
    pub kind: &'a str,
    pub issue_date: &'a str,
    pub code: &'a str,
    pub reason: Option<&'a str>,
}

/// `bill.Tax`.
#[derive(Debug, Serialize)]
pub struct DocumentTax<'a> {
    pub prices_include: &'a str,
}

/// `org.Party`.
#[derive(Debug, Serialize)]
pub struct Party<'a> {
    pub uuid: Option<&'a str>,
    pub name: &'a str,
    pub tax_id: Option<TaxId<'a>>,
    pub identities: Vec<Identity<'a>>,
    pub addresses: Vec<Address<'a>>,
    pub emails: Vec<Email<'a>>,
}

/// `tax.Identity`.
#[derive(Debug, Serialize)]
pub struct TaxId<'a> {
    pub country: Option<&'a str>,
    pub code: Option<&'a str>,
}

/// `org.Identity`.
#[derive(Debug, Serialize)]
pub struct Identity<'a> {
    pub country: Option<&'a str>,
    pub key: &'a str,
    pub code: &'a str,
}

/// `org.Address`.
#[derive(Debug, Serialize)]
pub struct Address<'a> {
    pub street: Option<&'a str>,
    pub locality: Option<&'a str>,
    pub region: Option<&'a str>,
    pub code: Option<&'a str>,
    pub country: Option<&'a str>,
}

/// `org.Email`.
#[derive(Debug, Serialize)]
pub struct Email<'a> {
    pub addr: &'a str,
}

/// `bill.Line`. A decimal is a text with all its decimals.
#[derive(Debug, Serialize)]
pub struct Line<'a> {
    pub i: u32,
    pub quantity: String,
    pub period: Option<Period<'a>>,
    pub item: Item<'a>,
    pub sum: String,
    pub taxes: Vec<Combo<'a>>,
    pub total: String,
}

/// `cal.Period`.
#[derive(Debug, Serialize)]
pub struct Period<'a> {
    pub start: &'a str,
    pub end: &'a str,
}

/// `org.Item`.
#[derive(Debug, Serialize)]
pub struct Item<'a> {
    pub name: &'a str,
    pub price: String,
}

/// `tax.Combo`.
#[derive(Debug, Serialize)]
pub struct Combo<'a> {
    pub cat: &'a str,
    pub percent: Option<String>,
}

/// `bill.PaymentDetails`.
#[derive(Debug, Serialize)]
pub struct Payment<'a> {
    pub terms: Terms<'a>,
}

/// `pay.Terms`.
#[derive(Debug, Serialize)]
pub struct Terms<'a> {
    pub key: Option<&'a str>,
    pub due_dates: Vec<DueDate<'a>>,
    pub notes: Option<&'a str>,
}

/// `pay.DueDate`.
#[derive(Debug, Serialize)]
pub struct DueDate<'a> {
    pub date: &'a str,
    pub amount: String,
    pub percent: &'a str,
}

/// `bill.Totals`.
#[derive(Debug, Serialize)]
pub struct Totals<'a> {
    pub sum: String,
    pub tax_included: Option<String>,
    pub total: String,
    pub taxes: TaxTotal<'a>,
    pub tax: String,
    pub total_with_tax: String,
    pub payable: String,
}

/// `tax.Total`.
#[derive(Debug, Serialize)]
pub struct TaxTotal<'a> {
    pub categories: Vec<Category<'a>>,
    pub sum: String,
}

/// `tax.CategoryTotal`.
#[derive(Debug, Serialize)]
pub struct Category<'a> {
    pub code: &'a str,
    pub rates: Vec<Rate>,
    pub amount: String,
}

/// `tax.RateTotal`.
#[derive(Debug, Serialize)]
pub struct Rate {
    pub base: String,
    pub percent: Option<String>,
    pub amount: String,
}

/// `org.Note`.
#[derive(Debug, Serialize)]
pub struct Note<'a> {
    pub text: &'a str,
}

impl Invoice<'_> {
    /// As JSON, without what says nothing.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut document = serde_json::to_value(self)?;
        leave_out_silent(&mut document);
        Ok(document.to_string())
    }
}

/// Leaves out members that are absent, and lists without items.
fn leave_out_silent(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members
                .retain(|_, member| !member.is_null() && member.as_array().is_none_or(|all| !all.is_empty()));
            members.values_mut().for_each(leave_out_silent);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_silent),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
