//! `gateway client …`.

use super::args::{ClientCommand, Scope};
use super::{Failure, Out, out};
use crate::config::Config;
use crate::http::shapes;
use crate::wiring;
use gateway_app::access::{Clients, Credentials, NewClient};
use gateway_domain::access::{Actor, Client, Workspaces};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

pub(super) async fn run(command: ClientCommand, config: &Config, out: Out) -> Result<(), Failure> {
    let station = wiring::open(config).await?;
    let done = carry_out(&station.clients(), command, out).await;
    station.close().await;
    done
}

async fn carry_out(clients: &Clients, command: ClientCommand, out: Out) -> Result<(), Failure> {
    let operator = Actor::operator();
    match command {
        ClientCommand::Create { name, permissions, workspaces } => {
            let new = NewClient { name, permissions, workspaces: scope(workspaces) };
            if new.permissions.is_empty() {
                out::note("note: without --permission the client may do nothing");
            }
            if new.workspaces == Workspaces::Only(Vec::new()) {
                out::note("note: without --workspace the client sees no workspace");
            }
            show(&clients.create(new, &operator).await?, out);
        }
        ClientCommand::List => {
            let all = clients.list().await?;
            let json: Vec<Value> = all.iter().map(shapes::client).collect();
            out.data(&json!({ "clients": json }), || rows(&all));
        }
        ClientCommand::Disable { id } => {
            clients.disable(id, &operator).await?;
            out.data(&json!({"client_id": id, "disabled": true}), || {
                format!("Client {id} is disabled: its tokens end within two seconds.")
            });
        }
        ClientCommand::RotateSecret { id } => show(&clients.rotate_secret(id, &operator).await?, out),
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
    out.data(&shapes::credentials(credentials), || {
        format!(
            "client_id      {}\nclient_secret  {}\nKeep the secret: it is not shown again.",
            credentials.client.id,
            credentials.secret.expose_secret()
        )
    });
}

fn rows(clients: &[Client]) -> String {
    let heading = ["CLIENT_ID", "NAME", "STATE", "PERMISSIONS", "WORKSPACES"];
    let rows = clients.iter().map(|client| {
        let permissions: Vec<_> = client.permissions.iter().map(|permission| permission.as_str()).collect();
        let workspaces = match &client.workspaces {
            Workspaces::All => "*".to_owned(),
            Workspaces::Only(list) => list.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        };
        let state = if client.disabled { "disabled" } else { "active" };
        vec![client.id.to_string(), client.name.clone(), state.to_owned(), permissions.join(","), workspaces]
    });
    let heading = std::iter::once(heading.map(str::to_owned).to_vec());
    out::table(&heading.chain(rows).collect::<Vec<_>>())
}
