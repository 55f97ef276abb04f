//! The threads on which statements hold a connection.

use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::Handle;
use tracing::Instrument;

/// The runtime that opened a database. Whoever asks from another one, such as the public listener's, may be among too many
/// others to be soon heard again, and would keep its connection from everybody as long as that takes.
#[derive(Debug, Clone)]
pub(crate) struct OpeningRuntime(Handle);

impl OpeningRuntime {
    /// The runtime of the caller.
    pub(crate) fn current() -> Self {
        Self(Handle::current())
    }

    /// Runs a statement; on the caller's task when that is here already.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        statement: impl Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    ) -> impl Future<Output = Result<T, sqlx::Error>> + Send {
        // On the heap, so that whoever reads is not as large as every statement that it may run.
        let statement = Box::pin(statement);
        async move {
            if self.is_here() {
                return statement.await;
            }
            self.spawned(statement.in_current_span()).await?
        }
    }

    /// Runs to its end whatever becomes of the caller: on the caller's task when that is here already, which spares another task its
    /// two turns; should the caller go away, on one of its own from then on.
    pub(crate) async fn to_the_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, sqlx::Error> {
        if self.is_here() {
            let work = Some(Box::pin(work));
            return Ok(UntilItsEnd { work, runtime: self }.await);
        }
        self.spawned(work).await
    }

    fn is_here(&self) -> bool {
        Handle::try_current().is_ok_and(|current| current.id() == self.0.id())
    }

    async fn spawned<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, sqlx::Error> {
        // It ends early only with the runtime, and then the process is about to end.
        self.0.spawn(work).await.map_err(|_| sqlx::Error::PoolClosed)
    }

    /// Runs to its end whatever becomes of the caller, who learns of it in some other way: here already, or else not waited for.
    pub(crate) async fn run_or_spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if self.is_here() {
            let work = Some(Box::pin(work));
            UntilItsEnd { work, runtime: self }.await;
        } else {
            self.spawn(work);
        }
    }

    /// Runs without anybody who waits for it.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        drop(self.0.spawn(work));
    }
}

/// Work that goes on without the caller, should that go away before its end.
struct UntilItsEnd<'a, F: Future<Output: Send> + Send + 'static> {
    /// None once it has ended.
    work: Option<Pin<Box<F>>>,
    runtime: &'a OpeningRuntime,
}

impl<F: Future<Output: Send> + Send + 'static> Future for UntilItsEnd<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(work) = &mut self.work else { return Poll::Pending };
        let polled = work.as_mut().poll(context);
        if polled.is_ready() {
            self.work = None;
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for UntilItsEnd<'_, F> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            self.runtime.spawn(async move {
                work.await;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn what_was_begun_goes_on_when_the_caller_goes_away() {
        let (go_on, signal) = oneshot::channel::<()>();
        let (ended, end) = oneshot::channel();
        let runtime = OpeningRuntime::current();
        let mut work = Box::pin(runtime.to_the_end(async move {
            signal.await.unwrap();
            ended.send("ended").unwrap();
        }));
        assert!(futures::poll!(&mut work).is_pending());
        drop(work);
        go_on.send(()).unwrap();
        assert_eq!(end.await.unwrap(), "ended");
    }

    #[test]
    fn what_another_runtime_asks_for_runs_on_that_of_the_database() {
        let build = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (home, caller) = (build(), build());
        let runtime = home.block_on(async { OpeningRuntime::current() });
        let here = || Handle::current().id();
        assert_eq!(caller.block_on(runtime.to_the_end(async move { here() })).unwrap(), home.handle().id());
        assert_eq!(home.block_on(runtime.to_the_end(async move { here() })).unwrap(), home.handle().id());
    }
}
