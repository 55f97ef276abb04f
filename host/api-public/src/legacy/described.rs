//! What the document says of the legacy API: parameters and members that several routes share, and what is true of all of them.

use super::{announce, routes};
use gateway_domain::ids::WorkspaceId;
use gateway_http::limits;
use gateway_http::openapi::{Listener, Surface, retry_after, www_authenticate};
use serde::Serialize;
use utoipa::openapi::external_docs::ExternalDocs;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{Deprecated, RefOr};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

const ABOUT: &str = "For older integrations until they have moved to GraphQL: every route is deprecated and names its successor. HTTP \
                     Basic with the client's id and secret, and the workspace in the header `XX-SUBSCRIPTION-PORTAL-ID`; the client needs the permission `legacy`. Members \
                     are those of the GraphQL nodes in snake_case. Pages are counted: `perPage` items each, `page` from 1 on, and \
                     `limit` caps all pages together.";

/// Which page of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes parameters")]
pub(super) struct PageParams {
    /// Items of a page; above 100 is taken as 100.
    #[param(rename = "perPage", minimum = 1, maximum = 4_294_967_295_i64, default = 25, example = 25, value_type = i64, required = false)]
    per_page: Option<u32>,
    /// Which page.
    #[param(minimum = 1, maximum = 4_294_967_295_i64, default = 1, example = 1, value_type = i64, required = false)]
    page: Option<u32>,
    /// Items on all pages together, at most.
    #[param(minimum = 1, maximum = 4_294_967_295_i64, example = 100, value_type = i64, required = false)]
    limit: Option<u32>,
}

/// The property of the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct PropertyPath {
    /// The property: a unit.
    #[param(format = Uuid, min_length = 36, max_length = 36, example = "0197f4f2-0000-7000-8000-0000000000a1")]
    id: String,
}

/// The booking of the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct BookingPath {
    /// The booking.
    #[param(format = Uuid, min_length = 36, max_length = 36, example = "0197f4f2-0000-7000-8000-0000000000b1")]
    id: String,
}

/// Only what is about a property.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct PropertyQuery {
    /// Only those of this property. An empty one is refused.
    #[param(
        format = Uuid, min_length = 36, max_length = 36, value_type = String, required = false,
        example = "0197f4f2-0000-7000-8000-0000000000a1"
    )]
    property_id: Option<String>,
}

/// Only what changed.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct LastModifiedQuery {
    /// Only those changed at this time or later: ISO 8601, a day counts from midnight UTC.
    #[param(value_type = String, required = false, example = "2026-11-01T00:00:00Z")]
    last_modified: Option<String>,
}

/// Something that is named elsewhere.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = LegacyReference)]
pub(super) struct Reference {
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    pub(super) id: Uuid,
}

impl Reference {
    pub(super) fn to(id: impl Into<Uuid>) -> Self {
        Self { id: id.into() }
    }
}

/// Something with its name.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = LegacyNamed)]
pub(super) struct NamedReference {
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a4"))]
    pub(super) id: Uuid,
    #[schema(examples("Wifi"))]
    pub(super) name: String,
}

/// The workspace of something.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = LegacyWorkspace)]
pub(super) struct WorkspaceReference {
    #[schema(value_type = i64, examples(1))]
    pub(super) id: WorkspaceId,
}

gateway_http::refusals! {
    /// The credentials or the header `XX-SUBSCRIPTION-PORTAL-ID` are missing, or the secret is wrong.
    LegacyUnauthorised: ("base", Unauthenticated, "send the client's id and secret with HTTP Basic authentication"), "WWW-Authenticate" = www_authenticate();
    /// The client lacks the permission, or the workspace does not exist or is none of those it may see.
    LegacyForbidden: ("base", PermissionMissing, "XX-SUBSCRIPTION-PORTAL-ID is no workspace that the client may see");
    /// The client sends more requests than its limit allows, or too many secrets were wrong.
    LegacyLimited: ("base", RateLimited, "too many requests: wait as the header Retry-After says"), "Retry-After" = retry_after();
}

/// What the routes are described by.
pub(crate) fn surface() -> Surface {
    of(Surface::new(Listener::Public, "Legacy REST API", ABOUT, routes().into_openapi()))
        .deprecated()
        .header(
            "Deprecation",
            &constant("Since when the legacy API is superseded (RFC 9745).", "@1767225600"),
        )
        .header("Link", &text("What comes in place of the route: `rel=\"successor-version\"`."))
        .each(|path, operation| {
            superseded(path, operation);
            paged(operation);
        })
}

/// What is true of whatever is behind the credentials of the legacy API.
pub(super) fn of(surface: Surface) -> Surface {
    let basic = HttpBuilder::new().scheme(HttpAuthScheme::Basic);
    let basic = basic.description(Some("`client_id` and `client_secret`.")).build();
    let workspace_header = ApiKeyValue::with_description("XX-SUBSCRIPTION-PORTAL-ID", "The workspace's id.");
    let none: [&str; 0] = [];
    let surface = surface
        .scheme("basic", SecurityScheme::Http(basic))
        .scheme("portal", SecurityScheme::ApiKey(ApiKey::Header(workspace_header)))
        .security([SecurityRequirement::new("basic", none).add("portal", none)])
        .permission("legacy")
        .answers::<LegacyUnauthorised>(401)
        .answers::<LegacyForbidden>(403)
        .answers::<LegacyLimited>(429)
        .fails()
        .header(
            "Deprecation",
            &constant("Since when the legacy API is superseded (RFC 9745).", "@1767225600"),
        )
        .header("Link", &text("What comes in place of the route: `rel=\"successor-version\"`."));
    limits::headers().into_iter().fold(surface, |surface, (name, header)| surface.header(name, &header))
}

/// What has no successor is not superseded.
fn superseded(path: &str, operation: &mut Operation) {
    let Some(successor) = announce::successor(path) else {
        operation.deprecated = Some(Deprecated::False);
        return;
    };
    let mut docs = ExternalDocs::new("/v1");
    docs.description = Some(format!("`{successor}`"));
    operation.external_docs = Some(docs);
}

/// A list leads to its other pages.
pub(super) fn paged(operation: &mut Operation) {
    let listed = operation.parameters.iter().flatten().any(|parameter| match parameter {
        RefOr::T(parameter) => parameter.name == "perPage",
        RefOr::Ref(_) => false,
    });
    if let (true, Some(RefOr::T(page))) = (listed, operation.responses.responses.get_mut("200")) {
        let total = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
        let total = HeaderBuilder::new().schema(Some(total));
        let total = total.description(Some("Items on all pages together, `limit` counted.")).build();
        page.headers.insert("X-Total-Count".to_owned(), RefOr::T(total));
        let links = "The pages `first`, `prev`, `next` and `last` as far as they exist (RFC 8288), and `successor-version`.";
        page.headers.insert("Link".to_owned(), RefOr::T(text(links)));
    }
}

fn text(about: &str) -> Header {
    let text = ObjectBuilder::new().schema_type(Type::String);
    HeaderBuilder::new().schema(Some(text)).description(Some(about)).build()
}

fn constant(about: &str, value: &str) -> Header {
    let text = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([value]));
    HeaderBuilder::new().schema(Some(text)).description(Some(about)).build()
}
