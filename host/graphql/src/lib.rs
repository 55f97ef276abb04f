//! The GraphQL API: schema, types, cursors, loaders, limits and the mapping of errors. What keeps it to its
//! specifications where async-graphql does not stands in `gateway-graphql-compliance`.
//!
//! Resolvers translate: each checks the permission of its operation, calls one operation of the services and shows
//! what it answers. What refers to something else is read through [`loaders`], so that the number of statements does
//! not grow with the page. A failure becomes a [`errors::Refusal`] and nothing else.
//!
//! To add an operation: a field in the area's file, with a description; its permission; an entity in [`query`] when its
//! type has an id. `GATEWAY_WRITE_SCHEMA=1 cargo test -p gateway-graphql` writes `schema.graphql`; without it, a schema
//! that differs from the file fails the test.
//!
//! Not here: HTTP (`gateway-api-public`), rules (the domain crates), SQL.

mod answer;
mod costs;
mod errors;
mod limits;
mod pages;
mod query;
mod request_loader;
mod resolve;
mod response;
mod scalars;
mod session;

mod availability;
mod bookings;
mod catalog;
mod identity;
mod invoicing;
mod spaces;
mod tasks;
mod webhooks;
mod workspaces;

pub use answer::Answer;
pub use response::{GraphQLAnswer, GraphQLErrorCode};

use async_graphql::parser::types::ExecutableDocument;
use async_graphql::parser::{self, parse_query};
use async_graphql::{EmptySubscription, ID, Request, Response, Schema, Variables};
use gateway_domain::ErrorCode;
use gateway_domain::access::Caller;
use gateway_finance::{DocumentLists, Submissions};
use gateway_graphql_compliance as compliance;
use gateway_graphql_compliance::suggestions;
use gateway_graphql_compliance::validation::{self, ValidationOnly};
use gateway_platform::Platform;
use gateway_webhooks::Webhooks;
use query::{Mutation, Query};
use serde_json::{Map, Value};
use session::Session;
use std::sync::Arc;
use std::time::Duration;

/// The parameters of a request (GraphQL over HTTP, "Request Parameters").
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphQLParams {
    /// GraphQL text: operations and fragments.
    pub query: String,
    /// Needed when `query` has several operations.
    pub operation_name: Option<String>,
    /// Values of its variables.
    pub variables: Map<String, Value>,
}

/// The services that the API shows.
#[derive(Debug, Clone)]
pub struct Services {
    /// The platform's own data.
    pub platform: Platform,
    /// Documents in lists, wherever they are kept.
    pub documents: DocumentLists,
    /// Shows how documents fare at the tax authority.
    pub submissions: Submissions,
    /// Where clients want to be told of changes.
    pub webhooks: Webhooks,
}

/// The API. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    schema: Schema<Query, Mutation, EmptySubscription>,
    types: Arc<compliance::SchemaTypes>,
    services: Services,
    deadline: Duration,
}

/// How long a request may take.
const DEADLINE: Duration = Duration::from_secs(20);

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

fn schema() -> async_graphql::SchemaBuilder<Query, Mutation, EmptySubscription> {
    Schema::build(Query, Mutation, EmptySubscription)
        .enable_federation()
        .extension(costs::Costs)
        .extension(validation::EndAfterValidation)
        .limit_recursive_depth(limits::SELECTIONS_MAX)
        // They are added to what is answered, for inputs too.
        .disable_suggestions()
        .override_output_type_description::<ID>(
            "An identifier, opaque to clients. A workspace's is its number.",
        )
}

impl Api {
    /// The API over these services.
    pub fn new(services: Services) -> Self {
        let schema = schema().finish();
        let types = Arc::new(compliance::SchemaTypes::read(&schema.sdl(), &scalars::RULES));
        Self { schema, types, services, deadline: DEADLINE }
    }

    /// The same with another time for each request.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How long a request may take: whoever runs it in a task ends that then.
    pub const fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Runs one request for a caller. Whatever goes wrong is in the answer.
    pub async fn run(&self, caller: Caller, params: GraphQLParams, request_id: &str) -> Answer {
        let too_complex = |message: &str| {
            answer::refused(
                GraphQLErrorCode::QueryTooComplex,
                ErrorCode::QueryTooComplex,
                message,
                request_id,
            )
        };
        if let Err(message) = limits::check_text(&params.query) {
            return too_complex(&message);
        }
        let variables = Variables::from_json(Value::Object(params.variables));
        let mut document = match parse_query(&params.query) {
            Ok(document) => document,
            Err(parser::Error::RecursionLimitExceeded) => return too_complex(limits::BRACKETS),
            Err(error) => return answer::syntax_error(error, &params.query, request_id),
        };
        let operation = params.operation_name.as_deref();
        let request = |document: &ExecutableDocument, variables: &Variables| {
            let mut request = Request::new(params.query.clone()).variables(variables.clone());
            request.set_parsed_query(document.clone());
            match operation {
                Some(name) => request.operation_name(name),
                None => request,
            }
        };
        if let Err(message) =
            limits::check_document(&document).and_then(|()| limits::check_nesting(&document))
        {
            return too_complex(&message);
        }
        let entity_keys = match compliance::check(&self.types, &mut document, operation, &variables) {
            Ok(count) => count,
            Err(faults) => {
                let error = errors::of_inputs(faults);
                return answer::finish(Response::from_errors(vec![error]), None, None, request_id);
            }
        };
        let merged = compliance::merge_fields(&self.types, &document, operation, &variables);
        if merged.is_some() {
            let only = ValidationOnly { has_cost: document.operations.iter().count() == 1 };
            let whole = request(&document, &validation::every_variable(&document, &variables));
            let mut response = self.schema.execute(whole.data(entity_keys).data(only)).await;
            if !response.errors.is_empty() {
                suggestions::add_suggestions(&self.types, &document, &mut response.errors);
                return answer::finish(response, None, None, request_id);
            }
        }
        let executed = merged.as_ref().unwrap_or(&document);
        let session = Session::new(self.services.clone(), caller);
        let mut response =
            self.schema.execute(request(executed, &variables).data(entity_keys).data(session)).await;
        suggestions::add_suggestions(&self.types, executed, &mut response.errors);
        compliance::entity_error_paths::add_key_indexes(
            &mut response.errors,
            executed,
            operation,
            &variables,
        );
        answer::finish(response, Some(&document), operation, request_id)
    }
}

/// The answer to a client that sends too many requests.
pub fn rate_limited(request_id: &str) -> Answer {
    let message = "too many requests: wait as the header Retry-After says";
    answer::refused(GraphQLErrorCode::RateLimited, ErrorCode::RateLimited, message, request_id)
}

/// The answer to a request that is not a request (`message` says why).
pub fn malformed(reason: ErrorCode, message: &str, request_id: &str) -> Answer {
    answer::refused(GraphQLErrorCode::BadUserInput, reason, message, request_id)
}

/// The schema, for people and tools: the committed `schema.graphql`.
pub fn sdl() -> String {
    compliance::federation_schema::subgraph_sdl(&schema().finish())
}

#[cfg(test)]
mod tests;
