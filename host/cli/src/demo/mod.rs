//! `gateway demo`: a gateway with sample data, and a dozen invoices sent to it over real HTTP.

mod cases;
mod travel;

use crate::cli::{Failure, line};
use crate::config::{Config, ProviderAt};
use crate::serve::{self, Serving, StopSignals};
use crate::wiring;
use gateway_access::{Credentials, NewClient};
use gateway_domain::access::{Actor, Permission, Workspaces};
use gateway_domain::finance::Destination;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::Address;
use gateway_domain::workspace::EInvoicing;
use gateway_finance::{Finance, destination};
use gateway_platform::sample::{self, TAX_ID, WORKSPACE};
use gateway_provider::JsonClient;
use gateway_workspaces::{EInvoicingForm, NewWorkspace};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use travel::Traveller;
use uuid::Uuid;

/// The tax regime of the demonstration; its plugin has to be in the plugins folder.
const REGIME: &str = "es-verifactu";
/// Short, so that the missing webhook is replaced while somebody watches.
const POLL_AFTER_S: u32 = 3;

/// Starts everything, sends the invoices, and keeps serving unless `once`.
pub(crate) async fn run(mut config: Config, once: bool, data_dir: Option<PathBuf>) -> Result<(), Failure> {
    if let Some(folder) = data_dir {
        config.data_dir = folder;
    }
    config.provider.base_url = Some(ProviderAt::Sandbox);
    config.provider.poll_after_s = POLL_AFTER_S;
    for addr in [&mut config.server.public_addr, &mut config.server.internal_addr, &mut config.sandbox.addr] {
        *addr = free_or_any(*addr);
    }
    let stop = StopSignals::hear()?;
    nobody_waits_here(&config).await?;
    let serving = Serving::demonstrate(&config).await?;
    line(&serving.announcement().to_string());
    let (stop, taken) = (stop.wait(), taken_over(serving.app.services.finance.clone()));
    tokio::pin!(stop, taken);
    let shown = tokio::select! {
        shown = show(&serving) => shown,
        failure = &mut taken => Err(failure),
        () = &mut stop => {
            serving.stop().await;
            return Ok(());
        }
    };
    let shown = match shown {
        Ok(()) if !once => {
            line("\nThe gateway keeps serving: Ctrl-C stops it.");
            tokio::select! {
                () = stop => Ok(()),
                failure = taken => Err(failure),
            }
        }
        Ok(()) => {
            line(
                "\nWith --once the gateway ends here: leave it out, and paste the lines that are printed then.",
            );
            Ok(())
        }
        Err(failure) => Err(failure),
    };
    serving.stop().await;
    shown
}

/// Whatever this database submits ends at the stand-in, so nothing real may be in it.
async fn nobody_waits_here(config: &Config) -> Result<(), Failure> {
    let db = wiring::connect_migrated(config).await?;
    let allowed = destination::may_be_demonstrated(&db).await;
    db.close().await;
    Ok(allowed??)
}

/// Ends when a gateway with a provider serves the same database: its submissions are not for the stand-in.
async fn taken_over(finance: Finance) -> Failure {
    loop {
        tokio::time::sleep(destination::DEMONSTRATION_ENDS_WITHIN / 4).await;
        // A database that cannot be read has no submissions to take either.
        if let Ok(Some(Destination::Provider)) = finance.destination().await {
            return Failure::refused(
                "a gateway with a provider serves this database now, so the demonstration ends: give it another \
                 database, or another data directory with --data-dir",
            );
        }
    }
}

/// The address, or another port of it when somebody listens there.
fn free_or_any(addr: SocketAddr) -> SocketAddr {
    match TcpListener::bind(addr) {
        Ok(_) => addr,
        Err(_) => SocketAddr::new(addr.ip(), 0),
    }
}

async fn show(serving: &Serving) -> Result<(), Failure> {
    platform(serving).await?;
    let workspace = workspace(serving).await?;
    let credentials = client(serving, workspace).await?;
    line(&format!(
        "\nWorkspace {workspace} ({WORKSPACE}) sends its invoices as {REGIME} to the sandbox at {}.",
        serving.sandbox_url()
    ));
    let gateway = signed_in(serving, &credentials).await?;

    line("Issuing:");
    let mut travellers = Vec::new();
    for case in cases::all() {
        travellers.push(Traveller::send(&gateway, workspace, case).await?);
    }
    line("\nOn their way to the tax authority and back:");
    let arrived = travel::watch(&gateway, &mut travellers).await;
    line(&format!("\n{}\n", travel::table(&travellers)));
    line(&curl_lines(serving, &credentials, workspace));
    arrived
}

/// The platform's sample data, imported at the first run: two workspaces with units, bookings and the rest.
async fn platform(serving: &Serving) -> Result<(), Failure> {
    let services = &serving.app.services;
    if !services.workspaces.list().await?.is_empty() {
        return Ok(());
    }
    let mut file = Vec::new();
    for text in sample::lines() {
        file.extend(text.into_bytes());
        file.push(b'\n');
    }
    let imported = services.platform.import(&Actor::operator(), file.as_slice(), |_| {}).await?;
    if imported.refused() > 0 {
        return Err(Failure::refused(format!(
            "{} lines of the sample data were refused",
            imported.refused()
        )));
    }
    let created = |kind: &str| imported.kinds.get(kind).map_or(0, |tally| tally.created);
    line(&format!(
        "\nSample data: {} workspaces, {} units, {} product groups, {} bookings.",
        created("workspace"),
        created("unit"),
        created("product_group"),
        created("booking")
    ));
    Ok(())
}

/// The sample workspace, made at the first run and configured at every one.
async fn workspace(serving: &Serving) -> Result<WorkspaceId, Failure> {
    let services = &serving.app.services;
    let operator = Actor::operator();
    let regime = REGIME.parse()?;
    if serving.app.plugins.runtime().host().plugin_for(&regime, None).is_none() {
        return Err(Failure::refused(format!(
            "the plugin {REGIME} is not in the plugins folder: build it with 'cargo xtask plugins', or set plugins.dir"
        )));
    }
    let known = services.workspaces.list().await?.into_iter().find(|workspace| workspace.name == WORKSPACE);
    let id = match known {
        Some(workspace) => workspace.id,
        None => services.workspaces.create(&operator, &sample_workspace()).await?.workspace.id,
    };
    let form = EInvoicingForm {
        configuration: EInvoicing {
            regime,
            company_id: Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001),
            workflow_id: Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0002),
            settings: json!({}),
        },
        token: Some("demo-token-that-opens-nothing".into()),
        webhook_token: None,
    };
    services.workspaces.set_e_invoicing(&operator, id, &form).await?;
    Ok(id)
}

fn sample_workspace() -> NewWorkspace {
    let text = |text: &str| Some(text.to_owned());
    NewWorkspace {
        name: WORKSPACE.to_owned(),
        legal_name: "Apartamentos de Ejemplo SL".to_owned(),
        tax_id: TAX_ID.to_owned(),
        country: "ES".to_owned(),
        time_zone: text("Europe/Madrid"),
        address: Some(Address {
            street: text("Calle de Ejemplo 1"),
            locality: text("Madrid"),
            region: text("Madrid"),
            postcode: text("28013"),
            country: text("ES"),
        }),
        email: text("facturas@example.com"),
        invoice_pattern: None,
        credit_pattern: None,
    }
}

/// A client of its own for every run: its secret is known only now.
async fn client(serving: &Serving, workspace: WorkspaceId) -> Result<Credentials, Failure> {
    let new = NewClient {
        name: "demo".to_owned(),
        permissions: vec![
            Permission::InvoicingRpc,
            Permission::FinanceRpc,
            Permission::CatalogRead,
            Permission::SpacesRead,
            Permission::AvailabilityRead,
            Permission::BookingsRead,
            Permission::UsersRead,
            Permission::TasksRead,
            Permission::WorkspacesRead,
            Permission::InvoicingRead,
        ],
        workspaces: Workspaces::Only(vec![workspace]),
    };
    Ok(serving.app.services.clients.create(new, &Actor::operator()).await?)
}

/// Gets a token like anybody else, from the public listener, and calls the internal one with it.
async fn signed_in(serving: &Serving, credentials: &Credentials) -> Result<JsonClient, Failure> {
    let body = json!({
        "grant_type": "client_credentials",
        "client_id": credentials.client.id,
        "client_secret": credentials.secret.expose_secret(),
        "act": {"sub": "demo"},
    });
    let public = JsonClient::new(serve::reachable(&serving.public)?)?;
    let answer = public.post("/v1/oauth2/token", Some(&body)).await?;
    let token = answer.body.get("access_token").and_then(Value::as_str);
    let token = token.ok_or_else(|| Failure::refused(format!("no token was issued: {}", answer.body)))?;
    Ok(JsonClient::new(serve::reachable(&serving.internal)?)?.with_bearer(token))
}

/// Ready to paste into a shell.
fn curl_lines(serving: &Serving, credentials: &Credentials, workspace: WorkspaceId) -> String {
    let (public, internal) = (&serving.public, &serving.internal);
    let (id, secret) = (credentials.client.id, credentials.secret.expose_secret());
    format!(
        r#"Try it yourself:

TOKEN=$(curl -s {public}/v1/oauth2/token -H 'Content-Type: application/json' \
  -d '{{"grant_type":"client_credentials","client_id":"{id}","client_secret":"{secret}"}}' \
  | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
ID=$(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)
# a draft
curl -s -X PUT {internal}/invoicing/rpc/documents/$ID -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
  -d '{{"workspace_id":{workspace},"document_type":"invoice","currency":"EUR","prices_include_tax":true,"recipient":{{"type":"individual","name":"Jane Roe","identity_document":{{"type":"passport","number":"123456789","country":"GB"}},"address":{{"street":"1 High St","locality":"Leeds","postcode":"LS1 1AA","country":"GB"}}}},"lines":[{{"description":"Studio, 3 nights","quantity":"3","unit_price":"89.90","tax":{{"category":"VAT","rate":"10.0"}}}}]}}'
# issue it
curl -s -X POST {internal}/finance/rpc/documents/$ID/commands/issue -H "Authorization: Bearer $TOKEN"
# how it stands
curl -s {internal}/finance/rpc/documents/$ID -H "Authorization: Bearer $TOKEN"
# every step of its submission
curl -s {internal}/finance/rpc/documents/$ID/submission -H "Authorization: Bearer $TOKEN"
# the same client reads the platform over GraphQL
curl -s {public}/v1 -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
  -d '{{"query":"{{ spaces {{ units(first: 3) {{ nodes {{ code unitType {{ name }} }} totalCount }} }} }}"}}'"#
    )
}
