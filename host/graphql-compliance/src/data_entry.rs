//! A document that was not executed is answered without the entry `data` (specification of GraphQL, October 2021, 7.1
//! "Response Format"). async-graphql answers `data: null`, as for an error that reached the top.

use async_graphql::{Response, Value};

/// Whether a document was executed: there is data, or an error that points into it.
pub fn was_executed(response: &Response) -> bool {
    response.errors.is_empty()
        || response.data != Value::Null
        || response.errors.iter().any(|error| !error.path.is_empty())
}
