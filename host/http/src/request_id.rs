//! The id of the request at hand, known wherever its answer is written.

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request at hand; `-` outside of one.
pub fn request_id() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_else(|_| "-".to_owned())
}

/// Answers a request under its id.
pub(crate) async fn scope<T>(id: String, answering: impl Future<Output = T>) -> T {
    CURRENT.scope(id, answering).await
}
