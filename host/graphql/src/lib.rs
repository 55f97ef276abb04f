//! The GraphQL API: schema, types, cursors, loaders, limits and the mapping of errors. What keeps it to its
//! specifications where async-graphql does not stands in `gateway-graphql-compliance`.
//!
//! Resolvers translate: each checks the permission of its operation, calls one operation of the services and shows
//! what it answers. What refers to something else is read through [`loaders`], so that the number of statements does
//! not grow with the page. A failure becomes a [`errors::Refusal`] and nothing else.
//!
//! To add an operation: a field in the area's file, with a description; its permission, a change within
//! [`session::Session::change`], which notes what it came to; an entity in [`query`] when its
//! type has an id. `GATEWAY_WRITE_SCHEMA=1 cargo test -p gateway-graphql` writes `schema.graphql`; without it, a schema
//! that differs from the file fails the test.
//!
//! Not here: HTTP (`gateway-api-public`), rules (the domain crates), SQL.

mod answer;
mod costs;
mod errors;
mod known_texts;
mod limits;
mod pages;
mod persisted_texts;
mod query;
mod request_loader;
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

pub use answer::{Answer, Effect};
pub use response::{GraphQLAnswer, GraphQLErrorCode};

use async_graphql::parser::types::ExecutableDocument;
use async_graphql::parser::{self, parse_query};
use async_graphql::{
    EmptySubscription, ID, Request, Response, SDLExportOptions, Schema, ValidationMode, Variables,
};
use gateway_domain::ErrorCode;
use gateway_domain::access::Caller;
use gateway_finance::{DocumentLists, Submissions};
use gateway_graphql_compliance::validation::{self, ValidationOnly};
use gateway_graphql_compliance::{self as compliance, EntityKeyCount, suggestions};
use gateway_platform::Platform;
use gateway_webhooks::Webhooks;
use known_texts::{Kind, KnownText, KnownTexts, Runnable};
use persisted_texts::PersistedTexts;
pub use persisted_texts::TextHash;
use query::{Mutation, Query};
use serde_json::{Map, Value};
use session::{Changes, Session};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The parameters of a request (GraphQL over HTTP, "Request Parameters").
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphQLParams {
    /// GraphQL text: operations and fragments. None of a request that sends its hash instead.
    pub query: Option<String>,
    /// The SHA-256 of the text: what it is found under, or kept under where it is there.
    pub hash: Option<TextHash>,
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
    parts: Arc<ApiParts>,
    deadline: Duration,
}

/// The schemas, what was read and checked of texts before, and the services: all that clones of an [`Api`] share.
struct ApiParts {
    /// Validates what it runs.
    schema: Schema<Query, Mutation, EmptySubscription>,
    /// Runs what was validated. Without an extension: one makes the framework take a slower way to every field.
    validated: Schema<Query, Mutation, EmptySubscription>,
    known: KnownTexts,
    persisted: PersistedTexts,
    types: OnceLock<compliance::SchemaTypes>,
    services: Arc<Services>,
}

impl ApiParts {
    /// What the schema says about inputs. Read at the first request: a start does not wait for the text of the whole schema to be
    /// parsed.
    fn types(&self) -> &compliance::SchemaTypes {
        self.types.get_or_init(|| compliance::SchemaTypes::read(&keyed_sdl(&self.schema), &scalars::RULES))
    }
}

/// How long a request may take.
const DEADLINE: Duration = Duration::from_secs(20);

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

fn schema() -> async_graphql::SchemaBuilder<Query, Mutation, EmptySubscription> {
    schema_without_validation().extension(costs::Costs).extension(validation::EndAfterValidation)
}

fn schema_without_validation() -> async_graphql::SchemaBuilder<Query, Mutation, EmptySubscription> {
    Schema::build(Query, Mutation, EmptySubscription)
        .enable_federation()
        .limit_recursive_depth(limits::SELECTIONS_MAX)
        // They are added to what is answered, for inputs too.
        .disable_suggestions()
        .override_output_type_description::<ID>(
            "An identifier, opaque to clients. A workspace's is its number.",
        )
}

/// The text of the schema, with the keys of federation.
fn keyed_sdl(schema: &Schema<Query, Mutation, EmptySubscription>) -> String {
    schema.sdl_with_options(SDLExportOptions::new().federation())
}

impl Api {
    /// The API over these services.
    pub fn new(services: Services) -> Self {
        let validated = schema_without_validation().validation_mode(ValidationMode::Fast).finish();
        let parts = ApiParts {
            schema: schema().finish(),
            validated,
            known: KnownTexts::default(),
            persisted: PersistedTexts::default(),
            types: OnceLock::new(),
            services: Arc::new(services),
        };
        Self { parts: Arc::new(parts), deadline: DEADLINE }
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
        match self.prepare(params, request_id).await {
            Ok(request) => self.execute(caller, &request, request_id).await,
            Err(refused) => *refused,
        }
    }

    /// Reads a request and checks what can be checked before its document is validated.
    ///
    /// # Errors
    /// The answer that says what is wrong with it.
    pub async fn prepare(
        &self,
        params: GraphQLParams,
        request_id: &str,
    ) -> Result<PreparedRequest, Box<Answer>> {
        let code = (GraphQLErrorCode::QueryTooComplex, ErrorCode::QueryTooComplex);
        let too_complex = |message: &str| Box::new(answer::refusal(code.0, code.1, message, request_id));
        let GraphQLParams { query, hash, operation_name, variables } = params;
        let query = self.text_of(query, hash, request_id)?;
        let variables = Variables::from_json(Value::Object(variables));
        let text = if let Some(text) = self.parts.known.find(&query) {
            text
        } else {
            limits::check_text(&query).map_err(|message| too_complex(&message))?;
            let document = parse_query(&query).map_err(|error| match error {
                parser::Error::RecursionLimitExceeded => too_complex(limits::BRACKETS),
                error => Box::new(answer::syntax_error(error, &query, request_id)),
            })?;
            limits::check_document(&document)
                .and_then(|()| limits::check_nesting(&document))
                .map_err(|message| too_complex(&message))?;
            self.parts.known.add(&query, document)
        };
        if let Some(hash) = hash {
            self.parts.persisted.keep(hash, &query);
        }
        let operation = operation_name.as_deref();
        answer::check_operation(&text.document, operation, request_id)?;
        let kind = Kind::of(operation, &variables);
        let known = kind.as_ref().and_then(|kind| text.runnable(kind)).and_then(|known| {
            let again = compliance::check_again(self.parts.types(), &known.document, operation, &variables);
            Some((known, again?))
        });
        let is_validated = known.is_some();
        let (runnable, entity_keys) = match known {
            Some(known) => known,
            None => Runnable::of(self.parts.types(), text.document.clone(), operation, &variables).map_err(
                |faults| {
                    let error = errors::of_inputs(faults);
                    Box::new(answer::finish(Response::from_errors(vec![error]), None, None, request_id))
                },
            )?,
        };
        let request = PreparedRequest {
            query,
            operation_name,
            variables,
            runnable,
            entity_keys,
            text,
            kind,
            is_validated,
        };
        if request.runnable.merged.is_some() && !is_validated {
            self.validate(&request, request_id).await?;
        }
        Ok(request)
    }

    /// The text of a request: as it was sent, if its hash is the one that is sent with it, or as it was sent before.
    ///
    /// # Errors
    /// The answer that says what is wrong.
    pub fn text_of(
        &self,
        sent: Option<String>,
        hash: Option<TextHash>,
        request_id: &str,
    ) -> Result<String, Box<Answer>> {
        let refused = |code, reason, message| Box::new(answer::refusal(code, reason, message, request_id));
        match (sent, hash) {
            (Some(text), None) => Ok(text),
            (Some(text), Some(hash)) if hash.is_of(&text) => Ok(text),
            (Some(_), Some(_)) => Err(refused(
                GraphQLErrorCode::BadUserInput,
                ErrorCode::PersistedQueryMismatch,
                "sha256Hash is not the SHA-256 of query: send the one that is, or none",
            )),
            // Clients look for exactly this message.
            (None, Some(hash)) => match self.parts.persisted.find(hash) {
                Some(text) => Ok(text.as_ref().to_owned()),
                None => Err(refused(
                    GraphQLErrorCode::PersistedQueryNotFound,
                    ErrorCode::PersistedQueryNotFound,
                    "PersistedQueryNotFound",
                )),
            },
            (None, None) => {
                Err(refused(GraphQLErrorCode::BadUserInput, ErrorCode::RequestMalformed, "query is missing"))
            }
        }
    }

    /// Validates a document as it was sent, without running it. Running it does so too.
    ///
    /// # Errors
    /// The answer that says what is wrong with it.
    pub async fn validate(&self, request: &PreparedRequest, request_id: &str) -> Result<(), Box<Answer>> {
        let document = &request.runnable.document;
        let only = ValidationOnly { has_cost: document.operations.iter().count() == 1 };
        let variables = validation::every_variable(document, &request.variables);
        let whole = request.to_run(document, variables);
        let mut response = Self::resolve(&self.parts.schema, whole.data(only)).await;
        if response.errors.is_empty() {
            return Ok(());
        }
        suggestions::add_suggestions(self.parts.types(), document, &mut response.errors);
        Err(Box::new(answer::finish(response, None, None, request_id)))
    }

    /// Runs a request for a caller. Whatever goes wrong is in the answer.
    pub async fn execute(&self, caller: Caller, request: &PreparedRequest, request_id: &str) -> Answer {
        let PreparedRequest { runnable, variables, .. } = request;
        let executed = runnable.merged.as_ref().unwrap_or(&runnable.document);
        let operation = request.operation_name.as_deref();
        let changes = Arc::new(Changes::default());
        let session = Session::new(Arc::clone(&self.parts.services), caller, Arc::clone(&changes));
        let run = request.to_run(executed, variables.clone()).data(session);
        let schema = if request.is_validated { &self.parts.validated } else { &self.parts.schema };
        let mut response = Self::resolve(schema, run).await;
        suggestions::add_suggestions(self.parts.types(), executed, &mut response.errors);
        compliance::entity_error_paths::add_key_indexes(&mut response.errors, executed, operation, variables);
        let mut answer = answer::finish(response, Some(&runnable.document), operation, request_id);
        answer.effect = changes.effect();
        if answer.executed
            && !request.is_validated
            && let Some(kind) = &request.kind
        {
            request.text.was_valid_with(kind, &request.runnable);
        }
        answer
    }

    /// Has the resolvers answer. A future behind a pointer is compiled in this crate, once: as an `async fn` each crate that
    /// awaits it would compile every resolver again.
    fn resolve(
        schema: &Schema<Query, Mutation, EmptySubscription>,
        request: Request,
    ) -> Pin<Box<dyn Future<Output = Response> + Send + '_>> {
        Box::pin(schema.execute(request))
    }
}

/// A request that was read, ready to be run.
#[derive(Debug)]
pub struct PreparedRequest {
    query: String,
    operation_name: Option<String>,
    variables: Variables,
    runnable: Arc<Runnable>,
    entity_keys: EntityKeyCount,
    text: Arc<KnownText>,
    /// None where it is not remembered.
    kind: Option<Kind>,
    /// Whether one of its kind was found valid before.
    is_validated: bool,
}

impl PreparedRequest {
    /// Whether the operation that runs is a mutation.
    pub fn is_mutation(&self) -> bool {
        compliance::is_mutation(&self.runnable.document, self.operation_name.as_deref())
    }

    fn to_run(&self, document: &ExecutableDocument, variables: Variables) -> Request {
        let mut request = Request::new(self.query.clone()).variables(variables).data(self.entity_keys);
        request.set_parsed_query(document.clone());
        match &self.operation_name {
            Some(name) => request.operation_name(name),
            None => request,
        }
    }
}

/// The answer to a client that sends too many requests.
pub fn rate_limited(request_id: &str) -> Answer {
    let message = "too many requests: wait as the header Retry-After says";
    answer::refusal(GraphQLErrorCode::RateLimited, ErrorCode::RateLimited, message, request_id)
}

/// The answer to a request that is not a request (`message` says why).
pub fn malformed(reason: ErrorCode, message: &str, request_id: &str) -> Answer {
    answer::refusal(GraphQLErrorCode::BadUserInput, reason, message, request_id)
}

/// The schema, for people and tools: the committed `schema.graphql`.
pub fn sdl() -> String {
    compliance::federation_schema::subgraph_sdl(&schema().finish())
}

#[cfg(test)]
mod tests;
