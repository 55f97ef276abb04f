//! Strategies for any input: whatever a platform, a provider or a tester sends.

use einvoice_plugin::{
    Address, Amount, Authority, CategoryTotal, Company, Context, Country, DocumentKind, Ext,
    IdentityDocument, IdentityKind, Individual, Invoice, Line, PaymentTerms, Preceding, ProviderFault,
    ProviderResult, RateTotal, Recipient, RetentionTotal, Stamp, Submission, Supplier, Tax, Totals,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Any text, with a bias to `words` the rules of a plugin know.
///
/// Boxed, as all strategies here: unboxed, those of all the members together outgrow a test's stack.
pub fn text(words: &'static [&'static str]) -> BoxedStrategy<String> {
    let known = any::<prop::sample::Index>()
        .prop_map(|at| words.get(at.index(words.len().max(1))).copied().unwrap_or_default().to_owned());
    prop_oneof![
        any::<String>(),
        ".{0,130}",
        "[A-Z]{0,2}[0-9]{7,12}[A-Z]?",
        Just("VAT".to_owned()),
        Just("2026-11-20".to_owned()),
        Just(String::new()),
        known
    ]
    .boxed()
}

fn amount() -> BoxedStrategy<Amount> {
    prop_oneof![
        (any::<i64>(), any::<u8>()).prop_map(|(units, scale)| Amount::new(units, scale)),
        (-100_000_i64..100_000, 0_u8..5).prop_map(|(units, scale)| Amount::new(units, scale)),
        prop::sample::select(vec![0, 40, 50, 70, 80, 100, 190, 220, 230])
            .prop_map(|units| Amount::new(units, 1)),
    ]
    .boxed()
}

fn maybe(words: &'static [&'static str]) -> BoxedStrategy<Option<String>> {
    option::of(text(words)).boxed()
}

fn address(words: &'static [&'static str]) -> BoxedStrategy<Option<Address>> {
    let parts = (maybe(words), maybe(words), maybe(words), maybe(words));
    let address = parts.prop_map(|(street, locality, postcode, country)| Address {
        street,
        locality,
        region: None,
        postcode,
        country,
    });
    option::of(address).boxed()
}

/// Any recipient.
pub fn recipient(words: &'static [&'static str]) -> BoxedStrategy<Recipient> {
    let kinds = vec![
        IdentityKind::IdCard,
        IdentityKind::SpanishResidentPermit,
        IdentityKind::Passport,
        IdentityKind::ForeignNationalId,
        IdentityKind::Other,
    ];
    let document = (prop::sample::select(kinds), text(words), maybe(words))
        .prop_map(|(kind, number, country)| IdentityDocument { kind, number, country });
    prop_oneof![
        (text(words), option::of(document), address(words), maybe(words)).prop_map(
            |(name, identity_document, address, email)| Recipient::Individual(Individual {
                name,
                identity_document,
                address,
                email,
                ext: Vec::new(),
            })
        ),
        (text(words), maybe(words), maybe(words), address(words), maybe(words)).prop_map(
            |(name, tax_number, country, address, email)| Recipient::Company(Company {
                name,
                tax_number,
                country,
                address,
                email,
                ext: Vec::new(),
            })
        ),
    ]
    .boxed()
}

fn line(words: &'static [&'static str]) -> BoxedStrategy<Line> {
    let tax = (text(words), option::of(amount()), option::of(amount()), maybe(words))
        .prop_map(|(category, rate, surcharge, exemption)| Tax { category, rate, surcharge, exemption });
    let plain = prop_oneof![
        3 => prop::sample::select(vec![50, 70, 80, 190, 220, 230]).prop_map(|units| Tax {
            category: "VAT".to_owned(), rate: Some(Amount::new(units, 1)), surcharge: None, exemption: None,
        }),
        1 => tax,
    ];
    (any::<u32>(), text(words), amount(), amount(), amount(), plain, prop::bool::weighted(0.1))
        .prop_map(|(index, description, quantity, unit_price, sum, tax, outlay)| Line {
            index,
            description,
            quantity,
            unit_price,
            sum,
            total: sum,
            tax,
            period: None,
            outlay,
            ext: Vec::new(),
        })
        .boxed()
}

fn kind() -> BoxedStrategy<DocumentKind> {
    prop::sample::select(vec![
        DocumentKind::Invoice,
        DocumentKind::SimplifiedInvoice,
        DocumentKind::ReplacementInvoice,
        DocumentKind::CreditNote,
        DocumentKind::DebitNote,
    ])
    .boxed()
}

fn preceding(words: &'static [&'static str]) -> BoxedStrategy<Preceding> {
    (kind(), text(words), text(words), text(words), maybe(words))
        .prop_map(|(kind, uuid, number, issue_date, reason)| Preceding {
            uuid,
            kind,
            number,
            issue_date,
            totals: None,
            reason,
            stamps: Vec::new(),
            ext: Vec::new(),
        })
        .boxed()
}

/// Any invoice; half of them vary `sound` in the members drawn, the other half is all drawn.
pub fn invoice(words: &'static [&'static str], sound: Invoice) -> BoxedStrategy<Invoice> {
    let head = (text(words), maybe(words), text(words), maybe(words), text(words), any::<bool>(), kind());
    let body = (
        option::of(recipient(words)),
        vec(line(words), 0..4),
        amount(),
        option::of((text(words), amount())),
        vec(preceding(words), 0..3),
        maybe(words),
        maybe(words),
        option::of((maybe(words), maybe(words))),
    );
    (head, body, any::<[bool; 4]>())
        .prop_map(move |(head, body, keep)| {
            let mut invoice = sound.clone();
            let (uuid, number, issue_date, operation_date, currency, prices_include_tax, kind) = head;
            let (recipient, lines, figure, retention, preceding, notes, doc_type, terms) = body;
            let [keep_head, keep_recipient, keep_lines, keep_rest] = keep;
            if !keep_head {
                (invoice.uuid, invoice.number, invoice.issue_date) = (uuid, number, issue_date);
                (invoice.operation_date, invoice.currency, invoice.kind) = (operation_date, currency, kind);
            }
            if !keep_recipient {
                invoice.recipient = recipient;
            }
            if !keep_lines {
                invoice.totals = totals(&lines, figure, retention);
                (invoice.lines, invoice.prices_include_tax) = (lines, prices_include_tax);
            }
            if !keep_rest {
                (invoice.preceding, invoice.notes) = (preceding, notes);
                invoice.ext =
                    doc_type.map(|value| Ext { key: "doc-type".to_owned(), value }).into_iter().collect();
                invoice.payment =
                    terms.map(|(due_date, note)| PaymentTerms { due_date, note, ext: Vec::new() });
            }
            invoice
        })
        .boxed()
}

fn totals(lines: &[Line], figure: Amount, retention: Option<(String, Amount)>) -> Totals {
    let category = |line: &Line| CategoryTotal {
        category: line.tax.category.clone(),
        rates: vec![RateTotal {
            rate: line.tax.rate,
            surcharge: line.tax.surcharge,
            exemption: line.tax.exemption.clone(),
            base: line.sum,
            amount: line.total,
            surcharge_amount: line.tax.surcharge,
        }],
        amount: line.total,
        surcharge_amount: None,
    };
    let withheld = |(category, rate)| RetentionTotal { category, rate, base: figure, amount: figure };
    Totals {
        sum: figure,
        tax_included: None,
        net: figure,
        tax: figure,
        gross: figure,
        retained: figure,
        payable: figure,
        categories: lines.iter().map(category).collect(),
        retentions: retention.into_iter().map(withheld).collect(),
    }
}

/// Any surroundings, half of the time those given.
pub fn context(words: &'static [&'static str], sound: Context) -> BoxedStrategy<Context> {
    let supplier = (text(words), text(words), text(words), address(words), maybe(words)).prop_map(
        |(legal_name, tax_id, country, address, email)| Supplier {
            legal_name,
            tax_id,
            country,
            address,
            email,
            ext: Vec::new(),
        },
    );
    (text(words), text(words), supplier, any::<[bool; 2]>())
        .prop_map(move |(today, settings, supplier, [keep, keep_supplier])| {
            let mut context = sound.clone();
            if !keep {
                (context.today, context.settings) = (today, settings);
            }
            if !keep_supplier {
                context.supplier = supplier;
            }
            context
        })
        .boxed()
}

/// Any report of a provider.
pub fn report(words: &'static [&'static str]) -> BoxedStrategy<ProviderResult> {
    let fault = (maybe(words), maybe(words), vec(text(words), 0..3))
        .prop_map(|(code, message, paths)| ProviderFault { provider: None, code, message, paths });
    let stamp = (text(words), text(words)).prop_map(|(provider, value)| Stamp { provider, value });
    (any::<bool>(), vec(fault, 0..3), vec(stamp, 0..3), text(words))
        .prop_map(|(succeeded, faults, stamps, job)| ProviderResult {
            succeeded,
            faults,
            stamps,
            job,
            entry: String::new(),
        })
        .boxed()
}

/// Any submission of anything.
pub fn submission(words: &'static [&'static str]) -> BoxedStrategy<Submission> {
    (text(words), text(words), maybe(words), maybe(words), maybe(words))
        .prop_map(move |(document, now, registered, amends, forced_code)| Submission {
            document,
            now,
            previous: None,
            registered,
            amends,
            forced_code,
        })
        .boxed()
}

/// The authority files and answers a submission without panic, with the document of a `sound` invoice in its
/// surroundings when there is one, and so does `writes_back`. The error says why such an invoice has no document, or what
/// is wrong with what is written back.
pub fn answers<P: Country + Authority>(
    sound: Option<(Invoice, Context)>,
    submission: Submission,
    writes_back: impl Fn(&Submission) -> Result<(), String>,
) -> Result<(), String> {
    let converted = sound.map(|(invoice, context)| P::convert(&invoice, &context)).transpose();
    let document = converted.map_err(|faults| format!("{faults:?}"))?.map(|document| document.body);
    let submission = Submission { document: document.unwrap_or(submission.document), ..submission };
    let _ = P::file(&submission.document);
    let _ = P::submit(&submission);
    writes_back(&submission)
}

/// Whatever a platform, a provider or a tester sends to a plugin: an answer, never a panic. Tests of `$plugin` with a bias
/// to `$words`, and to a document that is sound in the surroundings given; with `answers` behind them, of what it writes back
/// as well.
#[macro_export]
macro_rules! never_panics {
    ($plugin:ty, $words:expr, $sound:expr, $context:expr) => {
        $crate::never_panics! { $plugin, $words, $sound, $context, writes_back: |_: &_| Ok(()) }
    };
    ($plugin:ty, $words:expr, $sound:expr, $context:expr, answers) => {
        $crate::never_panics! {
            $plugin, $words, $sound, $context, writes_back: einvoice_gobl::harness::writes_back::<$plugin>
        }
    };
    ($plugin:ty, $words:expr, $sound:expr, $context:expr, writes_back: $writes_back:expr) => {
        einvoice_gobl::country_never_panics! {
            $plugin,
            invoice: $crate::harness::anything::invoice($words, $sound),
            context: $crate::harness::anything::context($words, $context),
            recipient: $crate::harness::anything::recipient($words),
            report: $crate::harness::anything::report($words),
        }

        einvoice_gobl::harness::proptest::proptest! {
            #[test]
            fn any_submission_is_answered(
                submission in $crate::harness::anything::submission($words),
                sound: bool,
            ) {
                let sound = sound.then(|| ($sound, $context));
                let answered = $crate::harness::anything::answers::<$plugin>(sound, submission, $writes_back);
                einvoice_gobl::harness::proptest::prop_assert_eq!(answered, Ok(()));
            }
        }
    };
}
