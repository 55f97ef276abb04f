//! Points at which a test ends the process, as a power cut would: right before and right after every commit of the flow;
//! and points at which it stands still, as a suspended machine would: around the calls to the provider.
//!
//! Compiled only with the feature `fail-points`: `GATEWAY_TEST_KILL_AT=before-uploading:2` ends the process when the
//! second step to the stage `uploading` is about to be committed, and `GATEWAY_TEST_STOP_AT=upload` stops it (SIGSTOP)
//! just before its first upload is sent. Without the feature a point is nothing.

use gateway_domain::finance::Stage;
use gateway_storage::{StoreError, Tx};

/// A commit of the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// A document is saved.
    Saved,
    /// The wish to submit a document is recorded.
    Intent,
    /// A document moves to issuing.
    Issuing,
    /// A document is final, without finance.
    Issued,
    /// A document is rejected, without finance.
    Rejected,
    /// A document is final without the tax authority.
    Standard,
    /// A command of the finance service is carried out.
    Command,
    /// A submission moves to a stage, or stays in it.
    Step(Stage),
    /// A job is given back. Right before it, its work is done.
    GivenBack,
    /// Jobs were taken; this point has no "before".
    Claimed,
    /// A notification of the provider is recorded.
    Notified,
    /// A waiting submission is retried by an operator.
    Retried,
    /// A consumer handled events.
    Consumed,
    /// A part of the event feed of an invoice data service elsewhere is kept.
    Mirrored,
    /// The watchdog repairs what it found.
    Watched,
}

/// A moment just before a call to the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// An upload, while what was read of the submission can still be found too old.
    UploadRead,
    /// An upload that nothing holds back any more.
    Upload,
    /// The start of a job, while what was read of the submission can still be found too old.
    StartRead,
    /// The start of a job that nothing holds back any more.
    Start,
}

/// [`Tx::commit`] at a point of the flow.
pub(crate) async fn commit(tx: Tx, point: Point) -> Result<(), StoreError> {
    before(point);
    tx.commit().await?;
    after(point);
    Ok(())
}

/// The commit is about to be asked for.
#[cfg(not(feature = "fail-points"))]
pub(crate) const fn before(_: Point) {}

/// The commit is durable.
#[cfg(not(feature = "fail-points"))]
pub(crate) const fn after(_: Point) {}

/// A call is about to be sent.
#[cfg(not(feature = "fail-points"))]
pub(crate) const fn pause(_: Pause) {}

#[cfg(feature = "fail-points")]
pub(crate) use armed::{after, before};
#[cfg(feature = "fail-points")]
pub(crate) use stopping::pause;

#[cfg(feature = "fail-points")]
mod armed {
    use super::Point;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    const VARIABLE: &str = "GATEWAY_TEST_KILL_AT";

    /// Where to end, and how often to pass by before that.
    struct Order {
        side: String,
        point: String,
        passes: AtomicU64,
    }

    impl Point {
        const fn as_str(self) -> &'static str {
            match self {
                Self::Saved => "saved",
                Self::Intent => "intent",
                Self::Issuing => "issuing",
                Self::Issued => "issued",
                Self::Rejected => "rejected",
                Self::Standard => "standard",
                Self::Command => "command",
                Self::Step(stage) => stage.as_str(),
                Self::GivenBack => "given-back",
                Self::Claimed => "claimed",
                Self::Notified => "notified",
                Self::Retried => "retried",
                Self::Consumed => "consumed",
                Self::Mirrored => "mirrored",
                Self::Watched => "watched",
            }
        }
    }

    /// `before-<point>[:nth]` or `after-<point>[:nth]`.
    fn order() -> Option<&'static Order> {
        static ORDER: OnceLock<Option<Order>> = OnceLock::new();
        let read = || {
            let text = std::env::var(VARIABLE).ok()?;
            let (name, nth) = text.split_once(':').unwrap_or((&text, "1"));
            let (side, point) = name.split_once('-')?;
            let passes = AtomicU64::new(nth.parse::<u64>().unwrap_or(1).saturating_sub(1));
            Some(Order { side: side.to_owned(), point: point.to_owned(), passes })
        };
        ORDER.get_or_init(read).as_ref()
    }

    fn reached(side: &str, point: Point) {
        let Some(order) = order() else { return };
        // A step is also known by the stage's name with `to-`, so that it differs from the call of the same name.
        let name = match point {
            Point::Step(_) => format!("to-{}", point.as_str()),
            _ => point.as_str().to_owned(),
        };
        if order.side != side || order.point != name {
            return;
        }
        let passed =
            order.passes.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        if passed.is_err() {
            std::process::abort();
        }
    }

    /// The commit is about to be asked for.
    pub(crate) fn before(point: Point) {
        reached("before", point);
    }

    /// The commit is durable.
    pub(crate) fn after(point: Point) {
        reached("after", point);
    }
}

#[cfg(feature = "fail-points")]
mod stopping {
    use super::Pause;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    const VARIABLE: &str = "GATEWAY_TEST_STOP_AT";

    impl Pause {
        const fn as_str(self) -> &'static str {
            match self {
                Self::UploadRead => "upload-read",
                Self::Upload => "upload",
                Self::StartRead => "start-read",
                Self::Start => "start",
            }
        }
    }

    /// Stops the whole process the first time the named moment comes; whoever sends SIGCONT lets it go on from there.
    pub(crate) fn pause(moment: Pause) {
        static STOPPED: AtomicBool = AtomicBool::new(false);
        let named = std::env::var(VARIABLE).is_ok_and(|name| name == moment.as_str());
        if named && !STOPPED.swap(true, Ordering::AcqRel) {
            // The signal reaches this process before the program that sent it has ended.
            let sent = Command::new("kill").args(["-STOP", &std::process::id().to_string()]).status();
            if !sent.is_ok_and(|status| status.success()) {
                std::process::abort();
            }
        }
    }
}
