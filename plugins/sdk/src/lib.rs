//! What a tax-regime plugin is written with: the types of `wit/v1` and its minor releases, a trait for each interface, and one macro.
//!
//! A plugin is a **pure function**. It has no clock, no files, no network and no randomness; what it has to know
//! comes in [`Context`]. Line sums and totals come in the [`Invoice`], computed once by the gateway: map them,
//! do not add up.
//!
//! ```
//! use einvoice_plugin::{
//!     Context, Country, Description, Document, Fault, Faults, Identity, Invoice, ProviderResult, Recipient,
//!     Rounding, Verdict,
//! };
//!
//! struct Nowhere;
//!
//! impl Country for Nowhere {
//!     fn describe() -> Description {
//!         Description { key: "nowhere".into(), country: "XX".into(), ..Description::new(Rounding::Precise) }
//!     }
//!     fn check(_: &Invoice, _: &Context) -> Vec<Fault> {
//!         Vec::new()
//!     }
//!     fn convert(invoice: &Invoice, _: &Context) -> Result<Document, Faults> {
//!         Ok(Document::json(format!("{{\"total\":\"{}\"}}", invoice.totals.gross), invoice.totals.payable))
//!     }
//!     fn map_identity(_: &Recipient) -> Result<Identity, Faults> {
//!         Err(vec![Fault::error("NOWHERE-01", "/recipient", "Nobody lives here; remove the recipient.")])
//!     }
//!     fn interpret(_: &ProviderResult) -> Result<Verdict, Faults> {
//!         Ok(Verdict::Undecided("Nowhere has no authority.".into()))
//!     }
//! }
//!
//! einvoice_plugin::export!(Nowhere);
//! ```
//!
//! Keep the logic in plain functions and test it natively: `einvoice-plugin = { …, features = ["harness"] }` as a
//! dev-dependency reads documents in the platform's own JSON and fills in the figures (the module `harness`).
//!
//! # Shapes
//! The records are those of `wit/v1`, which documents every member. What all of them have in common:
//!
//! | what | how |
//! |---|---|
//! | money, quantities | [`Amount`]: `units` × 10^-`scale`, in the document's currency; `Amount::new(1234, 2)` is 12.34 |
//! | percents | [`Amount`] too: 21.0 % is `Amount::new(210, 1)` |
//! | days | `YYYY-MM-DD`: `2026-11-20` |
//! | instants | RFC 3339 with the workspace's offset: `2026-11-20T09:30:00+01:00` |
//! | countries | ISO 3166-1 alpha-2: `ES` |
//! | currencies | ISO 4217: `EUR` |
//! | paths of faults | JSON Pointers into the document as the platform knows it: `/lines/0/tax/rate` |
//! | `ext` | keys and values that the contract has no member for: [`Ext`] |
//!
//! Figures of a credit note are positive: what is credited. Lists that may be empty are never absent.
//!
//! # Building
//! `crate-type = ["cdylib", "rlib"]`, target `wasm32-unknown-unknown`, linker `wasm-component-ld`: the linker's
//! output is the finished component.
//!
//! # How to
//! - *play the authority in the sandbox*: implement [`Authority`] too and write `export!(Nowhere with sandbox)`;
//! - *have it write back*: implement [`Answers`] beside [`Authority`] and write `export!(Nowhere with sandbox, answers)`;
//! - *let accepted documents be amended under their number*: implement [`Amend`] too and write `export!(Nowhere with amend)`;
//! - *say which remarks want an amendment*: implement [`Remarks`] beside [`Amend`] and write `export!(Nowhere with amend, remarks)`;
//! - *say until when the law wants a document filed*: implement [`Deadline`] too and write `export!(Nowhere with deadline)`;
//! - *have the authority's own list compared*: implement [`Reconcile`] and [`SandboxListing`], and write both behind `with sandbox`;
//! - *prove the chain of its records*: implement [`Chain`] too and write `export!(Nowhere with chain)`;
//! - *name the days on which its rules change*: implement [`Rules`] too and write `export!(Nowhere with rules)`;
//! - *prove itself before it goes into force*: name golden cases by [`samples!`] and write `export!(Nowhere with samples)`;
//! - *have the gateway check what the authority gives*: implement [`Evidence`] too and write `export!(Nowhere with evidence)`;
//! - *say what stands on a document that people read*: implement [`Printing`], and [`ExemptionNames`] where lines may go without tax;
//! - *read what a panic said*: write `export!(Nowhere with panic_text)`, behind the others if there are any;
//! - *say that something is wrong*: [`Fault::error`], [`Fault::warning`]; never panic, a trap costs the attempt.

#![deny(missing_docs)]

// The generated export macros name the runtime through this crate, so the plugin needs no dependency of its own.
extern crate self as einvoice_plugin;

#[cfg(target_family = "wasm")]
mod allocator;
mod amend;
mod amount;
#[doc(hidden)]
#[expect(
    clippy::same_length_and_capacity,
    reason = "generated: the canonical ABI hands over exact allocations"
)]
pub mod bindings;
mod build;
mod chain;
mod deadline;
mod glue;
#[cfg(feature = "harness")]
pub mod harness;
#[doc(hidden)]
pub mod panic_text;
mod reconcile;
mod remarks;
mod rules;

#[doc(hidden)]
pub use wit_bindgen;

pub use amend::Amend;
pub use amount::NotAnAmount;
pub use bindings::amend::exports::einvoicing::regime1_6_0::amend::{
    Amendment, Description as AmendDescription,
};
pub use bindings::answers::exports::einvoicing::regime1_5_0::answers::Answer;
pub use bindings::chain::exports::einvoicing::regime1_10_0::chain::{Link, Predecessor};
pub use bindings::deadline::exports::einvoicing::regime1_7_0::deadline::{
    Facts as FilingFacts, Filing as FilingLimits, Limit, Outage, Side,
};
pub use bindings::evidence::exports::einvoicing::regime1_2_0::evidence::Description as EvidenceDescription;
pub use bindings::exemption_names::exports::einvoicing::regime1_4_0::exemption_names::ExemptionName;
pub use bindings::printing::exports::einvoicing::regime1_3_0::printing::{
    Description as PrintingDescription, TaxName,
};
pub use bindings::reconcile::exports::einvoicing::regime1_9_0::reconcile::{
    Answer as ListingAnswer, Header as ListingHeader, ListedRecord, Method as ListingMethod,
    Page as ListingPage, Period as ListingPeriod, Problem as ListingProblem, Query as ListingQuery,
    Request as ListingRequest, State as RecordState,
};
pub use bindings::regime::einvoicing::regime::types::*;
pub use bindings::remarks::exports::einvoicing::regime1_10_0::remarks::Demand;
pub use bindings::rules::exports::einvoicing::regime1_8_0::rules::{DecidingDate, Kind as RuleKind, RuleSet};
pub use bindings::samples::exports::einvoicing::regime1_1_0::samples::Sample;
pub use bindings::sandbox::exports::einvoicing::regime::sandbox::{Filing, Outcome, Submission};
pub use bindings::sandbox_listing::exports::einvoicing::regime1_9_0::sandbox_listing::{
    Filed as FiledRecord, Question as ListingQuestion,
};
pub use chain::Chain;
pub use deadline::Deadline;
pub use reconcile::{Reconcile, SandboxListing};
pub use remarks::Remarks;
pub use rules::Rules;

/// Why an operation refused its input. Never empty: an empty list is a defect of the plugin, and so is one with warnings only.
pub type Faults = Vec<Fault>;

/// A tax regime: from an invoice to the structured document, and from the provider's answer to a verdict.
///
/// No method has a default, so that nothing is forgotten. None may panic: a trap costs the attempt, and a plugin that is stopped
/// again and again is blocked.
pub trait Country {
    /// What this plugin is: its key, the kinds of document, taxes and exemptions it knows, the settings a workspace may choose.
    ///
    /// Called once, when it is loaded. Begin with [`Description::new`].
    fn describe() -> Description;

    /// Everything that would make the authority refuse this document, in the order of the document; empty when nothing would.
    ///
    /// Called before a number exists (`invoice.number` is absent), and in every dry run. [`Fault::error`] stops the document,
    /// [`Fault::warning`] does not.
    fn check(invoice: &Invoice, context: &Context) -> Vec<Fault>;

    /// The structured document, with the figures of `invoice.totals`: the gateway compares them and sends nothing that differs.
    /// The same input gives the same bytes.
    ///
    /// # Errors
    /// Why there can be no document. What [`check`](Self::check) finds as an error is one here too.
    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults>;

    /// The recipient's identity in the terms of the tax system, with paths below `/recipient` in what is wrong.
    ///
    /// # Errors
    /// Why the authority would not know whom the document is for.
    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults>;

    /// What the provider's report on the current attempt means: accepted, rejected, or undecided, which calls an operator.
    ///
    /// Only the authority's own step rejects, or the provider's validation before it; a fault of any other step leaves the
    /// document undecided. The reason of a rejection is one sentence for a person.
    ///
    /// # Errors
    /// The report cannot be read.
    fn interpret(report: &ProviderResult) -> Result<Verdict, Faults>;
}

/// The country's tax authority, as the sandbox provider plays it.
pub trait Authority {
    /// Under which names the authority files a structured document (JSON, as [`Country::convert`] made it): the chain it continues,
    /// if the authority keeps one for each issuer, and the key that no other document may have.
    ///
    /// # Errors
    /// The document is none that this authority reads.
    fn file(document: &str) -> Result<Filing, Faults>;

    /// What the authority answers to it. [`Submission::forced_code`] is the code that a tester wants it to answer with.
    ///
    /// # Errors
    /// The document, or the record of an earlier one, cannot be read. A document that the authority refuses is an [`Outcome`].
    fn submit(submission: &Submission) -> Result<Outcome, Faults>;
}

/// What the authority writes back, as documents: the sandbox provider of a gateway of release 1.5 keeps them with the entry, as files
/// of the category `response`.
///
/// ```
/// use einvoice_plugin::{Answer, Answers, Outcome, Submission};
///
/// struct Nowhere;
///
/// impl Answers for Nowhere {
///     fn answers(_: &Submission, outcome: &Outcome) -> Vec<Answer> {
///         let status = if outcome.accepted { "taken" } else { "refused" };
///         vec![Answer::xml("receipt.xml", format!("<receipt status=\"{status}\"/>"))]
///     }
/// }
/// ```
pub trait Answers {
    /// Every message about a submission, in the order of their arrival; `outcome` is what [`Authority::submit`] said to it. At most
    /// 10, each of at most 1 MiB under a file name of its own, of at most 200 characters without slashes.
    fn answers(submission: &Submission, outcome: &Outcome) -> Vec<Answer>;
}

/// Golden cases inside the component: a gateway of release 1.1 tries them before it puts the plugin in force.
/// [`samples!`] implements it.
pub trait Samples {
    /// Few and telling: each kind of document once. They run at every activation.
    fn samples() -> Vec<Sample>;
}

/// What a gateway of release 1.2 checks by itself of the authority's proofs and answers.
///
/// ```
/// use einvoice_plugin::{Evidence, EvidenceDescription};
///
/// struct Nowhere;
///
/// impl Evidence for Nowhere {
///     fn evidence() -> EvidenceDescription {
///         // https://verify.nowhere.example/?number=F-2026-000017
///         EvidenceDescription::at(&["verify.nowhere.example"], Some("number"), &["DUPLICATE"])
///     }
/// }
/// ```
pub trait Evidence {
    /// Where an address for verifying a document leads, where it states the number, and which codes mean that the authority holds
    /// a record under this number already. At most 300 entries of at most 255 bytes, hosts as names in lower case. Called once,
    /// when the plugin is loaded.
    fn evidence() -> EvidenceDescription;
}

/// What an authority wants to stand on a document that people read: a gateway of release 1.3 tells it to its renderer.
///
/// ```
/// use einvoice_plugin::{Printing, PrintingDescription, TaxName};
///
/// struct Nowhere;
///
/// impl Printing for Nowhere {
///     fn printing() -> PrintingDescription {
///         PrintingDescription {
///             tax_names: vec![TaxName::new("VAT", "IVA")],
///             qr_side_mm: 35,
///             ..PrintingDescription::new("es", "NIF")
///         }
///     }
/// }
/// ```
pub trait Printing {
    /// Language (BCP 47), names, the size of the QR code in millimetres (15 to 60) and what stands beside it; each text of 1 to 200
    /// characters, at most 20 names of taxes and 5 lines of legend. Called once, when the plugin is loaded.
    fn printing() -> PrintingDescription;
}

/// What the reasons for charging no tax are called on a document that people read: a gateway of release 1.4 tells them to its
/// renderer, where the plugin implements [`Printing`] as well and the document is in its language.
///
/// ```
/// use einvoice_plugin::{ExemptionName, ExemptionNames};
///
/// struct Nowhere;
///
/// impl ExemptionNames for Nowhere {
///     fn exemption_names() -> Vec<ExemptionName> {
///         vec![ExemptionName::new("article_20", "Exempt by article 20 of the tax act", "Exempt, art. 20")]
///     }
/// }
/// ```
pub trait ExemptionNames {
    /// One for each key of [`Description::exemptions`], by the words that the law asks for; a reason that is not among them is
    /// called by its title. At most 100, each text of 1 to 200 characters. Called once, when the plugin is loaded.
    fn exemption_names() -> Vec<ExemptionName>;
}

/// A [`Sample`] from `golden/cases/NAME.json`, `golden/context.json` and `golden/expected/NAME.json` of the plugin's
/// package; `sample!("person" in "../cases-of-mine")` takes another folder than `golden`.
#[macro_export]
macro_rules! sample {
    ($name:literal) => {
        $crate::sample!($name in "golden")
    };
    ($name:literal in $folder:literal) => {
        $crate::Sample {
            name: ::std::string::String::from($name),
            case: ::std::string::String::from(::core::include_str!(::core::concat!(
                ::core::env!("CARGO_MANIFEST_DIR"),
                "/",
                $folder,
                "/cases/",
                $name,
                ".json"
            ))),
            context: ::core::option::Option::Some(::std::string::String::from(::core::include_str!(
                ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", $folder, "/context.json")
            ))),
            expected: ::std::string::String::from(::core::include_str!(::core::concat!(
                ::core::env!("CARGO_MANIFEST_DIR"),
                "/",
                $folder,
                "/expected/",
                $name,
                ".json"
            ))),
        }
    };
}

/// Implements [`Samples`] by golden cases, each a [`sample!`] of a folder of the plugin's package:
/// `samples!(Nowhere, "golden": "person", "company")`.
#[macro_export]
macro_rules! samples {
    ($plugin:ty, $folder:literal: $($name:literal),+ $(,)?) => {
        impl $crate::Samples for $plugin {
            fn samples() -> ::std::vec::Vec<$crate::Sample> {
                ::std::vec![$($crate::sample!($name in $folder)),+]
            }
        }
    };
}

/// The version a plugin states of itself: that of its package. `gateway plugin watch` gives every trial build a version
/// of its own, because a gateway never takes two plugins under one version.
#[macro_export]
macro_rules! version {
    () => {
        match ::core::option_env!("EINVOICE_PLUGIN_VERSION") {
            ::core::option::Option::Some(trial) => trial,
            ::core::option::Option::None => ::core::env!("CARGO_PKG_VERSION"),
        }
    };
}

/// Makes a component of a type that implements [`Country`], and [`Authority`], [`Answers`], [`Amend`], [`Deadline`], [`Rules`], [`Reconcile`], [`Chain`], [`Remarks`],
/// [`SandboxListing`], [`Samples`], [`Evidence`], [`Printing`] or [`ExemptionNames`] when `with sandbox`, `with answers`, `with amend`,
/// `with deadline`, `with rules`, `with reconcile`, `with sandbox_listing`, `with chain`, `with remarks`, `with samples`, `with evidence`,
/// `with printing`, `with exemption_names` or several of them follow: `with sandbox, samples, evidence`.
///
/// `with panic_text` has a panic say on standard error what it says natively, and where: `gateway plugin test` and the
/// check before an activation show it. The component then imports `wasi:cli/stderr`, which every gateway links.
/// Expands to nothing outside WebAssembly, so the same crate is tested natively.
#[macro_export]
macro_rules! export {
    ($plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::regime as einvoice_plugin_regime;
    einvoice_plugin_regime::export_regime!($plugin with_types_in einvoice_plugin_regime);
        };
    };
    ($plugin:ident with $($part:ident),+ $(,)?) => {
        $crate::export!($plugin);
        $($crate::export!(@$part $plugin);)+
    };
    (@panic_text $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            mod einvoice_plugin_panic_text {
                $crate::wit_bindgen::generate!({
                    inline: r#"
                        package einvoicing:sdk-panic-text;
                        world panic-text { import wasi:cli/stderr@0.2.0; }
                        package wasi:cli@0.2.0 {
                            interface stderr {
                                use wasi:io/streams@0.2.0.{output-stream};
                                get-stderr: func() -> output-stream;
                            }
                        }
                        package wasi:io@0.2.0 {
                            interface error { resource error; }
                            interface streams {
                                use error.{error};
                                variant stream-error { last-operation-failed(error), closed }
                                resource output-stream {
                                    blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>;
                                }
                            }
                        }
                    "#,
                    generate_all,
                    runtime_path: "::einvoice_plugin::wit_bindgen::rt",
                });
                /// Runs before the first call of an export: what a linker calls a constructor.
                pub(super) extern "C" fn install() {
                    $crate::panic_text::install(|text| {
                        // Nobody hears of a stream that refuses: the call ends anyway.
                        let _ = wasi::cli::stderr::get_stderr().blocking_write_and_flush(text);
                    });
                }
            }
            #[used]
            #[unsafe(link_section = ".init_array")]
            static EINVOICE_PLUGIN_PANIC_TEXT: extern "C" fn() = einvoice_plugin_panic_text::install;
        };
    };
    (@evidence $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::evidence as einvoice_plugin_evidence;
    einvoice_plugin_evidence::export_evidence!($plugin with_types_in einvoice_plugin_evidence);
        };
    };
    (@printing $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::printing as einvoice_plugin_printing;
    einvoice_plugin_printing::export_printing!($plugin with_types_in einvoice_plugin_printing);
        };
    };
    (@exemption_names $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::exemption_names as einvoice_plugin_exemption_names;
    einvoice_plugin_exemption_names::export_exemption_names!($plugin with_types_in einvoice_plugin_exemption_names);
        };
    };
    (@answers $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::answers as einvoice_plugin_answers;
    einvoice_plugin_answers::export_answers!($plugin with_types_in einvoice_plugin_answers);
        };
    };
    (@amend $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::amend as einvoice_plugin_amend;
    einvoice_plugin_amend::export_amend!($plugin with_types_in einvoice_plugin_amend);
        };
    };
    (@deadline $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::deadline as einvoice_plugin_deadline;
    einvoice_plugin_deadline::export_deadline!($plugin with_types_in einvoice_plugin_deadline);
        };
    };
    (@rules $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::rules as einvoice_plugin_rules;
    einvoice_plugin_rules::export_rules!($plugin with_types_in einvoice_plugin_rules);
        };
    };
    (@reconcile $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::reconcile as einvoice_plugin_reconcile;
    einvoice_plugin_reconcile::export_reconcile!($plugin with_types_in einvoice_plugin_reconcile);
        };
    };
    (@sandbox_listing $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::sandbox_listing as einvoice_plugin_sandbox_listing;
    einvoice_plugin_sandbox_listing::export_sandbox_listing!($plugin with_types_in einvoice_plugin_sandbox_listing);
        };
    };
    (@chain $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::chain as einvoice_plugin_chain;
    einvoice_plugin_chain::export_chain!($plugin with_types_in einvoice_plugin_chain);
        };
    };
    (@remarks $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::remarks as einvoice_plugin_remarks;
    einvoice_plugin_remarks::export_remarks!($plugin with_types_in einvoice_plugin_remarks);
        };
    };
    (@samples $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::samples as einvoice_plugin_samples;
    einvoice_plugin_samples::export_samples!($plugin with_types_in einvoice_plugin_samples);
        };
    };
    (@sandbox $plugin:ident) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::sandbox as einvoice_plugin_sandbox;
    einvoice_plugin_sandbox::export_sandbox!($plugin with_types_in einvoice_plugin_sandbox);
        };
    };
}
