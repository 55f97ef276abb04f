//! What stands around the operations of a document: what it is, where it is served, how callers authenticate.

use super::{Listener, REQUEST_ID, schemas};
use serde_json::{Map, Value};
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{
    ClientCredentials, Flow, HttpAuthScheme, HttpBuilder, OAuth2, Scopes, SecurityScheme,
};
use utoipa::openapi::{
    Components, ComponentsBuilder, Header, Info, InfoBuilder, LicenseBuilder, Server, ServerBuilder,
};

/// The version of the OpenAPI specification that the documents follow.
pub(super) const OPENAPI: &str = "3.1.1";
/// The version of what the documents describe; it changes when something is taken away.
const VERSION: &str = "1.0.0";
const LICENCE: &str = "Apache-2.0";
/// The name of the header of every answer, as a component.
pub(super) const REQUEST_ID_COMPONENT: &str = "RequestId";

const PUBLIC: &str = "What integrators and the e-invoicing provider reach: access tokens, GraphQL, the legacy REST API.\n\n\
                      New integrations use GraphQL at `/v1`. The legacy REST API under `/api/dev` is superseded: each of its \
                      routes names its successor. Every answer carries `x-request-id`, the id of the request: name it when \
                      something has to be looked up.";
const INTERNAL: &str = "What the platform's own services and operators reach: the invoice data service, the finance service, \
                        administration, health and metrics.\n\nMoney and quantities are decimal strings, never JSON numbers. \
                        Every refusal is `{\"errors\":[{\"field\",\"code\",\"message\"}]}` unless a route says otherwise. Every \
                        answer carries `x-request-id`, the id of the request: name it when something has to be looked up.";

/// What a document is about.
pub(super) fn info(listener: Listener) -> Info {
    let (title, description) = match listener {
        Listener::Public => ("Public API", PUBLIC),
        Listener::Internal => ("Internal API", INTERNAL),
    };
    InfoBuilder::new()
        .title(title)
        .version(VERSION)
        .description(Some(description))
        .license(Some(LicenseBuilder::new().name(LICENCE).identifier(Some(LICENCE)).build()))
        .build()
}

/// Where the operations are.
pub(super) fn servers() -> Vec<Server> {
    vec![ServerBuilder::new().url("/").description(Some("The listener that serves this document.")).build()]
}

/// What every operation may refer to.
pub(super) fn components() -> Map<String, Value> {
    let components: Components = ComponentsBuilder::new()
        .security_scheme("oauth2", client_credentials())
        .security_scheme("bearer", bearer())
        .build();
    let mut components = schemas::object(&components);
    let mut header = schemas::object(&request_id());
    schemas::require_header(&mut header);
    let headers = Map::from_iter([(REQUEST_ID_COMPONENT.to_owned(), Value::Object(header))]);
    components.insert("headers".to_owned(), Value::Object(headers));
    components
}

fn client_credentials() -> SecurityScheme {
    let flow = Flow::ClientCredentials(ClientCredentials::new("/v1/oauth2/token", Scopes::new()));
    let about = "An access token for client credentials, issued by the token endpoint. Reuse it until it expires. What a client \
                 may do is tuned per client and not part of the token: the permission an operation needs stands with it.";
    SecurityScheme::OAuth2(OAuth2::with_description([flow], about))
}

fn bearer() -> SecurityScheme {
    let about = "An access token at hand: `Authorization: Bearer <ACCESS_TOKEN>`.";
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT");
    SecurityScheme::Http(scheme.description(Some(about)).build())
}

/// The header [`REQUEST_ID`].
fn request_id() -> Header {
    let about = format!(
        "The id of the request: the caller's own `{REQUEST_ID}` when it is 1 to 128 letters, digits or `-_.:/+=`, else a \
         fresh one. Name it when something has to be looked up."
    );
    let id = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(128));
    HeaderBuilder::new().schema(Some(id)).description(Some(about)).build()
}
