//! What an operator sets and what an observer sees.

use gateway_domain::regime::PluginRef;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The hidden command with which a program that calls [`compile_child`](crate::compile_child) compiles a component.
pub const COMPILE_COMMAND: &str = "__compile-plugin";

/// Bytes of a mebibyte.
const MIB: usize = 1 << 20;

/// What a plugin may use. The defaults suit plugins compiled from Rust, C, JavaScript and Python.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Largest component file, bytes.
    pub file_bytes: usize,
    /// Memory of one call, bytes, over all linear memories of the component.
    pub memory_bytes: usize,
    /// Table elements of one call, over all tables of the component.
    pub table_elements: usize,
    /// How long one call may compute. Counted in steps of 10 ms in which the plugin really ran, so that a busy
    /// machine does not make a sound plugin fail.
    pub deadline: Duration,
    /// The same for `describe` and `evidence`, which run once, when a plugin is loaded.
    pub describe_deadline: Duration,
    /// How long a call may take by the wall clock before the host counts as overloaded.
    pub answer_timeout: Duration,
    /// Bytes a plugin may hand over in one call, everything together.
    pub transfer_bytes: usize,
    /// Largest document, bytes.
    pub document_bytes: usize,
    /// Calls at the same time; also sizes the memory pool.
    pub calls: u32,
    /// How long a call waits for a permit before it is told that the host is busy.
    pub queue: Duration,
    /// Calls of one plugin at the same time: fewer than `calls`, so that one plugin cannot take every permit.
    pub calls_per_plugin: u32,
    /// Over how many documents in a row a function is stopped, by a trap or a limit, before its plugin is blocked.
    pub breaker_stops: u32,
    /// Within how long.
    pub breaker_window: Duration,
    /// Memory of a child process that compiles, bytes. A plugin written in Python takes 355 MB.
    pub compile_memory_bytes: usize,
    /// How long a child process may take to compile.
    pub compile_deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 32 * MIB,
            memory_bytes: 64 * MIB,
            table_elements: 20_000,
            deadline: Duration::from_secs(1),
            describe_deadline: Duration::from_secs(5),
            answer_timeout: Duration::from_secs(30),
            transfer_bytes: 16 * MIB,
            document_bytes: 4 * MIB,
            calls: 64,
            queue: Duration::from_secs(5),
            calls_per_plugin: 32,
            breaker_stops: 10,
            breaker_window: Duration::from_mins(1),
            compile_memory_bytes: 1 << 30,
            compile_deadline: Duration::from_mins(2),
        }
    }
}

/// Sees every finished call, on the task that made it: be quick.
pub type Observer = Arc<dyn Fn(&CallReport) + Send + Sync>;

/// Where components are compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Compiler {
    /// On a thread of this process.
    #[default]
    InProcess,
    /// In a child process whose memory and time are limited: a plugin too large to compile costs no gateway.
    Child {
        /// What is started; it has to call [`compile_child`](crate::compile_child).
        program: PathBuf,
        /// What stands before the arguments of [`compile_child`](crate::compile_child).
        arguments: Vec<OsString>,
        /// The variables of its environment, which has no others.
        environment: Vec<(OsString, OsString)>,
    },
}

impl Compiler {
    /// This very program again, with [`COMPILE_COMMAND`] as its first argument, in this environment.
    pub fn this_program(environment: Vec<(OsString, OsString)>) -> std::io::Result<Self> {
        // What runs, even if the file was replaced by a newer version meanwhile.
        let running = PathBuf::from("/proc/self/exe");
        let program = if running.exists() { running } else { std::env::current_exe()? };
        Ok(Self::Child { program, arguments: vec![COMPILE_COMMAND.into()], environment })
    }
}

/// How to start a [`PluginHost`](crate::PluginHost).
#[derive(Clone, Default)]
pub struct Options {
    /// Where compiled components are kept. The folder is made private to this user; what lies in it is executed,
    /// so nobody else may ever write there. Without one every start compiles.
    pub cache_dir: Option<PathBuf>,
    /// What a plugin may use.
    pub limits: Limits,
    /// Sees every finished call (`plugin_call_duration_seconds`).
    pub observer: Option<Observer>,
    /// Where components are compiled.
    pub compiler: Compiler,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("cache_dir", &self.cache_dir)
            .field("limits", &self.limits)
            .field("observer", &self.observer.is_some())
            .field("compiler", &self.compiler)
            .finish()
    }
}

/// Why the plugin host cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The folder of compiled components cannot be made private.
    #[error("the folder {} for compiled plugins cannot be made private to this user: choose another one", .folder.display())]
    Cache {
        /// `Options::cache_dir`.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The engine refuses its settings, or the machine cannot run it.
    #[error("the WebAssembly engine does not start on this machine: {detail}")]
    Engine {
        /// Wasmtime's own sentence.
        detail: String,
    },
    /// The thread that measures deadlines does not start.
    #[error("the thread that measures the deadlines of plugins does not start")]
    Ticker(#[source] std::io::Error),
}

/// A function of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// What the plugin is.
    Describe,
    /// What the gateway checks by itself of its authority's proofs.
    Evidence,
    /// What documents that people read show.
    Printing,
    /// What of an accepted document may be amended.
    Amendable,
    /// Which rules change on a day.
    RuleSets,
    /// The golden cases it brings along.
    Samples,
    /// What would make the authority refuse a document.
    Check,
    /// What is stored at the provider for a document.
    Convert,
    /// Where the records of a message stand in their chain.
    Links,
    /// What is stored at the provider for an amendment.
    ConvertAmendment,
    /// Until when the law wants a document filed.
    Due,
    /// A document with a mark put on.
    Marked,
    /// A recipient's identity in the terms of the tax system.
    MapIdentity,
    /// What a provider's report means.
    Interpret,
    /// Under which names the authority files a document.
    File,
    /// What the authority does with a document.
    Submit,
    /// What the authority writes back.
    Answers,
    /// What the authority is asked for its own list.
    Question,
    /// What an answer of the authority lists.
    ReadAnswer,
    /// The authority's list, as the stand-in plays it.
    Listing,
    /// A document as a file for people, by a renderer.
    Render,
}

impl Function {
    /// Whether it is called once, when the plugin is loaded, and never for a document.
    pub(crate) const fn at_loading(self) -> bool {
        matches!(self, Self::Describe | Self::Evidence | Self::Printing | Self::Amendable | Self::RuleSets)
    }

    /// As the contract spells it; the label of the metric.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Describe => "describe",
            Self::Evidence => "evidence",
            Self::Printing => "printing",
            Self::Amendable => "amendable",
            Self::RuleSets => "rule-sets",
            Self::Samples => "samples",
            Self::Check => "check",
            Self::Convert => "convert",
            Self::Links => "links",
            Self::ConvertAmendment => "convert-amendment",
            Self::Due => "due",
            Self::Marked => "marked",
            Self::MapIdentity => "map-identity",
            Self::Interpret => "interpret",
            Self::File => "file",
            Self::Submit => "submit",
            Self::Answers => "answers",
            Self::Question => "question",
            Self::ReadAnswer => "read-answer",
            Self::Listing => "listing",
            Self::Render => "render",
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    /// With a result.
    Answered,
    /// The plugin refused the input with faults.
    Refused,
    /// The plugin trapped, ran out of time or memory, or returned what cannot be used.
    Broken,
    /// The machine did not get round to it in time; that says nothing of the plugin.
    Overloaded,
    /// The plugin is blocked and was not called.
    Blocked,
}

impl CallOutcome {
    /// As metrics name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Broken => "broken",
            Self::Overloaded => "overloaded",
            Self::Blocked => "blocked",
        }
    }
}

/// One finished call of an active plugin.
#[derive(Debug, Clone)]
pub struct CallReport {
    /// Key, version and digest of the one that was called.
    pub plugin: PluginRef,
    /// The function of the contract that was called.
    pub function: Function,
    /// From the fresh store to the checked answer; waiting for a permit is not counted.
    pub duration: Duration,
    /// How it ended.
    pub outcome: CallOutcome,
    /// Linear memory of the plugin at its peak, bytes.
    pub memory_peak_bytes: usize,
    /// Whether the plugin is blocked from now on, until it is activated again.
    pub blocked: bool,
    /// The functions in which it was stopped, innermost first, as its compiler named them.
    pub stopped_in: Vec<String>,
    /// What went wrong, in one sentence for the plugin's author: `In 'convert', your plugin panicked at …`. It may quote
    /// the document, and is not for clients of an API; none when the plugin did nothing wrong.
    pub for_author: Option<String>,
    /// The end of what the plugin wrote to standard error, control characters escaped; under the same rule.
    pub stderr: Option<String>,
}
