//! What went wrong in a call, as one clear fault. The caller reads a sentence that names the plugin and says what to
//! do; the guest's backtrace and its last words go to the log. Who tries a plugin is taken for its author, and reads what
//! the plugin itself said: its panic, its exception, the place where its JSON ends to be any.

use crate::guest::{CallTrace, OverDeadline, OverMemory};
use crate::json_error::JsonError;
use crate::options::{CallOutcome, Function, Limits};
use crate::wasi::{Forbidden, OverRandom};
use gateway_domain::fault::Fault;
use gateway_domain::ports::{ConverterError, PLUGIN_BLOCKED};
use std::char::DecodeUtf16Error;
use std::num::TryFromIntError;
use std::str::Utf8Error;
use wasmtime::{OutOfMemory, PoolConcurrencyLimitError, Trap, WasmBacktrace};
use wasmtime_wasi::{I32Exit, ResourceTableError};

/// Why a call gave no usable answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The guest was stopped, by itself or by a limit.
    Stopped(wasmtime::Error),
    /// The guest returned something that cannot be used: a clause that follows "it returned".
    Unusable(String),
    /// The guest returned JSON that is none: a clause like that of `Unusable`, and where it breaks off, for the author.
    Unreadable(String, JsonError),
    /// The guest returned more than it may: what, and how many bytes or pieces are allowed.
    Oversize(&'static str, usize),
    /// The document states another amount due than the invoice: the document's, then the invoice's.
    Payable(String, String),
    /// The guest made two different things of the same input: which.
    NotPure(&'static str),
    /// The plugin is blocked: why, and what to do.
    Blocked(String),
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
pub(crate) fn unusable(what: impl Into<String>) -> Failure {
    Failure::Unusable(what.into())
}

/// JSON a guest returned that is none: a clause that follows "it returned", and where it breaks off.
pub(crate) fn unreadable(what: impl Into<String>, text: &str, error: &serde_json::Error) -> Failure {
    Failure::Unreadable(what.into(), JsonError::new(text, error))
}

/// Something a plugin did wrong, as the parts of a sentence.
pub(crate) struct Defect {
    code: &'static str,
    /// A clause that follows the plugin's name.
    pub(crate) what: String,
    /// What the author reads instead: a clause as well.
    detail: Option<String>,
    /// What to do next.
    remedy: &'static str,
}

impl Failure {
    /// The failure as callers see it. `plugin` is how a person finds the plugin: key and version.
    pub(crate) fn explain(
        self,
        plugin: &str,
        function: Function,
        limits: &Limits,
        trace: &CallTrace,
    ) -> ConverterError {
        self.log(plugin, function, limits, trace);
        match self.defect(plugin, function, limits) {
            Ok(Defect { code, what, remedy, .. }) => {
                let message = format!("In '{function}', the plugin {plugin} {what}: {remedy}.");
                ConverterError::Broken(Fault::error(code, "", message))
            }
            Err(other) => other,
        }
    }

    /// The same as the plugin's author reads it, who tries the plugin.
    pub(crate) fn explain_to_author(
        self,
        plugin: &str,
        function: Function,
        limits: &Limits,
        trace: &CallTrace,
    ) -> ConverterError {
        self.log(plugin, function, limits, trace);
        match self.defect(plugin, function, limits) {
            Ok(defect) => {
                let message = defect.to_author(function, trace);
                ConverterError::Broken(Fault::error(defect.code, "", message))
            }
            Err(other) => other,
        }
    }

    /// One sentence for the plugin's author; none when the plugin did nothing wrong.
    pub(crate) fn for_author(
        &self,
        plugin: &str,
        function: Function,
        limits: &Limits,
        trace: &CallTrace,
    ) -> Option<String> {
        self.defect(plugin, function, limits).ok().map(|defect| defect.to_author(function, trace))
    }

    /// The operator's line, with the end of what the guest wrote to standard error.
    fn log(&self, plugin: &str, function: Function, limits: &Limits, trace: &CallTrace) {
        let Ok(Defect { code, what, .. }) = self.defect(plugin, function, limits) else { return };
        let said = trace.stderr.headline();
        let said = said.as_deref();
        if let Self::Stopped(error) = self {
            tracing::warn!(plugin, %function, error = ?error, said, "a plugin was stopped");
        }
        tracing::warn!(plugin, %function, code, what, said, "a plugin misbehaved");
    }

    /// Why a file that failed to say what it is, or what its authority's evidence is, is refused; none when the host was
    /// overloaded.
    pub(crate) fn explain_refusal(
        self,
        file: &str,
        function: Function,
        limits: &Limits,
        trace: &CallTrace,
    ) -> Option<String> {
        self.log(file, function, limits, trace);
        let question = match function {
            Function::Evidence => "what its authority's evidence is",
            Function::Printing => "what documents show",
            Function::Amendable => "what may be amended",
            Function::RuleSets => "which rules change on a day",
            _ => "what it is",
        };
        match self.defect(file, function, limits) {
            // Whoever loads a file has its author at hand, or is them.
            Ok(defect) => {
                Some(format!("asked {question}, it {}: {}", defect.in_own_words(trace), defect.remedy))
            }
            Err(ConverterError::Busy) => None,
            Err(other) => Some(other.to_string()),
        }
    }

    /// What the plugin did wrong, or the error of somebody else.
    fn defect(&self, plugin: &str, function: Function, limits: &Limits) -> Result<Defect, ConverterError> {
        Ok(match self {
            Self::Refused(faults) if faults.iter().any(Fault::stops) => {
                return Err(ConverterError::Faults(faults.clone()));
            }
            Self::Input(message) => {
                return Err(ConverterError::Broken(Fault::error("PLUGIN-INPUT", "", *message)));
            }
            Self::Starved => return Err(ConverterError::Busy),
            Self::Blocked(reason) => {
                let message = format!("In '{function}', the plugin {plugin} was not called; {reason}.");
                return Err(ConverterError::Broken(Fault::error(PLUGIN_BLOCKED, "", message)));
            }
            Self::Stopped(error) => stopped(error, function, limits),
            Self::Unreadable(what, error) => Defect {
                detail: Some(format!("returned {what}: {error}")),
                ..Defect::of("PLUGIN-RUBBISH", format!("returned {what}"))
            },
            Self::Unusable(what) => Defect::of("PLUGIN-RUBBISH", format!("returned {what}")),
            Self::Oversize(what, most) => {
                Defect::of("PLUGIN-OUTPUT", format!("returned {what}, more than the {most} allowed"))
            }
            Self::Payable(document, invoice) => Defect::of(
                "PLUGIN-PAYABLE",
                format!("made a document over {document} of an invoice over {invoice}"),
            ),
            Self::NotPure(what) => {
                Defect::of("PLUGIN-NOT-PURE", format!("made {what} of the same input twice"))
            }
            Self::Refused(_) => Defect::of("PLUGIN-EMPTY-FAULTS", "refused its input without saying why"),
            Self::NotOffered => Defect {
                code: "PLUGIN-NO-SANDBOX",
                what: "was asked to play its tax authority, which it does not".to_owned(),
                detail: None,
                remedy: "use a real provider for this tax regime, or a plugin that exports the interface 'sandbox'",
            },
        })
    }

    /// How an observer counts it.
    pub(crate) fn outcome(&self) -> CallOutcome {
        match self {
            Self::Refused(faults) if faults.iter().any(Fault::stops) => CallOutcome::Refused,
            Self::Starved => CallOutcome::Overloaded,
            Self::Blocked(_) => CallOutcome::Blocked,
            Self::Stopped(_)
            | Self::NotPure(_)
            | Self::Unusable(_)
            | Self::Unreadable(..)
            | Self::Oversize(..)
            | Self::Payable(..)
            | Self::Refused(_)
            | Self::NotOffered
            | Self::Input(_) => CallOutcome::Broken,
        }
    }
}

impl Defect {
    /// A defect that only another plugin mends.
    fn of(code: &'static str, what: impl Into<String>) -> Self {
        let remedy = "report it to the plugin's author, or install another version";
        Self { code, what: what.into(), detail: None, remedy }
    }

    /// A defect that the size of the document may have caused.
    fn of_size(code: &'static str, what: String, function: Function) -> Self {
        if function.at_loading() {
            return Self::of(code, what);
        }
        Self {
            remedy: "make the document smaller, or install another version of the plugin",
            ..Self::of(code, what)
        }
    }

    /// A clause with what the plugin itself said: a panic, an exception, the place in its JSON.
    fn in_own_words(&self, trace: &CallTrace) -> String {
        let said = || if self.ended_itself() { trace.stderr.headline() } else { None };
        self.detail.clone().or_else(said).unwrap_or_else(|| self.what.clone())
    }

    /// One sentence for the author.
    fn to_author(&self, function: Function, trace: &CallTrace) -> String {
        format!("In '{function}', your plugin {}", self.in_own_words(trace))
    }

    /// Whether the guest gave up by itself, rather than being stopped by a limit, and may have said why.
    fn ended_itself(&self) -> bool {
        self.code == "PLUGIN-TRAP"
    }
}

/// What stopped a guest.
pub(crate) fn stopped(error: &wasmtime::Error, function: Function, limits: &Limits) -> Defect {
    if error.is::<OverDeadline>() {
        let most = if function.at_loading() { limits.describe_deadline } else { limits.deadline };
        let what = format!("did not finish within {} ms", most.as_millis());
        return Defect::of_size("PLUGIN-DEADLINE", what, function);
    }
    if error.is::<OverMemory>() {
        let what = format!("needed more than {} MiB of memory", limits.memory_bytes >> 20);
        return Defect::of_size("PLUGIN-MEMORY", what, function);
    }
    if let Some(Forbidden(what)) = error.downcast_ref() {
        let what = format!("wanted to use {what}, but a plugin is a pure function and gets nothing");
        return Defect::of("PLUGIN-FORBIDDEN", what);
    }
    if let Some(I32Exit(code)) = error.downcast_ref() {
        return Defect::of("PLUGIN-TRAP", format!("ended itself with the code {code}"));
    }
    if error.is::<ResourceTableError>() || error.is::<OverRandom>() {
        let what = "asked for more handles or random bytes than a plugin may have";
        return Defect::of("PLUGIN-TRAP", what);
    }
    // Only a trap's own words are for a caller; anything else may show addresses.
    let what = match error.downcast_ref::<Trap>() {
        Some(Trap::UnreachableCodeReached) => "gave up (it panicked or aborted)".to_owned(),
        Some(Trap::StackOverflow) => "called itself too deeply".to_owned(),
        Some(trap) => format!("crashed ({trap})"),
        None if breaks_contract(error) => "broke the contract's rules for records and texts".to_owned(),
        None => {
            let what = format!("handed over more than {} MiB", limits.transfer_bytes >> 20);
            return Defect::of_size("PLUGIN-OUTPUT", what, function);
        }
    };
    Defect::of("PLUGIN-TRAP", what)
}

/// Whether what was handed over is not of its type, or there was no room for the call. Wasmtime says the former with an
/// error of the standard library, or with a sentence (whose type is that of a text, and which nobody reads here). What is
/// left is the error of a spent transfer, whose type is private.
fn breaks_contract(error: &wasmtime::Error) -> bool {
    let malformed =
        error.is::<Utf8Error>() || error.is::<DecodeUtf16Error>() || error.is::<TryFromIntError>();
    let is_sentence = error.is::<&'static str>() || error.is::<String>();
    malformed || is_sentence || error.is::<OutOfMemory>() || error.is::<PoolConcurrencyLimitError>()
}

/// The functions in which a guest was stopped, innermost first, under the names that its compiler gave them.
pub(crate) fn functions_of_trap(error: &wasmtime::Error) -> Vec<String> {
    let frames = error.downcast_ref::<WasmBacktrace>().map(WasmBacktrace::frames).unwrap_or_default();
    let name = |frame: &wasmtime::FrameInfo| match frame.func_name() {
        Some(name) => name.to_owned(),
        None => format!("<wasm function {}>", frame.func_index()),
    };
    frames.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::component::{Component, Linker};
    use wasmtime::{Engine, Store};

    /// How a call ends whose component returns a text of `length` bytes at `address`, of which it has one page.
    fn end_of(address: u32, length: u32, transfer_bytes: usize) -> Option<wasmtime::Error> {
        let text = format!(
            r#"(component
                (core module $m
                    (memory (export "m") 1)
                    (data (i32.const 0) "\ff")
                    (data (i32.const 8) "\{address:02x}\00\00\00\{length:02x}\00\00\00")
                    (data (i32.const 16) "\ff\ff\ff\ff\01\00\00\00")
                    (func (export "f") (param i32) (result i32) local.get 0))
                (core instance $i (instantiate $m))
                (alias core export $i "m" (core memory $m))
                (func (export "f") (param "at" u32) (result string)
                    (canon lift (core func $i "f") (memory $m))))"#
        );
        let engine = Engine::default();
        let component = Component::new(&engine, wat::parse_str(text).unwrap()).unwrap();
        let mut store = Store::new(&engine, ());
        store.set_hostcall_fuel(transfer_bytes);
        let instance = Linker::new(&engine).instantiate(&mut store, &component).unwrap();
        let f = instance.get_typed_func::<(u32,), (String,)>(&mut store, "f").unwrap();
        let at = if address > 64 { 16 } else { 8 };
        f.call(&mut store, (at,)).err()
    }

    #[test]
    fn a_spent_transfer_is_told_from_a_text_that_is_none() {
        let code = |error: Option<wasmtime::Error>| {
            stopped(&error.unwrap(), Function::Convert, &Limits::default()).code
        };
        assert!(end_of(4, 4, 4).is_none());
        assert_eq!(code(end_of(4, 5, 4)), "PLUGIN-OUTPUT");
        assert_eq!(code(end_of(0, 1, 4)), "PLUGIN-TRAP", "no UTF-8");
        assert_eq!(code(end_of(65, 1, 4)), "PLUGIN-TRAP", "outside the memory");
    }
}
