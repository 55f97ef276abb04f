//! The threads of the public listener.
//!
//! Whoever sends it more than it can answer keeps these busy and no others: the internal listener, health checks and background
//! work have threads of their own, and the operating system shares the processors between both.

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// A runtime beside the one of the process; it ends with this.
#[derive(Debug)]
pub(crate) struct PublicThreads {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl PublicThreads {
    /// As many threads as there are processors.
    pub(crate) fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread().thread_name("public").enable_all().build()?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }

    /// Runs work there; it goes on when the handle is dropped.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.handle.spawn(work)
    }
}

impl Drop for PublicThreads {
    fn drop(&mut self) {
        // Waiting for its threads is not allowed where others run.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
