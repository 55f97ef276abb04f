//! The errors list as the legacy API answers it; what each service refuses is one exhaustive function beside the routes
//! that call it.

gateway_http::surface_error!(pub(super));

impl ApiError {
    /// The gateway's own fault, logged by the caller.
    pub(super) fn fault() -> Self {
        Self(gateway_http::ApiErrors::fault())
    }
}
