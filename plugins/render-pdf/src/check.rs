//! Everything that keeps a request from being rendered, found before anything is laid out.

use crate::bindings::{Document, Fault, Party, QrCode, Request, Stamp, TaxRow};
use crate::faults::{self, fault};
use crate::money::Decimal;
use crate::text::{Date, Locale};
use std::collections::BTreeSet;

/// Lines of a document.
pub const LINES_MAX: usize = 10_000;
/// Characters of a description of a line, and of a note.
pub const LONG_TEXT_CHARS_MAX: usize = 5_000;
/// Characters of the authority's proof.
pub const HASH_CHARS_MAX: usize = 5_000;
/// Characters of what stands where there is little room: numbers, labels, what stands beside the QR code.
pub const SHORT_TEXT_CHARS_MAX: usize = 200;
/// Characters of every other text.
pub const TEXT_CHARS_MAX: usize = 2_000;
/// Rows of the breakdown by tax, and of what is withheld.
const TAX_ROWS_MAX: usize = 1_000;
const RETENTION_ROWS_MAX: usize = 200;
/// Lines beside the QR code.
const LEGEND_MAX: usize = 6;
/// Characters of all texts together.
pub const ALL_TEXTS_CHARS_MAX: usize = 2_000_000;
/// What a line feed counts for among those.
const LINE_FEED_CHARS: usize = 79;
/// Bytes of what a QR code says: what the largest one holds at level M.
pub const QR_BYTES_MAX: usize = 2_331;
/// Bytes of all attachments together.
pub const ATTACHMENT_BYTES_MAX: usize = 8 << 20;
/// Faults of one answer: enough to correct a document by.
const FAULTS_MAX: usize = 100;

/// What is wrong with a request.
pub(crate) fn check(request: &Request) -> Vec<Fault> {
    let mut findings = Findings::default();
    if Locale::parse(&request.locale).is_none() {
        let known = Locale::ALL.map(Locale::key).join(", ");
        let message = format!("The renderer does not know the locale; use one of {known}.");
        findings.add(faults::LOCALE, "/locale", &message);
    }
    findings.party("/supplier", &request.supplier);
    if let Some(recipient) = &request.recipient {
        findings.party("/recipient", recipient);
    }
    if let Some(stamp) = &request.stamp {
        findings.stamp(stamp);
    }
    findings.document(&request.document);
    findings.attachments(request);
    if findings.chars > ALL_TEXTS_CHARS_MAX {
        let message =
            format!("The texts have more than {ALL_TEXTS_CHARS_MAX} characters together; shorten them.");
        findings.add(faults::TEXT_TOTAL, "", &message);
    }
    findings.faults
}

#[derive(Default)]
struct Findings {
    faults: Vec<Fault>,
    chars: usize,
}

impl Findings {
    fn add(&mut self, code: &str, path: &str, message: &str) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault(code, path, message));
        }
    }

    fn text(&mut self, path: &str, text: &str, chars_max: usize) {
        let chars = text.chars().count();
        self.chars += chars + text.matches('\n').count() * LINE_FEED_CHARS;
        if chars > chars_max {
            self.add(
                faults::TEXT_LENGTH,
                path,
                &format!("The text has more than {chars_max} characters; shorten it."),
            );
        }
    }

    /// A list of texts.
    fn texts(&mut self, path: &str, texts: &[String], count_max: usize, chars_max: usize) {
        self.count(path, texts.len(), count_max);
        for (at, text) in texts.iter().enumerate().take(count_max) {
            self.text(&format!("{path}/{at}"), text, chars_max);
        }
    }

    fn count(&mut self, path: &str, count: usize, count_max: usize) {
        if count > count_max {
            self.add(
                faults::COUNT,
                path,
                &format!("There are more than {count_max} of these; leave some out."),
            );
        }
    }

    fn amount(&mut self, path: &str, text: &str) {
        if Decimal::parse(text).is_none() {
            let message = "The figure is no decimal of at most 18 digits, such as -1234.50; write it as one.";
            self.add(faults::AMOUNT, path, message);
        }
    }

    fn date(&mut self, path: &str, text: &str) {
        if Date::parse(text).is_none() {
            self.add(faults::DATE, path, "The date is no day of the calendar as YYYY-MM-DD; correct it.");
        }
    }

    fn party(&mut self, path: &str, party: &Party) {
        self.text(&format!("{path}/name"), &party.name, TEXT_CHARS_MAX);
        if party.name.trim().is_empty() {
            self.add(faults::TEXT_EMPTY, &format!("{path}/name"), "The party has no name; fill it in.");
        }
        if let Some(tax_id) = &party.tax_id {
            self.text(&format!("{path}/tax-id/label"), &tax_id.label, SHORT_TEXT_CHARS_MAX);
            self.text(&format!("{path}/tax-id/value"), &tax_id.value, TEXT_CHARS_MAX);
        }
        self.texts(&format!("{path}/address"), &party.address, 10, TEXT_CHARS_MAX);
        if let Some(email) = &party.email {
            self.text(&format!("{path}/email"), email, TEXT_CHARS_MAX);
        }
    }

    fn stamp(&mut self, stamp: &Stamp) {
        self.texts("/stamp/legend", &stamp.legend, LEGEND_MAX, SHORT_TEXT_CHARS_MAX);
        if let Some(hash) = &stamp.hash {
            self.text("/stamp/hash", hash, HASH_CHARS_MAX);
        }
        let Some(QrCode { content, caption, side_mm_min }) = &stamp.qr else { return };
        if content.is_empty() || content.len() > QR_BYTES_MAX {
            let message =
                format!("The QR code says nothing or more than {QR_BYTES_MAX} bytes; correct its content.");
            self.add(faults::QR_CONTENT, "/stamp/qr/content", &message);
        }
        if let Some(caption) = caption {
            self.text("/stamp/qr/caption", caption, SHORT_TEXT_CHARS_MAX);
        }
        if !(15..=60).contains(side_mm_min) {
            let message = "The side of the QR code is not from 15 to 60 mm; choose one that is.";
            self.add(faults::QR_SIDE, "/stamp/qr/side-mm-min", message);
        }
    }

    fn document(&mut self, document: &Document) {
        if let Some(number) = &document.number {
            self.text("/document/number", number, SHORT_TEXT_CHARS_MAX);
        }
        self.date("/document/issue-date", &document.issue_date);
        for (path, date) in [
            ("/document/operation-date", &document.operation_date),
            ("/document/due-date", &document.due_date),
        ] {
            if let Some(date) = date {
                self.date(path, date);
            }
        }
        let is_code =
            document.currency.len() == 3 && document.currency.bytes().all(|byte| byte.is_ascii_uppercase());
        if !is_code {
            let message = "The currency is no code of ISO 4217, such as EUR; correct it.";
            self.add(faults::CURRENCY, "/document/currency", message);
        }
        if document.currency_decimals > 4 {
            let message = "A currency has at most 4 decimals; correct their number.";
            self.add(faults::CURRENCY_DECIMALS, "/document/currency-decimals", message);
        }
        self.lines(document);
        self.totals(document);
        self.texts("/document/references", &document.references, 200, TEXT_CHARS_MAX);
        self.texts("/document/notes", &document.notes, 20, LONG_TEXT_CHARS_MAX);
    }

    fn lines(&mut self, document: &Document) {
        if document.lines.len() > LINES_MAX {
            let message = format!("The document has more than {LINES_MAX} lines; split it.");
            self.add(faults::LINES, "/document/lines", &message);
            return;
        }
        for (at, line) in document.lines.iter().enumerate() {
            let path = format!("/document/lines/{at}");
            self.text(&format!("{path}/description"), &line.description, LONG_TEXT_CHARS_MAX);
            self.texts(&format!("{path}/taxes"), &line.taxes, 8, TEXT_CHARS_MAX);
            let discount = line.discount.as_ref().map(|discount| ("discount", discount));
            let figures =
                [("quantity", &line.quantity), ("unit-price", &line.unit_price), ("total", &line.total)];
            for (name, figure) in figures.into_iter().chain(discount) {
                self.amount(&format!("{path}/{name}"), figure);
            }
        }
    }

    fn totals(&mut self, document: &Document) {
        let totals = &document.totals;
        let retained = totals.retained.as_ref().map(|retained| ("retained", retained));
        let figures = [
            ("net", &totals.net),
            ("tax", &totals.tax),
            ("gross", &totals.gross),
            ("payable", &totals.payable),
        ];
        for (name, figure) in figures.into_iter().chain(retained) {
            self.amount(&format!("/document/totals/{name}"), figure);
        }
        self.tax_rows("/document/tax-rows", &document.tax_rows, TAX_ROWS_MAX);
        self.tax_rows("/document/retention-rows", &document.retention_rows, RETENTION_ROWS_MAX);
    }

    fn tax_rows(&mut self, path: &str, rows: &[TaxRow], count_max: usize) {
        self.count(path, rows.len(), count_max);
        for (at, row) in rows.iter().enumerate().take(count_max) {
            self.text(&format!("{path}/{at}/label"), &row.label, TEXT_CHARS_MAX);
            self.amount(&format!("{path}/{at}/base"), &row.base);
            self.amount(&format!("{path}/{at}/amount"), &row.amount);
        }
    }

    fn attachments(&mut self, request: &Request) {
        self.count("/attachments", request.attachments.len(), 20);
        let mut names = BTreeSet::new();
        for (at, attachment) in request.attachments.iter().enumerate() {
            let (path, name) = (format!("/attachments/{at}"), &attachment.name);
            self.text(&format!("{path}/name"), name, SHORT_TEXT_CHARS_MAX);
            if let Some(description) = &attachment.description {
                self.text(&format!("{path}/description"), description, TEXT_CHARS_MAX);
            }
            let is_name = !name.trim().is_empty()
                && !name.chars().any(|character| character.is_control() || matches!(character, '/' | '\\'));
            if !is_name || !names.insert(name) {
                let message = "The attachment has no name, a path, or the name of another; rename it.";
                self.add(faults::ATTACHMENT_NAME, &format!("{path}/name"), message);
            }
            if !is_media_type(&attachment.media_type) {
                let message = "The attachment's media type is none, such as text/xml; correct it.";
                self.add(faults::ATTACHMENT_MEDIA_TYPE, &format!("{path}/media-type"), message);
            }
        }
        let bytes: usize = request.attachments.iter().map(|attachment| attachment.content.len()).sum();
        if bytes > ATTACHMENT_BYTES_MAX {
            let message =
                format!("The attachments have more than {ATTACHMENT_BYTES_MAX} bytes; leave some out.");
            self.add(faults::ATTACHMENT_SIZE, "/attachments", &message);
        }
    }
}

fn is_media_type(text: &str) -> bool {
    text.len() <= 100 && krilla::embed::MimeType::new(text).is_some()
}
