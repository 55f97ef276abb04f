//! The allocator of the binary, and of its benchmarks.

use mimalloc::MiMalloc;
use std::ffi::OsString;

/// Answering a request takes and gives back memory thousands of times: a sixth of the CPU of a page was the system's allocator,
/// which also keeps what a load took.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The environment of this program as a child that may have little memory. The allocator takes addresses a gigabyte at a time, which
/// count against such a limit like what is in use; here 32 MiB.
pub(crate) fn environment_for_little_memory() -> Vec<(OsString, OsString)> {
    const KIB: &str = "32768";
    vec![("MIMALLOC_ARENA_RESERVE".into(), KIB.into())]
}
