//! From a file to a plugin: read, measured, recognised, compiled, probed, and asked once what it is
//! and what the gateway checks of its authority's evidence.

use crate::abi::Abi;
use crate::breaker::{BlockedPlugin, Breaker};
use crate::guest::Guest;
use crate::options::Limits;
use crate::wasi;
use gateway_domain::regime::{
    AmendDescription, EvidenceDescription, PluginRef, PrintingDescription, RegimeDescription,
};
use gateway_domain_input::unreadable;
use gateway_domain_rules::RuleSet;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};
use tokio::io::AsyncReadExt;
use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, InstancePre, Linker};

/// What every WebAssembly binary begins with.
const MAGIC: &[u8] = b"\0asm";
/// What follows in a component; a core module says `01 00 00 00`.
const COMPONENT: &[u8] = b"\x0d\0\x01\0";
/// Both together.
const HEADER_BYTES: usize = 8;
/// Of a length of 32 bits.
const LENGTH_BYTES_MAX: usize = 5;
/// Names listed in a refusal; the rest is counted.
const NAMES_LISTED_MAX: usize = 6;

/// A component that is ready to serve a tax regime.
pub struct Plugin {
    pub(crate) abi: Abi,
    pub(crate) breaker: Breaker,
    /// One plugin does not take every turn of the host.
    pub(crate) permits: Arc<Semaphore>,
    identity: PluginRef,
    description: Arc<RegimeDescription>,
    evidence: Option<Arc<EvidenceDescription>>,
    printing: Option<Arc<PrintingDescription>>,
    amendable: Option<Arc<AmendDescription>>,
    rule_sets: Arc<[RuleSet]>,
    imports: Vec<String>,
    file: String,
    bytes: usize,
}

/// What a plugin says of itself in interfaces that it need not export.
pub(crate) struct OptionalDescriptions {
    pub(crate) evidence: Option<EvidenceDescription>,
    pub(crate) printing: Option<PrintingDescription>,
    pub(crate) amendable: Option<AmendDescription>,
    pub(crate) rule_sets: Vec<RuleSet>,
}

impl Plugin {
    pub(crate) fn new(
        probed: ProbedComponent,
        description: RegimeDescription,
        optional: OptionalDescriptions,
        source: &Source,
        limits: &Limits,
    ) -> Self {
        let identity = PluginRef {
            key: description.key.clone(),
            version: description.version.clone(),
            digest: source.digest.clone(),
        };
        let permits = usize::try_from(limits.calls_per_plugin.max(1)).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            abi: probed.abi,
            breaker: Breaker::default(),
            permits: Arc::new(Semaphore::new(permits)),
            identity,
            description: Arc::new(description),
            evidence: optional.evidence.map(Arc::new),
            printing: optional.printing.map(Arc::new),
            amendable: optional.amendable.map(Arc::new),
            rule_sets: optional.rule_sets.into(),
            imports: probed.imports,
            file: source.file.clone(),
            bytes: source.bytes.len(),
        }
    }

    /// Key, version and digest.
    pub const fn identity(&self) -> &PluginRef {
        &self.identity
    }

    /// What it says of itself.
    pub const fn description(&self) -> &Arc<RegimeDescription> {
        &self.description
    }

    /// What the gateway checks by itself of its authority's proofs; none when it does not export the interface.
    pub const fn evidence(&self) -> Option<&Arc<EvidenceDescription>> {
        self.evidence.as_ref()
    }

    /// What documents that people read show; none when it does not export the interface.
    pub const fn printing(&self) -> Option<&Arc<PrintingDescription>> {
        self.printing.as_ref()
    }

    /// What of an accepted document may be amended; none when it does not export the interface.
    pub const fn amendable(&self) -> Option<&Arc<AmendDescription>> {
        self.amendable.as_ref()
    }

    /// Which rules change on a day; none at all when it does not export the interface.
    pub const fn rule_sets(&self) -> &Arc<[RuleSet]> {
        &self.rule_sets
    }

    /// Where it was read from, as shown to people.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Size of the component, bytes.
    pub const fn size(&self) -> usize {
        self.bytes
    }

    /// What it imports, all of it linked to nothing: names such as `wasi:cli/environment@0.2.3`.
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// Whether it was stopped too often and is called no more.
    pub fn blocked(&self) -> Option<BlockedPlugin> {
        let (since, reason) = self.breaker.blocked()?;
        Some(BlockedPlugin { plugin: self.identity.clone(), since, reason })
    }

    /// Calls it again, and returns whether it was blocked: for an operator who activates it once more.
    pub fn unblock(&self) -> bool {
        let was_blocked = self.breaker.reset();
        if was_blocked {
            tracing::info!(plugin = self.name(), "a blocked plugin is called again");
        }
        was_blocked
    }

    /// The newest release of the contract that it uses: `1.2`.
    pub const fn release(&self) -> &'static str {
        self.abi.release()
    }

    /// Whether it can play its authority.
    pub fn has_sandbox(&self) -> bool {
        self.abi.has_sandbox()
    }

    /// How a person finds it: `es-verifactu 1.0.0`.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.identity.key, self.identity.version)
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin")
            .field("identity", &self.identity)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// A file that does not become a plugin.
#[derive(Debug, thiserror::Error)]
#[error("the {kind} {file} is refused: {refusal}")]
pub struct LoadError {
    /// What it was to become.
    pub kind: ComponentKind,
    /// Path or name, as shown to people.
    pub file: String,
    /// Why.
    pub refusal: Refusal,
}

/// Whole MiB where it has some.
fn size(bytes: usize) -> String {
    match bytes >> 20 {
        0 => format!("{bytes} bytes"),
        mib => format!("{mib} MiB"),
    }
}

/// What a component is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComponentKind {
    /// A tax regime.
    Plugin,
    /// What makes documents for people.
    Renderer,
}

impl fmt::Display for ComponentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plugin => "plugin",
            Self::Renderer => "renderer",
        })
    }
}

/// Why a file does not become a plugin. Each is a sentence with what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be read.
    #[error("it cannot be read ({}): check that the file exists and that its permissions allow it", unreadable(.0))]
    Unreadable(std::io::Error),
    /// It is larger than allowed, bytes.
    #[error("it is larger than the {} allowed: build it for size, or raise the limit", size(*.0))]
    TooLarge(usize),
    /// Not WebAssembly at all.
    #[error("it is no WebAssembly: give the .wasm file that the build made")]
    NotWasm,
    /// WebAssembly, but no component.
    #[error(
        "it is a core module, not a component: link it with wasm-component-ld, or wrap it with 'wasm-tools component new'"
    )]
    CoreModule,
    /// Cut off: so many bytes are there, and its parts need more.
    #[error("it is damaged: only its first {0} bytes are there, so copy or build it again")]
    CutOff(usize),
    /// Invalid, or with features that are switched off; with the compiler's own words, for the log.
    #[error(
        "it is damaged or uses what this gateway does not support: build it again, or ask 'wasm-tools validate' what is wrong"
    )]
    Invalid(String),
    /// Its memory or a table begins larger than a plugin's may become, bytes.
    #[error(
        "its memory or a table begins larger than the {0} bytes allowed: build it for less memory, or raise the limit"
    )]
    InitialMemory(usize),
    /// It imports functions of WASI, one of which WASI does not have.
    #[error(
        "it imports functions that WASI 0.2 does not have, or not so, among {0}: build it against WASI 0.2"
    )]
    WasiFunctions(String),
    /// It wants something of its surroundings.
    #[error(
        "it imports {0}, but a plugin is a pure function and gets nothing: build it for wasm32-unknown-unknown, or against WASI 0.2 without {0}"
    )]
    Imports(String),
    /// It does not export the contract.
    #[error("it does not export {}, it exports {exports}: build it against the contract in wit", .required)]
    Exports {
        /// Name of the interface, with its version.
        required: &'static str,
        /// Names of what is exported instead, with commas; `nothing`.
        exports: String,
    },
    /// It failed when it was asked what it is, or said something unusable.
    #[error("{0}")]
    Describe(String),
    /// Too many calls are running.
    #[error("the plugin host is busy: try again in a moment")]
    Busy,
    /// Compiling it takes more memory than allowed, bytes.
    #[error("compiling it needs more than {} MiB of memory: make it smaller, or raise the limit", .0 >> 20)]
    CompileMemory(usize),
    /// Compiling it takes longer than allowed.
    #[error("compiling it takes longer than {} s: make it smaller, or raise the limit", .0.as_secs())]
    CompileTime(std::time::Duration),
    /// The compiler did not start or did not end well.
    #[error(
        "the compiler broke ({0}): try again, and report it to the gateway's authors if it happens again"
    )]
    Compiler(String),
    /// The task that compiled it was cancelled or panicked.
    #[error("its compilation was interrupted: try again")]
    Interrupted,
}

/// SHA-256 of a component, lower-case hex.
pub fn digest(component: &[u8]) -> String {
    hex::encode(Sha256::digest(component))
}

/// A component as read, before anything of it ran.
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) bytes: Vec<u8>,
    /// SHA-256, lower-case hex.
    pub(crate) digest: String,
}

/// The bytes of a file, at most `limit` and one more.
pub(crate) async fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Refusal> {
    // Opening a pipe waits for whoever writes into it.
    let found = tokio::fs::metadata(path).await.map_err(Refusal::Unreadable)?;
    if !found.is_file() {
        let kind = if found.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::InvalidInput };
        return Err(Refusal::Unreadable(io::Error::new(kind, "it is no file")));
    }
    let file = tokio::fs::File::open(path).await.map_err(Refusal::Unreadable)?;
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes).await.map_err(Refusal::Unreadable)?;
    Ok(bytes)
}

impl Refusal {
    /// What the compiler or the linker said is for the log.
    pub(crate) fn invalid(error: &wasmtime::Error) -> Self {
        let detail = format!("{error:#}");
        tracing::info!(detail, "A component is invalid.");
        Self::Invalid(detail)
    }
}

/// Whether the bytes may be a component at all: said before the compiler says it less clearly.
pub(crate) fn ensure_component(bytes: &[u8], limit: usize) -> Result<(), Refusal> {
    if bytes.len() > limit {
        return Err(Refusal::TooLarge(limit));
    }
    match bytes.strip_prefix(MAGIC) {
        None => Err(Refusal::NotWasm),
        Some(rest) if rest.starts_with(COMPONENT) => ensure_whole(bytes),
        Some(rest) if rest.starts_with(b"\x01\0\0\0") => Err(Refusal::CoreModule),
        Some(_) => Err(Refusal::Invalid("its header is unknown".to_owned())),
    }
}

/// Whether every part of a component is there: each begins with a byte of its kind and its length (WebAssembly component model,
/// "Binary Format").
fn ensure_whole(component: &[u8]) -> Result<(), Refusal> {
    let cut_off = || Refusal::CutOff(component.len());
    let mut rest = component.get(HEADER_BYTES..).ok_or_else(cut_off)?;
    while let Some((_, behind_kind)) = rest.split_first() {
        let (length, behind_length) = read_length(behind_kind).ok_or_else(cut_off)?;
        rest = behind_length.get(length..).ok_or_else(cut_off)?;
    }
    Ok(())
}

/// A length as WebAssembly writes it, seven bits a byte (LEB128), and what follows it.
fn read_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut length: usize = 0;
    for (place, byte) in bytes.iter().take(LENGTH_BYTES_MAX).enumerate() {
        length |= usize::from(byte & 0x7f).checked_shl(u32::try_from(place).ok()?.checked_mul(7)?)?;
        if byte & 0x80 == 0 {
            return Some((length, bytes.get(place.checked_add(1)?..)?));
        }
    }
    None
}

/// A component that fulfils the contract.
pub(crate) struct ProbedComponent {
    pub(crate) abi: Abi,
    imports: Vec<String>,
}

/// A component that imports nothing that is not there.
pub(crate) struct LinkedComponent {
    pub(crate) pre: InstancePre<Guest>,
    imports: Vec<String>,
}

/// Links the component against nothing (or against a WASI in which there is nothing).
pub(crate) fn link(engine: &Engine, component: &Component) -> Result<LinkedComponent, Refusal> {
    let kind = component.component_type();
    let imports: Vec<&str> =
        kind.imports(engine).filter(|(_, item)| grants(engine, &item.ty)).map(|(name, _)| name).collect();
    let unlinked: Vec<&str> = imports.iter().copied().filter(|import| !wasi::links(import)).collect();
    if !unlinked.is_empty() {
        return Err(Refusal::Imports(names(&unlinked)));
    }
    let mut linker = Linker::<Guest>::new(engine);
    let invalid = |error: wasmtime::Error| Refusal::invalid(&error);
    if kind.imports(engine).any(|(name, _)| wasi::links(name)) {
        wasi::link(&mut linker).map_err(invalid)?;
    }
    let pre = linker.instantiate_pre(component).map_err(|error| {
        let functions = imported_functions(engine, component);
        let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
        if functions.is_empty() { invalid(error) } else { Refusal::WasiFunctions(names(&functions)) }
    })?;
    Ok(LinkedComponent { pre, imports: imports.into_iter().map(str::to_owned).collect() })
}

/// Links the component and finds the contract in its exports.
pub(crate) fn probe(engine: &Engine, component: &Component) -> Result<ProbedComponent, Refusal> {
    let LinkedComponent { pre, imports } = link(engine, component)?;
    let abi = Abi::probe(pre)
        .ok_or_else(|| Refusal::Exports { required: Abi::REQUIRED, exports: exported(engine, component) })?;
    Ok(ProbedComponent { abi, imports })
}

/// What a component exports, as shown to people.
pub(crate) fn exported(engine: &Engine, component: &Component) -> String {
    let kind = component.component_type();
    names(&kind.exports(engine).map(|(name, _)| name).collect::<Vec<_>>())
}

/// Whether an import needs something at run time: an interface of types alone does not.
fn grants(engine: &Engine, item: &ComponentItem) -> bool {
    match item {
        ComponentItem::Type(_) => false,
        ComponentItem::ComponentInstance(instance) => {
            instance.exports(engine).any(|(_, item)| grants(engine, &item.ty))
        }
        _ => true,
    }
}

/// The functions of imported instances, as `instance function`.
fn imported_functions(engine: &Engine, component: &Component) -> Vec<String> {
    let mut functions = Vec::new();
    for (instance, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(exports) = &item.ty else { continue };
        let exported = exports.exports(engine);
        let own = exported.filter(|(_, item)| matches!(item.ty, ComponentItem::ComponentFunc(_)));
        functions.extend(own.map(|(function, _)| format!("{instance} {function}")));
    }
    functions
}

/// `'a', 'b' and 3 more`, or `nothing`.
fn names(names: &[&str]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let listed: Vec<String> = names.iter().take(NAMES_LISTED_MAX).map(|name| format!("'{name}'")).collect();
    match names.len().saturating_sub(NAMES_LISTED_MAX) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}
