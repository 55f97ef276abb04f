//! The errors list as this surface answers it. What each service refuses has one exhaustive function beside the routes
//! that call it.

gateway_http::surface_error!(pub(crate));
