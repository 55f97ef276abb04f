//! What went wrong in a call, as one clear fault. The caller reads a sentence that names the plugin and says what to
//! do; the guest's backtrace goes to the log.

use crate::guest::{OverDeadline, OverMemory};
use crate::options::{CallOutcome, Function, Limits};
use gateway_domain::fault::Fault;
use gateway_domain::ports::ConverterError;
use wasmtime::Trap;

/// Why a call gave no usable answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The guest was stopped, by itself or by a limit.
    Stopped(wasmtime::Error),
    /// The guest returned something that cannot be used: a clause that follows "it returned".
    Rubbish(String),
    /// The guest returned more than it may: what, and how many bytes or pieces are allowed.
    Oversize(&'static str, usize),
    /// The document states another amount due than the invoice: the document's, then the invoice's.
    Payable(String, String),
    /// The guest refused the input. May be an empty list, which is a defect.
    Refused(Vec<Fault>),
    /// The plugin does not export the optional interface.
    NotOffered,
    /// The gateway's own input is inconsistent: a sentence.
    Input(&'static str),
    /// The machine did not get round to it in time.
    Starved,
}

impl From<wasmtime::Error> for Failure {
    fn from(error: wasmtime::Error) -> Self {
        Self::Stopped(error)
    }
}

/// Something a guest returned that cannot be used.
pub(crate) fn rubbish(what: impl Into<String>) -> Failure {
    Failure::Rubbish(what.into())
}

impl Failure {
    /// The failure as callers see it. `plugin` is how a person finds the plugin: key and version, or its file.
    pub(crate) fn explain(self, plugin: &str, function: Function, limits: &Limits) -> ConverterError {
        let broken = |code: &str, what: &str, remedy: &str| {
            tracing::warn!(plugin, %function, code, what, "a plugin misbehaved");
            let message = format!("The plugin {plugin} {what} in '{function}': {remedy}.");
            ConverterError::Broken(Fault::error(code, "", message))
        };
        match self {
            Self::Stopped(error) => {
                let (code, what, remedy) = stopped(&error, function, limits);
                tracing::warn!(plugin, %function, code, error = ?error, "a plugin was stopped");
                broken(code, &what, remedy)
            }
            Self::Rubbish(what) => broken("PLUGIN-RUBBISH", &format!("returned {what}"), REPLACE),
            Self::Oversize(what, most) => {
                broken("PLUGIN-OUTPUT", &format!("returned {what}, more than the {most} allowed,"), REPLACE)
            }
            Self::Payable(document, invoice) => {
                let what = format!("made a document over {document} of an invoice over {invoice}");
                broken("PLUGIN-PAYABLE", &what, REPLACE)
            }
            Self::Refused(faults) if faults.iter().any(Fault::stops) => ConverterError::Faults(faults),
            Self::Refused(_) => {
                broken("PLUGIN-EMPTY-FAULTS", "refused its input without saying why", REPLACE)
            }
            Self::NotOffered => broken(
                "PLUGIN-NO-SANDBOX",
                "has no stand-in for its tax authority, which is needed",
                "use a real provider for this tax regime, or a plugin that exports the interface 'sandbox'",
            ),
            Self::Input(message) => ConverterError::Broken(Fault::error("PLUGIN-INPUT", "", message)),
            Self::Starved => ConverterError::Busy,
        }
    }

    /// How an observer counts it.
    pub(crate) fn outcome(&self) -> CallOutcome {
        match self {
            Self::Refused(faults) if faults.iter().any(Fault::stops) => CallOutcome::Refused,
            Self::Starved => CallOutcome::Overloaded,
            Self::Stopped(_)
            | Self::Rubbish(_)
            | Self::Oversize(..)
            | Self::Payable(..)
            | Self::Refused(_)
            | Self::NotOffered
            | Self::Input(_) => CallOutcome::Broken,
        }
    }
}

const REPLACE: &str = "report it to the plugin's author, or install another version";

/// Code, clause and remedy of a guest that was stopped.
fn stopped(
    error: &wasmtime::Error,
    function: Function,
    limits: &Limits,
) -> (&'static str, String, &'static str) {
    if error.is::<OverDeadline>() {
        let most = if function == Function::Describe { limits.describe_deadline } else { limits.deadline };
        let what = format!("did not finish within {} ms", most.as_millis());
        return (
            "PLUGIN-DEADLINE",
            what,
            "make the document smaller, or install another version of the plugin",
        );
    }
    if error.is::<OverMemory>() {
        let what = format!("needed more than {} MiB of memory", limits.memory_bytes >> 20);
        return (
            "PLUGIN-MEMORY",
            what,
            "make the document smaller, or install another version of the plugin",
        );
    }
    let cause = error.root_cause().to_string();
    if cause.contains("fuel allocated for hostcalls") {
        let what = format!("returned more than {} MiB", limits.transfer_bytes >> 20);
        return ("PLUGIN-OUTPUT", what, REPLACE);
    }
    // Only a trap's own words are for a caller; anything else may show addresses.
    let what = match error.downcast_ref::<Trap>() {
        Some(Trap::UnreachableCodeReached) => "gave up (it panicked or aborted)".to_owned(),
        Some(Trap::StackOverflow) => "called itself too deeply".to_owned(),
        Some(trap) => format!("crashed ({trap})"),
        None => "returned something that is not what the contract says".to_owned(),
    };
    ("PLUGIN-TRAP", what, REPLACE)
}
