//! Greece, myDATA: documents in GOBL with the add-on `gr-mydata-v1`, records in `InvoicesDoc` 2.0.2.
//!
//! | document | type at myDATA (`ext`: `invoice-type` chooses another of its row) |
//! |---|---|
//! | invoice for a business in Greece | 2.1 services, 1.1 goods |
//! | invoice for a business in another member state | 2.2, 1.2 |
//! | invoice for a business in a third country | 2.3, 1.3 |
//! | invoice for an individual | 11.2, 11.1: Greece has no other invoice for consumers |
//! | simplified invoice, with or without recipient | 11.2, 11.1, or 11.3 |
//! | credit note for a business | 5.1 with what it corrects; 5.2, which says so itself, without |
//! | credit note for a consumer, or of receipts alone | 11.4 |
//! | debit note for a business | 2.4, 1.6 (supplementary invoice) |
//!
//! Services or goods is what the workspace's settings say (`income_category`). Figures of a credit note are positive: what is
//! credited.
//!
//! | `ext` | of | says |
//! |---|---|---|
//! | `gr-mydata-invoice-type`, `invoice-type` | document | the type |
//! | `gr-mydata-payment-means`, `payment-means` | document | 1 to 7; else as the settings say, else 5: on credit |
//! | `gr-mydata-income-cat`, `income-category` | line | what the income is from; else as the settings say |
//! | `gr-mydata-income-type`, `income-type` | line | where it stands in the form E3; else by whom the document is for |
//! | `gr-mydata-exemption`, `exemption` | line | the number of its exemption: `14` beside `e14` |
//!
//! Settings: `refuse_warnings`, `series` (`0`: none), `income_category` (`category1_3` services, `category1_1` goods, `category1_2` own products),
//! `payment` (means, account).
//!
//! A number is digits alone (`aa`), so the workspace's number patterns are such as `{year}{number:06}`; the series is one of
//! the settings. The gateway knows a document at the provider by its number, so the two cannot share a pattern. What a document
//! corrects has to have a registration number (MARK), the stamp `iapr-mark` of the accepted document.
//!
//! The gateway's day of issue is that of Greece, an hour ahead of central Europe. The regime would round every row before it
//! is added; documents state `tax.rounding` `precise`, which is how the gateway adds up.
//!
//! **Not covered**: amounts in other currencies; lines that come to nought or less (the format refuses them); VAT of 3 % and
//! of 4 % under law 5057/2023 (categories 9 and 10, which the format does not know); branches other than the seat; taxes
//! beside VAT on our own documents, such as the resilience fee on stays, stamp duty and what is withheld (the platform's
//! document has no charges; those of a stored document go out); rents (8.1), records of that fee (8.2), sales for others
//! (1.4, 1.5, 11.5) and documents of delivery; classification of expenses; cancelling; which classification goes with which
//! type, which myDATA alone knows (errors 307, 308, 313).
//!
//! | module | does |
//! |---|---|
//! | [`tables`], [`settings`], `rules` | rates, exemptions, classifications, means of payment; what a workspace chooses; what is demanded of any document |
//! | [`types`] | the type of a document, by whom it is for |
//! | [`identity`], [`number`], `income` | the recipient, the number and the income of a line in myDATA's terms |
//! | [`check`] | everything that would make myDATA, or the format, refuse the document |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`invoices_doc`] | the record that goes over the wire, made of the stored document |
//! | [`authority`] | myDATA, as the sandbox plays it: rules, answers, what its codes mean |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//! | [`printing`] | what stands on a document that people read |
//! | [`faults`] | the faults that only this plugin reports |
//!
//! # Notes
//! **Sources.** Schema `InvoicesDoc` 2.0.2 with its lists; codes and sentences by the technical description of
//! `SendInvoices`. Types, categories and exemptions by the lists of the same release. Proof: every payload by an independent
//! validator, which holds the sums of the summary too; no official example of 2.0.2 is public.
//!
//! **Decisions.** Consumers get receipts (11.x), because Greece has no other invoice for them, and are not named in the
//! record. A credit note without a mark of what it corrects is 5.2. Every code that the rules find is in one answer. The uid
//! is the SHA-1 of the parts in the order of the description; Greek letters go in as UTF-8, which no source settles.
//!
//! **Limits.** Authorised providers send with an authentication code of theirs, which is no part of the record. Which
//! classification goes with which type only myDATA knows (307, 308, 313), as whether a business is active (102): testers ask
//! for those. Cancelling by mark is not covered.
//!
//! **When it changes.** Releases of the schema are announced with their lists; namespaces of classifications are spelled as
//! they are (`incomeClassificaton`).
//!
//! # How to add a fault
//! Add it to [`faults`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.

pub mod authority;
pub mod check;
pub mod convert;
pub mod evidence;
pub mod faults;
pub mod identity;
mod income;
pub mod invoices_doc;
pub mod number;
pub mod printing;
pub mod rows;
mod rules;
pub mod settings;
pub mod tables;
pub mod types;

use einvoice_eu::{describe, report, taxes};
use einvoice_plugin::{
    Context, Country, Description, Document, Fault, Faults, Identity, Invoice, ProviderResult, Recipient,
    Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "GR-MYDATA";

/// The plugin.
#[derive(Debug)]
pub struct GrMydata;

impl Country for GrMydata {
    fn describe() -> Description {
        Description {
            key: "gr-mydata".to_owned(),
            title: "Greece, myDATA".to_owned(),
            country: "GR".to_owned(),
            tax_system: "myDATA".to_owned(),
            version: einvoice_plugin::version!().to_owned(),
            kinds: rules::RULES.kinds.to_vec(),
            categories: vec![taxes::category("VAT", "VAT (ΦΠΑ)", tables::RATES)],
            exemptions: taxes::choices(tables::EXEMPTIONS),
            settings_schema: settings::SCHEMA.to_owned(),
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
        identity::map(recipient)
    }

    fn interpret(result: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(report::interpret(result, &authority::SYSTEM))
    }
}

einvoice_plugin::samples!(GrMydata, "../../tests/golden/gr-mydata": "invoice", "receipt", "credit_note");

einvoice_plugin::export!(GrMydata with sandbox, samples, evidence, printing, exemption_names);
