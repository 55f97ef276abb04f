//! Files: that they are valid is what the writer itself checks, for PDF/A-3b and PDF/UA-1.

use crate::samples;
use render_pdf::bindings::{DocumentKind, Ext, Request};
use render_pdf::text::Locale;
use render_pdf::{describe, render};

fn rendered(request: &Request) -> Vec<u8> {
    render(request).unwrap()
}

fn count(pdf: &[u8], text: &str) -> usize {
    pdf.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
}

fn pages(pdf: &[u8]) -> usize {
    count(pdf, "/Type/Page/")
}

#[test]
fn an_invoice_fits_on_one_page_and_says_what_it_is() {
    let pdf = rendered(&samples::invoice());
    assert!(pdf.starts_with(b"%PDF-1.7"));
    assert_eq!(pages(&pdf), 1);
    for text in [
        "<pdfaid:part>3<",
        "<pdfaid:conformance>B<",
        "<pdfuaid:part>1<",
        "/Lang(es)",
        "/S/H1",
        "/S/TH",
        "/S/Figure",
        "Factura F-2026/0017",
        "D:20260727000000",
    ] {
        assert!(count(&pdf, text) > 0, "{text}");
    }
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    for request in [
        samples::invoice(),
        samples::of_gateway(),
        samples::draft(),
        samples::with_attachment(),
        samples::long(200),
    ] {
        assert_eq!(rendered(&request), rendered(&request));
    }
}

#[test]
fn two_hundred_lines_take_several_pages() {
    assert_eq!(pages(&rendered(&samples::long(200))), 8);
}

#[test]
fn a_document_without_lines_and_recipient_is_rendered() {
    let mut request = samples::long(0);
    request.recipient = None;
    request.document.tax_rows.clear();
    request.document.notes.clear();
    assert_eq!(pages(&rendered(&request)), 1);
}

#[test]
fn every_kind_has_its_title_in_every_locale() {
    let kinds = [
        DocumentKind::Invoice,
        DocumentKind::SimplifiedInvoice,
        DocumentKind::ReplacementInvoice,
        DocumentKind::CreditNote,
        DocumentKind::DebitNote,
        DocumentKind::Proforma,
        DocumentKind::Receipt,
    ];
    for locale in Locale::ALL {
        for kind in kinds {
            let mut request = samples::invoice();
            request.locale = locale.key().to_owned();
            request.document.kind = kind;
            let pdf = rendered(&request);
            let title = format!("{} F-2026/0017", locale.title(kind));
            assert!(count(&pdf, &title) > 0, "{title}");
            assert!(count(&pdf, &format!("/Lang({})", locale.key())) > 0);
        }
    }
    assert_eq!(describe().locales, ["es", "en", "it", "de", "pl", "fr", "pt", "el"]);
}

#[test]
fn a_credit_note_has_negative_lines_and_what_it_corrects() {
    let pdf = rendered(&samples::credit_note());
    assert_eq!(pages(&pdf), 1);
    let mut without = samples::credit_note();
    without.document.references.clear();
    assert_ne!(rendered(&without), pdf);
}

#[test]
fn a_draft_says_so_on_every_page() {
    let mut request = samples::long(60);
    // Nothing but the watermark is transparent, and the pages share how.
    let transparencies = |pdf: &[u8]| [count(pdf, "/ExtGState/ca "), count(pdf, "/ExtGState<</g0")];
    let plain = rendered(&request);
    request.document.is_draft = true;
    let draft = rendered(&request);
    assert!(pages(&draft) > 1);
    assert_eq!(transparencies(&plain), [0, 0]);
    assert_eq!(transparencies(&draft), [1, pages(&draft)]);
}

#[test]
fn a_rejected_document_says_so_instead_of_calling_itself_a_draft() {
    let mut request = samples::draft();
    let draft = rendered(&request);
    let mut with = |key: &str, value: &str| {
        request.document.ext = vec![Ext { key: key.to_owned(), value: value.to_owned() }];
        rendered(&request)
    };
    assert_eq!(with("status", "issuing"), draft);
    assert_eq!(with("stage", "rejected"), draft, "a key that it does not know");
    assert_ne!(with("status", "rejected"), draft);
}

#[test]
fn a_row_that_is_longer_than_a_page_goes_on_over_the_next_ones() {
    let mut request = samples::invoice();
    request.document.lines[0].description = "x".repeat(5_000);
    request.document.lines[1].description = "Sí, y más. ".repeat(450);
    request.document.lines[2].description = "a\n".repeat(300);
    assert!(pages(&rendered(&request)) > 7);
}

#[test]
fn figures_of_eighteen_digits_are_rendered() {
    let mut request = samples::invoice();
    let figure = "-1234567890123456.78".to_owned();
    let document = &mut request.document;
    for line in &mut document.lines {
        (line.quantity, line.unit_price, line.total) = (figure.clone(), figure.clone(), figure.clone());
        line.discount = Some(figure.clone());
    }
    document.tax_rows[0].base.clone_from(&figure);
    document.totals.payable = figure;
    assert_eq!(pages(&rendered(&request)), 1);
}

#[test]
fn currencies_have_no_decimals_or_three() {
    let yen = rendered(&samples::in_currency("JPY", 0));
    let dinar = rendered(&samples::in_currency("KWD", 3));
    assert_ne!(yen, dinar);
}

#[test]
fn characters_that_the_fonts_lack_do_not_keep_a_document_back() {
    let mut request = samples::invoice();
    request.supplier.name = "株式会社 \u{1f600} \u{0} \u{e000} \u{fffe} \u{feff} e\u{301}".to_owned();
    request.document.number = Some("شركة".to_owned());
    request.document.notes = vec!["\u{7}\u{202e}\u{200b}".to_owned()];
    rendered(&request);
}

#[test]
fn texts_as_long_as_they_may_be_are_rendered() {
    let mut request = samples::invoice();
    let long = |chars: usize| "Wörter und ".repeat(chars / 10).chars().take(chars).collect::<String>();
    let (text, short) = (long(2_000), long(200));
    for party in [Some(&mut request.supplier), request.recipient.as_mut()].into_iter().flatten() {
        party.name.clone_from(&text);
        let tax_id = party.tax_id.as_mut().unwrap();
        (tax_id.label, tax_id.value) = (short.clone(), "W".repeat(2_000));
        party.address = vec![text.clone(); 10];
        party.email = Some(text.clone());
    }
    let stamp = request.stamp.as_mut().unwrap();
    stamp.legend = vec![short.clone(); 6];
    stamp.hash = Some("F".repeat(5_000));
    let qr = stamp.qr.as_mut().unwrap();
    (qr.content, qr.caption, qr.side_mm_min) = ("x".repeat(2_331), Some(short.clone()), 60);
    request.document.number = Some(short);
    request.document.references = vec![text.clone(); 200];
    request.document.notes = vec!["w ".repeat(2_500); 20];
    request.document.tax_rows = vec![samples::tax_row(&text, "1", "1"); 400];
    for line in &mut request.document.lines {
        line.taxes = vec![text.clone(); 8];
    }
    rendered(&request);
}

#[test]
fn the_structured_invoice_is_inside() {
    let pdf = rendered(&samples::with_attachment());
    for text in ["/AFRelationship/Alternative", "(factur-x.xml)", "/text#2Fxml"] {
        assert!(count(&pdf, text) > 0, "{text}");
    }
}

#[test]
fn logos_of_every_colour_type_are_drawn() {
    let plain = rendered(&samples::english());
    for color in
        [png::ColorType::Grayscale, png::ColorType::GrayscaleAlpha, png::ColorType::Rgb, png::ColorType::Rgba]
    {
        for depth in [png::BitDepth::Eight, png::BitDepth::Sixteen] {
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, 7, 5);
            encoder.set_color(color);
            encoder.set_depth(depth);
            let mut writer = encoder.write_header().unwrap();
            let size = 35 * color.samples() * if depth == png::BitDepth::Sixteen { 2 } else { 1 };
            writer.write_image_data(&vec![0x7f; size]).unwrap();
            writer.finish().unwrap();
            let pdf = rendered(&Request { logo: Some(bytes), ..samples::english() });
            assert!(count(&pdf, "/Subtype/Image") > count(&plain, "/Subtype/Image"), "{color:?} {depth:?}");
        }
    }
}

#[test]
fn the_template_says_how_it_looks() {
    let plain = rendered(&samples::invoice());
    for template in [
        r##"{"accent_color": "#ffee00"}"##,
        r#"{"footer": "Registro Mercantil de Valencia"}"#,
        r#"{"show_hash": false, "page_size": "a4"}"#,
    ] {
        let request = Request { template: Some(template.to_owned()), ..samples::invoice() };
        assert_ne!(rendered(&request), plain, "{template}");
    }
    let nothing = Request { template: Some("{}".to_owned()), ..samples::invoice() };
    assert_eq!(rendered(&nothing), plain);
    let schema: serde_json::Value = serde_json::from_str(&describe().template_schema).unwrap();
    assert_eq!(schema["properties"].as_object().unwrap().len(), 4);
}
