//! Whatever comes, something valid comes out or faults do.

use crate::samples;
use proptest::prelude::*;
use render_pdf::bindings::{DocumentKind, Request, Stamp};
use render_pdf::render;

/// Texts of what people write and of what they do not.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~áéñçłż€\n]{0,60}",
        2 => proptest::collection::vec(any::<char>(), 0..40).prop_map(|characters| characters.into_iter().collect()),
        1 => "[a-z]{150,320}",
        1 => "[a-z]{1900,2100}",
    ]
}

fn figure() -> impl Strategy<Value = String> {
    prop_oneof![8 => "-?[0-9]{1,12}(\\.[0-9]{1,6})?", 1 => text()]
}

prop_compose! {
    fn stamp()(legend in proptest::collection::vec(text(), 0..3), hash in proptest::option::of(text()), content in text(), side in 10_u8..70, has_qr: bool, caption in proptest::option::of(text())) -> Stamp {
        let mut stamp = samples::invoice().stamp.unwrap();
        let mut qr = stamp.qr.unwrap();
        (qr.content, qr.side_mm_min, qr.caption) = (content, side, caption);
        stamp.qr = has_qr.then_some(qr);
        Stamp { legend, hash, ..stamp }
    }
}

prop_compose! {
    fn request()(
        names in proptest::array::uniform6(text()),
        lines in proptest::collection::vec((text(), figure(), figure(), figure(), proptest::option::of(figure()), proptest::collection::vec(text(), 0..3)), 0..12),
        totals in proptest::array::uniform5(figure()),
        texts in proptest::collection::vec(text(), 0..5),
        decimals in 0_u8..6,
        is_draft: bool,
        stamp in proptest::option::of(stamp()),
        locale in prop_oneof![Just("es"), Just("en"), Just("fr")],
        logo in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..50)),
    ) -> Request {
        let mut request = samples::credit_note();
        let [supplier, recipient, number, address, label, note] = names;
        request.supplier.name = supplier;
        request.supplier.address = vec![address];
        let party = request.recipient.as_mut().unwrap();
        party.name = recipient;
        let document = &mut request.document;
        document.kind = DocumentKind::Receipt;
        document.number = Some(number);
        document.tax_rows[0].label = label;
        document.notes = vec![note];
        document.references = texts;
        document.lines = lines.into_iter().map(|(description, quantity, price, net, discount, taxes)| {
            let mut line = samples::line(&description, &quantity, &price, &net);
            (line.discount, line.taxes) = (discount, taxes);
            line
        }).collect();
        let [net, tax, gross, retained, payable] = totals;
        (document.totals.net, document.totals.tax, document.totals.gross) = (net, tax, gross);
        (document.totals.retained, document.totals.payable) = (Some(retained), payable);
        (document.currency_decimals, document.is_draft) = (decimals, is_draft);
        Request { stamp, locale: locale.to_owned(), logo, ..request }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_request_panics_and_none_is_refused_without_a_reason(request in request()) {
        match render(&request) {
            Ok(pdf) => prop_assert!(pdf.starts_with(b"%PDF-1.7")),
            Err(faults) => {
                prop_assert!(!faults.is_empty());
                prop_assert!(faults.iter().all(|fault| fault.code != render_pdf::faults::FILE), "{faults:?}");
            }
        }
    }

    #[test]
    fn texts_of_any_characters_give_a_valid_file(texts in proptest::array::uniform4(proptest::collection::vec(any::<char>(), 1..40))) {
        let mut request = samples::invoice();
        let [name, number, description, note] = texts.map(|characters| characters.into_iter().collect::<String>());
        request.supplier.name = format!("a{name}");
        request.document.number = Some(number);
        request.document.lines[0].description = description;
        request.document.notes = vec![note];
        prop_assert!(render(&request).is_ok());
    }
}
