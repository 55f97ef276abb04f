//! Golden cases of a plugin: a document as the platform's API takes it, and its surroundings. They stand in the folder
//! of its author and travel inside the component as samples.
//!
//! The files serve the SDK's native tests too. Beside the members of the API a document may have what the gateway adds:
//! `uuid`, `number`, and `preceding`, a list of documents written like this one, each with its `number`.

use gateway_domain::FieldError;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Address, Content, DocumentKind, Totals};
use gateway_domain::regime::{
    Preceding, ProviderFault, ProviderReport, RegimeContext, RegimeDescription, RegimeDocumentKind,
    RegimeInvoice, Rounding, Stamp, Supplier,
};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use gateway_domain_input::{read, sentence};
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Environment of a case that names none.
const DEFAULT_NOW: &str = "2026-11-20T09:30:00+01:00";
const DEFAULT_UUID: &str = "01930c5c-f1f0-7000-8000-000000000001";
const DEFAULT_COMPANY_ID: &str = "01930c5c-f1f0-7000-8000-0000000000aa";

/// A case as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// For whoever reads the case.
    #[serde(default, rename = "title")]
    _title: Option<String>,
    document: Map<String, Value>,
    #[serde(default)]
    context: Environment,
}

/// What differs from the usual surroundings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Environment {
    now: Option<String>,
    settings: Option<Value>,
    supplier: Option<CaseSupplier>,
    company_id: Option<String>,
}

/// Not the domain's own type flattened: a name that is no member would be passed over.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseSupplier {
    legal_name: String,
    tax_id: String,
    country: String,
    #[serde(default)]
    address: Option<Address>,
    #[serde(default)]
    email: Option<String>,
    /// Members of the contract that no workspace has.
    #[serde(default)]
    ext: Map<String, Value>,
}

impl From<CaseSupplier> for Supplier {
    fn from(written: CaseSupplier) -> Self {
        let CaseSupplier { legal_name, tax_id, country, address, email, ext: _ } = written;
        Self { legal_name, tax_id, country, address, email }
    }
}

/// What a case is to the gateway.
#[derive(Debug)]
pub enum CaseReading {
    /// What the plugin is asked with.
    Ready(Box<(RegimeInvoice, RegimeContext)>),
    /// The API refuses the document before any plugin hears of it.
    Refused(Vec<FieldError>),
    /// The platform has no such document: a sentence. Only native tests can ask the plugin about it.
    Unsupported(String),
}

impl Case {
    /// The case as the plugin would receive it from the gateway.
    pub fn read(&self, around: &Environment, regime: &RegimeDescription) -> Result<CaseReading, String> {
        if let Some(member) = self.unsupported_member(around) {
            return Ok(CaseReading::Unsupported(format!("no document of the platform carries `{member}`")));
        }
        let regime_context = self.context(around)?;
        let written = CaseDocument::read(&self.document, TaxCheck::Regime(regime))?;
        let (content, totals) = match written.content_and_totals() {
            Ok(content_and_totals) => content_and_totals,
            Err(errors) => return Ok(CaseReading::Refused(errors)),
        };
        let mut preceding = Vec::new();
        for document in list(&self.document, "preceding") {
            preceding.push(read_preceding(document, regime.rounding)?);
        }
        let (number, today) = (written.number.clone(), regime_context.now.date());
        let invoice = RegimeInvoice::of(written.id()?, &content, &totals, number, preceding, today);
        let Some(mut invoice) = invoice else {
            return Ok(CaseReading::Unsupported("no tax regime takes a document of this type".to_owned()));
        };
        if let Some(kind) = written.kind {
            invoice.kind = kind;
        }
        invoice.stamps = stamps(&self.document)?;
        Ok(CaseReading::Ready(Box::new((invoice, regime_context))))
    }

    /// A member that the contract knows and no document of the platform has.
    fn unsupported_member(&self, around: &Environment) -> Option<&'static str> {
        let lines = list(&self.document, "lines");
        let supplier = self.context.supplier.as_ref().or(around.supplier.as_ref());
        [
            ("lines[].outlay", lines.iter().any(|line| line.get("outlay") == Some(&Value::Bool(true)))),
            ("supplier.ext", supplier.is_some_and(|supplier| !supplier.ext.is_empty())),
        ]
        .into_iter()
        .find_map(|(member, there)| there.then_some(member))
    }

    fn context(&self, around: &Environment) -> Result<RegimeContext, String> {
        let own = &self.context;
        let now = own.now.as_deref().or(around.now.as_deref()).unwrap_or(DEFAULT_NOW);
        let supplier = own.supplier.as_ref().or(around.supplier.as_ref());
        let company = own.company_id.as_deref().or(around.company_id.as_deref());
        Ok(RegimeContext {
            now: instant(now)?,
            settings: own
                .settings
                .clone()
                .or_else(|| around.settings.clone())
                .unwrap_or_else(|| Value::Object(Map::new())),
            supplier: supplier.map_or_else(usual_supplier, |written| written.clone().into()),
            company_id: company.unwrap_or(DEFAULT_COMPANY_ID).to_owned(),
        })
    }
}

fn usual_supplier() -> Supplier {
    let text = |text: &str| Some(text.to_owned());
    Supplier {
        legal_name: "Provide One S.L.".to_owned(),
        tax_id: "B98602642".to_owned(),
        country: "ES".to_owned(),
        address: Some(Address {
            street: text("Calle Pradillo 42"),
            locality: text("Madrid"),
            region: text("Madrid"),
            postcode: text("28002"),
            country: text("ES"),
        }),
        email: None,
    }
}

/// An instant with its offset, as the contract writes it.
fn instant(text: &str) -> Result<Zoned, String> {
    let wrong = |_: jiff::Error| {
        format!("context.now is '{text}': use an instant with an offset, such as {DEFAULT_NOW}")
    };
    let at: Timestamp = text.parse().map_err(wrong)?;
    let pieces = DateTimeParser::new().parse_pieces(text).map_err(wrong)?;
    let offset = pieces.to_numeric_offset().unwrap_or(Offset::UTC);
    Ok(at.to_zoned(TimeZone::fixed(offset)))
}

/// A document as the API takes it, without what the gateway adds.
struct CaseDocument {
    uuid: String,
    number: Option<String>,
    /// Where the case names the kind itself.
    kind: Option<RegimeDocumentKind>,
    content: Result<Content, Vec<FieldError>>,
    /// By which rule its figures are rounded.
    rounding: Rounding,
}

impl CaseDocument {
    fn read(document: &Map<String, Value>, taxes: TaxCheck<'_>) -> Result<Self, String> {
        let mut form = document.clone();
        for added in ["uuid", "number", "preceding", "reason", "stamps"] {
            form.shift_remove(added);
        }
        if let Some(Value::Array(lines)) = form.get_mut("lines") {
            for line in lines.iter_mut().filter_map(Value::as_object_mut) {
                line.shift_remove("outlay");
            }
        }
        let kind = match document.get("document_type").and_then(Value::as_str) {
            Some("simplified_invoice") => Some(RegimeDocumentKind::SimplifiedInvoice),
            Some("replacement_invoice") => Some(RegimeDocumentKind::ReplacementInvoice),
            Some("debit_note") => Some(RegimeDocumentKind::DebitNote),
            _ => None,
        };
        if kind.is_some() || !form.contains_key("document_type") {
            form.insert("document_type".to_owned(), Value::from("invoice"));
        }
        for (member, usual) in [
            ("workspace_id", Value::from(1)),
            ("currency", Value::from("EUR")),
            ("prices_include_tax", Value::from(false)),
        ] {
            form.entry(member).or_insert(usual);
        }
        let form: DocumentForm = read(&Value::Object(form))
            .map_err(|mistakes| format!("the API takes no such document: {}", sentence(&mistakes)))?;
        let text = |member: &str| document.get(member).and_then(Value::as_str).map(str::to_owned);
        let uuid = text("uuid").unwrap_or_else(|| DEFAULT_UUID.to_owned());
        Ok(Self {
            uuid,
            number: text("number"),
            kind,
            content: form.check(taxes),
            rounding: taxes.rounding(),
        })
    }

    fn id(&self) -> Result<InvoiceId, String> {
        self.uuid.parse().map_err(|_| format!("uuid is '{}': use a UUID, such as {DEFAULT_UUID}", self.uuid))
    }

    /// The content with its figures, computed by the gateway.
    fn content_and_totals(&self) -> Result<(Content, Totals), Vec<FieldError>> {
        let content = self.content.clone()?;
        let totals =
            Totals::rounded(&content, self.rounding).map_err(|error| vec![FieldError::from(error)])?;
        Ok((content, totals))
    }
}

/// A document that the case refers to; without lines nothing is known of its figures.
fn read_preceding(document: &Value, rounding: Rounding) -> Result<Preceding, String> {
    let members = document.as_object().ok_or("a preceding document is an object")?;
    let written = CaseDocument { rounding, ..CaseDocument::read(members, TaxCheck::Syntax)? };
    let refused = |errors: Vec<FieldError>| {
        let sentences: Vec<_> =
            errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
        format!("a preceding document is refused: {}", sentences.join("; "))
    };
    let (content, totals) = written.content_and_totals().map_err(refused)?;
    // What it is counts, as stated: who received it need not be written again.
    let kind = match (written.kind, content.document_type) {
        (Some(kind), _) => Some(kind),
        (None, DocumentKind::Invoice) => Some(RegimeDocumentKind::Invoice),
        (None, DocumentKind::CreditNote) => Some(RegimeDocumentKind::CreditNote),
        (None, DocumentKind::Proforma | DocumentKind::Receipt) => None,
    };
    Ok(Preceding {
        id: written.id()?,
        kind: kind.ok_or("a preceding document is an invoice or a credit note")?,
        number: written.number.clone().ok_or("a preceding document has a number")?,
        issue_date: content.issue_date.ok_or("a preceding document has an issue_date")?,
        totals: (!content.lines.is_empty()).then_some(totals),
        reason: members.get("reason").and_then(Value::as_str).map(str::to_owned),
        stamps: stamps(members)?,
        ext: content.ext,
    })
}

/// What provider or authority attached to a document: `stamps`, a list of `{provider, value}`.
fn stamps(document: &Map<String, Value>) -> Result<Vec<Stamp>, String> {
    let read = |(index, stamp): (usize, &Value)| {
        read(stamp).map_err(|mistakes| format!("stamps[{index}] is no stamp: {}", sentence(&mistakes)))
    };
    list(document, "stamps").iter().enumerate().map(read).collect()
}

fn list<'a>(document: &'a Map<String, Value>, member: &str) -> &'a [Value] {
    document.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What a provider reports, as it is written: `job` and `entry` are the provider's own JSON.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Report {
    title: Option<String>,
    succeeded: bool,
    faults: Vec<ProviderFault>,
    stamps: Vec<Stamp>,
    job: Value,
    entry: Value,
}

impl Default for Report {
    fn default() -> Self {
        let (job, entry) = (Value::Object(Map::new()), Value::Object(Map::new()));
        Self { title: None, succeeded: false, faults: Vec::new(), stamps: Vec::new(), job, entry }
    }
}

impl From<Report> for ProviderReport {
    fn from(written: Report) -> Self {
        let Report { title: _, succeeded, faults, stamps, job, entry } = written;
        Self { succeeded, faults, stamps, job: job.to_string(), entry: entry.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_instant_keeps_its_offset() {
        let now = instant(DEFAULT_NOW).unwrap();
        assert_eq!((now.date().to_string().as_str(), now.offset().seconds()), ("2026-11-20", 3600));
        assert_eq!(
            instant("yesterday").unwrap_err(),
            "context.now is 'yesterday': use an instant with an offset, such as 2026-11-20T09:30:00+01:00"
        );
    }

    fn written(document: &Value) -> CaseDocument {
        CaseDocument::read(document.as_object().unwrap(), TaxCheck::Syntax).unwrap()
    }

    #[test]
    fn what_the_gateway_adds_is_read_beside_what_the_api_takes() {
        let written = written(
            &json!({"uuid": DEFAULT_UUID, "number": "F-1", "document_type": "simplified_invoice", "ext": {},
            "lines": [{"description": "x", "quantity": "1", "unit_price": "100", "tax": {"category": "VAT", "rate": "21"}}]}),
        );
        assert_eq!(written.kind, Some(RegimeDocumentKind::SimplifiedInvoice));
        let (_, totals) = written.content_and_totals().unwrap();
        assert_eq!(totals.payable.to_string(), "121.00");
    }

    #[test]
    fn a_name_that_is_no_member_is_refused_wherever_it_stands() {
        let mistakes = |case: &Value| sentence(&read::<Case>(case).unwrap_err());
        for (case, member) in [
            (json!({"document": {}, "contxt": {}}), "contxt"),
            (json!({"document": {}, "context": {"nwo": DEFAULT_NOW}}), "context.nwo"),
            (
                json!({"document": {}, "context": {"supplier":
                    {"legal_name": "X", "tax_id": "X", "country": "ES", "taxid": "X"}}}),
                "context.supplier.taxid",
            ),
        ] {
            let refused = mistakes(&case);
            assert!(refused.starts_with(&format!("{member}: is no member: use ")), "{refused}");
        }
        read::<Case>(&json!({"title": "A person", "document": {}})).unwrap();
        let document = json!({"recipent": {}, "lines": [{"quantity": 2}]});
        let refused =
            CaseDocument::read(document.as_object().unwrap(), TaxCheck::Syntax).map(drop).unwrap_err();
        assert!(refused.contains("recipent: is no member: use "), "{refused}");
        assert!(refused.contains("lines[0].quantity: must be"), "{refused}");
        let stamps = super::stamps(json!({"stamps": [{"provider": 5}]}).as_object().unwrap()).unwrap_err();
        assert!(stamps.starts_with("stamps[0] is no stamp: "), "{stamps}");
    }

    #[test]
    fn a_preceding_document_says_what_is_missing() {
        assert!(
            read_preceding(&json!({"issue_date": "2026-11-18"}), Rounding::Precise)
                .unwrap_err()
                .contains("number")
        );
        let read =
            read_preceding(&json!({"issue_date": "2026-11-18", "number": "F-1"}), Rounding::Precise).unwrap();
        assert_eq!((read.kind, read.totals), (RegimeDocumentKind::Invoice, None));
    }
}
