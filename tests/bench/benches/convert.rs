//! What a plugin costs: the Spanish plugin as a component in the gateway's own host against the same code native, and
//! what it takes until a plugin is there. `cargo xtask bench convert` builds and starts it.
//!
//! A conversion through the component is everything the gateway pays for: a turn, a fresh instance, the records
//! copied in, the document copied out and checked. Both ways run in turns, so that other work on the machine disturbs
//! them alike, and medians are compared. Both have to make the same bytes.

use einvoice_plugin::Country;
use es_verifactu::EsVerifactu;
use gateway_bench::{Failed, Sample};
use gateway_domain::regime::RegimeKey;
use gateway_plugin_host::{Compiler, Options, PluginHost, Scope};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Names the component to measure.
const PLUGIN: &str = "GATEWAY_BENCH_PLUGIN";
/// How often each figure is taken, unless it says otherwise.
const ROUNDS: &str = "GATEWAY_BENCH_ROUNDS";
const ROUNDS_USUAL: usize = 31;
/// Conversions of one round, so that the clock's own steps do not show.
const CONVERSIONS: u32 = 20;
/// Loads are slow, and their time varies little.
const LOADS_MAX: usize = 7;

fn main() -> Result<(), Failed> {
    let rounds = std::env::var(ROUNDS).ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS_USUAL);
    let plugin = std::env::var_os(PLUGIN).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/plugins/es-verifactu.wasm"),
        PathBuf::from,
    );
    if cfg!(debug_assertions) {
        println!("built without optimisation: the figures say nothing about a release");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        conversions(&plugin, rounds).await?;
        loads(&plugin, rounds.min(LOADS_MAX)).await
    })
}

async fn conversions(plugin: &Path, rounds: usize) -> Result<(), Failed> {
    let host = PluginHost::new(Options::default())?;
    host.activate(&host.load_file(plugin).await?);
    let key: RegimeKey = "es-verifactu".parse()?;
    println!("conversion, median of {rounds} rounds     native    component   ratio");
    for lines in [3, 20, 200] {
        let sample = Sample::of(lines)?;
        same_bytes(&host, &key, &sample).await?;
        let (mut native, mut component) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let started = Instant::now();
            for _ in 0..CONVERSIONS {
                let made = EsVerifactu::convert(black_box(&sample.native), &sample.native_context);
                black_box(made).map_err(|faults| format!("{faults:?}"))?;
            }
            native.push(started.elapsed() / CONVERSIONS);
            let started = Instant::now();
            for _ in 0..CONVERSIONS {
                black_box(host.convert_for(&key, &Scope::Default, &sample.invoice, &sample.context).await?);
            }
            component.push(started.elapsed() / CONVERSIONS);
        }
        let (native, component) = (median(native), median(component));
        println!(
            "  {lines:>3} lines {:>26.1} µs {:>10.1} µs {:>7.2}",
            micros(native),
            micros(component),
            component.as_secs_f64() / native.as_secs_f64()
        );
    }
    Ok(())
}

async fn same_bytes(host: &PluginHost, key: &RegimeKey, sample: &Sample) -> Result<(), Failed> {
    let native = EsVerifactu::convert(&sample.native, &sample.native_context);
    let native = native.map_err(|faults| format!("{faults:?}"))?.body;
    let component =
        host.convert_for(key, &Scope::Default, &sample.invoice, &sample.context).await?.value.body;
    if native != component {
        return Err(format!("the component made another document:\n{native}\n{component}").into());
    }
    Ok(())
}

/// From a file to a plugin that is ready to serve, in a host that was just started.
async fn loads(plugin: &Path, rounds: usize) -> Result<(), Failed> {
    let cache = tempfile::tempdir()?;
    let kept = || Options { cache_dir: Some(cache.path().to_owned()), ..Options::default() };
    load(plugin, kept()).await?;
    let (mut compiled, mut found) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        compiled.push(load(plugin, Options { compiler: Compiler::InProcess, ..Options::default() }).await?);
        found.push(load(plugin, kept()).await?);
    }
    let (compiled, found) = (median(compiled), median(found));
    println!("cold load, median of {rounds} rounds");
    println!("  compiled {:>34.1} ms", micros(compiled) / 1e3);
    println!("  from the cache of compiled code {:>11.1} ms", micros(found) / 1e3);
    println!("  ratio {:>37.1}", compiled.as_secs_f64() / found.as_secs_f64());
    Ok(())
}

async fn load(plugin: &Path, options: Options) -> Result<Duration, Failed> {
    let host = PluginHost::new(options)?;
    let started = Instant::now();
    black_box(host.load_file(plugin).await?);
    Ok(started.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
