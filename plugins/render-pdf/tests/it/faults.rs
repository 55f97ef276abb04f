//! Every fault, and where it points.

use crate::samples;
use render_pdf::bindings::{Attachment, QrCode, Relationship, Request};
use render_pdf::faults::{self, CODES};
use render_pdf::render;
use std::collections::BTreeSet;

fn found(request: &Request) -> Vec<(String, String)> {
    let found = render(request).unwrap_err();
    assert!(!found.is_empty());
    for fault in &found {
        assert!(fault.message.ends_with('.'), "{}", fault.message);
    }
    found.into_iter().map(|fault| (fault.code, fault.path)).collect()
}

fn one(change: impl FnOnce(&mut Request), code: &str, path: &str) {
    let mut request = samples::invoice();
    change(&mut request);
    assert_eq!(found(&request), [(code.to_owned(), path.to_owned())]);
}

fn attachment(name: &str, media_type: &str, size: usize) -> Attachment {
    Attachment {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        description: None,
        relationship: Relationship::Data,
        content: vec![0; size],
    }
}

fn qr(request: &mut Request) -> &mut QrCode {
    request.stamp.as_mut().unwrap().qr.as_mut().unwrap()
}

#[test]
fn codes_are_stable_and_each_is_there_once() {
    assert_eq!(CODES.iter().collect::<BTreeSet<_>>().len(), CODES.len());
    assert_eq!(
        CODES.join(" "),
        "RENDER-LOCALE-01 RENDER-CURRENCY-01 RENDER-CURRENCY-02 RENDER-AMOUNT-01 RENDER-DATE-01 RENDER-LINES-01 \
         RENDER-COUNT-01 RENDER-TEXT-01 RENDER-TEXT-02 RENDER-TEXT-03 RENDER-LOGO-01 RENDER-LOGO-02 RENDER-COLOR-01 \
         RENDER-QR-01 RENDER-QR-02 RENDER-ATTACHMENT-01 RENDER-ATTACHMENT-02 RENDER-ATTACHMENT-03 RENDER-TEMPLATE-01 \
         RENDER-FILE-01"
    );
}

#[test]
fn what_is_wrong_with_the_document_is_found() {
    one(|request| request.locale = "xx".to_owned(), faults::LOCALE, "/locale");
    for currency in ["", "eur", "EURO", "E1R", "€"] {
        one(
            |request| request.document.currency = currency.to_owned(),
            faults::CURRENCY,
            "/document/currency",
        );
    }
    let path = "/document/currency-decimals";
    one(|request| request.document.currency_decimals = 5, faults::CURRENCY_DECIMALS, path);
    one(
        |request| request.document.lines[1].total = "4,5".to_owned(),
        faults::AMOUNT,
        "/document/lines/1/total",
    );
    let path = "/document/lines/0/discount";
    one(|request| request.document.lines[0].discount = Some(String::new()), faults::AMOUNT, path);
    let path = "/document/totals/retained";
    one(|request| request.document.totals.retained = Some("NaN".to_owned()), faults::AMOUNT, path);
    let path = "/document/tax-rows/0/base";
    one(|request| request.document.tax_rows[0].base = "1e9".to_owned(), faults::AMOUNT, path);
    one(
        |request| request.document.issue_date = "27/07/2026".to_owned(),
        faults::DATE,
        "/document/issue-date",
    );
    let path = "/document/due-date";
    one(|request| request.document.due_date = Some("2026-02-30".to_owned()), faults::DATE, path);
    one(|request| request.document = samples::long(10_001).document, faults::LINES, "/document/lines");
    let path = "/document/references";
    one(|request| request.document.references = vec![String::new(); 201], faults::COUNT, path);
}

#[test]
fn texts_that_are_too_long_or_empty_are_found() {
    one(|request| request.supplier.name = "a".repeat(2_001), faults::TEXT_LENGTH, "/supplier/name");
    let number = |request: &mut Request| request.document.number = Some("a".repeat(201));
    one(number, faults::TEXT_LENGTH, "/document/number");
    let hash = |request: &mut Request| request.stamp.as_mut().unwrap().hash = Some("a".repeat(5_001));
    one(hash, faults::TEXT_LENGTH, "/stamp/hash");
    let path = "/document/lines/0/description";
    one(|request| request.document.lines[0].description = "ñ".repeat(5_001), faults::TEXT_LENGTH, path);
    one(
        |request| request.recipient.as_mut().unwrap().name = " \n".to_owned(),
        faults::TEXT_EMPTY,
        "/recipient/name",
    );
    let long = |request: &mut Request| {
        let line = samples::line(&"a".repeat(5_000), "1", "1", "1");
        request.document.lines = vec![line; 401];
    };
    one(long, faults::TEXT_TOTAL, "");
    let line_feeds = |request: &mut Request| {
        let line = samples::line(&"\n".repeat(5_000), "1", "1", "1");
        request.document.lines = vec![line; 6];
    };
    one(line_feeds, faults::TEXT_TOTAL, "");
}

#[test]
fn what_is_wrong_with_pictures_is_found() {
    one(|request| request.logo = Some(Vec::new()), faults::LOGO, "/logo");
    one(|request| request.logo = Some(b"GIF89a".to_vec()), faults::LOGO, "/logo");
    let mut cut = samples::logo(64, 64);
    cut.truncate(cut.len() / 2);
    one(|request| request.logo = Some(cut), faults::LOGO, "/logo");
    one(|request| request.logo = Some(vec![0; (1 << 20) + 1]), faults::LOGO_SIZE, "/logo");
    one(|request| request.logo = Some(samples::logo(2_000, 1_001)), faults::LOGO_SIZE, "/logo");
    one(|request| request.accent_color = Some("red".to_owned()), faults::COLOR, "/accent-color");
    one(|request| request.accent_color = Some("#12é45".to_owned()), faults::COLOR, "/accent-color");
    one(|request| qr(request).content = String::new(), faults::QR_CONTENT, "/stamp/qr/content");
    one(|request| qr(request).content = "a".repeat(2_332), faults::QR_CONTENT, "/stamp/qr/content");
    one(|request| qr(request).side_mm_min = 14, faults::QR_SIDE, "/stamp/qr/side-mm-min");
}

#[test]
fn what_is_wrong_with_attachments_is_found() {
    let with = |attachments: Vec<Attachment>| move |request: &mut Request| request.attachments = attachments;
    for name in ["", "a/b", "..\\a", "a\u{0}"] {
        one(with(vec![attachment(name, "text/xml", 1)]), faults::ATTACHMENT_NAME, "/attachments/0/name");
    }
    let twice = vec![attachment("a", "text/xml", 1), attachment("a", "text/xml", 1)];
    one(with(twice), faults::ATTACHMENT_NAME, "/attachments/1/name");
    for media_type in ["", "xml", "text/", "text/x ml"] {
        let path = "/attachments/0/media-type";
        one(with(vec![attachment("a", media_type, 1)]), faults::ATTACHMENT_MEDIA_TYPE, path);
    }
    one(with(vec![attachment("a", "text/xml", (8 << 20) + 1)]), faults::ATTACHMENT_SIZE, "/attachments");
    let many = (0..21).map(|at| attachment(&at.to_string(), "text/xml", 1)).collect();
    one(with(many), faults::COUNT, "/attachments");
}

#[test]
fn what_is_wrong_with_the_template_is_found() {
    let templates =
        ["", "[]", "{\"color\": \"#000000\"}", "{\"show_hash\": 1}", "{\"page_size\": \"letter\"}"];
    for template in templates
        .map(str::to_owned)
        .into_iter()
        .chain([format!("{{\"footer\": \"{}\"}}", "a".repeat(16 << 10))])
    {
        one(|request| request.template = Some(template), faults::TEMPLATE, "/template");
    }
    let footer = format!("{{\"footer\": \"{}\"}}", "a".repeat(501));
    one(|request| request.template = Some(footer), faults::TEXT_LENGTH, "/template/footer");
    let color = r#"{"accent_color": "000000"}"#.to_owned();
    one(|request| request.template = Some(color), faults::COLOR, "/template/accent_color");
}

#[test]
fn everything_that_is_wrong_is_found_at_once_and_not_without_end() {
    let mut request = samples::long(500);
    request.locale = String::new();
    request.template = Some("?".to_owned());
    for line in &mut request.document.lines {
        line.total = "?".to_owned();
    }
    let found = found(&request);
    assert_eq!(found.len(), 101);
    assert_eq!(found.last().unwrap().0, faults::TEMPLATE);
}
