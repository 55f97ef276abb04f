//! The contract's major versions, dispatched in one place.
//!
//! A minor release adds optional interfaces, each probed on its own in the module of its major version. A major version
//! is a folder `wit/vN`, a module here beside `v1` that turns its records into the domain's types and back, a variant
//! of [`Abi`] and one line in [`Abi::probe`]: the compiler then points at the arms that are missing. The versions before
//! it stay until nobody has a plugin of theirs.

pub(crate) mod render_v1;
pub(crate) mod v1;

use crate::defect::Failure;
use crate::guest::Guest;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Recipient;
use gateway_domain::regime::{
    AmendDescription, AuthorityAnswer, AuthorityOutcome, AuthoritySubmission, EvidenceDescription, Filing,
    FilingFacts, FilingMark, FilingTerms, Identity, PrintingDescription, ProviderReport, RegimeAmendment,
    RegimeContext, RegimeDescription, RegimeInvoice, Sample, StructuredDocument, Verdict,
};
use gateway_domain_evidence::RecordLink;
use gateway_domain_evidence::ports::UnreadableMessage;
use gateway_domain_reconciliation::{
    FiledRecord, ListingAnswer, ListingPage, ListingProblem, ListingQuery, ListingQuestion, ListingRequest,
};
use gateway_domain_rules::RuleSet;
use wasmtime::Store;
use wasmtime::component::InstancePre;

/// What a component exports, by major version of the contract.
#[derive(Clone)]
pub(crate) enum Abi {
    /// `einvoicing:regime@1`.
    V1(v1::Exports),
}

impl Abi {
    /// The newest contract that the component fulfils. Types are compared when it is first instantiated.
    pub(crate) fn probe(pre: InstancePre<Guest>) -> Option<Self> {
        v1::Exports::probe(pre).map(Self::V1)
    }

    /// The interface a component has to export, as shown to people.
    pub(crate) const REQUIRED: &str = v1::REGIME;

    pub(crate) fn has_sandbox(&self) -> bool {
        match self {
            Self::V1(exports) => exports.has_sandbox(),
        }
    }

    pub(crate) const fn has_answers(&self) -> bool {
        match self {
            Self::V1(exports) => exports.has_answers(),
        }
    }

    /// The newest minor release that the component uses: `1.2`.
    pub(crate) const fn release(&self) -> &'static str {
        match self {
            Self::V1(exports) => exports.release(),
        }
    }

    /// None at all when the component does not export the optional interface.
    pub(crate) async fn samples(&self, store: Store<Guest>) -> Result<Vec<Sample>, Failure> {
        match self {
            Self::V1(exports) => exports.samples(store).await,
        }
    }

    /// None when the component does not export the optional interface.
    pub(crate) async fn evidence(
        &self,
        store: impl FnOnce() -> Store<Guest>,
    ) -> Result<Option<EvidenceDescription>, Failure> {
        match self {
            Self::V1(exports) => exports.evidence(store).await,
        }
    }

    /// None when the component does not export the optional interface.
    pub(crate) async fn printing(
        &self,
        store: impl Fn() -> Store<Guest>,
    ) -> Result<Option<PrintingDescription>, Failure> {
        match self {
            Self::V1(exports) => exports.printing(store).await,
        }
    }

    /// None when the component does not export the optional interface.
    pub(crate) async fn amendable(
        &self,
        store: impl Fn() -> Store<Guest>,
    ) -> Result<Option<AmendDescription>, Failure> {
        match self {
            Self::V1(exports) => exports.amendable(store).await,
        }
    }

    /// None at all when the component does not export the optional interface.
    pub(crate) async fn rule_sets(
        &self,
        store: impl FnOnce() -> Store<Guest>,
    ) -> Result<Vec<RuleSet>, Failure> {
        match self {
            Self::V1(exports) => exports.rule_sets(store).await,
        }
    }

    pub(crate) const fn has_chain(&self) -> bool {
        match self {
            Self::V1(exports) => exports.has_chain(),
        }
    }

    pub(crate) async fn links(
        &self,
        store: Store<Guest>,
        message: &str,
    ) -> Result<Result<Vec<RecordLink>, UnreadableMessage>, Failure> {
        match self {
            Self::V1(exports) => exports.links(store, message).await,
        }
    }

    pub(crate) async fn convert_amendment(
        &self,
        store: Store<Guest>,
        amendment: &RegimeAmendment,
        context: &RegimeContext,
    ) -> Result<StructuredDocument, Failure> {
        match self {
            Self::V1(exports) => exports.convert_amendment(store, amendment, context).await,
        }
    }

    pub(crate) const fn has_deadline(&self) -> bool {
        match self {
            Self::V1(exports) => exports.has_deadline(),
        }
    }

    pub(crate) async fn filing_terms(
        &self,
        store: Store<Guest>,
        (invoice, context): (&RegimeInvoice, &RegimeContext),
        facts: &FilingFacts,
    ) -> Result<FilingTerms, Failure> {
        match self {
            Self::V1(exports) => exports.filing_terms(store, (invoice, context), facts).await,
        }
    }

    pub(crate) async fn marked(
        &self,
        store: Store<Guest>,
        document: &StructuredDocument,
        mark: &FilingMark,
    ) -> Result<StructuredDocument, Failure> {
        match self {
            Self::V1(exports) => exports.marked(store, document, mark).await,
        }
    }

    /// Whether it reads its authority's own list.
    pub(crate) const fn has_reconcile(&self) -> bool {
        match self {
            Self::V1(exports) => exports.has_reconcile(),
        }
    }

    /// Whether it plays its authority's own list.
    pub(crate) const fn has_sandbox_listing(&self) -> bool {
        match self {
            Self::V1(exports) => exports.has_sandbox_listing(),
        }
    }

    pub(crate) async fn listing_question(
        &self,
        store: Store<Guest>,
        query: &ListingQuery,
        context: &RegimeContext,
    ) -> Result<Result<ListingRequest, ListingProblem>, Failure> {
        match self {
            Self::V1(exports) => exports.listing_question(store, query, context).await,
        }
    }

    pub(crate) async fn listing_page(
        &self,
        store: Store<Guest>,
        query: (&ListingQuery, &RegimeContext),
        answered: &ListingAnswer,
    ) -> Result<Result<ListingPage, ListingProblem>, Failure> {
        match self {
            Self::V1(exports) => exports.listing_page(store, query, answered).await,
        }
    }

    pub(crate) async fn sandbox_listing(
        &self,
        store: Store<Guest>,
        question: &ListingQuestion,
        filed: &[FiledRecord],
    ) -> Result<Vec<u8>, Failure> {
        match self {
            Self::V1(exports) => exports.sandbox_listing(store, question, filed).await,
        }
    }

    pub(crate) async fn describe(&self, store: Store<Guest>) -> Result<RegimeDescription, Failure> {
        match self {
            Self::V1(exports) => exports.describe(store).await,
        }
    }

    pub(crate) async fn check(
        &self,
        store: Store<Guest>,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Vec<Fault>, Failure> {
        match self {
            Self::V1(exports) => exports.check(store, invoice, context).await,
        }
    }

    pub(crate) async fn convert(
        &self,
        store: Store<Guest>,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<StructuredDocument, Failure> {
        match self {
            Self::V1(exports) => exports.convert(store, invoice, context).await,
        }
    }

    pub(crate) async fn map_identity(
        &self,
        store: Store<Guest>,
        recipient: &Recipient,
    ) -> Result<Identity, Failure> {
        match self {
            Self::V1(exports) => exports.map_identity(store, recipient).await,
        }
    }

    pub(crate) async fn interpret(
        &self,
        store: Store<Guest>,
        report: &ProviderReport,
    ) -> Result<Verdict, Failure> {
        match self {
            Self::V1(exports) => exports.interpret(store, report).await,
        }
    }

    pub(crate) async fn file(&self, store: Store<Guest>, document: &str) -> Result<Filing, Failure> {
        match self {
            Self::V1(exports) => exports.file(store, document).await,
        }
    }

    pub(crate) async fn submit(
        &self,
        store: Store<Guest>,
        submission: &AuthoritySubmission,
    ) -> Result<AuthorityOutcome, Failure> {
        match self {
            Self::V1(exports) => exports.submit(store, submission).await,
        }
    }

    /// None at all when the component does not export the optional interface.
    pub(crate) async fn answers(
        &self,
        store: Store<Guest>,
        submission: &AuthoritySubmission,
        outcome: &AuthorityOutcome,
    ) -> Result<Vec<AuthorityAnswer>, Failure> {
        match self {
            Self::V1(exports) => exports.answers(store, submission, outcome).await,
        }
    }
}
