//! A try on a plugin that need not be in force: what it makes of real documents, and whether it makes the same twice.
//! Nobody counts or watches these calls: a candidate that fails them never goes into force. Failures speak to its author.

use crate::defect::Failure;
use crate::guest::{CallTrace, Guest, store};
use crate::host::PluginHost;
use crate::load::Plugin;
use crate::options::Function;
use gateway_domain::fault::Fault;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{RegimeContext, RegimeInvoice, Sample, StructuredDocument};
use wasmtime::Store;

/// What a plugin makes of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// What it would complain about before a number exists.
    pub faults: Vec<Fault>,
    /// The structured document, or why there is none: never an empty list.
    pub document: Result<StructuredDocument, Vec<Fault>>,
}

impl PluginHost {
    /// Checks and converts a document, each twice. Fails when the plugin misbehaves, or answers one of them with
    /// something else the second time.
    pub async fn trial(
        &self,
        plugin: &Plugin,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Trial, ConverterError> {
        let check = |trace| plugin.abi.check(self.trial_store(trace), invoice, context);
        let faults = self.call_twice(plugin, Function::Check, check, "two lists of faults").await?;
        let convert = |trace| async {
            let document = plugin.abi.convert(self.trial_store(trace), invoice, context).await?;
            self.examine(document, invoice)
        };
        let document = match self.call_twice(plugin, Function::Convert, convert, "two documents").await {
            Ok(document) => Ok(document),
            Err(ConverterError::Faults(faults)) => Err(faults),
            Err(other) => return Err(other),
        };
        Ok(Trial { faults, document })
    }

    /// The golden cases it brings along; none when it brings none.
    pub async fn samples(&self, plugin: &Plugin) -> Result<Vec<Sample>, ConverterError> {
        let samples = |trace| plugin.abi.samples(self.trial_store(trace));
        self.call_twice(plugin, Function::Samples, samples, "two lists of samples").await
    }

    pub(crate) fn trial_store(&self, trace: CallTrace) -> Store<Guest> {
        store((&self.engine, &self.ticker), &self.limits, self.limits.deadline, trace)
    }

    async fn call_twice<T: PartialEq, A: Future<Output = Result<T, Failure>>>(
        &self,
        plugin: &Plugin,
        function: Function,
        ask: impl Fn(CallTrace) -> A,
        difference: &'static str,
    ) -> Result<T, ConverterError> {
        let _permits = self.permits_for(plugin).await?;
        let (one, two) = (CallTrace::default(), CallTrace::default());
        let first = self.within_deadline(ask(one.clone())).await;
        let second = self.within_deadline(ask(two.clone())).await;
        // Of two failures the first counts.
        let trace = if first.is_err() { one } else { two };
        let explain =
            |failure: Failure| failure.explain_to_author(&plugin.name(), function, &self.limits, &trace);
        agreed(first, second, difference).map_err(explain)
    }
}

/// The answer, if both are the same. Of two failures the first counts; a failure only once is two answers.
fn agreed<T: PartialEq>(
    first: Result<T, Failure>,
    second: Result<T, Failure>,
    difference: &'static str,
) -> Result<T, Failure> {
    match (first, second) {
        (Ok(first), Ok(second)) if first == second => Ok(first),
        (Err(Failure::Refused(first)), Err(Failure::Refused(second))) if first == second => {
            Err(Failure::Refused(first))
        }
        (Ok(_), Ok(_)) | (Err(Failure::Refused(_)), Ok(_) | Err(Failure::Refused(_))) => {
            Err(Failure::NotPure(difference))
        }
        (Ok(_), Err(Failure::Refused(_))) => Err(Failure::NotPure(difference)),
        (Err(failure), _) | (_, Err(failure)) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: &str) -> Result<u8, Failure> {
        Err(Failure::Refused(vec![Fault::error(code, "", "No.")]))
    }

    fn differs(first: Result<u8, Failure>, second: Result<u8, Failure>) -> bool {
        matches!(agreed(first, second, "two numbers"), Err(Failure::NotPure("two numbers")))
    }

    #[test]
    fn two_answers_have_to_be_the_same() {
        assert!(matches!(agreed(Ok(1), Ok(1), ""), Ok(1)));
        assert!(matches!(agreed(refused("A"), refused("A"), ""), Err(Failure::Refused(_))));
        assert!(differs(Ok(1), Ok(2)));
        assert!(differs(refused("A"), refused("B")));
        assert!(differs(refused("A"), Ok(1)));
        assert!(differs(Ok(1), refused("A")));
    }

    #[test]
    fn a_plugin_that_breaks_once_is_broken() {
        assert!(matches!(agreed(Ok(1), Err(Failure::Starved), ""), Err(Failure::Starved)));
        assert!(matches!(agreed(Err(Failure::Starved), Ok(1), ""), Err(Failure::Starved)));
    }
}
