//! What a signed-in client may do: what its permissions allow over the APIs, and nothing more.

use crate::errors::PageError;
use axum::http::StatusCode;
use gateway_access::SignedIn;
use gateway_domain::access::Permission;

/// What a page may offer. Every signed-in client reads; that is what it signs in with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    /// Issue, edit, credit, reverse, delete and retry documents: `finance.rpc`.
    Command,
    /// Change what people keep beside documents: `invoicing.rpc`.
    Annotate,
    /// Give the authority's verdict by hand: `finance.rpc` and `finance.verdict`.
    Verdict,
    /// Retry what waits for somebody: `finance.rpc`, or `admin`.
    Retry,
    /// Workspaces, plugins, clients, keys and webhooks: `admin`.
    Operate,
    /// What concerns every workspace: `admin` in all of them.
    OperateAll,
}

impl Right {
    /// Whether a client has it.
    pub(crate) fn is_of(self, who: &SignedIn) -> bool {
        let may = |permission| who.caller.may(permission);
        match self {
            Self::Command => may(Permission::FinanceRpc),
            Self::Annotate => may(Permission::InvoicingRpc),
            Self::Verdict => may(Permission::FinanceRpc) && may(Permission::FinanceVerdict),
            Self::Retry => may(Permission::FinanceRpc) || may(Permission::Admin),
            Self::Operate => may(Permission::Admin),
            Self::OperateAll => may(Permission::Admin) && sees_all(who),
        }
    }

    const fn refusal(self) -> &'static str {
        match self {
            Self::Command => "this needs the permission finance.rpc, which your client lacks",
            Self::Annotate => "this needs the permission invoicing.rpc, which your client lacks",
            Self::Verdict => {
                "this needs the permissions finance.rpc and finance.verdict, of which your client lacks one"
            }
            Self::Retry => "this needs the permission finance.rpc or admin, and your client has neither",
            Self::Operate => "this needs the permission admin, which your client lacks",
            Self::OperateAll => {
                "this needs the permission admin in every workspace (*), which your client lacks"
            }
        }
    }

    /// Refuses with 403 who does not have it.
    pub(crate) fn demand(self, who: &SignedIn) -> Result<(), PageError> {
        if self.is_of(who) { Ok(()) } else { Err(PageError::refused(StatusCode::FORBIDDEN, self.refusal())) }
    }
}

/// Whether a client sees every workspace.
pub(crate) fn sees_all(who: &SignedIn) -> bool {
    who.caller.workspaces == gateway_domain::access::Workspaces::All
}

/// What a page offers, for its template.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a right of its own, and templates ask for one")]
pub(crate) struct Rights {
    pub(crate) command: bool,
    pub(crate) retry: bool,
    pub(crate) operate: bool,
    pub(crate) operate_all: bool,
}

impl Rights {
    pub(crate) fn of(who: &SignedIn) -> Self {
        Self {
            command: Right::Command.is_of(who),
            retry: Right::Retry.is_of(who),
            operate: Right::Operate.is_of(who),
            operate_all: Right::OperateAll.is_of(who),
        }
    }
}
