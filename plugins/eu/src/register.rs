//! An authority that files documents under issuer and number, as the sandbox plays it.
//!
//! A document that stands in the register already is refused, unless it is word for word the same one: then the
//! answer of the first time is repeated.

use std::collections::BTreeMap;

use einvoice_gobl::codes::full_code;
use einvoice_gobl::date::Date;
use einvoice_plugin::{Fault, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::codes;

/// What one authority does.
#[derive(Debug)]
pub struct FilingAuthority {
    /// Of the fault codes.
    pub prefix: &'static str,
    /// The system's name in a sentence.
    pub system: &'static str,
    /// Who complains.
    pub provider: &'static str,
    /// What makes a document unique, besides its issuer.
    pub key: fn(&FiledDocument) -> String,
    /// The code that refuses a second document under the same key.
    pub duplicate: &'static str,
    /// Every code the authority refuses a document with, by its own rules and in their order; none of one that it takes.
    /// The instant is the submission's.
    pub objections: fn(&FiledDocument, &str) -> Vec<&'static str>,
    /// Whether a code comes with an accepted document.
    pub is_remark: fn(&str) -> bool,
    /// What a code means.
    pub meaning: fn(&str) -> Option<&'static str>,
    /// The stamps of an accepted document. The instant is the submission's.
    pub stamps: fn(&FiledDocument, &str) -> Vec<Stamp>,
    /// What goes over the wire for a document, accepted or not; none where nothing is shown of it.
    pub payload: fn(&FiledDocument) -> Option<String>,
}

/// A document with what an authority files it by.
#[derive(Debug)]
pub struct FiledDocument {
    /// The supplier's tax id, or its other number.
    pub issuer: String,
    /// As printed on the document.
    pub number: String,
    /// The issue date.
    pub day: Date,
    /// All of it.
    pub document: Document,
    /// SHA-256 of the document as it was sent.
    pub digest: [u8; 32],
    /// The document as it was sent, JSON.
    pub json: String,
}

/// The members of the format that authorities look at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Document {
    /// `standard`, `credit-note`.
    #[serde(rename = "type")]
    pub kind: String,
    series: String,
    code: String,
    issue_date: String,
    /// Codes of the document.
    pub tax: Tax,
    /// Who issues it.
    pub supplier: Party,
    /// Whom it is for.
    pub customer: Option<Party>,
    /// What it says.
    pub lines: Vec<serde_json::Value>,
    /// What it comes to.
    pub totals: Totals,
    /// What the buyer ordered it by.
    pub ordering: Option<CodedMember>,
    /// What it corrects.
    pub preceding: Vec<CodedMember>,
    /// How it is paid.
    pub payment: Payment,
}

/// `bill.PaymentDetails`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Payment {
    /// By when.
    pub terms: Option<serde_json::Value>,
    /// How.
    pub instructions: Option<serde_json::Value>,
}

/// `bill.Tax`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Tax {
    /// Codes of add-ons.
    pub ext: BTreeMap<String, String>,
}

/// Anything with a code.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CodedMember {
    /// As in the format.
    pub code: String,
    /// Of a tax id.
    pub country: String,
    /// Of an address.
    pub locality: String,
}

/// `org.Party`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Party {
    /// As in the format.
    pub tax_id: CodedMember,
    /// As in the format.
    pub identities: Vec<CodedMember>,
    /// As in the format.
    pub addresses: Vec<CodedMember>,
    /// As in the format.
    pub inboxes: Vec<serde_json::Value>,
    /// Whom to ask.
    pub people: Vec<ContactDetails>,
    /// How to reach the party itself.
    #[serde(flatten)]
    pub reached: ContactDetails,
}

/// How anybody is reached.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ContactDetails {
    /// As in the format.
    pub emails: Vec<serde_json::Value>,
    /// As in the format.
    pub telephones: Vec<serde_json::Value>,
}

/// `tax.RateTotal`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Rate {
    /// As in the format.
    pub percent: Option<String>,
    /// Codes of add-ons.
    pub ext: BTreeMap<String, String>,
}

/// `bill.Totals`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// As in the format.
    pub taxes: Taxes,
    /// As in the format.
    pub payable: String,
}

/// `tax.Total`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Taxes {
    /// As in the format.
    pub categories: Vec<Category>,
}

/// `tax.CategoryTotal`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Category {
    /// As in the format.
    pub code: String,
    /// As in the format.
    pub rates: Vec<Rate>,
}

impl Totals {
    /// Whether something has to be paid.
    pub fn is_due(&self) -> bool {
        !self.payable.starts_with('-') && self.payable.contains(|c: char| matches!(c, '1'..='9'))
    }
}

impl Party {
    /// Whether one of the party's means holds for it or for the first of its people.
    pub fn has(&self, means: fn(&ContactDetails) -> &[serde_json::Value]) -> bool {
        let first = self.people.first().map_or(&[][..], means);
        !means(&self.reached).is_empty() || !first.is_empty()
    }

    /// The tax id's code, else the first identity's.
    pub fn number(&self) -> &str {
        let of_identity = || self.identities.first().map_or("", |identity| &identity.code);
        if self.tax_id.code.is_empty() { of_identity() } else { &self.tax_id.code }
    }
}

/// What the authority remembers of a document.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRecord {
    number: String,
    digest: String,
    stamps: Vec<(String, String)>,
}

impl FilingAuthority {
    /// Under which names the authority files a document.
    pub fn file(&self, document: &str) -> Result<Filing, Faults> {
        let filed = self.read(document)?;
        Ok(Filing { record_key: format!("{}|{}", filed.issuer, (self.key)(&filed)), chain: filed.issuer })
    }

    /// What the authority answers to a document.
    pub fn submit(&self, submission: &Submission) -> Result<Outcome, Faults> {
        let filed = self.read(&submission.document)?;
        let forced = submission.forced_code.as_deref();
        let payload = (self.payload)(&filed);
        if let Some(code) = forced.filter(|code| !(self.is_remark)(code)) {
            return Ok(self.refused(&[code], payload));
        }
        let remark = forced.map(|code| self.complaint(code)).into_iter().collect();
        let digest = hexadecimal(&filed.digest);
        if let Some(before) = &submission.registered {
            let before: StoredRecord = serde_json::from_str(before)
                .map_err(|error| self.unreadable(&format!("the record: {error}")))?;
            if before.digest != digest {
                return Ok(self.refused(&[self.duplicate], payload));
            }
            let stamps = before.stamps.iter().map(|(provider, value)| stamp(provider, value)).collect();
            let record = submission.registered.clone();
            return Ok(Outcome { accepted: true, stamps, faults: remark, record, payload });
        }
        let mut objections = (self.objections)(&filed, &submission.now);
        // An accepted document stays as it is: what changes goes out under another number.
        if objections.is_empty() && submission.amends.is_some() {
            objections.push(self.duplicate);
        }
        if !objections.is_empty() {
            return Ok(self.refused(&objections, payload));
        }
        let stamps = (self.stamps)(&filed, &submission.now);
        let keep = StoredRecord {
            number: filed.number,
            digest,
            stamps: stamps.iter().map(|stamp| (stamp.provider.clone(), stamp.value.clone())).collect(),
        };
        let record = serde_json::to_string(&keep).map_err(|error| self.unreadable(&error.to_string()))?;
        Ok(Outcome { accepted: true, stamps, faults: remark, record: Some(record), payload })
    }

    fn refused(&self, codes: &[&str], payload: Option<String>) -> Outcome {
        let faults = codes.iter().map(|code| self.complaint(code)).collect();
        Outcome { accepted: false, stamps: Vec::new(), faults, record: None, payload }
    }

    fn complaint(&self, code: &str) -> ProviderFault {
        let message = (self.meaning)(code).map(str::to_owned);
        ProviderFault {
            provider: Some(self.provider.to_owned()),
            code: Some(code.to_owned()),
            message: message.or_else(|| Some(format!("{} refused the document.", self.system))),
            paths: Vec::new(),
        }
    }

    fn read(&self, json: &str) -> Result<FiledDocument, Faults> {
        let document: Document =
            serde_json::from_str(json).map_err(|error| self.unreadable(&error.to_string()))?;
        let number = match (document.series.as_str(), document.code.as_str()) {
            (_, "") => return Err(self.unreadable("the document has no number")),
            ("", code) => code.to_owned(),
            (series, code) => format!("{series}-{code}"),
        };
        let day = document.issue_date.parse().map_err(|_| self.unreadable("the issue date is no date"))?;
        let issuer = document.supplier.number().to_owned();
        if issuer.is_empty() {
            return Err(self.unreadable("the supplier has no tax id"));
        }
        let digest = Sha256::digest(json.as_bytes()).into();
        Ok(FiledDocument { issuer, number, day, document, digest, json: json.to_owned() })
    }

    fn unreadable(&self, why: &str) -> Faults {
        let message = format!(
            "The sandbox cannot read this as a document of {} ({why}); send what the plugin made.",
            self.system
        );
        vec![Fault::error(full_code(self.prefix, codes::SANDBOX_DOCUMENT), "", message)]
    }
}

/// A proof under its name.
pub fn stamp(provider: &str, value: &str) -> Stamp {
    Stamp { provider: provider.to_owned(), value: value.to_owned() }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}
