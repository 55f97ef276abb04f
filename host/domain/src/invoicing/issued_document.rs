//! What a document of another system has to say before it is taken over.

use super::numbering::NUMBER_CHARS_MAX;
use super::{
    Acceptance, Content, DocumentKind, ImportOrigin, ImportedFile, Invoice, InvoiceNumber, State, Totals,
    TotalsError,
};
use crate::ids::{InvoiceId, WorkspaceId};
use crate::money::{Amount, Rounding};
use crate::{ErrorCode, FieldError, Stamp};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;

/// Most stamps of a document.
const STAMPS_MAX: usize = 20;
/// Longest key of a stamp, characters.
const STAMP_KEY_CHARS_MAX: usize = 64;
/// Longest value of a stamp, address or hash, characters.
const PROOF_CHARS_MAX: usize = 2_000;
/// Longest name of a system, characters.
const SYSTEM_CHARS_MAX: usize = 100;

/// The figures of a document as its own system states them. What its lines come to has to be the same: it is credited by its lines.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StatedTotals {
    /// Before tax.
    pub net: Amount,
    /// Tax, surcharges included.
    pub tax: Amount,
    /// Net and tax.
    pub gross: Amount,
    /// Withheld by the recipient; where it is left out, what the lines come to.
    pub retained: Option<Amount>,
    /// What is paid; where it is left out, what the lines come to.
    pub payable: Option<Amount>,
}

impl StatedTotals {
    /// What the lines of a document come to by the `usual` rule; by the other one where only that comes to what is stated, because its
    /// own system rounded so.
    pub fn computed(&self, content: &Content, usual: Rounding) -> Result<Totals, TotalsError> {
        let totals = Totals::rounded(content, usual)?;
        if self.differences(&totals).is_empty() {
            return Ok(totals);
        }
        let others = Rounding::ALL.into_iter().filter(|rounding| *rounding != usual);
        let mut others = others.filter_map(|rounding| Totals::rounded(content, rounding).ok());
        Ok(others.find(|totals| self.differences(totals).is_empty()).unwrap_or(totals))
    }

    /// Every figure that is not what the lines come to.
    fn differences(&self, totals: &Totals) -> Vec<FieldError> {
        let figures = [
            ("totals.net", Some(self.net), totals.net),
            ("totals.tax", Some(self.tax), totals.tax),
            ("totals.gross", Some(self.gross), totals.gross),
            ("totals.retained", self.retained, totals.retained),
            ("totals.payable", self.payable, totals.payable),
        ];
        let differing = |(field, stated, computed): (&str, Option<Amount>, Amount)| {
            let stated = stated.filter(|stated| !stated.same_value(computed))?;
            let message = format!("is {stated}, and the lines come to {computed}");
            Some(FieldError::new(field, ErrorCode::TotalsDiffer, message))
        };
        figures.into_iter().filter_map(differing).collect()
    }
}

/// A document that another system issued, with everything that is taken over of it.
#[derive(Debug, Clone, PartialEq)]
pub struct IssuedDocument {
    /// Under which it is known from now on.
    pub id: InvoiceId,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// Its number there.
    pub number: InvoiceNumber,
    /// When it was issued; none: as its issue date began.
    pub issued_at: Option<Timestamp>,
    /// What it says.
    pub content: Content,
    /// What its lines come to.
    pub totals: Totals,
    /// What its system says that they come to.
    pub stated: StatedTotals,
    /// The system.
    pub system: Option<String>,
    /// What the authority gave for it.
    pub stamps: Vec<Stamp>,
    /// Where anybody verifies it.
    pub qr_url: Option<String>,
    /// The tax system's hash of its record.
    pub tax_system_hash: Option<String>,
    /// When the authority accepted it; none: when it was issued.
    pub accepted_at: Option<Timestamp>,
    /// Its files; one of each type.
    pub files: Vec<ImportedFile>,
    /// Whether the numbers between the last one of its series and its own were never used.
    pub skips_unused: bool,
}

impl IssuedDocument {
    /// Everything that keeps it from being taken over, whatever else is stored.
    pub fn faults(&self) -> Vec<FieldError> {
        let Self { content, number, .. } = self;
        let mut faults = Vec::new();
        let mut refuse =
            |field: &str, code, message: &str| faults.push(FieldError::new(field, code, message));
        let is_printed = |text: &str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if number.0.trim().is_empty() {
            refuse("number", ErrorCode::Required, "is empty");
        } else if number.0.len() > NUMBER_CHARS_MAX {
            refuse("number", ErrorCode::TooLong, "use at most 60 characters");
        } else if number.0.trim() != number.0 || !is_printed(&number.0) {
            refuse("number", ErrorCode::InvalidCharacters, "use printable ASCII, without spaces around it");
        }
        if !content.document_type.has_series() {
            let message = "only an invoice and a credit_note are issued";
            refuse("document_type", ErrorCode::InvoiceInvalidDocumentType, message);
        }
        if content.issue_date.is_none() {
            refuse("issue_date", ErrorCode::Required, "is required: the day on which it was issued");
        }
        if content.lines.is_empty() {
            refuse(
                "lines",
                ErrorCode::DocumentWithoutLines,
                "it bills nothing: give its lines, or one for each rate",
            );
        }
        if content.document_type == DocumentKind::CreditNote && self.totals.gross.is_negative() {
            let message = "a credit_note is what it gives back: write its amounts without minus";
            refuse("lines", ErrorCode::OutOfRange, message);
        }
        if self.stamps.len() > STAMPS_MAX {
            refuse("stamps", ErrorCode::TooMany, "give at most 20");
        }
        let stamps = self.stamps.iter().flat_map(|stamp| {
            [
                ("stamps.provider", Some(&stamp.provider), STAMP_KEY_CHARS_MAX),
                ("stamps.value", Some(&stamp.value), PROOF_CHARS_MAX),
            ]
        });
        let texts = [
            ("system", self.system.as_ref(), SYSTEM_CHARS_MAX),
            ("qr_url", self.qr_url.as_ref(), PROOF_CHARS_MAX),
            ("tax_system_hash", self.tax_system_hash.as_ref(), PROOF_CHARS_MAX),
        ];
        for (field, text, max) in texts.into_iter().chain(stamps) {
            match text {
                Some(text) if text.trim().is_empty() => refuse(field, ErrorCode::Required, "is empty"),
                Some(text) if text.chars().any(char::is_control) => {
                    refuse(field, ErrorCode::InvalidCharacters, "may not contain control characters");
                }
                Some(text) if text.chars().count() > max => {
                    refuse(field, ErrorCode::TooLong, &format!("use at most {max} characters"));
                }
                Some(_) | None => {}
            }
        }
        let is_address = |text: &str| text.starts_with("https://") || text.starts_with("http://");
        if self.qr_url.as_deref().is_some_and(|text| !is_address(text)) {
            refuse("qr_url", ErrorCode::InvalidFormat, "use an address that begins with https://");
        }
        if !content.lines.is_empty() {
            faults.extend(self.stated.differences(&self.totals));
        }
        faults
    }

    /// Only what was issued: neither its day lies behind `today`, in the workspace's time zone, nor its times behind `now`.
    ///
    /// # Errors
    /// The first member that does.
    pub fn ensure_past(&self, today: Date, now: Timestamp) -> Result<(), FieldError> {
        let is_ahead = |at: Option<Timestamp>| at.is_some_and(|at| at > now);
        let members = [
            ("issue_date", self.content.issue_date.is_some_and(|date| date > today)),
            ("issued_at", is_ahead(self.issued_at)),
            ("accepted_at", is_ahead(self.accepted_at)),
        ];
        let ahead = members.into_iter().find(|(_, is_ahead)| *is_ahead);
        ahead.map_or(Ok(()), |(field, _)| {
            let message = "is in the future: only what was issued is imported";
            Err(FieldError::new(field, ErrorCode::InTheFuture, message))
        })
    }

    /// The document as it is kept: issued at `at` by another system, never on its way to an authority from here.
    pub fn into_invoice(self, at: Timestamp, now: Timestamp) -> (Invoice, Vec<ImportedFile>) {
        let Self { id, workspace, number, content, totals, system, stamps, qr_url, tax_system_hash, .. } =
            self;
        let accepted_at = self.accepted_at.unwrap_or(at);
        let is_proven = qr_url.is_some() || tax_system_hash.is_some() || self.accepted_at.is_some();
        let acceptance = is_proven.then_some(Acceptance {
            qr_url,
            tax_system_hash,
            accepted_at,
            warnings: Vec::new(),
            sandbox: false,
        });
        let files = self.files.iter().map(ImportedFile::digest).collect();
        let imported = Some(Box::new(ImportOrigin { system, stamps, files }));
        let invoice = Invoice {
            id,
            workspace,
            content,
            totals,
            state: State::Issued { number, at, acceptance, imported },
            send_to_tax_authority: false,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        (invoice, self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invoicing::{ImportedFileType, Line, LineTax};
    use crate::money::Percent;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    /// A document of one line: 100.00 and 21 %.
    fn document() -> IssuedDocument {
        let tax = LineTax {
            category: "VAT".to_owned(),
            rate: Some(Percent::new(amount("21")).unwrap()),
            surcharge: None,
            exemption: None,
        };
        let line = Line {
            transaction_id: None,
            description: "Consulting".to_owned(),
            quantity: amount("1"),
            unit_price: amount("100"),
            tax,
            period: None,
            ext: std::collections::BTreeMap::new(),
        };
        let content = Content {
            document_type: DocumentKind::Invoice,
            currency: "EUR".to_owned(),
            booking_id: None,
            issue_date: Some(jiff::civil::date(2026, 10, 1)),
            operation_date: None,
            prices_include_tax: false,
            recipient: None,
            lines: vec![line],
            retentions: Vec::new(),
            referenced_document_ids: Vec::new(),
            notes: None,
            payment: None,
            ext: std::collections::BTreeMap::new(),
        };
        IssuedDocument {
            id: InvoiceId(uuid::Uuid::nil()),
            workspace: WorkspaceId(1),
            number: InvoiceNumber("2026/17".to_owned()),
            issued_at: None,
            totals: Totals::of(&content).unwrap(),
            content,
            stated: StatedTotals {
                net: amount("100"),
                tax: amount("21.00"),
                gross: amount("121.0"),
                retained: None,
                payable: None,
            },
            system: None,
            stamps: Vec::new(),
            qr_url: None,
            tax_system_hash: None,
            accepted_at: None,
            files: Vec::new(),
            skips_unused: false,
        }
    }

    fn codes(document: &IssuedDocument) -> Vec<(String, ErrorCode)> {
        document.faults().into_iter().map(|fault| (fault.field, fault.code)).collect()
    }

    fn fault(field: &str, code: ErrorCode) -> Vec<(String, ErrorCode)> {
        vec![(field.to_owned(), code)]
    }

    #[test]
    fn a_complete_document_is_taken_however_its_figures_are_written() {
        assert_eq!(document().faults(), []);
    }

    #[test]
    fn figures_that_are_not_what_the_lines_come_to_are_named() {
        let mut wrong = document();
        wrong.stated.tax = amount("21.01");
        wrong.stated.payable = Some(amount("121.01"));
        let faults = wrong.faults();
        let sentences: Vec<_> =
            faults.iter().map(|fault| (fault.field.as_str(), fault.message.as_str())).collect();
        assert_eq!(
            sentences,
            [
                ("totals.tax", "is 21.01, and the lines come to 21.00"),
                ("totals.payable", "is 121.01, and the lines come to 121.00"),
            ]
        );
        assert!(faults.iter().all(|fault| fault.code == ErrorCode::TotalsDiffer));
    }

    #[test]
    fn a_document_that_its_system_rounded_otherwise_is_taken_over_as_it_was() {
        let mut content = document().content;
        content.prices_include_tax = false;
        let line = Line { unit_price: "0.335".parse().unwrap(), ..content.lines[0].clone() };
        let line = Line { quantity: "1".parse().unwrap(), ..line };
        content.lines = vec![line.clone(), line];
        for (usual, stated_by) in [
            (Rounding::Precise, Rounding::Precise),
            (Rounding::Precise, Rounding::Currency),
            (Rounding::Currency, Rounding::Precise),
        ] {
            let totals = Totals::rounded(&content, stated_by).unwrap();
            let stated = StatedTotals {
                net: totals.net,
                tax: totals.tax,
                gross: totals.gross,
                retained: None,
                payable: None,
            };
            assert_eq!(stated.computed(&content, usual), Ok(totals));
            let wrong = StatedTotals { net: "7".parse().unwrap(), ..stated };
            assert_eq!(wrong.computed(&content, usual).unwrap().rounding, usual);
        }
    }

    #[test]
    fn a_document_that_is_not_complete_is_refused() {
        let with = |change: &dyn Fn(&mut IssuedDocument)| {
            let mut changed = document();
            change(&mut changed);
            codes(&changed)
        };
        assert_eq!(with(&|it| it.content.issue_date = None), fault("issue_date", ErrorCode::Required));
        assert_eq!(with(&|it| it.content.lines.clear()), fault("lines", ErrorCode::DocumentWithoutLines));
        let kind = fault("document_type", ErrorCode::InvoiceInvalidDocumentType);
        assert_eq!(with(&|it| it.content.document_type = DocumentKind::Proforma), kind);
        for (number, code) in [
            ("", ErrorCode::Required),
            (" 1", ErrorCode::InvalidCharacters),
            ("17\n", ErrorCode::InvalidCharacters),
            ("Nº 17", ErrorCode::InvalidCharacters),
        ] {
            let refused = with(&|it| it.number = InvoiceNumber(number.to_owned()));
            assert_eq!(refused, fault("number", code), "{number:?}");
        }
        let long = with(&|it| it.number = InvoiceNumber("9".repeat(61)));
        assert_eq!(long, fault("number", ErrorCode::TooLong));
        let mut note = document();
        note.content.document_type = DocumentKind::CreditNote;
        note.content.lines[0].unit_price = amount("-100");
        note.totals = Totals::of(&note.content).unwrap();
        let negative = [amount("-100"), amount("-21"), amount("-121")];
        [note.stated.net, note.stated.tax, note.stated.gross] = negative;
        assert_eq!(codes(&note), fault("lines", ErrorCode::OutOfRange));
        let script = with(&|it| it.qr_url = Some("javascript:alert(1)".to_owned()));
        assert_eq!(script, fault("qr_url", ErrorCode::InvalidFormat));
        let stamp = Stamp { provider: "verifactu-qr".to_owned(), value: " ".to_owned() };
        assert_eq!(with(&|it| it.stamps = vec![stamp.clone()]), fault("stamps.value", ErrorCode::Required));
    }

    #[test]
    fn only_what_was_issued_is_imported() {
        let (day, before) = (jiff::civil::date(2026, 10, 1), jiff::civil::date(2026, 9, 30));
        let ahead =
            |document: IssuedDocument, today| document.ensure_past(today, NOW).map_err(|fault| fault.field);
        assert_eq!(ahead(document(), day), Ok(()));
        assert_eq!(ahead(document(), before), Err("issue_date".to_owned()));
        let later = Some(Timestamp::from_second(1).unwrap());
        let issued = IssuedDocument { issued_at: later, ..document() };
        assert_eq!(ahead(issued, day), Err("issued_at".to_owned()));
        let accepted = IssuedDocument { accepted_at: later, ..document() };
        assert_eq!(ahead(accepted, day), Err("accepted_at".to_owned()));
    }

    #[test]
    fn it_is_issued_by_another_system_and_goes_nowhere() {
        let (plain, _) = document().into_invoice(NOW, NOW);
        let State::Issued { acceptance, imported, .. } = &plain.state else { panic!("{:?}", plain.state) };
        assert_eq!((acceptance, imported), (&None, &Some(Box::default())));
        assert!(!plain.send_to_tax_authority);

        let file = ImportedFile { file_type: ImportedFileType::Pdf, content: b"%PDF-1.7".to_vec() };
        let proven = IssuedDocument {
            qr_url: Some("https://example.org/qr".to_owned()),
            files: vec![file.clone()],
            ..document()
        };
        let (proven, files) = proven.into_invoice(NOW, NOW);
        assert_eq!(files, [file]);
        let State::Issued { acceptance: Some(proof), imported: Some(origin), .. } = proven.state else {
            panic!("it has its proof and its origin")
        };
        assert_eq!((proof.accepted_at, proof.sandbox), (NOW, false));
        let digest = &origin.files[0];
        assert_eq!(
            (digest.media_type.as_str(), digest.size_bytes, digest.sha256.len()),
            ("application/pdf", 8, 64)
        );
    }
}
