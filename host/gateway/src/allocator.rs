//! The allocator of the binary, and of its benchmarks.

use mimalloc::MiMalloc;
use std::ffi::OsString;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often free memory is given back.
const GIVE_BACK_INTERVAL: Duration = Duration::from_secs(30);

/// Answering a request takes and gives back memory thousands of times: a sixth of the CPU of a page was the system's allocator,
/// which also keeps what a load took.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Takes memory in pages of the usual size from here on, as far as the system lets a process say so. The allocator is built to ask
/// for no others; this is for systems that give huge ones unasked.
///
/// Of a huge page all 2 MiB are resident when one byte is used, and none is given back while one byte is.
pub(crate) fn avoid_huge_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        // A container may forbid it: then it takes more memory, and works.
        tracing::debug!(%error, "huge pages stay as the system has them");
    }
}

/// Gives pages that hold nothing any more back to the system, now and from time to time until `ending`.
///
/// The allocator does so only as it allocates and frees, a second late: a process that is at rest keeps what its start or the last
/// load took.
pub(crate) async fn give_back_free_memory(ending: CancellationToken) {
    loop {
        // Beside the threads that answer requests: after a load there is much to give back. What ended early is done next time.
        let _ = tokio::task::spawn_blocking(collect).await;
        if ending.run_until_cancelled(tokio::time::sleep(GIVE_BACK_INTERVAL)).await.is_none() {
            return;
        }
    }
}

#[expect(
    unsafe_code,
    reason = "the allocator's own functions, which take no pointer, may be called at any time from any thread, and leave memory alone that is in use"
)]
fn collect() {
    // SAFETY: see the reason above. A thread that never allocated would collect nothing, so it is made known first.
    unsafe {
        libmimalloc_sys::mi_thread_init();
        libmimalloc_sys::mi_collect(true);
    }
}

/// The environment of this program as a child that may have little memory. The allocator takes addresses a gigabyte at a time, which
/// count against such a limit like what is in use; here 32 MiB.
pub(crate) fn environment_for_little_memory() -> Vec<(OsString, OsString)> {
    const KIB: &str = "32768";
    vec![("MIMALLOC_ARENA_RESERVE".into(), KIB.into())]
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn resident_bytes() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim_end_matches("kB").trim().parse::<usize>().unwrap() << 10
    }

    #[test]
    fn a_process_at_rest_gives_back_most_of_what_it_used() {
        let used: Vec<Vec<u8>> = (0..50_000).map(|_| vec![1; 4_096]).collect();
        let at_work = resident_bytes();
        drop(used);
        std::thread::spawn(collect).join().unwrap();
        let at_rest = resident_bytes();
        assert!(at_rest + 100 * MIB < at_work, "{at_work} bytes at work, {at_rest} at rest");
    }
}
