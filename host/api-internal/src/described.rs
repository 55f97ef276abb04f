//! Parameters, bodies and headers that several operations have, as the document describes them.

use gateway_http::openapi::idempotency_key;
use std::marker::PhantomData;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, Ref, RefOr, Required, SchemaFormat};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// The document in a path.
pub(crate) struct DocumentInPath;

impl IntoParams for DocumentInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![
            ParameterBuilder::new()
                .name("uuid")
                .parameter_in(ParameterIn::Path)
                .required(Required::True)
                .description(Some("The document, as the platform names it."))
                .schema(Some(id))
                .example(Some("0197f4f2-0000-7000-8000-000000000001".into()))
                .build(),
        ]
    }
}

/// The version that a call expects.
pub(crate) struct IfMatch;

impl IntoParams for IfMatch {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![if_match(
            "The version of the document that the call expects (its `ETag`); another one is refused with 412.",
        )]
    }
}

/// What an edit expects of the document before it.
pub(crate) struct IfMatchOrNoneMatch;

impl IntoParams for IfMatchOrNoneMatch {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![if_match(
            "The version of the document that the call expects (its `ETag`); another one is refused with 412. `*`: it has to \
             be there, whatever its version. `If-None-Match: *` instead makes a document and replaces none.",
        )]
    }
}

fn if_match(about: &str) -> Parameter {
    let version = ObjectBuilder::new().schema_type(Type::String).pattern(Some(r#"^(\*|(W/)?"?[0-9]+"?)$"#));
    header("If-Match", about, version, "\"1\"")
}

/// The key of a request.
pub(crate) struct IdempotencyKey;

impl IntoParams for IdempotencyKey {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let about = "Names the request so that it can be repeated safely: the same key and body are carried out once and \
                     answered alike; another body is refused with 409.";
        vec![idempotency_key(about)]
    }
}

fn header(name: &str, about: &str, schema: ObjectBuilder, example: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(about))
        .schema(Some(schema))
        .example(Some(example.into()))
        .build()
}

/// A body that may also be null, which says nothing.
pub(crate) struct Nullable<T>(PhantomData<T>);

impl<T: ToSchema> PartialSchema for Nullable<T> {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .item(Ref::from_schema_name(T::name()))
            .item(ObjectBuilder::new().schema_type(Type::Null))
            .into()
    }
}

impl<T: ToSchema> ToSchema for Nullable<T> {
    fn name() -> std::borrow::Cow<'static, str> {
        format!("{}OrNull", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// The version of a document, on an answer that shows it.
pub(crate) fn etag() -> Header {
    let version = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^\"[0-9]+\"$"));
    HeaderBuilder::new()
        .schema(Some(version))
        .description(Some("The version of the document, for `If-Match`."))
        .example(Some("\"3\"".into()))
        .build()
}

/// Adds a header to the answers that an operation describes under a status.
pub(crate) fn answer_with(operation: &mut Operation, status: &str, name: &str, header: Header) {
    if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status) {
        response.headers.insert(name.to_owned(), header.into());
    }
}
