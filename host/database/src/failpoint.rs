//! Points at which a test ends the process, as a power cut would: right before and right after every commit of the flow;
//! and points at which it stands still, as a suspended machine would: around the calls to the provider.
//!
//! Compiled only with the feature `fail-points`: `GATEWAY_TEST_KILL_AT=before-to-uploading:2` ends the process when the
//! second step to the stage `uploading` is about to be committed, and `GATEWAY_TEST_STOP_AT=upload:/tmp/stop` stops it
//! (SIGSTOP) just before its next upload is sent once there is such a file, which it takes away. Without the feature a point
//! is nothing. Points are named where they are: commits in `Tx::commit_at`, calls in [`pause`].

/// The commit named `point` is about to be asked for.
#[cfg(not(feature = "fail-points"))]
pub const fn before(_point: &str) {}

/// What `point` names is done and durable.
#[cfg(not(feature = "fail-points"))]
pub const fn after(_point: &str) {}

/// The call named `moment` is about to be sent.
#[cfg(not(feature = "fail-points"))]
pub const fn pause(_moment: &str) {}

#[cfg(feature = "fail-points")]
pub use armed::pause;
#[cfg(feature = "fail-points")]
pub use armed::{after, before};

#[cfg(feature = "fail-points")]
mod armed {
    use std::process::Command;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    const KILL: &str = "GATEWAY_TEST_KILL_AT";
    const STOP: &str = "GATEWAY_TEST_STOP_AT";

    /// Where to end, and how often to pass by before that.
    struct Order {
        side: String,
        point: String,
        passes: AtomicU64,
    }

    /// `before-<point>[:nth]` or `after-<point>[:nth]`.
    fn order() -> Option<&'static Order> {
        static ORDER: OnceLock<Option<Order>> = OnceLock::new();
        let read = || {
            let text = std::env::var(KILL).ok()?;
            let (name, nth) = text.split_once(':').unwrap_or((&text, "1"));
            let (side, point) = name.split_once('-')?;
            let passes = AtomicU64::new(nth.parse::<u64>().unwrap_or(1).saturating_sub(1));
            Some(Order { side: side.to_owned(), point: point.to_owned(), passes })
        };
        ORDER.get_or_init(read).as_ref()
    }

    fn reached(side: &str, point: &str) {
        let Some(order) = order().filter(|order| order.side == side && order.point == point) else { return };
        let passed =
            order.passes.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        if passed.is_err() {
            std::process::abort();
        }
    }

    /// The commit named `point` is about to be asked for.
    pub fn before(point: &str) {
        reached("before", point);
    }

    /// What `point` names is done and durable.
    pub fn after(point: &str) {
        reached("after", point);
    }

    /// The call named `moment` is about to be sent. Stops the whole process if there is the file that its order names; whoever
    /// sends SIGCONT lets it go on from there.
    pub fn pause(moment: &str) {
        let Ok(order) = std::env::var(STOP) else { return };
        let Some((_, file)) = order.split_once(':').filter(|(name, _)| *name == moment) else { return };
        if std::fs::remove_file(file).is_ok() {
            // Named by its thread, so that this one and no other has the signal before the program that sent it has
            // ended: any other thread would be waited for, and the call would be sent meanwhile.
            let thread = std::fs::read_link("/proc/thread-self").unwrap_or_default();
            let thread = thread.file_name().map_or_else(Default::default, ToOwned::to_owned);
            let sent = Command::new("kill").arg("-STOP").arg(thread).status();
            if !sent.is_ok_and(|status| status.success()) {
                std::process::abort();
            }
        }
    }
}
