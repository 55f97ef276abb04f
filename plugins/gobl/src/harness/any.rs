//! Whatever a platform, a provider or a tester may send (proptest strategies).
//!
//! ```
//! use einvoice_gobl::harness::any;
//! use proptest::prelude::*;
//!
//! proptest! {
//!     fn any_invoice_has_a_number_of_lines(invoice in any::invoice()) {
//!         prop_assert!(invoice.lines.len() < 4);
//!     }
//! }
//! any_invoice_has_a_number_of_lines();
//! ```

use std::sync::LazyLock;

use einvoice_plugin::{
    Address, Amount, CategoryTotal, Company, Context, Country, DocumentKind, Ext, Fault, IdentityDocument,
    IdentityKind, Individual, Invoice, Line, Preceding, ProviderFault, ProviderResult, RateTotal, Recipient,
    RetentionTotal, Stamp, Submission, Tax, Totals, harness,
};
use jsonschema::Validator;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

use super::schemas::{self, objections};

/// Anything, with a bias to what the rules know.
///
/// Boxed: unboxed, the strategies of all the members together outgrow a test's stack.
pub fn text() -> BoxedStrategy<String> {
    prop_oneof![
        any::<String>(),
        ".{0,130}",
        "[A-Z]?[0-9]{7,8}[A-Z]?",
        Just("ES".to_owned()),
        Just("VAT".to_owned()),
        Just("VI".to_owned()),
        Just("goods".to_owned()),
        Just("IPSI".to_owned()),
        Just("article_20".to_owned()),
        Just("2026-11-20".to_owned()),
        Just("R1".to_owned()),
        Just(String::new()),
    ]
    .boxed()
}

/// Any amount, the likely ones more often.
pub fn amount() -> BoxedStrategy<Amount> {
    prop_oneof![
        (any::<i64>(), any::<u8>()).prop_map(|(units, scale)| Amount::new(units, scale)),
        (-100_000_i64..100_000, 0_u8..5).prop_map(|(units, scale)| Amount::new(units, scale)),
        Just(Amount::new(210, 1)),
    ]
    .boxed()
}

prop_compose! {
    fn address()(street in option::of(text()), postcode in option::of(text()), country in option::of(text())) -> Address {
        Address { street, locality: None, region: None, postcode, country }
    }
}

fn identity_kind() -> impl Strategy<Value = IdentityKind> {
    prop_oneof![
        Just(IdentityKind::IdCard),
        Just(IdentityKind::SpanishResidentPermit),
        Just(IdentityKind::Passport),
        Just(IdentityKind::ForeignNationalId),
        Just(IdentityKind::DrivingLicense),
    ]
}

/// Any recipient.
pub fn recipient() -> BoxedStrategy<Recipient> {
    let document = (identity_kind(), text(), option::of(text()))
        .prop_map(|(kind, number, country)| IdentityDocument { kind, number, country });
    prop_oneof![
        (text(), option::of(document), option::of(address().boxed()), option::of(text())).prop_map(
            |(name, identity_document, address, email)| {
                Recipient::Individual(Individual { name, identity_document, address, email, ext: Vec::new() })
            }
        ),
        (text(), option::of(text()), option::of(text()), option::of(address().boxed())).prop_map(
            |(name, tax_number, country, address)| {
                Recipient::Company(Company {
                    name,
                    tax_number,
                    country,
                    address,
                    email: None,
                    ext: Vec::new(),
                })
            }
        ),
    ]
    .boxed()
}

prop_compose! {
    fn line()(
        index: u32, description in text(), quantity in amount(), unit_price in amount(), sum in amount(),
        category in text(), rate in option::of(amount()), surcharge in option::of(amount()),
        exemption in option::of(text()), outlay: bool, ext in vec(ext().boxed(), 0..2),
    ) -> Line {
        let tax = Tax { category, rate, surcharge, exemption };
        Line { index, description, quantity, unit_price, sum, total: sum, tax, period: None, outlay, ext }
    }
}

/// Keys that plugins read, and others.
fn ext() -> impl Strategy<Value = Ext> {
    let key = prop_oneof![
        Just("doc-type".to_owned()),
        Just("region".to_owned()),
        Just("product".to_owned()),
        Just("regime".to_owned()),
        Just("correction".to_owned()),
        text(),
    ];
    (key, text()).prop_map(|(key, value)| Ext { key, value })
}

fn document_kind() -> BoxedStrategy<DocumentKind> {
    prop_oneof![
        Just(DocumentKind::Invoice),
        Just(DocumentKind::SimplifiedInvoice),
        Just(DocumentKind::ReplacementInvoice),
        Just(DocumentKind::CreditNote),
        Just(DocumentKind::DebitNote),
    ]
    .boxed()
}

prop_compose! {
    fn preceding()(
        kind in document_kind(), uuid in text(), number in text(), issue_date in text(), figure in option::of(amount()),
        line in line().boxed(), sound: bool,
    ) -> Preceding {
        let model = empty_invoice();
        let totals = figure.map(|figure| {
            let mut totals = model.totals.clone();
            totals.payable = figure;
            totals.categories = vec![category(&line)];
            totals
        });
        let (uuid, issue_date) = if sound { (model.uuid, model.issue_date) } else { (uuid, issue_date) };
        Preceding { uuid, kind, number, issue_date, totals, reason: None, stamps: Vec::new(), ext: Vec::new() }
    }
}

/// An invoice without lines.
fn empty_invoice() -> Invoice {
    Invoice {
        uuid: "01930c5c-f1f0-7000-8000-000000000001".to_owned(),
        kind: DocumentKind::Invoice,
        number: Some("F-1".to_owned()),
        issue_date: "2026-11-20".to_owned(),
        operation_date: None,
        currency: "EUR".to_owned(),
        prices_include_tax: false,
        recipient: None,
        lines: Vec::new(),
        totals: Totals::zero(2),
        preceding: Vec::new(),
        payment: None,
        notes: None,
        stamps: Vec::new(),
        ext: Vec::new(),
    }
}

prop_compose! {
    /// Anything of this type.
    pub fn invoice()(
        uuid in text(), number in option::of(text()), issue_date in text(), operation_date in option::of(text()),
        prices_include_tax: bool, recipient in option::of(recipient()), lines in vec(line().boxed(), 0..4),
        figure in amount(), retention in option::of((text(), amount())), notes in option::of(text()), sound: bool,
        kind in document_kind(), preceding in vec(preceding().boxed(), 0..3), ext in vec(ext().boxed(), 0..3),
    ) -> Invoice {
        let mut invoice = empty_invoice();
        (invoice.issue_date, invoice.notes) = (issue_date, notes);
        if !sound {
            (invoice.uuid, invoice.number) = (uuid, number);
        }
        (invoice.operation_date, invoice.prices_include_tax) = (operation_date, prices_include_tax);
        (invoice.kind, invoice.preceding) = (kind, preceding);
        invoice.ext = ext;
        invoice.totals.gross = figure;
        invoice.totals.payable = figure;
        invoice.totals.categories = lines.iter().map(category).collect();
        invoice.totals.retentions = retention
            .into_iter()
            .map(|(category, rate)| RetentionTotal { category, rate, base: figure, amount: figure })
            .collect();
        (invoice.recipient, invoice.lines) = (recipient, lines);
        invoice
    }
}

fn category(line: &Line) -> CategoryTotal {
    let row = RateTotal {
        rate: line.tax.rate,
        surcharge: line.tax.surcharge,
        exemption: line.tax.exemption.clone(),
        base: line.sum,
        amount: line.total,
        surcharge_amount: line.tax.surcharge,
    };
    CategoryTotal {
        category: line.tax.category.clone(),
        rates: vec![row],
        amount: line.total,
        surcharge_amount: None,
    }
}

prop_compose! {
    /// Anything of this type.
    pub fn context()(today in text(), settings in text(), legal_name in text(), tax_id in text(), ext in vec(ext().boxed(), 0..2), sound: bool) -> Context {
        let mut context = harness::context();
        if !sound {
            (context.today, context.settings) = (today, settings);
            (context.supplier.legal_name, context.supplier.tax_id) = (legal_name, tax_id);
            context.supplier.ext = ext;
        }
        context
    }
}

prop_compose! {
    /// Anything of this type.
    pub fn report()(
        succeeded: bool, code in option::of(text()), message in option::of(text()), paths in vec(text(), 0..3),
        key in text(), stamp in text(), job in text(), faulty: bool,
    ) -> ProviderResult {
        let fault = ProviderFault { provider: None, code, message, paths };
        let stamps = vec![Stamp { provider: key, value: stamp }];
        ProviderResult { succeeded, faults: if faulty { vec![fault] } else { Vec::new() }, stamps, job, entry: String::new() }
    }
}

prop_compose! {
    /// Of no document yet: at any time, after any other, with any answer asked for.
    pub fn submission()(
        now in text(), previous in option::of(text()), forced_code in option::of(text()),
    ) -> Submission {
        Submission { previous, forced_code, ..einvoice_plugin::harness::submission("", &now) }
    }
}

/// An invoice is converted to what fits the format's schemas (where `GOBL_SCHEMAS` names their folder), then nothing but
/// warnings was found, or refused with reasons. The error says what is wrong.
pub fn converts_or_says_why<C: Country>(invoice: &Invoice, context: &Context) -> Result<(), String> {
    let checked = C::check(invoice, context);
    match C::convert(invoice, context) {
        Ok(_) if checked.iter().any(Fault::is_error) => Err(format!("converted in spite of {checked:?}")),
        Ok(document) => {
            let body: Value = serde_json::from_str(&document.body).map_err(|error| error.to_string())?;
            let objections =
                SCHEMA.as_ref().map_err(Clone::clone)?.as_ref().map(|schema| objections(schema, &body));
            objections
                .filter(|found| !found.is_empty())
                .map_or(Ok(()), |found| Err(format!("{found:?} in {body}")))
        }
        Err(faults) if faults.is_empty() => Err("refused without a reason".to_owned()),
        Err(faults) if !faults.iter().all(Fault::is_error) => {
            Err(format!("refused with warnings: {faults:?}"))
        }
        Err(_) => Ok(()),
    }
}

/// Read once: a test asks for hundreds of documents.
static SCHEMA: LazyLock<Result<Option<Validator>, String>> = LazyLock::new(schemas::from_environment);

/// A recipient has an identity or there are reasons why not.
pub fn is_mapped_or_says_why<C: Country>(recipient: &Recipient) -> Result<(), String> {
    match C::map_identity(recipient) {
        Err(faults) if faults.is_empty() => Err("no identity and no reason".to_owned()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The tests every plugin has of input nobody sane would send, from strategies for each of it:
/// `country_never_panics! { EsSii, invoice: any::invoice(), context: any::context(), recipient: any::recipient(), report:
/// any::report() }`.
#[macro_export]
macro_rules! country_never_panics {
    (
        $plugin:ty, invoice: $invoice:expr, context: $context:expr, recipient: $recipient:expr, report: $report:expr $(,)?
    ) => {
        $crate::harness::proptest::proptest! {
            #[test]
            fn any_invoice_is_converted_or_refused_with_reasons(invoice in $invoice, context in $context) {
                let answered = $crate::harness::any::converts_or_says_why::<$plugin>(&invoice, &context);
                $crate::harness::proptest::prop_assert_eq!(answered, Ok(()));
            }

            #[test]
            fn any_recipient_is_mapped_or_refused_with_reasons(recipient in $recipient) {
                let answered = $crate::harness::any::is_mapped_or_says_why::<$plugin>(&recipient);
                $crate::harness::proptest::prop_assert_eq!(answered, Ok(()));
            }

            #[test]
            fn any_report_has_a_verdict(report in $report) {
                let verdict = <$plugin as $crate::harness::Country>::interpret(&report);
                $crate::harness::proptest::prop_assert!(verdict.is_ok());
            }
        }
    };
}
