//! Signing in and out; who looks at a page, and whether a form came from a page of that session.
//!
//! The cookie is not read by scripts (`HttpOnly`), not sent from other sites (`SameSite=Strict`), and belongs to this very host
//! (`__Host-`) wherever the browser takes that: over TLS, which a trusted proxy may end, and on the loopback. Elsewhere pages say
//! that somebody may read along.

use crate::assets;
use crate::errors::{PageError, PageResult};
use crate::template::html;
use askama::Template;
use axum::extract::{ConnectInfo, Form, FromRef, FromRequest, FromRequestParts, Request, State};
use axum::http::header::{
    COOKIE, HOST, LOCATION, ORIGIN, REFERER, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use gateway_access::{SESSION_AGE_MAX, Sessions, SignInError, SignedIn, TokenError};
use gateway_domain::access::Acting;
use gateway_http::connection::OverTls;
use gateway_http::{Peer, Proxies};
use gateway_presentation::Fields;
use secrecy::{ExposeSecret, SecretString};
use std::net::SocketAddr;
use url::{Position, Url};

/// Where the browser takes `__Host-`.
const GUARDED_COOKIE: &str = "__Host-gateway-console";
const PLAIN_COOKIE: &str = "gateway-console";
const FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED_PROTO: &str = "x-forwarded-proto";
/// What a form carries besides its members.
pub(crate) const TOKEN_FIELD: &str = "form_token";
/// Longest address to return to after signing in, bytes.
const NEXT_BYTES_MAX: usize = 2_000;
/// Says how to get in, as a 401 has to (RFC 9110, section 15.5.2): by a form (draft-broyer-http-cookie-auth), for which browsers show
/// no dialog of their own.
const CHALLENGE: &str = "Cookie realm=\"console\", form-action=\"/console/sign-in\"";
/// Says what a script asks for: a part of a page, and the address of that page.
const FRAGMENT: &str = "hx-request";
const FRAGMENT_OF: &str = "hx-current-url";
/// What [`Viewer`] is made of, and where the page was that led here.
const HEADERS_OF_VIEWER: [HeaderName; 7] = [
    COOKIE,
    HOST,
    REFERER,
    HeaderName::from_static(FORWARDED_FOR),
    HeaderName::from_static(FORWARDED_PROTO),
    HeaderName::from_static(FRAGMENT),
    HeaderName::from_static(FRAGMENT_OF),
];
/// Where a script is to go instead of showing the answer.
const REDIRECT: &str = "hx-redirect";
/// What addresses of events end with, behind that of a page.
const EVENTS: &str = "/live";

/// Who looks at a page. Put it before every other argument of a handler, so that strangers learn nothing.
#[derive(Debug)]
pub(crate) struct Viewer {
    pub(crate) signed_in: SignedIn,
    /// Whether somebody between browser and gateway may read along.
    pub(crate) is_exposed: bool,
}

impl Viewer {
    /// On whose behalf services are called.
    pub(crate) fn acting(&self) -> Acting {
        Acting::from(&self.signed_in.caller)
    }

    /// Who is recorded.
    pub(crate) fn actor(&self) -> gateway_domain::access::Actor {
        self.signed_in.caller.actor()
    }

    /// What the client may see.
    pub(crate) const fn workspaces(&self) -> &gateway_domain::access::Workspaces {
        &self.signed_in.caller.workspaces
    }
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    problem: Option<&'a str>,
    client_id: &'a str,
    next: &'a str,
    is_exposed: bool,
    assets: &'static str,
}

/// Why nobody looks.
#[derive(Debug)]
pub(crate) enum NoViewer {
    /// Nobody is signed in, or not any more: the page to sign in takes the place of the page asked for, and leads back.
    NotSignedIn {
        /// A page of the console.
        next: String,
        is_exposed: bool,
        is_fragment: bool,
    },
    Failed(PageError),
}

impl IntoResponse for NoViewer {
    fn into_response(self) -> Response {
        match self {
            // A script would put the form into the middle of a page.
            Self::NotSignedIn { next, is_fragment: true, .. } => {
                let next = HeaderValue::from_str(&next).unwrap_or(HeaderValue::from_static("/console"));
                let redirect = [(HeaderName::from_static(REDIRECT), next)];
                unauthorized((redirect, Html("<p>The session ended: sign in again.</p>")))
            }
            Self::NotSignedIn { next, is_exposed, is_fragment: false } => unauthorized(html(&SignInPage {
                problem: None,
                client_id: "",
                next: &next,
                is_exposed,
                assets: assets::VERSION,
            })),
            Self::Failed(error) => error.into_response(),
        }
    }
}

fn unauthorized(answer: impl IntoResponse) -> Response {
    let challenge = [(WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE))];
    (StatusCode::UNAUTHORIZED, challenge, answer).into_response()
}

impl From<PageError> for NoViewer {
    fn from(error: PageError) -> Self {
        Self::Failed(error)
    }
}

impl<S> FromRequestParts<S> for Viewer
where
    S: Send + Sync,
    Sessions: FromRef<S>,
    Proxies: FromRef<S>,
{
    type Rejection = NoViewer;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, NoViewer> {
        let is_exposed = is_exposed(parts, &Proxies::from_ref(state));
        let found = match secret(&parts.headers, is_exposed) {
            Some(secret) => {
                let sessions = Sessions::from_ref(state);
                sessions.find(&secret, is_automatic(parts)).await.map_err(PageError::internal)?
            }
            None => None,
        };
        if let Some(signed_in) = found {
            return Ok(Self { signed_in, is_exposed });
        }
        let is_fragment = parts.headers.contains_key(FRAGMENT);
        Err(NoViewer::NotSignedIn { next: page_of(parts), is_exposed, is_fragment })
    }
}

/// What of a request says who looks and from where, for whoever asks once the request is gone: its address, the connection and a
/// few headers.
pub(crate) fn parts_of_viewer(request: &Request) -> Parts {
    let mut kept = axum::http::Request::new(());
    kept.uri_mut().clone_from(request.uri());
    for name in HEADERS_OF_VIEWER {
        for value in request.headers().get_all(&name) {
            kept.headers_mut().append(&name, value.clone());
        }
    }
    if let Some(connected) = request.extensions().get::<ConnectInfo<SocketAddr>>() {
        kept.extensions_mut().insert(*connected);
    }
    kept.into_parts().0
}

/// Whether a page asks by itself: for news, or for its part anew.
fn is_automatic(parts: &Parts) -> bool {
    parts.headers.contains_key(FRAGMENT) || parts.uri.path().ends_with(EVENTS)
}

/// The page to return to: the one that a part belongs to, the one that waits for events, or the one that is asked for. What takes
/// forms only leads to the page above it ([`page_before`]).
fn page_of(parts: &Parts) -> String {
    let current = parts.headers.get(FRAGMENT_OF).and_then(|address| Url::parse(address.to_str().ok()?).ok());
    let requested = parts.uri.path_and_query().map(PathAndQuery::as_str).unwrap_or_default();
    let page = current.as_ref().map_or(requested, |url| &url[Position::BeforePath..Position::AfterQuery]);
    let (path, query) = page.split_once('?').map_or((page, None), |(path, query)| (path, Some(query)));
    let path = path.strip_suffix(EVENTS).unwrap_or(path);
    next_page(&query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))).to_owned()
}

/// Whether the connection is neither encrypted nor within this host. A proxy says what it was asked over; where it is none of
/// the trusted ones, nobody would be.
fn is_exposed(parts: &Parts, proxies: &Proxies) -> bool {
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    let is_loopback = name == "localhost"
        || name == "[::1]"
        || name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    // A proxy on this host may call itself by its own name for us.
    let connected = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let is_near = connected.is_none_or(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback());
    let is_forwarded = [FORWARDED_FOR, FORWARDED_PROTO].iter().any(|name| parts.headers.contains_key(*name));
    let is_loopback = is_loopback && is_near && !is_forwarded;
    let forwarded = parts.headers.get(FORWARDED_PROTO).is_some_and(|proto| proto == "https");
    let is_encrypted =
        parts.extensions.get::<OverTls>().is_some() || (forwarded && proxies.trusts(&parts.extensions));
    !(is_loopback || is_encrypted)
}

const fn cookie_name(is_exposed: bool) -> &'static str {
    if is_exposed { PLAIN_COOKIE } else { GUARDED_COOKIE }
}

fn secret(headers: &HeaderMap, is_exposed: bool) -> Option<SecretString> {
    let name = cookie_name(is_exposed);
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| SecretString::from(value))
}

/// A cookie of a session; `None` takes it away.
fn cookie(secret: Option<&SecretString>, is_exposed: bool) -> String {
    let name = cookie_name(is_exposed);
    let secure = if is_exposed { "" } else { "; Secure" };
    let (value, age) = secret.map_or(("", 0), |secret| (secret.expose_secret(), SESSION_AGE_MAX.as_secs()));
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
}

/// Refuses a form that a page of another origin sent. Browsers say where a form comes from, and pages cannot make them say
/// something else; whoever says nothing is no browser, and has no cookie but its own.
pub(crate) fn ensure_same_origin(headers: &HeaderMap) -> Result<(), PageError> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_own = match (text("sec-fetch-site"), text(ORIGIN.as_str()), text(HOST.as_str())) {
        (Some(site), ..) => site == "same-origin",
        (None, Some(origin), Some(host)) => origin.split_once("://").is_some_and(|(_, from)| from == host),
        (None, Some(_), None) => false,
        (None, None, _) => true,
    };
    if is_own {
        return Ok(());
    }
    let sentence = "the form came from another site: open the console and send it from there";
    Err(PageError::refused(StatusCode::FORBIDDEN, sentence))
}

/// A form that came from a page of the session. Take it as the last argument of a handler.
#[derive(Debug)]
pub(crate) struct SentForm {
    pub(crate) viewer: Viewer,
    pub(crate) fields: Fields,
}

impl<S> FromRequest<S> for SentForm
where
    S: Send + Sync,
    Sessions: FromRef<S>,
    Proxies: FromRef<S>,
{
    type Rejection = NoViewer;

    async fn from_request(request: Request, state: &S) -> Result<Self, NoViewer> {
        let (mut parts, body) = request.into_parts();
        let viewer = Viewer::from_request_parts(&mut parts, state).await?;
        ensure_same_origin(&parts.headers)?;
        let sent = Form::<Vec<(String, String)>>::from_request(Request::from_parts(parts, body), state).await;
        let Form(pairs) = sent.map_err(|rejection| {
            PageError::refused(rejection.status(), "the form cannot be read: send it from its page")
        })?;
        let fields = Fields::from(pairs);
        ensure_sent_by(&viewer, fields.text(TOKEN_FIELD))?;
        Ok(Self { viewer, fields })
    }
}

/// Refuses a form without the token of the session.
pub(crate) fn ensure_sent_by(viewer: &Viewer, token: &str) -> Result<(), PageError> {
    if viewer.signed_in.owns_form_token(token) {
        return Ok(());
    }
    let sentence = "the form is not one of this session: open its page again and repeat";
    Err(PageError::refused(StatusCode::FORBIDDEN, sentence))
}

/// Another page instead of this one, which is read.
pub(crate) fn see_other(address: &str) -> Response {
    let location = HeaderValue::from_str(address).unwrap_or(HeaderValue::from_static("/console"));
    (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response()
}

/// What takes forms only is no page: whoever opens its address, say to see the answer of a form again, is led to the page above it.
pub(crate) async fn page_before(request: Request) -> PageResult {
    if request.method() != Method::GET {
        return Err(PageError::refused(StatusCode::METHOD_NOT_ALLOWED, "this page does not take that"));
    }
    let above = request.uri().path().rsplit_once('/').map_or("/console", |(above, _)| above);
    Ok(see_other(above))
}

/// Only pages of the console are returned to.
pub(crate) fn next_page(next: &str) -> &str {
    let is_own = next.len() <= NEXT_BYTES_MAX
        && (next == "/console" || next.starts_with("/console/") || next.starts_with("/console?"))
        && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_own { next } else { "/console" }
}

/// Begins a session.
pub(crate) async fn sign_in(
    State(sessions): State<Sessions>,
    State(proxies): State<Proxies>,
    Peer(from): Peer,
    request: Request,
) -> PageResult {
    let (parts, body) = request.into_parts();
    let is_exposed = is_exposed(&parts, &proxies);
    let before = secret(&parts.headers, is_exposed);
    ensure_same_origin(&parts.headers)?;
    let sent = Form::<Vec<(String, String)>>::from_request(Request::from_parts(parts, body), &()).await;
    let fields = Fields::from(sent.map(|Form(pairs)| pairs).unwrap_or_default());
    let (id, next) = (fields.text("client_id"), next_page(fields.text("next")));
    let client_secret = SecretString::from(fields.text("client_secret"));
    let refused = |problem: &str| {
        html(&SignInPage { problem: Some(problem), client_id: id, next, is_exposed, assets: assets::VERSION })
    };
    let session_secret = match sessions.sign_in(id, &client_secret, from).await {
        Ok(session_secret) => session_secret,
        Err(SignInError::Credentials(TokenError::TooManyFailures { retry_after_s })) => {
            let sentence = format!("too many wrong secrets: wait {retry_after_s} seconds and try again");
            let wait = [(RETRY_AFTER, retry_after_s.to_string())];
            return Ok((StatusCode::TOO_MANY_REQUESTS, wait, refused(&sentence)).into_response());
        }
        Err(SignInError::Credentials(TokenError::Internal(cause)) | SignInError::Internal(cause)) => {
            return Err(PageError::internal(cause));
        }
        Err(SignInError::Credentials(
            TokenError::InvalidClient | TokenError::InvalidRequest(_) | TokenError::UnsupportedGrantType,
        )) => {
            let sentence = "no active client has this id and this secret: check both";
            return Ok(unauthorized(refused(sentence)));
        }
        Err(error @ SignInError::NotPermitted) => {
            return Ok((StatusCode::FORBIDDEN, refused(&error.to_string())).into_response());
        }
    };
    // Whoever planted a session or used this browser before is not in the new one.
    if let Some(before) = before {
        sessions.sign_out(&before).await?;
    }
    Ok(([(SET_COOKIE, cookie(Some(&session_secret), is_exposed))], see_other(next)).into_response())
}

/// Ends the session.
pub(crate) async fn sign_out(
    State(sessions): State<Sessions>,
    headers: HeaderMap,
    form: SentForm,
) -> PageResult {
    let is_exposed = form.viewer.is_exposed;
    if let Some(secret) = secret(&headers, is_exposed) {
        sessions.sign_out(&secret).await?;
    }
    Ok(([(SET_COOKIE, cookie(None, is_exposed))], see_other("/console")).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().uri("/console");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(axum::body::Body::empty()).unwrap().into_parts().0
    }

    #[test]
    fn only_the_loopback_and_tls_are_guarded() {
        for (host, expected) in [
            ("127.0.0.1:8081", false),
            ("localhost", false),
            ("[::1]:8081", false),
            ("localhost.example:8081", true),
            ("10.0.0.7:8081", true),
            ("gateway.example", true),
            ("", true),
        ] {
            let parts = parts(&[("host", host)]);
            assert_eq!(is_exposed(&parts, &Proxies::default()), expected, "{host}");
        }
    }

    #[test]
    fn what_a_proxy_hands_on_is_not_within_this_host() {
        let nginx = parts(&[("host", "127.0.0.1:8081"), ("x-forwarded-for", "198.51.100.1")]);
        assert!(is_exposed(&nginx, &Proxies::default()));
        let mut far = parts(&[("host", "127.0.0.1:8081")]);
        let peer: SocketAddr = "198.51.100.1:4711".parse().unwrap();
        far.extensions.insert(ConnectInfo(peer));
        assert!(is_exposed(&far, &Proxies::default()));
        let trusted = Proxies::from(vec!["198.51.100.0/24".parse().unwrap()]);
        far.headers.insert("x-forwarded-proto", "https".parse().unwrap());
        assert!(!is_exposed(&far, &trusted));
    }

    #[test]
    fn who_looks_is_known_by_what_is_kept_of_a_request_and_nothing_else_is_kept() {
        let mut request = Request::builder().uri("/console/workspaces/9?x=1").header("cookie", "a=1");
        for (name, value) in [("cookie", "b=2"), ("accept", "text/html"), ("x-forwarded-proto", "https")] {
            request = request.header(name, value);
        }
        let mut request = request.body(axum::body::Body::empty()).unwrap();
        let peer: SocketAddr = "198.51.100.1:4711".parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert("anything");
        let kept = parts_of_viewer(&request);
        assert_eq!(kept.uri, "/console/workspaces/9?x=1");
        assert_eq!(kept.headers.get_all(COOKIE).iter().count(), 2);
        assert_eq!(kept.headers.len(), 3, "{:?}", kept.headers);
        assert_eq!(kept.extensions.len(), 1);
        let trusted = Proxies::from(vec!["198.51.100.0/24".parse().unwrap()]);
        assert!(!is_exposed(&kept, &trusted));
    }

    #[test]
    fn a_form_of_another_origin_is_refused() {
        let own = |headers: &[(&str, &str)]| ensure_same_origin(&parts(headers).headers).is_ok();
        assert!(own(&[("host", "a:1"), ("origin", "http://a:1")]));
        assert!(own(&[("host", "a:1"), ("sec-fetch-site", "same-origin"), ("origin", "http://a:1")]));
        assert!(own(&[("host", "a:1")]));
        for foreign in ["http://b:1", "http://a:2", "null"] {
            assert!(!own(&[("host", "a:1"), ("origin", foreign)]), "{foreign}");
        }
        for site in ["cross-site", "same-site", "none"] {
            assert!(!own(&[("host", "a:1"), ("sec-fetch-site", site), ("origin", "http://a:1")]), "{site}");
        }
    }

    #[test]
    fn signing_in_leads_to_pages_of_the_console_only() {
        for own in ["/console", "/console/invoices?status=rejected", "/console?range=30d"] {
            assert_eq!(next_page(own), own);
        }
        for foreign in [
            "",
            "//evil.example",
            "/consolex",
            "https://evil.example/console",
            "/console/\\evil",
            "/console/ x",
        ] {
            assert_eq!(next_page(foreign), "/console");
        }
    }

    #[test]
    fn signing_in_leads_back_to_the_page_that_asked() {
        let page = |uri: &str, headers: &[(&str, &str)]| {
            let mut parts = parts(headers);
            parts.uri = uri.parse().unwrap();
            page_of(&parts)
        };
        assert_eq!(page("/console/jobs", &[]), "/console/jobs");
        assert_eq!(page("/console/invoices?q=a+b", &[]), "/console/invoices?q=a+b");
        assert_eq!(page("/console/live", &[]), "/console");
        assert_eq!(page("/console/webhooks/1/live?skip=50", &[]), "/console/webhooks/1?skip=50");
        let header = [("hx-current-url", "http://a:1/console/rejected?after=x#live")];
        assert_eq!(page("/console/rejected", &header), "/console/rejected?after=x");
        for foreign in ["http://evil.example/elsewhere", "http://a:1//evil.example/console"] {
            assert_eq!(page("/console/jobs", &[("hx-current-url", foreign)]), "/console", "{foreign}");
        }
        assert_eq!(page("/console/jobs", &[("hx-current-url", "no address")]), "/console/jobs");
    }

    #[test]
    fn the_cookie_is_out_of_reach_of_scripts_and_other_sites() {
        let cookie = cookie(Some(&SecretString::from("s")), false);
        for attribute in ["__Host-gateway-console=s;", "HttpOnly", "SameSite=Strict", "Secure", "Path=/;"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        assert!(!super::cookie(None, true).contains("Secure"));
    }
}
