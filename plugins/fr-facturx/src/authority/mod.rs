//! The supplier's approved platform as the sandbox plays it, and behind it the recipient's and the State's portal.
//!
//! It takes the record of a stored document ([`wire`]), or refuses it by every rule it breaks ([`rules`]), each under the
//! rule's own id. A tester's code steers it to every other answer:
//!
//! | answer (life cycle, CDAR) | code of a tester | here |
//! |---|---|---|
//! | deposited (200), sent, received, approved, disputed, paid … | `200` to `209`, `211`, `212`, `221`, `300` | accepted, with a remark |
//! | refused by the recipient (210) | `210`, or a reason such as `DOUBLE_FACT` | refused |
//! | rejected by a platform (213, 301), inadmissible (501) | `213`, `301`, `501`, a reason such as `DEST_INC`, or a rule | refused |
//!
//! What an invoice goes through is told in messages of its life cycle too (`life_cycle`).
//!
//! `DEST_INC` is a recipient that the annuaire does not have. A document is filed under SIREN, year and number; a second one is
//! refused (`REJ_UNI`), unless it is word for word the same: then the first answer is repeated.
//!
//! # How to add a rule
//! One line in [`rules`], and a row in the table of `tests/rules.rs`.

mod life_cycle;
mod states;

use einvoice_eu::register::{FiledDocument, FilingAuthority, hexadecimal, stamp};
use einvoice_eu::report::System;
use einvoice_plugin::{Answer, Answers, Authority, Faults, Filing, Outcome, Stamp, Submission};

use crate::wire::{self, Record};
use crate::{FrFacturx, PREFIX, rules};
pub use states::{DUPLICATE, all as codes};

/// The stamp with the platform's number of the document.
pub const STAMP_RECEIPT: &str = "facturx-receipt";

/// The platform in reports.
pub const SYSTEM: System = System {
    authority: "The approved platform",
    names: &["facturx", "fr-facturx", "fr-ctc", "ppf"],
    required_stamp: None,
    qr_stamp: None,
    hash_stamp: Some(STAMP_RECEIPT),
    is_remark: states::is_remark,
    meaning,
};

/// The platform in the sandbox.
pub const AUTHORITY: FilingAuthority = FilingAuthority {
    prefix: PREFIX,
    system: "Factur-X",
    provider: "facturx",
    key: |filed| format!("{}|{}", filed.day.year(), filed.number),
    duplicate: DUPLICATE,
    objections,
    is_remark: states::is_remark,
    meaning,
    stamps,
    payload: |filed| wire::xml(&filed.json),
};

impl Authority for FrFacturx {
    fn file(document: &str) -> Result<Filing, Faults> {
        AUTHORITY.file(document)
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        AUTHORITY.submit(submission)
    }
}

impl Answers for FrFacturx {
    fn answers(submission: &Submission, outcome: &Outcome) -> Vec<Answer> {
        match Record::of(&submission.document) {
            Ok(Record::Invoice(invoice)) => life_cycle::messages(&invoice, &submission.now, outcome),
            // A report has no life cycle, and nothing can be said of a document that has no record.
            Ok(Record::Report(_)) | Err(_) => Vec::new(),
        }
    }
}

/// What a code means, with what to do next.
fn meaning(code: &str) -> Option<&'static str> {
    states::meaning(code).or_else(|| rules::meaning(code))
}

/// Every rule that a document breaks. What has no record is not examined further.
fn objections(filed: &FiledDocument, _: &str) -> Vec<&'static str> {
    match Record::of(&filed.json) {
        Ok(record) => rules::broken(&record),
        Err(_) => vec![rules::NOT_VALID],
    }
}

fn stamps(filed: &FiledDocument, _: &str) -> Vec<Stamp> {
    vec![stamp(STAMP_RECEIPT, &hexadecimal(filed.digest.get(..16).unwrap_or_default()))]
}
