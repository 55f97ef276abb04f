//! Arguments of `gateway webhook …`.

use super::typed;
use clap::Subcommand;
use gateway_domain::ids::WebhookId;
use gateway_domain_platform::webhooks::DeliveryState;

#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Where customers are told of changes: state, since when it fails, how much waits.
    List,
    /// Send again to a webhook that was disabled, whoever disabled it.
    Enable {
        /// Its id.
        #[arg(value_parser = typed::uuid::<WebhookId>)]
        id: WebhookId,
    },
    /// Send nothing more to a webhook; its owner cannot enable it.
    Disable {
        /// Its id.
        #[arg(value_parser = typed::uuid::<WebhookId>)]
        id: WebhookId,
    },
    /// What was sent to a webhook, the newest first.
    Deliveries {
        /// Its id.
        #[arg(value_parser = typed::uuid::<WebhookId>)]
        id: WebhookId,
        /// Only those in this state: pending, delivered or failed.
        #[arg(long)]
        status: Option<DeliveryState>,
        /// At most so many.
        #[arg(long, default_value_t = 50, value_parser = typed::number(1..=10_000))]
        limit: i64,
    },
}
