//! A document as it went out: the structured document as sent to the provider, and the message to the tax authority
//! that the provider made of it.

use super::failure::{NotAcceptable, NothingThere};
use crate::described::DocumentInPath;
use crate::errors::ApiError;
use crate::rpc::document_id;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use gateway_domain::access::Acting;
use gateway_domain_finance::AuthorityMessage;
use gateway_finance::{Structured, Submissions};
use gateway_http::Authenticated;
use gateway_http::Params;
use gateway_http::accept::{Accept, Preference};
use gateway_http::openapi::{BadRequest, Gone, Unprocessable};
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::{IntoParams, ToSchema};

const JSON: &str = "application/json";
const XML: &str = "application/xml";

/// Which of both a client names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "snake_case")]
enum Part {
    Structured,
    Authority,
}

/// Which of both is asked for.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
struct PartQuery {
    /// Which of both.
    #[param(inline, value_type = Part, required = false, example = "structured")]
    part: Option<Part>,
}

gateway_http::refusals! {
    /// There is no record yet, or it is of another media type.
    NoRecord: ("accept", NotAcceptable, "there is no message to the tax authority: no verdict came yet, or the provider had none to give; the document as sent is application/json"), "Vary" = vary();
}

/// Which header chose.
fn vary() -> Header {
    let text = ObjectBuilder::new().schema_type(Type::String);
    HeaderBuilder::new().schema(Some(text)).description(Some("`accept`.")).build()
}

impl Part {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "structured" => Some(Self::Structured),
            "authority" => Some(Self::Authority),
            _ => None,
        }
    }
}

/// The document as it went out
///
/// The structured document as sent to the provider, JSON, unless `Accept` prefers the record that the authority got (XML for
/// most tax systems). `part=authority` answers the record whatever it is. Of a document that another system issued there is only
/// the XML that was imported with it. Before the document was converted: 410.
#[utoipa::path(
    get,
    path = "/finance/rpc/documents/{uuid}/structured",
    operation_id = "getStructured",
    params(DocumentInPath, PartQuery),
    responses(
        (status = 200, description = "The structured document, or the record.",
            content((Value = "application/json"), (String = "application/xml")),
            headers(("Vary" = String, description = "`accept`."))),
        (status = 400, response = BadRequest),
        (status = 406, response = NoRecord),
        (status = 410, response = Gone),
        (status = 422, response = Unprocessable)
    )
)]
pub(super) async fn show(
    State(submissions): State<Submissions>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    query: Params,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    query.only(&["part"])?;
    let part = query.parse("part", "use structured or authority", Part::parse)?;
    let found = submissions.structured(&acting, id).await.map_err(ApiError::internal)?;
    let found = found.ok_or(NothingThere::Conversion);
    let chosen = found.and_then(|found| choose(found, part, &Accept::of(&headers)));
    let (media_type, body) =
        chosen.map_err(|nothing| ApiError::from(nothing).with_header(header::VARY, "accept"))?;
    let headers = [(header::CONTENT_TYPE, media_type), (header::VARY, "accept".to_owned())];
    Ok((headers, body).into_response())
}

/// The media type and the body of what the client would rather have; the document as sent when it does not care.
fn choose(found: Structured, part: Option<Part>, accept: &Accept) -> Result<(String, String), NothingThere> {
    let Structured { sent, message } = found;
    let sent = sent.filter(|_| part != Some(Part::Authority));
    let sent = sent.and_then(|sent| Some((accept.preference(JSON)?, sent)));
    let message = message.filter(|_| part != Some(Part::Structured));
    let message_fits = message.as_ref().and_then(|message| preference(accept, message));
    match (message, sent) {
        (Some(message), sent) if message_fits > sent.as_ref().map(|(fits, _)| *fits) => {
            Ok((message.media_type, message.body))
        }
        (_, Some((_, sent))) => Ok((JSON.to_owned(), sent)),
        (Some(AuthorityMessage { media_type, .. }), None) => {
            Err(NothingThere::Representation(NotAcceptable::OtherMessage { media_type }))
        }
        (None, None) if part == Some(Part::Structured) => {
            Err(NothingThere::Representation(NotAcceptable::OtherDocument))
        }
        (None, None) => {
            Err(NothingThere::Representation(NotAcceptable::NoMessage { by_name: part.is_some() }))
        }
    }
}

/// A dialect of XML is XML too.
fn preference(accept: &Accept, message: &AuthorityMessage) -> Option<Preference> {
    let named = accept.preference(&message.media_type);
    if message.media_type.ends_with("+xml") { named.max(accept.preference(XML)) } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    /// The media type that is answered, or the status of the refusal.
    fn answered(accept: &str, part: Option<Part>, message: Option<&str>) -> String {
        let mut headers = HeaderMap::new();
        if !accept.is_empty() {
            headers.insert(header::ACCEPT, HeaderValue::from_str(accept).unwrap());
        }
        let message = message.map(|media_type| AuthorityMessage {
            media_type: media_type.to_owned(),
            body: "message".to_owned(),
        });
        let structured = Structured { sent: Some("sent".to_owned()), message };
        match choose(structured, part, &Accept::of(&headers)) {
            Ok((media_type, body)) => format!("{body} {media_type}"),
            Err(nothing) => ApiError::from(nothing).into_response().status().as_u16().to_string(),
        }
    }

    #[test]
    fn the_document_as_sent_is_answered_unless_the_message_is_asked_for() {
        let (xml, json) = (Some("application/xml"), Some("application/json"));
        for (accept, part, message, expected) in [
            ("", None, xml, "sent application/json"),
            ("*/*", None, xml, "sent application/json"),
            ("application/*", None, xml, "sent application/json"),
            ("application/json", None, xml, "sent application/json"),
            ("application/json", None, json, "sent application/json"),
            ("application/xml", None, xml, "message application/xml"),
            ("text/xml", None, xml, "message application/xml"),
            ("application/xml, */*;q=0.1", None, xml, "message application/xml"),
            ("application/xml, */*;q=0.1", None, None, "sent application/json"),
            ("application/xml", None, Some("application/vnd.x+xml"), "message application/vnd.x+xml"),
            ("application/xml", None, json, "406"),
            ("application/xml", None, None, "406"),
            ("image/png", None, xml, "406"),
            ("", Some(Part::Authority), json, "message application/json"),
            ("", Some(Part::Authority), xml, "message application/xml"),
            ("application/json", Some(Part::Authority), xml, "406"),
            ("", Some(Part::Authority), None, "406"),
            ("", Some(Part::Structured), xml, "sent application/json"),
            ("application/xml", Some(Part::Structured), xml, "406"),
        ] {
            assert_eq!(answered(accept, part, message), expected, "{accept} {part:?} {message:?}");
        }
    }
}
