//! The outbound HTTP of the gateway itself: to the e-invoicing provider, behind [`gateway_domain_finance::ports::Provider`],
//! and to a remote invoice data service, behind [`gateway_domain_finance::ports::InvoicingClient`]. Customers' webhook
//! addresses have a client of their own, in `gateway-webhooks`.
//!
//! - `http` speaks the protocol: one method per call, PUT and GET, and PATCH for an amendment, no redirects, bounded answers.
//! - `wire` holds the bodies that go out and reads the ones that come back.
//! - `steps` tells which step of a job failed, and what it says about it.
//! - `refusal` turns every other answer into a [`gateway_domain_finance::ports::ProviderError`].
//! - `invoicing` does all of that for the invoice data service.
//! - `clock_watch` compares the provider's clock with the one here.
//! - `json` is a small client for the demonstration, which calls the gateway like anybody else.
//! - `authority` asks tax authorities for their own lists, behind [`gateway_domain_reconciliation::ports::AuthorityCalls`].
//! - `vies` asks the VAT register of the Union, behind [`gateway_domain_recipients::ports::VatRegister`].
//! - `webhook` posts the notifications of the stand-in provider.
//!
//! What is not here: retries (the submission's job decides by class of error) and what an answer means for an
//! invoice (the regime's plugin decides). To add a call: one method in `http`, one body in `wire`.

mod authority;
mod client;
mod clock_watch;
mod http;
mod invoicing;
mod json;
mod refusal;
mod steps;
mod vies;
mod webhook;
mod wire;

pub use authority::{AuthorityAddress, AuthoritySetupError, HttpAuthorities};
pub use client::SetupError;
pub use clock_watch::{CLOCK_DIFFERENCE_MAX_S, ClockWatch, differing};
pub use http::{HttpProvider, Options};
pub use invoicing::{ClientCredentials, HttpInvoiceData, InvoiceDataOptions};
pub use json::{JsonAnswer, JsonClient, JsonError};
pub use vies::{HttpVatRegister, VIES_PATH};
pub use webhook::{WebhookAnswer, WebhookClient, WebhookError};
