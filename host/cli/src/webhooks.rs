//! `gateway webhook …`.

use crate::args::WebhookCommand;
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain::access::Workspaces;
use gateway_domain_platform::webhooks::Disabled;
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use gateway_webhooks::views::{DeliveryView, OperatedWebhookView, WebhookView};
use gateway_webhooks::{Delivery, Endpoint};
use serde::Serialize;

/// Webhooks that are shown at most.
const LISTED_MAX: i64 = 100_000;

/// Webhooks with how they fare.
#[derive(Serialize)]
struct WebhookList {
    webhooks: Vec<OperatedWebhookView>,
}

/// A webhook that was enabled or disabled.
#[derive(Serialize)]
struct EndpointView {
    webhook: WebhookView,
}

/// Some deliveries.
#[derive(Serialize)]
struct DeliveryList {
    deliveries: Vec<DeliveryView>,
    /// How many there are in all.
    total: i64,
}

/// Carries it out.
pub async fn run(
    command: WebhookCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    program.run(config, async |context| execute(context, command, out).await).await
}

async fn execute(context: &CommandContext, command: WebhookCommand, out: Out) -> Result<(), Failure> {
    let (webhooks, all, operator) = (&context.webhooks, Workspaces::All, &context.operator);
    match command {
        WebhookCommand::List => {
            let found = webhooks.all(&all, LISTED_MAX, 0).await?.nodes;
            let webhooks = found
                .iter()
                .map(|(endpoint, backlog)| OperatedWebhookView::new(endpoint, *backlog))
                .collect();
            out.data(&WebhookList { webhooks }, || rows(&found));
        }
        WebhookCommand::Enable { id } => {
            let endpoint = webhooks.switch(&all, operator, id, true).await?;
            show_endpoint(&endpoint, out);
        }
        WebhookCommand::Disable { id } => {
            let endpoint = webhooks.switch(&all, operator, id, false).await?;
            show_endpoint(&endpoint, out);
        }
        WebhookCommand::Deliveries { id, status, limit } => {
            let found = webhooks.deliveries(&all, id, status, limit, 0).await?;
            let deliveries = found.nodes.iter().map(DeliveryView::from).collect();
            out.data(&DeliveryList { deliveries, total: found.total }, || delivery_rows(&found.nodes));
            if found.total > limit {
                terminal::note(&format!("note: there are {} in all: raise --limit to see more", found.total));
            }
        }
    }
    Ok(())
}

fn show_endpoint(endpoint: &Endpoint, out: Out) {
    out.data(&EndpointView { webhook: endpoint.into() }, || {
        let Endpoint { id, url, .. } = endpoint;
        match endpoint.disabled {
            None => format!("Webhook {id} to {url} is enabled."),
            Some((why, _)) => format!("Webhook {id} to {url} is disabled ({why})."),
        }
    });
}

fn rows(found: &[(Endpoint, i64)]) -> Text {
    let columns = [
        Column::id("WEBHOOK"),
        Column::value("WORKSPACE"),
        Column::text("URL"),
        Column::text("STATE"),
        Column::value("FAILING SINCE"),
        Column::value("BACKLOG"),
    ];
    let rows = found.iter().map(|(endpoint, backlog)| {
        let state = endpoint.disabled.map_or("enabled", |(why, _)| match why {
            Disabled::Owner => "disabled by its owner",
            Disabled::Operator => "disabled by an operator",
            Disabled::Failing => "disabled: failed for days",
            Disabled::Gone => "disabled: answered 410",
        });
        vec![
            endpoint.id.to_string(),
            endpoint.workspace.to_string(),
            endpoint.url.clone(),
            state.to_owned(),
            endpoint.health.failing_since.map(|at| format!("{at:.0}")).unwrap_or_default(),
            backlog.to_string(),
        ]
    });
    terminal::listing(columns, rows)
}

fn delivery_rows(found: &[Delivery]) -> Text {
    let columns = [
        Column::id("DELIVERY"),
        Column::id("EVENT"),
        Column::value("STATE"),
        Column::value("TRIES"),
        Column::text("LAST"),
        Column::value("NEXT"),
    ];
    let rows = found.iter().map(|delivery| {
        let last = delivery.attempts.last();
        let outcome = last.map(|last| match (&last.error, last.status) {
            (Some(error), _) => error.clone(),
            (None, status) => format!("http_{}", status.unwrap_or_default()),
        });
        vec![
            delivery.id.to_string(),
            delivery.event.to_string(),
            delivery.state.to_string(),
            delivery.attempts.len().to_string(),
            outcome.unwrap_or_default(),
            delivery.due_at.map(|at| format!("{at:.0}")).unwrap_or_default(),
        ]
    });
    terminal::listing(columns, rows)
}
