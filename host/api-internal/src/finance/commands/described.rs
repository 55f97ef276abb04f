//! What the descriptions of all commands share: the parameter of a dry run, and how each may be refused.

use super::super::failure::RefusedCommandResponse;
use gateway_http::openapi::{BadGateway, BodyRefusals, Conflict, Gone};
use std::collections::BTreeMap;
use utoipa::openapi::{self, Ref, RefOr};
use utoipa::{IntoParams, IntoResponses, ToResponse};

/// The parameter of a dry run.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct DryRunParameter {
    /// Answer what would happen, and change nothing.
    #[param(required = false, example = true)]
    dry_run: bool,
}

/// How every command may be refused.
pub(super) struct CommandRefusals;

impl IntoResponses for CommandRefusals {
    fn responses() -> BTreeMap<String, RefOr<openapi::Response>> {
        let mut refusals = BodyRefusals::responses();
        let names = [
            (409, Conflict::response().0),
            (410, Gone::response().0),
            (422, RefusedCommandResponse::response().0),
            (502, BadGateway::response().0),
        ];
        refusals
            .extend(names.map(|(status, name)| (status.to_string(), Ref::from_response_name(name).into())));
        refusals
    }
}
