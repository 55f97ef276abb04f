//! How soon a gateway serves: from the start of the program until it listens and until it is ready, with six and with ten plugins, with
//! their compiled code in the cache and without. `cargo xtask bench start` builds and starts it.
//!
//! The database is there already, and a workspace sends its invoices by the Spanish plugin: a gateway is ready when the versions in
//! force can convert. The others are compiled behind that.

use gateway_bench::{Failed, quartiles_text, rounds};
use gateway_tests::{Engine, Gateway, Options, World, built_plugins};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ROUNDS: usize = 7;
/// The plugins of the smaller set.
const SIX: [&str; 6] = ["de-xrechnung", "es-sii", "es-tbai", "es-verifactu", "it-sdi", "pl-favat"];
/// How often a gateway that compiles is asked whether it is ready.
const LOOK: Duration = Duration::from_millis(2);

struct Start {
    listens: Duration,
    ready: Duration,
}

fn main() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let rounds = rounds(ROUNDS);
        println!("Start in milliseconds, {rounds} rounds after one to warm up");
        println!("           plugins  compiled code    listens (quartiles)       ready (quartiles)");
        for engine in [Engine::Sqlite, Engine::Postgres] {
            for six in [true, false] {
                measure(engine, six, rounds).await?;
            }
        }
        Ok(())
    })
}

async fn measure(engine: Engine, six: bool, rounds: usize) -> Result<(), Failed> {
    let (folder, plugins) = plugins(six)?;
    let options = Options { plugins: Some(folder.path().to_owned()), ..Options::sandbox() };
    let mut gateway = World::with(engine, options).await.gateway;
    gateway.stop().await;
    // The cache that integration tests share is not this gateway's.
    let cache = gateway.folder().join("plugin-cache");
    std::fs::remove_file(&cache)?;
    for cached in [false, true] {
        let mut starts = Vec::new();
        for round in 0..=rounds {
            if !cached && cache.exists() {
                std::fs::remove_dir_all(&cache)?;
            }
            let start = start(&mut gateway).await?;
            if round > 0 {
                starts.push(start);
            }
        }
        let of = |value: fn(&Start) -> Duration| {
            quartiles_text(starts.iter().map(|start| value(start).as_secs_f64() * 1_000.0), 0)
        };
        println!(
            "{:<10} {plugins:>7}  {:<13} {:>22} {:>23}",
            format!("{engine:?}"),
            if cached { "cached" } else { "not cached" },
            of(|start| start.listens),
            of(|start| start.ready),
        );
    }
    Ok(())
}

/// A folder with a set of plugins, and how many those are.
fn plugins(six: bool) -> Result<(TempDir, usize), Failed> {
    let folder = tempfile::tempdir()?;
    let mut count = 0;
    for file in std::fs::read_dir(built_plugins())? {
        let file = file?.path();
        let is_plugin = file.extension().is_some_and(|extension| extension == "wasm");
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if is_plugin && (!six || SIX.contains(&name)) {
            std::fs::copy(&file, folder.path().join(name).with_extension("wasm"))?;
            count += 1;
        }
    }
    Ok((folder, count))
}

async fn start(gateway: &mut Gateway) -> Result<Start, Failed> {
    let began = Instant::now();
    gateway.serve().await;
    let listens = began.elapsed();
    let internal = gateway.internal();
    while internal.get("/readyz").await.status != 200 {
        tokio::time::sleep(LOOK).await;
    }
    let ready = began.elapsed();
    gateway.stop().await.ok_or("the gateway did not stop")?;
    Ok(Start { listens, ready })
}
