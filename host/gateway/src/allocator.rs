//! The allocator of the binary, and of its benchmarks.

use mimalloc::MiMalloc;
use std::ffi::OsString;

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

/// The environment of this program as a child that may have little memory. The allocator takes addresses a gigabyte at a time, which
/// count against such a limit like what is in use; here 32 MiB.
pub(crate) fn environment_for_little_memory() -> Vec<(OsString, OsString)> {
    const KIB: &str = "32768";
    vec![("MIMALLOC_ARENA_RESERVE".into(), KIB.into())]
}
