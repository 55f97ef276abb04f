//! What waits for the database.

use crate::error::StoreError;
use std::pin::Pin;

/// What waits for the database. On the heap and of one type: the code that drives statements is compiled here once, instead
/// of again in every crate that waits for it.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;
