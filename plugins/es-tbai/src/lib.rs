//! Spain, TicketBAI: documents in GOBL with the add-on `es-tbai-v1`, for the treasuries of Araba, Bizkaia and Gipuzkoa.
//!
//! | document | at the treasury |
//! |---|---|
//! | invoice | invoice |
//! | simplified invoice: with or without recipient; at most 3,000 EUR | simplified invoice |
//! | credit note, debit note: names what it corrects | correction R4, unless the document (`ext`: `correction`) or the workspace (`credit_note_type`) says R1, R2 or R3 |
//! | credit or debit note for a simplified invoice | simplified correction R5 |
//!
//! There are no replacement invoices: TicketBAI knows them as corrections.
//!
//! What a document may say besides, in `ext` of the document or of a line (the line wins), else the workspace's settings:
//!
//! | key | values |
//! |---|---|
//! | `region` (document) | `VI`, `BI`, `SS`; else the setting, else the region of the supplier's address |
//! | `product` | `goods`, `services`, `resale` |
//! | `regime` | the agency's regimes: `01`, `05`, `52` … |
//! | `bi-activity` (supplier) | code of the economic activity of a natural person in Bizkaia |
//!
//! Each also goes by its full name: `es-tbai-region`, `es-tbai-bi-activity`. Every document needs a description: its
//! notes, or the workspace's `description`.
//!
//! Figures of a credit note are positive: what is credited. The treasury's record states them negative.
//!
//! # What the treasuries get
//! The sandbox shows the TicketBAI file of every document (version 1.2, root `T:TicketBai`), as it goes over the wire but
//! for its signature: a plugin has no key, so XAdES, licence and developer are the provider's. To Bizkaia the file goes
//! inside a message to the register of economic operations (LROE): `bizkaia_record` = `lroe` shows that message (chapter
//! 1.1). The supplier's tax id says whose register it is: an organisation's (CIF) has model 240, a natural person's (DNI,
//! NIE, or a NIF in K, L or M) model 140, which says the economic activity besides.
//!
//! | | Araba, Gipuzkoa | Bizkaia |
//! |---|---|---|
//! | lines | needed | as they are; the treasury wants none |
//! | address of an identified recipient | needed: street or place, and the postcode in Spain | as it is |
//! | economic activity of a natural person | | needed, for the register |
//! | a wrong chain | a remark (009), the invoice is taken | refused |
//! | codes | three digits | `B4_` and seven digits |
//!
//! Lines carry net prices and totals with tax, the breakdown what the document's tax rows say: one of the whole invoice,
//! and for recipients abroad one of goods and one of services. An invoice has lines of three regimes at most. What is
//! untaxed under IPSI cannot be said in the format and is refused.
//!
//! | module | does |
//! |---|---|
//! | [`describe`], [`settings`] | what the plugin is and what a workspace may choose |
//! | [`examine`] | everything that would make the treasury refuse the document |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`codes`] | the add-on's codes, and where a document says them |
//! | [`answers`] | the provider's report as a verdict |
//! | [`authority`], [`identifier`] | a treasury, as the sandbox plays it; the TicketBAI file, its identifier and address |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | every fault code, for ever |
//!
//! What it has in common with the other Spanish systems (checks, identities, tax rows) is in `einvoice_es`.
//!
//! # Notes
//! **Sources.** Schema `ticketBaiV1-2.xsd`, LROE schemas of Bizkaia (models 140 and 240, chapter 1.1); the treasuries'
//! technical documentation of identifier, QR code and CRC-8, whose vectors are tests. Codes of answers by what the provinces
//! and integrators publish. Royal decree 1619/2012, article 6.1.m. Proof: the examples of Bizkaia, and every payload by the
//! schemas.
//!
//! **Decisions.** The province is the document's, else the workspace's, else that of the address: one plugin for all three,
//! and a table above says where they differ. What stands for a signature is a hash, so chains are stable; licence, developer
//! and XAdES are the provider's. A wrong chain is a remark in Araba and Gipuzkoa, as it is there. The year of Bizkaia's
//! register is that of the issue date, so B4_1000021 comes of no document of ours.
//!
//! **Limits.** The stand-in refuses with the first code, where a treasury may list several (`ResultadosValidacion`).
//! Cancelling, Zuzendu (corrections of a sent file) and registers of other chapters are not covered. Chains hold within the
//! sandbox; whether a licence or certificate is valid is for testers.
//!
//! **When it changes.** A list of codes or regimes is a table in [`codes`]; an address of a treasury is one in
//! [`identifier`].
//!
//! # How to add a fault
//! Add a constant at the end of its group in `einvoice_es::faults`, or in [`faults`] when only this system has it, report it
//! from [`examine`], and add a case to the tests. Never reuse or renumber a code.

pub mod answers;
pub mod authority;
pub mod codes;
pub mod convert;
pub mod describe;
pub mod evidence;
pub mod examine;
pub mod faults;
pub mod identifier;
pub mod printing;
pub mod rows;
pub mod settings;

use einvoice_es::date::Date;
use einvoice_es::exemptions::{Class, Exemption};
use einvoice_es::system::System;
use einvoice_plugin::{
    Context, Country, Description, Document, DocumentKind, Fault, Faults, Identity, Invoice, ProviderResult,
    Recipient, Verdict,
};

/// What is particular about TicketBAI.
pub static SYSTEM: System = System {
    prefix: "ES-TBAI",
    name: "TicketBAI",
    kinds: &[
        DocumentKind::Invoice,
        DocumentKind::SimplifiedInvoice,
        DocumentKind::CreditNote,
        DocumentKind::DebitNote,
    ],
    doc_type_keys: &[codes::EXT_CORRECTION, "correction", "doc-type"],
    // The first province began, voluntarily, on this day.
    first_issue_date: Date::new(2022, 1, 1),
    number_chars_max: 20,
    line_chars_max: 250,
    notes_chars_max: 250,
    breakdown_rows_max: 12,
    preceding_max: 100,
    more_exemptions: &[
        Exemption::new(
            "third_party_sale",
            "Outside the scope: sale on behalf of a third party",
            "outside-scope",
            Class::Own("VT"),
        ),
        Exemption::new(
            "foreign_tax",
            "Outside the scope by the place of supply, with a tax of elsewhere in the price",
            "outside-scope",
            Class::Own("IE"),
        ),
    ],
    simplified_is_anonymous: false,
    correction_names: true,
    insolvency_needs_nif: false,
    may_be_billed_ahead: |_| false,
};

/// The plugin.
#[derive(Debug)]
pub struct EsTbai;

impl Country for EsTbai {
    fn describe() -> Description {
        describe::describe()
    }

    fn check(invoice: &Invoice, context: &Context) -> Vec<Fault> {
        examine::examine(invoice, context).findings.faults
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        convert::convert(invoice, context)
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        einvoice_es::identity::map(&SYSTEM, recipient)
    }

    fn interpret(report: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(einvoice_es::interpret::interpret(&answers::ANSWERS, report))
    }
}

einvoice_plugin::samples! {
    EsTbai, "../../tests/golden/es-tbai":
    "company_spanish", "credit_note", "regime_of_lines"
}

einvoice_plugin::export!(EsTbai with sandbox, samples, evidence, printing, exemption_names);
