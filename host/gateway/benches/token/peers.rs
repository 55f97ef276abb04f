//! Servers of others that issue the same kind of token: for a client's secret, a JWT signed with ES256.

use crate::node::{self, NodeServer};
use crate::server::TokenServer;
use crate::stage::BenchError;
use crate::{LOADS, SAMPLE};

const CLIENT: [(&str, &str); 2] =
    [("PEER_CLIENT_ID", "bench"), ("PEER_CLIENT_SECRET", "a-secret-as-long-as-those-of-the-gateway-are")];

/// A server that runs.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) server: TokenServer,
    _process: NodeServer,
}

/// Those that are installed. Each is warm: its code is compiled while it runs.
pub(crate) async fn start() -> Result<Vec<Peer>, BenchError> {
    let Some(folder) = node::folder() else { return Ok(Vec::new()) };
    let process = NodeServer::start(&folder, "oidc", &CLIENT).await?;
    let [(_, id), (_, secret)] = CLIENT;
    let server = TokenServer {
        url: process.url().to_owned(),
        path: "/token",
        request: format!(
            "grant_type=client_credentials&client_id={id}&client_secret={secret}&scope=platform"
        ),
        is_form: true,
    };
    for clients in LOADS {
        server.sample(clients, SAMPLE).await?;
    }
    Ok(vec![Peer { name: "oidc-provider", server, _process: process }])
}
