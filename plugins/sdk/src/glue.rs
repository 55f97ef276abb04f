//! Every [`Country`] is a guest of the generated bindings.

use crate::bindings::amend::exports::einvoicing::regime1_6_0::amend;
use crate::bindings::answers::exports::einvoicing::regime1_5_0::answers;
use crate::bindings::chain::exports::einvoicing::regime1_10_0::chain;
use crate::bindings::deadline::exports::einvoicing::regime1_7_0::deadline;
use crate::bindings::evidence::exports::einvoicing::regime1_2_0::evidence;
use crate::bindings::exemption_names::exports::einvoicing::regime1_4_0::exemption_names;
use crate::bindings::printing::exports::einvoicing::regime1_3_0::printing;
use crate::bindings::reconcile::exports::einvoicing::regime1_9_0::reconcile;
use crate::bindings::regime::exports::einvoicing::regime::regime;
use crate::bindings::remarks::exports::einvoicing::regime1_10_0::remarks;
use crate::bindings::rules::exports::einvoicing::regime1_8_0::rules;
use crate::bindings::samples::exports::einvoicing::regime1_1_0::samples;
use crate::bindings::sandbox::exports::einvoicing::regime::sandbox;
use crate::bindings::sandbox_listing::exports::einvoicing::regime1_9_0::sandbox_listing;
use crate::{
    Amend, AmendDescription, Amendment, Answer, Answers, Authority, Chain, Context, Country, Deadline,
    Demand, Description, Document, Evidence, EvidenceDescription, ExemptionName, ExemptionNames, Fault,
    Faults, FiledRecord, Filing, FilingFacts, FilingLimits, Identity, Invoice, Link, ListingAnswer,
    ListingPage, ListingProblem, ListingQuery, ListingQuestion, ListingRequest, Outcome, Printing,
    PrintingDescription, ProviderResult, Recipient, Reconcile, Remarks, RuleSet, Rules, Sample, Samples,
    SandboxListing, Submission, Verdict,
};

impl<T: Country> regime::Guest for T {
    fn describe() -> Description {
        T::describe()
    }

    fn check(invoice: Invoice, context: Context) -> Vec<Fault> {
        T::check(&invoice, &context)
    }

    fn convert(invoice: Invoice, context: Context) -> Result<Document, Faults> {
        T::convert(&invoice, &context)
    }

    fn map_identity(recipient: Recipient) -> Result<Identity, Faults> {
        T::map_identity(&recipient)
    }

    fn interpret(outcome: ProviderResult) -> Result<Verdict, Faults> {
        T::interpret(&outcome)
    }
}

impl<T: Authority> sandbox::Guest for T {
    fn file(document: String) -> Result<Filing, Faults> {
        T::file(&document)
    }

    fn submit(submission: Submission) -> Result<Outcome, Faults> {
        T::submit(&submission)
    }
}

impl<T: Samples> samples::Guest for T {
    fn samples() -> Vec<Sample> {
        T::samples()
    }
}

impl<T: Printing> printing::Guest for T {
    fn printing() -> PrintingDescription {
        T::printing()
    }
}

impl<T: Evidence> evidence::Guest for T {
    fn evidence() -> EvidenceDescription {
        T::evidence()
    }
}

impl<T: ExemptionNames> exemption_names::Guest for T {
    fn exemption_names() -> Vec<ExemptionName> {
        T::exemption_names()
    }
}

impl<T: Answers> answers::Guest for T {
    fn answers(submission: answers::Submission, outcome: answers::Outcome) -> Vec<Answer> {
        let answers::Submission { document, now, previous, registered, amends, forced_code } = submission;
        let submission = Submission { document, now, previous, registered, amends, forced_code };
        let answers::Outcome { accepted, stamps, faults, record, payload } = outcome;
        T::answers(&submission, &Outcome { accepted, stamps, faults, record, payload })
    }
}

impl<T: Amend> amend::Guest for T {
    fn amendable() -> AmendDescription {
        T::amendable()
    }

    fn convert_amendment(amendment: Amendment, context: Context) -> Result<Document, Faults> {
        T::convert_amendment(&amendment, &context)
    }
}

impl<T: Deadline> deadline::Guest for T {
    fn due(invoice: Invoice, context: Context, facts: FilingFacts) -> FilingLimits {
        T::due(&invoice, &context, &facts)
    }

    fn marked(document: Document, mark: String) -> Result<Document, Faults> {
        T::marked(document, &mark)
    }
}

impl<T: Chain> chain::Guest for T {
    fn links(message: String) -> Result<Vec<Link>, String> {
        T::links(&message)
    }
}

impl<T: Remarks> remarks::Guest for T {
    fn demands() -> Vec<Demand> {
        T::demands()
    }
}

impl<T: Rules> rules::Guest for T {
    fn rule_sets() -> Vec<RuleSet> {
        T::rule_sets()
    }
}

impl<T: Reconcile> reconcile::Guest for T {
    fn question(query: ListingQuery, context: Context) -> Result<ListingRequest, ListingProblem> {
        T::question(&query, &context)
    }

    fn read_answer(
        query: ListingQuery,
        context: Context,
        answer: ListingAnswer,
    ) -> Result<ListingPage, ListingProblem> {
        T::read_answer(&query, &context, &answer)
    }
}

impl<T: SandboxListing> sandbox_listing::Guest for T {
    fn listing(question: ListingQuestion, filed: Vec<FiledRecord>) -> Vec<u8> {
        T::listing(&question, &filed)
    }
}
