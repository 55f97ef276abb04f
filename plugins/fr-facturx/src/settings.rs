//! What a workspace chooses.

use einvoice_eu::payment::Payment;
use einvoice_eu::settings;
use serde::Deserialize;

use crate::exemptions::Reason;
use crate::numbers::{is_digits, is_siret};
use crate::tables::MEANS;
use crate::treatment::{OFFERED, SERVICES};

/// What companies owe who pay late, for the costs of recovery (article D441-5 of the code de commerce): the note PMT.
const RECOVERY_FEE: &str =
    "En cas de retard de paiement, une indemnité forfaitaire de 40 € pour frais de recouvrement est due.";
/// What is owed for paying late where nothing else was agreed (article L441-10): the note PMD.
const LATE_PAYMENT: &str = "En cas de retard de paiement, des pénalités sont exigibles au taux de refinancement de la Banque \
                            centrale européenne le plus récent majoré de 10 points de pourcentage.";
/// What is deducted for paying early (article L441-9): the note AAB.
const EARLY_PAYMENT: &str = "Aucun escompte n'est accordé en cas de paiement anticipé.";
/// By when an invoice is paid, where neither it nor the workspace says so.
const PAYMENT_TERMS: &str = "Paiement à réception de la facture.";
/// What becomes of the amount of a credit note.
const CREDIT_TERMS: &str = "Le montant sera imputé ou remboursé.";

/// The notes that every invoice between companies has (BR-FR-05).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mentions {
    recovery_fee: Option<String>,
    late_payment: Option<String>,
    early_payment: Option<String>,
}

impl Mentions {
    /// PMT: the costs of recovery.
    pub fn recovery_fee(&self) -> &str {
        self.recovery_fee.as_deref().unwrap_or(RECOVERY_FEE)
    }

    /// PMD: paying late.
    pub fn late_payment(&self) -> &str {
        self.late_payment.as_deref().unwrap_or(LATE_PAYMENT)
    }

    /// AAB: paying early.
    pub fn early_payment(&self) -> &str {
        self.early_payment.as_deref().unwrap_or(EARLY_PAYMENT)
    }

    fn all(&self) -> [&Option<String>; 3] {
        [&self.recovery_fee, &self.late_payment, &self.early_payment]
    }
}

/// What documents say beside lines without VAT, in place of the usual words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExemptionTexts {
    exempt: Option<String>,
    reverse_charge: Option<String>,
    intra_community: Option<String>,
    export: Option<String>,
    outside_scope: Option<String>,
}

impl ExemptionTexts {
    /// The text of a reason.
    pub fn of(&self, reason: &Reason) -> &str {
        let own = match reason.exemption.key {
            "exempt" => &self.exempt,
            "reverse_charge" => &self.reverse_charge,
            "intra_community" => &self.intra_community,
            "export" => &self.export,
            "outside_scope" => &self.outside_scope,
            _ => &None,
        };
        own.as_deref().unwrap_or(reason.text)
    }

    fn all(&self) -> [&Option<String>; 5] {
        [&self.exempt, &self.reverse_charge, &self.intra_community, &self.export, &self.outside_scope]
    }
}

/// The approved platform that reports for the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// Four digits (scheme 0238).
    pub id: String,
    /// As it is registered.
    pub name: String,
}

impl Default for Platform {
    fn default() -> Self {
        Self { id: "0000".to_owned(), name: "Plateforme agréée".to_owned() }
    }
}

/// How often a workspace reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportingPeriod {
    /// From the 1st, the 11th and the 21st: under the normal rules of VAT.
    #[default]
    TenDays,
    /// Under simplified rules, or none.
    Month,
}

/// A workspace's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    business_process: Option<String>,
    /// The establishment that issues documents.
    pub siret: Option<String>,
    /// The supplier's electronic address in the annuaire; its SIREN when absent.
    pub inbox: Option<String>,
    payment_terms: Option<String>,
    credit_terms: Option<String>,
    /// The notes that every invoice between companies has.
    pub mentions: Mentions,
    /// Whether VAT is due with the invoice and not with its payment.
    pub vat_on_debits: bool,
    /// What documents say beside lines without VAT.
    pub exemption_texts: ExemptionTexts,
    /// Who reports for the workspace.
    pub platform: Platform,
    /// How often.
    pub reporting_period: ReportingPeriod,
    /// How the workspace wants to be paid.
    pub payment: Option<Payment>,
}

impl Settings {
    /// The business process (BT-23) of documents that say none.
    pub fn business_process(&self) -> &str {
        self.business_process.as_deref().unwrap_or(SERVICES)
    }

    /// By when an invoice is paid that does not say it.
    pub fn payment_terms(&self) -> &str {
        self.payment_terms.as_deref().unwrap_or(PAYMENT_TERMS).trim()
    }

    /// What becomes of the amount of a credit note that does not say it.
    pub fn credit_terms(&self) -> &str {
        self.credit_terms.as_deref().unwrap_or(CREDIT_TERMS).trim()
    }
}

impl settings::Settings for Settings {
    fn refuse_warnings(&self) -> bool {
        self.refuse_warnings
    }

    fn validate(&self) -> Result<(), String> {
        let blank = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
        let texts = self.exemption_texts.all().into_iter().chain(self.mentions.all());
        if texts.chain([&self.payment_terms, &self.credit_terms, &self.inbox]).any(blank) {
            return Err("a text is empty".to_owned());
        }
        if self.business_process.as_deref().is_some_and(|process| !OFFERED.contains(&process)) {
            return Err(format!("business_process is none of {}", OFFERED.join(", ")));
        }
        if self.siret.as_deref().is_some_and(|siret| !is_siret(siret)) {
            return Err("siret is no SIRET of fourteen digits".to_owned());
        }
        let Platform { id, name } = &self.platform;
        if id.len() != 4 || !is_digits(id) || name.trim().is_empty() {
            return Err("platform wants id (four digits) and name".to_owned());
        }
        self.payment.as_ref().map_or(Ok(()), |payment| payment.validate(MEANS))
    }
}

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"Factur-X","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice a platform may object to is not issued.","default":false},"business_process":{"type":"string","enum":["B1","S1","M1","B4","S4","M4","S5","S6","B7","S7"],"title":"Business process","description":"BT-23 of documents that say none: B goods, S services, M both.","default":"S1"},"siret":{"type":"string","pattern":"^[0-9]{14}$","title":"SIRET","description":"The establishment that issues documents."},"inbox":{"type":"string","minLength":1,"maxLength":64,"title":"Electronic address","description":"In the annuaire, beginning with the SIREN; the SIREN itself when absent."},"payment_terms":{"type":"string","minLength":1,"maxLength":1000,"title":"Payment terms","description":"For invoices that name none."},"credit_terms":{"type":"string","minLength":1,"maxLength":1000,"title":"Terms of credit notes","description":"What becomes of the amount, for credit notes that do not say it."},"mentions":{"type":"object","title":"Mentions","description":"What every invoice between companies says (BR-FR-05).","properties":{"recovery_fee":{"type":"string","minLength":1,"maxLength":1000,"title":"Costs of recovery (PMT)"},"late_payment":{"type":"string","minLength":1,"maxLength":1000,"title":"Late payment (PMD)"},"early_payment":{"type":"string","minLength":1,"maxLength":1000,"title":"Early payment (AAB)"}},"additionalProperties":false},"vat_on_debits":{"type":"boolean","title":"VAT on debits","description":"VAT is due with the invoice and not with its payment; invoices say so.","default":false},"exemption_texts":{"type":"object","title":"Reasons of exemptions","description":"What invoices say beside lines without VAT.","properties":{"exempt":{"type":"string","minLength":1,"maxLength":1000,"title":"Exempt"},"reverse_charge":{"type":"string","minLength":1,"maxLength":1000,"title":"Reverse charge"},"intra_community":{"type":"string","minLength":1,"maxLength":1000,"title":"Intra-Community supply"},"export":{"type":"string","minLength":1,"maxLength":1000,"title":"Export"},"outside_scope":{"type":"string","minLength":1,"maxLength":1000,"title":"Outside the scope"}},"additionalProperties":false},"platform":{"type":"object","title":"Platform","description":"The approved platform that reports sales to consumers.","properties":{"id":{"type":"string","pattern":"^[0-9]{4}$","title":"Registration number"},"name":{"type":"string","minLength":1,"maxLength":200,"title":"Name"}},"required":["id","name"],"additionalProperties":false},"reporting_period":{"type":"string","enum":["ten_days","month"],"title":"Reporting period","description":"How often sales to consumers are reported.","default":"ten_days"},"payment":{"type":"object","title":"Payment","description":"How the workspace wants to be paid.","properties":{"means":{"type":"string","enum":["credit-transfer","credit-transfer+sepa","debit-transfer","cash","cheque","bank-draft","promissory-note","online","netting"],"title":"Means"},"iban":{"type":"string","minLength":15,"maxLength":42,"title":"IBAN"},"bic":{"type":"string","minLength":8,"maxLength":11,"title":"BIC"},"account_name":{"type":"string","minLength":1,"maxLength":200,"title":"Account holder"}},"required":["means"],"additionalProperties":false}},"additionalProperties":false}"#;
