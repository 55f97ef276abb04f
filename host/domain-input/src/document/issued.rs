//! A document that another system issued, as a line of an import says it: the members of a document, and what that system and the
//! authority made of it.

use super::{DocumentForm, TaxCheck};
use crate::read;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    IMPORTED_FILE_BYTES_MAX, ImportedFile, ImportedFileType, InvoiceNumber, IssuedDocument, StatedTotals,
};
use gateway_domain::{ErrorCode, FieldError, Stamp};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Characters of base64 that the longest file has, at most.
const BASE64_CHARS_MAX: usize = IMPORTED_FILE_BYTES_MAX.div_ceil(3).saturating_mul(4);

/// What a line says besides the members of a document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct OriginForm {
    id: InvoiceId,
    number: String,
    #[serde(default)]
    issued_at: Option<Timestamp>,
    totals: StatedTotals,
    #[serde(default)]
    system: Option<String>,
    #[serde(default)]
    stamps: Vec<Stamp>,
    #[serde(default)]
    qr_url: Option<String>,
    #[serde(default)]
    tax_system_hash: Option<String>,
    #[serde(default)]
    accepted_at: Option<Timestamp>,
    #[serde(default)]
    files: Vec<FileForm>,
    #[serde(default)]
    skips_unused: bool,
}

/// A file; what it is, its first bytes say.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct FileForm {
    /// Base64 (RFC 4648, section 4), padded, on one line.
    content: String,
}

/// A document that another system issued, as sent.
#[derive(Debug, Clone)]
pub struct IssuedDocumentForm {
    origin: OriginForm,
    document: DocumentForm,
}

impl IssuedDocumentForm {
    /// The members of a line.
    pub const MEMBERS: &'static [&'static str] = &[
        "id",
        "number",
        "issued_at",
        "totals",
        "system",
        "stamps",
        "qr_url",
        "tax_system_hash",
        "accepted_at",
        "files",
        "skips_unused",
        "workspace_id",
        "document_type",
        "currency",
        "booking_id",
        "issue_date",
        "operation_date",
        "prices_include_tax",
        "recipient",
        "lines",
        "retentions",
        "referenced_document_ids",
        "notes",
        "payment",
        "ext",
    ];
    /// How many of them, from the first on, the form of a document does not have.
    const OWN: usize = 11;
    /// Those that the form of a document has.
    pub(super) const OF_DOCUMENT: &'static [&'static str] = Self::MEMBERS.split_at(Self::OWN).1;

    /// Reads a line; members that are not among [`Self::MEMBERS`] are passed over.
    ///
    /// # Errors
    /// Every member that does not fit.
    pub fn read(members: Map<String, Value>) -> Result<Self, Vec<FieldError>> {
        let (own, _) = Self::MEMBERS.split_at(Self::OWN);
        let (mut origin, mut document) = (Map::new(), Map::new());
        for (name, value) in members {
            if own.contains(&name.as_str()) {
                origin.insert(name, value);
            } else if Self::OF_DOCUMENT.contains(&name.as_str()) {
                document.insert(name, value);
            }
        }
        let origin = read::<OriginForm>(&Value::Object(origin));
        let document = read::<DocumentForm>(&Value::Object(document));
        match (origin, document) {
            (Ok(origin), Ok(document)) => Ok(Self { origin, document }),
            (origin, document) => {
                Err([origin.err(), document.err()].into_iter().flatten().flatten().collect())
            }
        }
    }

    /// The workspace, before anything else can be checked.
    ///
    /// # Errors
    /// It is not named.
    pub fn workspace(&self) -> Result<WorkspaceId, FieldError> {
        self.document.workspace()
    }

    /// The document, or everything that is wrong with it whatever else is stored.
    ///
    /// # Errors
    /// At least one mistake.
    pub fn check(self, taxes: TaxCheck<'_>) -> Result<IssuedDocument, Vec<FieldError>> {
        let Self { origin, document } = self;
        let workspace = document.workspace().map_err(|fault| vec![fault])?;
        let (files, mut faults) = files(&origin.files);
        let content = match document.check(taxes) {
            Ok(content) => content,
            Err(found) => return Err(found.into_iter().chain(faults).collect()),
        };
        let totals = match origin.totals.computed(&content, taxes.rounding()) {
            Ok(totals) => totals,
            Err(error) => return Err(std::iter::once(error.into()).chain(faults).collect()),
        };
        let document = IssuedDocument {
            id: origin.id,
            workspace,
            number: InvoiceNumber(origin.number),
            issued_at: origin.issued_at.map(as_stored),
            content,
            totals,
            stated: origin.totals,
            system: origin.system,
            stamps: origin.stamps,
            qr_url: origin.qr_url,
            tax_system_hash: origin.tax_system_hash,
            accepted_at: origin.accepted_at.map(as_stored),
            files,
            skips_unused: origin.skips_unused,
        };
        faults.extend(document.faults());
        if faults.is_empty() { Ok(document) } else { Err(faults) }
    }
}

/// With the microseconds that databases keep, so that it is the same when it is read again.
fn as_stored(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

/// The files, and everything that is wrong with them.
fn files(forms: &[FileForm]) -> (Vec<ImportedFile>, Vec<FieldError>) {
    let (mut files, mut faults): (Vec<ImportedFile>, _) = (Vec::new(), Vec::new());
    for (index, form) in forms.iter().enumerate() {
        match file(form) {
            Ok(file) if files.iter().any(|other| other.file_type == file.file_type) => {
                let message =
                    format!("is another file of the type {}: give one of each", file.file_type.as_str());
                faults.push(FieldError::new(format!("files[{index}].content"), ErrorCode::TooMany, message));
            }
            Ok(file) => files.push(file),
            Err((code, message)) => {
                faults.push(FieldError::new(format!("files[{index}].content"), code, message));
            }
        }
    }
    files.sort_by_key(|file| file.file_type);
    (files, faults)
}

fn file(form: &FileForm) -> Result<ImportedFile, (ErrorCode, &'static str)> {
    const TOO_LONG: (ErrorCode, &str) =
        (ErrorCode::TooLong, "is longer than 512 KiB: make it smaller, or leave it out");
    if form.content.len() > BASE64_CHARS_MAX {
        return Err(TOO_LONG);
    }
    let content = STANDARD.decode(&form.content).map_err(|_| {
        (ErrorCode::InvalidFormat, "is no base64: encode the file on one line, padded (RFC 4648)")
    })?;
    if content.len() > IMPORTED_FILE_BYTES_MAX {
        return Err(TOO_LONG);
    }
    let file_type = ImportedFileType::of(&content)
        .ok_or((ErrorCode::InvalidFormat, "is neither a PDF nor XML in UTF-8 by its first bytes"))?;
    Ok(ImportedFile { file_type, content })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line() -> Value {
        json!({
            "id": "00000000-0000-7000-8000-000000000001",
            "workspace_id": 1,
            "document_type": "invoice",
            "number": "F-2026-000412",
            "issue_date": "2026-10-01",
            "currency": "EUR",
            "prices_include_tax": false,
            "lines": [{"description": "A", "quantity": "1", "unit_price": "100", "tax": {"category": "VAT", "rate": "21"}}],
            "totals": {"net": "100", "tax": "21", "gross": "121"},
        })
    }

    fn with(member: &str, value: Value) -> Map<String, Value> {
        let Value::Object(mut members) = line() else { unreachable!("a line is an object") };
        members.insert(member.to_owned(), value);
        members
    }

    fn checked(members: Map<String, Value>) -> Result<IssuedDocument, Vec<(String, ErrorCode)>> {
        let form = IssuedDocumentForm::read(members);
        let document = form.and_then(|form| form.check(TaxCheck::Syntax));
        document.map_err(|faults| faults.into_iter().map(|fault| (fault.field, fault.code)).collect())
    }

    fn base64(content: &[u8]) -> String {
        STANDARD.encode(content)
    }

    fn refused_file(content: &str) -> ErrorCode {
        checked(with("files", json!([{"content": content}]))).unwrap_err()[0].1
    }

    #[test]
    fn the_members_of_a_document_come_behind_those_of_its_origin() {
        let document = serde_json::to_value(DocumentForm::default()).unwrap();
        let known: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(known, IssuedDocumentForm::OF_DOCUMENT);
    }

    #[test]
    fn a_line_becomes_a_document_with_its_files_in_order() {
        let files = json!([{"content": base64(b"<Invoice/>")}, {"content": base64(b"%PDF-1.7")}]);
        let document = checked(with("files", files)).unwrap();
        assert_eq!(document.number.0, "F-2026-000412");
        let types: Vec<_> = document.files.iter().map(|file| file.file_type).collect();
        assert_eq!(types, [ImportedFileType::Pdf, ImportedFileType::Xml]);
    }

    #[test]
    fn unknown_members_are_passed_over_and_missing_ones_named() {
        assert!(checked(with("colour", json!("red"))).is_ok());
        let mut bare = with("number", Value::Null);
        bare.remove("currency");
        bare.remove("lines");
        assert_eq!(checked(bare).unwrap_err()[0].0, "number");
        let missing = checked(with("lines", json!([]))).unwrap_err();
        assert_eq!(missing, [("lines".to_owned(), ErrorCode::DocumentWithoutLines)]);
    }

    #[test]
    fn files_that_cannot_be_kept_are_refused() {
        assert_eq!(refused_file("%%%"), ErrorCode::InvalidFormat);
        assert_eq!(refused_file("JVBERi0x\nLjc="), ErrorCode::InvalidFormat, "it is on one line");
        assert_eq!(refused_file(&base64(b"\x89PNG")), ErrorCode::InvalidFormat);
        assert_eq!(refused_file(""), ErrorCode::InvalidFormat);
        let mut long = b"%PDF-".to_vec();
        long.resize(IMPORTED_FILE_BYTES_MAX, b' ');
        assert!(checked(with("files", json!([{"content": base64(&long)}]))).is_ok());
        long.push(b' ');
        assert_eq!(refused_file(&base64(&long)), ErrorCode::TooLong);
        assert_eq!(refused_file(&"A".repeat(BASE64_CHARS_MAX + 1)), ErrorCode::TooLong);
        let twice = json!([{"content": base64(b"<a/>")}, {"content": base64(b"<b/>")}]);
        assert_eq!(
            checked(with("files", twice)).unwrap_err(),
            [("files[1].content".to_owned(), ErrorCode::TooMany)]
        );
    }

    #[test]
    fn figures_that_differ_and_members_that_are_wrong_are_named() {
        let differing = json!({"net": "100", "tax": "21", "gross": "121.01"});
        assert_eq!(
            checked(with("totals", differing)).unwrap_err(),
            [("totals.gross".to_owned(), ErrorCode::TotalsDiffer)]
        );
        let no_figure = json!({"net": "1e2", "tax": "21", "gross": "121"});
        assert_eq!(checked(with("totals", no_figure)).unwrap_err()[0].0, "totals.net");
        assert_eq!(checked(with("document_type", json!("quote"))).unwrap_err()[0].0, "document_type");
    }
}
