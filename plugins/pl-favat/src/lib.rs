//! Poland, KSeF: documents in GOBL with the add-on `pl-favat-v3`, for the logical structure FA(3).
//!
//! | document | type at KSeF (`ext`: `doc-type` chooses another of its sort) |
//! |---|---|
//! | invoice | VAT, or ZAL (advance), ROZ (settlement) |
//! | simplified invoice: up to 450 PLN, no recipient needed | UPR |
//! | credit note | KOR, or KOR_ZAL, KOR_ROZ |
//!
//! A credit note for simplified invoices needs no recipient either; one that has a recipient says besides that there was
//! none before (`Podmiot2K`). Figures of a credit note are positive: what is credited. In the file they are below nought,
//! for KSeF takes the difference. Debit notes are refused: what is added goes out as another invoice. So is an invoice
//! that replaces simplified ones: the format knows `standard` and `credit-note` here, and KSeF would count the sale twice.
//!
//! A recipient's `ext` says whether it is a unit of local government (`jst`, `jst-code`) or a member of a VAT group
//! (`group-vat`, `group-vat-code`); KSeF shows it the invoice under a NIP or an internal id only.
//!
//! An invoice may be issued offline (offline24) and sent later: its file has no mark of that, so the document says it beside
//! ([`deadline`]). KSeF also takes it for one where it arrives after the day of its issue; its receipt says so. The QR code II that such an invoice needs is signed by the
//! issuer's own certificate, so whoever holds that makes it ([`qr`]).
//!
//! | module | does |
//! |---|---|
//! | [`tables`] | rates, exemptions, document types, settings |
//! | [`fa3`] | the simple types and limits of the logical structure FA(3) |
//! | [`check`] | everything that would make KSeF, or the format, refuse the document; `check::file` goes by [`fa3`] |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`authority`] | KSeF, as the sandbox plays it, and what its codes mean; `authority::file` is what goes over the wire, and how it is made |
//! | [`ksef_number`] | the number KSeF gives an invoice, with its check digits |
//! | [`qr`] | the addresses of the QR codes I and II, with what stands below them |
//! | [`deadline`] | until when an invoice has to be sent, and how one is sent that was issued offline |
//! | [`dated_rules`] | which rules hold from which day on |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | the faults that only this plugin reports |
//!
//! # How to prove a file valid
//! `GATEWAY_WIRE_PAYLOADS=FOLDER GATEWAY_WIRE_VARIANTS=500 cargo test -p pl-favat other_lines` writes the file of every
//! golden case, and of so many variants, to `FOLDER/pl-favat`; hold them against the schema of the ministry,
//! `schemat_FA(3)_v1-0E.xsd`. The file of every case is kept under `tests/golden/pl-favat/payloads`.
//!
//! # Notes
//! **Sources.** Schema FA(3) 1-0E of 25 June 2025; KSeF 2.0's documentation of statuses, limits, characters, QR codes and
//! offline modes; UPO v4-3. Proof: the ministry's examples, and every payload and receipt by an independent validator. The
//! vectors of number and QR code are the documentation's.
//!
//! **Decisions.** Corrections state differences, so what is positive here is negative in the file. KSeF gives no answer about
//! a file but a status: a session that is open (100, 150) or closed without its receipt (170) leaves the document undecided,
//! and whoever asks again gets the number and the receipt. The stand-in stops at the first phase that fails, as KSeF does,
//! and lists what it finds there.
//!
//! **Limits.** Rights of the sender (410) are known for self-billing only. The XML is not signed and the session not
//! encrypted here: the provider's. QR code II needs the issuer's certificate. KSeF checks no arithmetic; what the format and
//! the gateway state is checked all the same.
//!
//! **When it changes.** Documents dated before 1 February 2026 would be FA(2), which is not made here; a new structure has a
//! namespace of its own, and [`fa3`] its limits.
//!
//! # How to add a fault
//! Add it to [`faults`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.

pub mod authority;
pub mod check;
pub mod convert;
pub mod dated_rules;
pub mod deadline;
pub mod evidence;
pub mod fa3;
pub mod faults;
pub mod ksef_number;
pub mod printing;
pub mod qr;
pub mod rows;
pub mod tables;

use einvoice_eu::{Findings, describe, parties, report, taxes};
use einvoice_plugin::{
    Context, Country, Description, Document, Fault, Faults, Identity, Invoice, ProviderResult, Recipient,
    Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "PL-FAVAT";

/// The plugin.
#[derive(Debug)]
pub struct PlFavat;

impl Country for PlFavat {
    fn describe() -> Description {
        Description {
            key: "pl-favat".to_owned(),
            title: "Poland, KSeF".to_owned(),
            country: "PL".to_owned(),
            tax_system: "KSeF".to_owned(),
            version: einvoice_plugin::version!().to_owned(),
            kinds: tables::RULES.kinds.to_vec(),
            categories: vec![taxes::category("VAT", "VAT (PTU)", tables::RATES)],
            exemptions: taxes::choices(tables::EXEMPTIONS),
            settings_schema: tables::SCHEMA.to_owned(),
            ..describe::base(tables::EXT)
        }
    }

    fn check(invoice: &Invoice, context: &Context) -> Vec<Fault> {
        check::examine(invoice, context).findings.faults
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        convert::convert(invoice, context)
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        parties::map(recipient, "PL", Findings::new(PREFIX))
    }

    fn interpret(result: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(report::interpret(result, &authority::SYSTEM))
    }
}

einvoice_plugin::samples! {
    PlFavat, "../../tests/golden/pl-favat":
    "invoice", "credit_note", "exemption_exempt"
}

einvoice_plugin::export!(PlFavat with sandbox, answers, samples, deadline, rules, evidence, printing, exemption_names);
