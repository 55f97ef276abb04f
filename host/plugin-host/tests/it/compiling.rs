//! Components compiled in a child process with limited memory and time.

use crate::components::hostile_component;
use crate::documents::{context, invoice};
use crate::hosts::{key, load};
use gateway_domain::ports::Converter;
use gateway_plugin_host::{Compiler, Options, PluginHost};
use std::path::Path;
use std::time::Duration;

fn child() -> Compiler {
    Compiler::Child {
        program: env!("CARGO_BIN_EXE_compile_plugin").into(),
        arguments: Vec::new(),
        environment: Vec::new(),
    }
}

fn options(cache: &Path) -> Options {
    Options { cache_dir: Some(cache.to_owned()), compiler: child(), ..Options::default() }
}

async fn refusal(options: Options, bytes: Vec<u8>) -> String {
    let host = PluginHost::new(options).unwrap();
    host.load_bytes("x.wasm", bytes).await.unwrap_err().to_string()
}

#[tokio::test]
async fn what_a_child_compiled_converts_and_is_kept() {
    let cache = tempfile::tempdir().unwrap();
    let host = PluginHost::new(options(cache.path())).unwrap();
    load(&host, hostile_component()).await;
    host.convert(&key(), &invoice(""), &context()).await.unwrap();

    // The next start needs no compiler.
    let missing = Compiler::Child {
        program: "/nowhere/gateway".into(),
        arguments: Vec::new(),
        environment: Vec::new(),
    };
    let host = PluginHost::new(Options { compiler: missing, ..options(cache.path()) }).unwrap();
    load(&host, hostile_component()).await;
}

#[tokio::test]
async fn compiling_without_a_cache_works_in_a_child_too() {
    let host = PluginHost::new(Options { cache_dir: None, compiler: child(), ..Options::default() }).unwrap();
    load(&host, hostile_component()).await;
}

#[tokio::test]
async fn too_little_memory_is_one_sentence() {
    let cache = tempfile::tempdir().unwrap();
    // With a core or two the component does not fit, with many the stacks of their threads do not.
    for cores in ["1", "16"] {
        let mut options = options(cache.path());
        options.compiler = Compiler::Child {
            program: "/usr/bin/env".into(),
            arguments: vec![
                format!("RAYON_NUM_THREADS={cores}").into(),
                env!("CARGO_BIN_EXE_compile_plugin").into(),
            ],
            environment: Vec::new(),
        };
        options.limits.compile_memory_bytes = 8 << 20;
        let sentence = refusal(options, hostile_component()).await;
        assert!(
            sentence.ends_with(
                "compiling it needs more than 8 MiB of memory: make it smaller, or raise the limit"
            ),
            "{cores}: {sentence}"
        );
    }
}

#[tokio::test]
async fn too_little_time_is_one_sentence() {
    let cache = tempfile::tempdir().unwrap();
    let mut options = options(cache.path());
    options.limits.compile_deadline = Duration::from_millis(20);
    let sentence = refusal(options, hostile_component()).await;
    assert!(
        sentence.ends_with("compiling it takes longer than 0 s: make it smaller, or raise the limit"),
        "{sentence}"
    );
}

#[tokio::test]
async fn a_damaged_component_and_a_missing_compiler_are_told_apart() {
    let cache = tempfile::tempdir().unwrap();
    let mut garbled = hostile_component();
    garbled[40..80].fill(0xee);
    let sentence = refusal(options(cache.path()), garbled).await;
    assert!(sentence.contains("it is damaged or uses what this gateway does not support: "), "{sentence}");

    let missing = Compiler::Child {
        program: "/nowhere/gateway".into(),
        arguments: Vec::new(),
        environment: Vec::new(),
    };
    let sentence = refusal(Options { compiler: missing, ..options(cache.path()) }, hostile_component()).await;
    assert!(sentence.contains("the compiler broke (/nowhere/gateway: No such file"), "{sentence}");

    let wrong = Compiler::Child {
        program: env!("CARGO_BIN_EXE_compile_plugin").into(),
        arguments: vec!["x".into()],
        environment: Vec::new(),
    };
    let sentence = refusal(Options { compiler: wrong, ..options(cache.path()) }, hostile_component()).await;
    assert!(sentence.contains("give the memory in bytes"), "{sentence}");
}
