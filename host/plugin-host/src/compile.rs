//! From a component to machine code, off the async path: on a thread, or in a child process with limited memory.
//!
//! The child is this very program with a hidden command. It gets the component on its input and gives the code on its
//! output; it opens no file and sees no environment. What it gives is trusted as the compiler's own work.

use crate::cache::Cache;
use crate::engine;
use crate::load::{Refusal, Source};
use crate::options::{Compiler, Limits};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use wasmtime::component::Component;
use wasmtime::{Engine, OutOfMemory};

/// The child says on its error output why the component is none.
const INVALID: u8 = 3;
/// The child was started wrongly.
const EXIT_MISUSE: u8 = 4;
/// The child was refused memory, or a thread for whose stack there is none.
const NO_MEMORY: u8 = 5;

/// Compiles components one after the other, and keeps what it made.
#[derive(Debug)]
pub(crate) struct CompileQueue {
    cache: Cache,
    compiler: Compiler,
    /// Compiling takes a core and much memory, so one at a time.
    permit: Semaphore,
}

impl CompileQueue {
    pub(crate) fn new(cache: Cache, compiler: Compiler) -> Self {
        Self { cache, compiler, permit: Semaphore::new(1) }
    }

    /// The component of these bytes: from the cache if it is there and sound, else compiled and kept.
    pub(crate) async fn component(
        &self,
        engine: &Engine,
        source: &Arc<Source>,
        limits: &Limits,
    ) -> Result<Component, Refusal> {
        let _permit = self.permit.acquire().await.map_err(|_| Refusal::Interrupted)?;
        let digest = source.digest.clone();
        if let Some(component) =
            self.off_path(engine, move |cache, engine| cache.find(engine, &digest)).await?
        {
            return Ok(component);
        }
        let code = match &self.compiler {
            Compiler::InProcess => {
                let source = Arc::clone(source);
                self.off_path(engine, move |_, engine| precompile(engine, &source.bytes)).await?
            }
            Compiler::Child { program, arguments, environment } => {
                in_child((program, arguments, environment), &source.bytes, limits).await
            }
        }?;
        let (digest, memory_bytes) = (source.digest.clone(), limits.memory_bytes);
        self.off_path(engine, move |cache, engine| {
            // It was compiled a moment ago: what is left to refuse is that no instance of it has room.
            cache.keep(engine, &digest, &code).map_err(|error| {
                tracing::info!("A component has no room: {error:#}");
                Refusal::InitialMemory(memory_bytes)
            })
        })
        .await?
    }

    async fn off_path<T: Send + 'static>(
        &self,
        engine: &Engine,
        work: impl FnOnce(&Cache, &Engine) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (cache, engine) = (self.cache.clone(), engine.clone());
        spawn_blocking(move || work(&cache, &engine)).await.map_err(|_| Refusal::Interrupted)
    }
}

fn precompile(engine: &Engine, component: &[u8]) -> Result<Vec<u8>, Refusal> {
    engine.precompile_component(component).map_err(|error| Refusal::invalid(&error))
}

/// Starts the child, hands it the component and waits for the code.
async fn in_child(
    (program, arguments, environment): (&Path, &[OsString], &[(OsString, OsString)]),
    component: &[u8],
    limits: &Limits,
) -> Result<Vec<u8>, Refusal> {
    let broke = |error: io::Error| Refusal::Compiler(format!("{}: {error}", program.display()));
    let mut child = Command::new(program)
        .args(arguments)
        .arg(limits.compile_memory_bytes.to_string())
        .arg(limits.compile_deadline.as_secs().to_string())
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(broke)?;
    let input = child.stdin.take();
    let feed = async {
        // A child that died does not read: its end tells why.
        if let Some(mut input) = input {
            let _refused = input.write_all(component).await;
        }
    };
    match timeout(limits.compile_deadline, collect(child, feed)).await {
        Err(_) => Err(Refusal::CompileTime(limits.compile_deadline)),
        Ok(ended) => {
            let output = ended.map_err(broke)?;
            let said = String::from_utf8_lossy(&output.stderr);
            if output.status.success() {
                Ok(output.stdout)
            } else {
                Err(verdict(output.status, &said, limits))
            }
        }
    }
}

async fn collect(child: Child, feed: impl Future<Output = ()>) -> io::Result<std::process::Output> {
    let (output, ()) = tokio::join!(child.wait_with_output(), feed);
    output
}

/// Why a child that ended with `status` gave no code.
fn verdict(status: ExitStatus, said: &str, limits: &Limits) -> Refusal {
    let (code, signal) = (status.code(), status.signal());
    // A Rust program aborts when its allocator gets no memory or a stack is full; a panic exits.
    if code == Some(i32::from(NO_MEMORY)) || signal == Some(Signal::ABORT.as_raw()) {
        return Refusal::CompileMemory(limits.compile_memory_bytes);
    }
    if signal == Some(Signal::XCPU.as_raw()) {
        return Refusal::CompileTime(limits.compile_deadline);
    }
    let sentence = said.trim();
    if code == Some(i32::from(INVALID)) {
        tracing::info!(detail = sentence, "A component is invalid.");
        return Refusal::Invalid(sentence.to_owned());
    }
    let last = sentence.lines().last().unwrap_or_default();
    Refusal::Compiler(if last.is_empty() { status.to_string() } else { format!("{status}, {last}") })
}

/// The body of the hidden command: compiles the component on the standard input to the standard output.
///
/// Takes the memory it may use (bytes) and the time (seconds). Call it before anything else: the limits hold for the
/// whole process.
pub fn compile_child(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let (code, sentence) = match compile(arguments) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(ChildError::Invalid(sentence)) => (INVALID, sentence),
        Err(ChildError::Misused(sentence)) => (EXIT_MISUSE, sentence),
        Err(ChildError::NoMemory) => (NO_MEMORY, "there is no memory for it".to_owned()),
    };
    let _nobody_reads = writeln!(io::stderr(), "{sentence}");
    ExitCode::from(code)
}

/// Why the child has no code.
enum ChildError {
    Invalid(String),
    Misused(String),
    NoMemory,
}

impl ChildError {
    /// Why Wasmtime failed, where that is not the component's fault.
    fn of(error: &wasmtime::Error, other: impl FnOnce(String) -> Self) -> Self {
        let system = error.downcast_ref::<io::Error>().map(io::Error::kind)
            == Some(io::ErrorKind::OutOfMemory)
            || error.downcast_ref::<Errno>() == Some(&Errno::NOMEM);
        if system || error.is::<OutOfMemory>() {
            return Self::NoMemory;
        }
        other(error.root_cause().to_string())
    }
}

fn compile(arguments: impl IntoIterator<Item = OsString>) -> Result<(), ChildError> {
    let misused = |error: &dyn std::fmt::Display| ChildError::Misused(error.to_string());
    let mut numbers =
        arguments.into_iter().map(|text| text.to_str().and_then(|text| text.parse::<u64>().ok()));
    let (Some(Some(memory_bytes)), Some(Some(deadline_s)), None) =
        (numbers.next(), numbers.next(), numbers.next())
    else {
        return Err(misused(
            &"give the memory in bytes and the time in seconds: the gateway calls this by itself",
        ));
    };
    confine(memory_bytes, deadline_s).map_err(|error| misused(&error))?;
    // The compiler's threads, which it would start by itself and panic where there is no memory for a stack.
    rayon::ThreadPoolBuilder::new().build_global().map_err(|_no_thread| ChildError::NoMemory)?;
    let engine = engine::compiling().map_err(|error| ChildError::of(&error, ChildError::Misused))?;
    let mut component = Vec::new();
    io::stdin().lock().read_to_end(&mut component).map_err(|error| misused(&error))?;
    let code = engine
        .precompile_component(&component)
        .map_err(|error| ChildError::of(&error, ChildError::Invalid))?;
    io::stdout().lock().write_all(&code).map_err(|error| misused(&error))
}

/// Limits this process: what it may allocate, how long its threads may compute together, and no core dump.
fn confine(memory_bytes: u64, deadline_s: u64) -> io::Result<()> {
    let threads = std::thread::available_parallelism()?.get();
    let compute_s = deadline_s.saturating_mul(u64::try_from(threads).unwrap_or(1));
    for (resource, most) in
        [(Resource::Data, memory_bytes), (Resource::Cpu, compute_s.max(1)), (Resource::Core, 0)]
    {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}
