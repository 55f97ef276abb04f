//! What a PDF costs: the renderer as a component in the gateway's own host against the same code native.
//! `cargo xtask bench pdf` builds and starts it.
//!
//! A document through the component is everything the gateway pays for: a turn, a fresh instance, the records copied in, the
//! file copied out. Both ways run in turns, so that other work on the machine disturbs them alike, and medians are compared.
//! Both have to make the same bytes. Memory is what the component had of it in the end: a fresh instance gives none back.

mod sample;

use gateway_bench::Failed;
use gateway_plugin_host::{Limits, Options, Renderer, RendererHost};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Names the component to measure.
const RENDERER: &str = "GATEWAY_BENCH_RENDERER";
/// How often each figure is taken, unless it says otherwise.
const ROUNDS: &str = "GATEWAY_BENCH_ROUNDS";
const ROUNDS_USUAL: usize = 31;
/// Documents of one round, so that the clock's own steps do not show.
const DOCUMENTS: u32 = 5;
const MIB: f64 = 1_048_576.0;

fn main() -> Result<(), Failed> {
    let rounds = std::env::var(ROUNDS).ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS_USUAL);
    let file = std::env::var_os(RENDERER).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/plugins/render/render-pdf.wasm"),
        PathBuf::from,
    );
    if cfg!(debug_assertions) {
        println!("built without optimisation: the figures say nothing about a release");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let host = RendererHost::new(Options { limits: Limits::of_renderers(), ..Options::default() })?;
        let component = host.read(&file).await?;
        let renderer = host.load_bytes(&file.display().to_string(), component).await?;
        documents(&host, &renderer, rounds).await
    })
}

async fn documents(host: &RendererHost, renderer: &Renderer, rounds: usize) -> Result<(), Failed> {
    println!("a PDF, median of {rounds} rounds");
    println!(
        "  lines  pages   native    component   ratio   component/page   file       memory     memory/page"
    );
    for lines in [1, 3, 200] {
        let (request, native_request) = (sample::of_the_host(lines), sample::of_the_renderer(lines));
        let made = host.render_measured(renderer, &request).await?;
        if made.content != native(&native_request)? {
            return Err(format!("the component made another file of {lines} lines").into());
        }
        let (mut natively, mut as_component) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let started = Instant::now();
            for _ in 0..DOCUMENTS {
                black_box(native(black_box(&native_request))?);
            }
            natively.push(started.elapsed() / DOCUMENTS);
            let started = Instant::now();
            for _ in 0..DOCUMENTS {
                black_box(host.render(renderer, black_box(&request)).await?);
            }
            as_component.push(started.elapsed() / DOCUMENTS);
        }
        let (natively, as_component) = (millis(median(natively)), millis(median(as_component)));
        let pages = pages(&made.content);
        let memory = mebibytes(made.memory_peak_bytes);
        println!(
            "  {lines:>5} {pages:>6} {natively:>7.2} ms {as_component:>7.2} ms {:>8.2} {:>13.2} ms {:>6} KiB {memory:>6.1} MiB {:>10.2} MiB",
            as_component / natively,
            as_component / f64::from(pages),
            made.content.len() / 1024,
            memory / f64::from(pages),
        );
    }
    Ok(())
}

fn native(request: &render_pdf::bindings::Request) -> Result<Vec<u8>, Failed> {
    render_pdf::render(request).map_err(|faults| format!("{faults:?}").into())
}

fn pages(pdf: &[u8]) -> u32 {
    let page = b"/Type/Page/";
    let found = pdf.windows(page.len()).filter(|window| window == page).count();
    u32::try_from(found).unwrap_or(u32::MAX).max(1)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn mebibytes(bytes: usize) -> f64 {
    u32::try_from(bytes).map_or(f64::INFINITY, f64::from) / MIB
}
