//! `gateway client …`.

use crate::args::{ClientCommand, Scope};
use crate::{CommandContext, Program};
use gateway_access::views::{ClientList, ClientView, ClientWithUsesView, CredentialsView};
use gateway_access::{ClientChange, Credentials, NewClient};
use gateway_config::Config;
use gateway_domain::access::{Client, Workspaces};
use gateway_domain::ids::ClientId;
use gateway_domain_events::LegacyUse;
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use jiff::{Timestamp, Unit};
use secrecy::ExposeSecret;
use serde::Serialize;

/// What `client disable --json` prints.
#[derive(Serialize)]
struct DisabledClientView {
    client_id: ClientId,
    disabled: bool,
}

/// Carries it out.
pub async fn run(
    command: ClientCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    program.run(config, async |context| execute(context, command, out).await).await
}

async fn execute(context: &CommandContext, command: ClientCommand, out: Out) -> Result<(), Failure> {
    let (operator, clients) = (&context.operator, &context.clients);
    match command {
        ClientCommand::Create { name, permissions, workspaces } => {
            let new = NewClient { name, permissions, workspaces: scope(workspaces) };
            if new.permissions.is_empty() {
                terminal::note("note: without --permission the client may do nothing");
            }
            if new.workspaces == Workspaces::Only(Vec::new()) {
                terminal::note("note: without --workspace the client sees no workspace");
            }
            if let Workspaces::Only(named) = &new.workspaces {
                let known = context.workspaces.list().await?;
                for id in named.iter().filter(|id| !known.iter().any(|known| known.id == **id)) {
                    terminal::note(&format!(
                        "note: there is no workspace {id} yet: the client sees it as soon as it is made; 'gateway workspace list' shows those there are"
                    ));
                }
            }
            show(&clients.create(new, operator).await?, out);
        }
        ClientCommand::List => {
            let all = clients.list().await?;
            let view = ClientList { clients: all.iter().map(ClientView::from).collect() };
            out.data(&view, || rows(&all));
        }
        ClientCommand::Show { id } => {
            let client = clients.find(id).await?;
            let uses = context.legacy_uses.of_client(id).await?;
            out.data(&ClientWithUsesView::new(&client, &uses), || details(&client, &uses));
        }
        ClientCommand::Set { id, name, permissions, workspaces, enable } => {
            let change = ClientChange {
                name,
                permissions: Some(permissions).filter(|given| !given.is_empty()),
                workspaces: Some(workspaces).filter(|given| !given.is_empty()).map(scope),
                enable,
            };
            let changed = clients.set(id, change, operator).await?;
            out.data(&ClientView::from(&changed), || rows(std::slice::from_ref(&changed)));
        }
        ClientCommand::Disable { id } => {
            clients.disable(id, operator).await?;
            out.data(&DisabledClientView { client_id: id, disabled: true }, || {
                format!("Client {id} is disabled: its tokens end within two seconds.")
            });
        }
        ClientCommand::RotateSecret { id } => show(&clients.rotate_secret(id, operator).await?, out),
    }
    Ok(())
}

fn scope(scopes: Vec<Scope>) -> Workspaces {
    let mut list = Vec::new();
    for scope in scopes {
        match scope {
            Scope::All => return Workspaces::All,
            Scope::One(workspace) => list.push(workspace),
        }
    }
    Workspaces::Only(list)
}

/// The one time the secret is shown.
fn show(credentials: &Credentials, out: Out) {
    out.data(&CredentialsView::from(credentials), || {
        format!(
            "client_id      {}\nclient_secret  {}\nKeep the secret: it is not shown again.",
            credentials.client.id,
            credentials.secret.expose_secret()
        )
    });
}

fn details(client: &Client, uses: &[LegacyUse]) -> Text {
    let table = rows(std::slice::from_ref(client));
    if uses.is_empty() {
        return Text::paragraphs([table, "It never used the legacy API.".to_owned().into()]);
    }
    let columns = [
        Column::text("LEGACY ROUTE"),
        Column::value("REQUESTS"),
        Column::value("FIRST USED"),
        Column::value("LAST USED"),
    ];
    let second = |at: Timestamp| at.round(Unit::Second).unwrap_or(at).to_string();
    let uses = uses.iter().map(|used| {
        vec![used.route.clone(), used.requests.to_string(), second(used.first_at), second(used.last_at)]
    });
    Text::paragraphs([table, terminal::listing(columns, uses)])
}

fn rows(clients: &[Client]) -> Text {
    let columns = [
        Column::id("CLIENT_ID"),
        Column::text("NAME"),
        Column::value("STATE"),
        Column::list("PERMISSIONS"),
        Column::list("WORKSPACES"),
    ];
    let rows = clients.iter().map(|client| {
        let permissions: Vec<_> = client.permissions.iter().map(|permission| permission.as_str()).collect();
        let workspaces = match &client.workspaces {
            Workspaces::All => "*".to_owned(),
            Workspaces::Only(list) => list.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        };
        let state = if client.disabled { "disabled" } else { "active" };
        vec![client.id.to_string(), client.name.clone(), state.to_owned(), permissions.join(","), workspaces]
    });
    terminal::listing(columns, rows)
}
