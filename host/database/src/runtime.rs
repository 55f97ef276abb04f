//! The threads on which statements hold a connection.

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
            if Handle::try_current().is_ok_and(|current| current.id() == self.0.id()) {
                return statement.await;
            }
            self.to_the_end(statement.in_current_span()).await?
        }
    }

    /// Runs to its end whatever becomes of the caller.
    pub(crate) async fn to_the_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, sqlx::Error> {
        // It ends early only with the runtime, and then the process is about to end.
        self.0.spawn(work).await.map_err(|_| sqlx::Error::PoolClosed)
    }

    /// Runs without anybody who waits for it.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        drop(self.0.spawn(work));
    }
}
