//! A document that is shown and read back is the same document, whatever it holds.

use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    Acceptance, Address, Content, DocumentKind, Ext, IdentityDocument, IdentityKind, ImportOrigin,
    ImportedFileDigest, Invoice, InvoiceNumber, Line, LineTax, Payment, Period, Recipient, Retention, State,
    Totals,
};
use gateway_domain::money::{Amount, Percent, Rounding};
use gateway_domain::regime::{Remark, Stamp};
use gateway_domain_input::document::{DocumentForm, TaxCheck, invoice_from_body};
use gateway_invoicing::DocumentView;
use jiff::Timestamp;
use jiff::civil::Date;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

fn text() -> impl Strategy<Value = String> {
    "[a-zA-ZñÇ\"\\\\<>&' ]{0,20}[a-z0-9€]"
}

fn id() -> impl Strategy<Value = Uuid> {
    any::<u128>().prop_map(Uuid::from_u128)
}

fn time() -> impl Strategy<Value = Timestamp> {
    (1_700_000_000_000_000_i64..1_900_000_000_000_000)
        .prop_map(|micros| Timestamp::from_microsecond(micros).unwrap())
}

fn amount(scale: u8) -> impl Strategy<Value = Amount> {
    (-1_000_000_i64..1_000_000, 0..=scale).prop_map(|(units, scale)| Amount::new(units, scale).unwrap())
}

fn percent() -> impl Strategy<Value = Percent> {
    (0_i64..=1_000).prop_map(|units| Percent::new(Amount::new(units, 1).unwrap()).unwrap())
}

fn country() -> impl Strategy<Value = String> {
    prop_oneof!["ES", "GB", "DE"]
}

fn address() -> impl Strategy<Value = Address> {
    (of(text()), of(text()), of(text()), of(text()), of(country())).prop_map(
        |(street, locality, region, postcode, country)| Address {
            street,
            locality,
            region,
            postcode,
            country,
        },
    )
}

fn identity() -> impl Strategy<Value = IdentityDocument> {
    let kinds = [
        IdentityKind::IdCard,
        IdentityKind::SpanishResidentPermit,
        IdentityKind::Passport,
        IdentityKind::ForeignNationalId,
        IdentityKind::DrivingLicense,
        IdentityKind::StudentId,
        IdentityKind::Other,
    ];
    (prop::sample::select(kinds.to_vec()), text(), of(country()))
        .prop_map(|(kind, number, country)| IdentityDocument { kind, number, country })
}

fn recipient() -> impl Strategy<Value = Recipient> {
    let email = || of("[a-z]{1,8}@[a-z]{1,8}\\.es");
    prop_oneof![
        (text(), of(identity()), of(address()), email()).prop_map(
            |(name, identity_document, address, email)| Recipient::Individual {
                name,
                identity_document,
                address,
                email,
                ext: Ext::new()
            }
        ),
        (text(), of(text()), of(country()), of(address()), email()).prop_map(
            |(name, tax_number, country, address, email)| Recipient::Company {
                name,
                tax_number,
                country,
                address,
                email,
                ext: Ext::new()
            }
        ),
    ]
}

fn tax() -> impl Strategy<Value = LineTax> {
    let category = "VAT".to_owned();
    let rated = category.clone();
    prop_oneof![
        (percent(), of(percent())).prop_map(move |(rate, surcharge)| LineTax {
            category: rated.clone(),
            rate: Some(rate),
            surcharge,
            exemption: None
        }),
        "[a-z_]{1,12}".prop_map(move |exemption| LineTax {
            category: category.clone(),
            rate: None,
            surcharge: None,
            exemption: Some(exemption)
        }),
    ]
}

fn ext() -> impl Strategy<Value = Ext> {
    prop::collection::btree_map("[a-z0-9.-]{1,64}", text(), 0..3)
}

fn day() -> impl Strategy<Value = Date> {
    (2024_i16..2030, 1_i8..=12, 1_i8..=28).prop_map(|(y, m, d)| jiff::civil::date(y, m, d))
}

fn line() -> impl Strategy<Value = Line> {
    let period = (day(), day()).prop_map(|(a, b)| Period { start: a.min(b), end: a.max(b) });
    (of("[a-z0-9-]{1,30}"), text(), amount(3), amount(4), tax(), of(period), ext()).prop_map(
        |(transaction_id, description, quantity, unit_price, tax, period, ext)| Line {
            transaction_id,
            description,
            quantity,
            unit_price,
            tax,
            period,
            ext,
        },
    )
}

fn payment() -> impl Strategy<Value = Payment> {
    prop_oneof![
        day().prop_map(|day| Payment { due_date: Some(day), note: None }),
        (of(day()), text()).prop_map(|(due_date, note)| Payment { due_date, note: Some(note) }),
    ]
}

fn content() -> impl Strategy<Value = Content> {
    let date = || of(day());
    let retention = (percent()).prop_map(|rate| Retention { category: "IRPF".to_owned(), rate });
    let first = (
        prop::sample::select(DocumentKind::ALL.to_vec()),
        prop_oneof!["EUR", "JPY", "USD"],
        of(id().prop_map(BookingId)),
        date(),
        date(),
        any::<bool>(),
    );
    let second = (
        of(recipient()),
        vec(line(), 0..6),
        vec(retention, 0..2),
        vec(id().prop_map(InvoiceId), 0..3),
        of("[a-z\n\t]{0,30}[a-z]"),
        of(payment()),
        ext(),
    );
    (first, second).prop_map(
        |(
            (document_type, currency, booking_id, issue_date, operation_date, prices_include_tax),
            (recipient, lines, retentions, referenced_document_ids, notes, payment, ext),
        )| Content {
            document_type,
            currency,
            booking_id,
            issue_date,
            operation_date,
            prices_include_tax,
            recipient,
            lines,
            retentions,
            referenced_document_ids,
            notes,
            payment,
            ext,
        },
    )
}

fn acceptance() -> impl Strategy<Value = Acceptance> {
    let remark = (text(), text()).prop_map(|(code, message)| Remark { code, message });
    (of(text()), of(text()), time(), vec(remark, 0..3), any::<bool>()).prop_map(
        |(qr_url, tax_system_hash, accepted_at, warnings, sandbox)| Acceptance {
            qr_url,
            tax_system_hash,
            accepted_at,
            warnings,
            sandbox,
        },
    )
}

fn origin() -> impl Strategy<Value = ImportOrigin> {
    let stamp = (text(), text()).prop_map(|(provider, value)| Stamp { provider, value });
    let file = (text(), any::<u64>(), text())
        .prop_map(|(media_type, size_bytes, sha256)| ImportedFileDigest { media_type, size_bytes, sha256 });
    let (stamps, files) = (vec(stamp, 0..3), vec(file, 0..3));
    (of(text()), stamps, files).prop_map(|(system, stamps, files)| ImportOrigin { system, stamps, files })
}

fn state() -> impl Strategy<Value = State> {
    let number = || "[A-Z]-[0-9]{4}-[0-9]{6}".prop_map(InvoiceNumber);
    prop_oneof![
        Just(State::Draft),
        (number(), time()).prop_map(|(number, since)| State::Issuing { number, since }),
        (number(), time(), of(acceptance()), of(origin().prop_map(Box::new))).prop_map(
            |(number, at, acceptance, imported)| { State::Issued { number, at, acceptance, imported } }
        ),
        (number(), time(), text()).prop_map(|(number, at, reason)| State::Rejected { number, at, reason }),
    ]
}

fn invoice() -> impl Strategy<Value = Invoice> {
    let rest = (id(), 1_i64..100, state(), any::<bool>(), 1_i64..1_000, time(), time());
    let rounding = prop::sample::select(Rounding::ALL.to_vec());
    (content(), rounding, rest).prop_map(
        |(
            content,
            rounding,
            (id, workspace, state, send_to_tax_authority, version, created_at, updated_at),
        )| Invoice {
            id: InvoiceId(id),
            workspace: WorkspaceId(workspace),
            totals: Totals::rounded(&content, rounding).unwrap(),
            content,
            state,
            send_to_tax_authority,
            version,
            created_at,
            updated_at,
        },
    )
}

fn to_json(invoice: &Invoice) -> Value {
    serde_json::to_value(DocumentView::from(invoice)).unwrap()
}

proptest! {
    #[test]
    fn a_document_that_is_shown_and_read_back_is_the_same(invoice in invoice()) {
        prop_assert_eq!(invoice_from_body(&to_json(&invoice)).unwrap(), invoice);
    }

    #[test]
    fn content_that_is_sent_as_a_form_is_the_same(content in content()) {
        let mut sent = json!(content);
        sent["workspace_id"] = json!(1);
        let form: DocumentForm = serde_json::from_value(sent).unwrap();
        prop_assert_eq!(form.check(TaxCheck::Syntax).unwrap(), content);
    }

    #[test]
    fn a_document_with_another_figure_is_not_believed(invoice in invoice(), which in 0_usize..5) {
        let mut to_json = to_json(&invoice);
        let member = ["net", "tax", "gross", "retained", "payable"][which];
        let figure: Amount = to_json["totals"][member].as_str().unwrap().parse().unwrap();
        to_json["totals"][member] = json!(figure.plus_exact("0.01".parse().unwrap()).unwrap());
        let refused = invoice_from_body(&to_json).unwrap_err();
        prop_assert_eq!(refused.member, format!("totals.{member}"));
    }

    #[test]
    fn a_document_without_a_member_of_its_state_is_none(invoice in invoice()) {
        let needed: &[&str] = match invoice.state {
            State::Draft => &["uuid", "status", "version", "lines", "totals"],
            State::Issuing { .. } => &["issuing_at"],
            State::Issued { .. } => &["issued_at"],
            State::Rejected { .. } => &["rejected_by_tax_authority_at", "rejection_reason"],
        };
        for member in needed {
            let mut to_json = to_json(&invoice);
            to_json.as_object_mut().unwrap().remove(*member);
            let same_without = *member == "lines" && invoice.content.lines.is_empty();
            prop_assert_eq!(invoice_from_body(&to_json).is_err(), !same_without, "{}", member);
        }
    }
}
