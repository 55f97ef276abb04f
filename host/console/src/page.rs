//! What every page shares: its frame, and the policy that a browser holds it to.

use crate::assets;
use crate::errors::PageResult;
use crate::rights::{Rights, sees_all};
use crate::session::Viewer;
use crate::template::html;
use askama::Template;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use gateway_access::SignedIn;
use secrecy::ExposeSecret;

/// Own files only: no inline script or style, no frame, no other origin, no form that goes elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "same-origin"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Holds browsers to the policy, and lets nobody keep a page.
pub(crate) async fn with_policy(request: Request, next: Next) -> Response {
    under_policy(next.run(request).await)
}

/// The same for a page that is answered from elsewhere.
pub(crate) fn under_policy(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// A section of the console, for the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Overview,
    Invoices,
    Rejected,
    Reports,
    Jobs,
    Reconciliations,
    Workspaces,
    Plugins,
    Clients,
    Keys,
    Webhooks,
    Audit,
    Health,
}

impl Section {
    const ALL: [Self; 13] = [
        Self::Overview,
        Self::Invoices,
        Self::Rejected,
        Self::Reports,
        Self::Jobs,
        Self::Reconciliations,
        Self::Workspaces,
        Self::Plugins,
        Self::Webhooks,
        Self::Clients,
        Self::Keys,
        Self::Audit,
        Self::Health,
    ];

    /// The section that an address belongs to.
    pub(crate) fn of(path: &str) -> Self {
        let is_of = |section: &Self| path.starts_with(section.address());
        // Every address begins as that of the first one does.
        Self::ALL.into_iter().rev().find(is_of).unwrap_or(Self::Overview)
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Invoices => "Invoices",
            Self::Rejected => "Rejected",
            Self::Reports => "Reports",
            Self::Jobs => "Jobs and alerts",
            Self::Reconciliations => "Reconciliations",
            Self::Workspaces => "Workspaces",
            Self::Plugins => "Plugins",
            Self::Clients => "Clients",
            Self::Keys => "Keys",
            Self::Webhooks => "Webhooks",
            Self::Audit => "Audit",
            Self::Health => "Health",
        }
    }

    const fn address(self) -> &'static str {
        match self {
            Self::Overview => "/console",
            Self::Invoices => "/console/invoices",
            Self::Rejected => "/console/rejected",
            Self::Reports => "/console/reports",
            Self::Jobs => "/console/jobs",
            Self::Reconciliations => "/console/reconciliations",
            Self::Workspaces => "/console/workspaces",
            Self::Plugins => "/console/plugins",
            Self::Clients => "/console/clients",
            Self::Keys => "/console/keys",
            Self::Webhooks => "/console/webhooks",
            Self::Audit => "/console/audit",
            Self::Health => "/console/health",
        }
    }
}

/// A link of the menu.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MenuItem {
    pub(crate) title: &'static str,
    pub(crate) address: &'static str,
    pub(crate) is_current: bool,
}

/// The frame of a page.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) title: String,
    pub(crate) menu: Vec<MenuItem>,
    /// How the client is called.
    pub(crate) client: String,
    /// What it may do.
    pub(crate) rights: Rights,
    /// What a form carries.
    pub(crate) token: String,
    /// Makes a form that is sent twice count once.
    pub(crate) request: String,
    /// Part of the addresses of styles and scripts.
    pub(crate) assets: &'static str,
    /// Whether somebody between browser and gateway may read along.
    pub(crate) is_exposed: bool,
    pub(crate) version: &'static str,
}

impl Layout {
    pub(crate) fn new(who: &Viewer, section: Section, title: impl Into<String>) -> Self {
        let item = |known: Section| MenuItem {
            title: known.title(),
            address: known.address(),
            is_current: known == section,
        };
        let SignedIn { name, form_token, form_id, .. } = &who.signed_in;
        Self {
            title: title.into(),
            // The audit trail tells of every workspace.
            menu: Section::ALL
                .into_iter()
                .filter(|known| *known != Section::Audit || sees_all(&who.signed_in))
                .map(item)
                .collect(),
            client: name.clone(),
            rights: Rights::of(&who.signed_in),
            token: form_token.expose_secret().to_owned(),
            request: form_id.clone(),
            assets: assets::VERSION,
            is_exposed: who.is_exposed,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// A page.
#[expect(clippy::unnecessary_wraps, reason = "it is what a handler answers")]
pub(crate) fn page(template: &impl Template) -> PageResult {
    Ok(html(template))
}
