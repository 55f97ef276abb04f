//! Servers of others that list the same product groups to the bearer of the same token.

use crate::node::{self, NodeServer};
use crate::pages::{PageQuery, Pages};
use crate::stage::{BenchError, QUERY, Stage};
use crate::{LOADS, SAMPLE};

/// Written by hand, so that it answers the gateway's query.
const MERCURIUS: PageQuery = PageQuery { path: "/graphql", ..QUERY };
/// What it makes of the table: the same page of as many fields.
const POSTGRAPHILE: PageQuery = PageQuery {
    path: "/graphql",
    text: "query($after: Cursor) { allProductGroups(first: 25, after: $after, condition: {workspaceId: \"1\"}, \
        orderBy: [CREATED_AT_ASC, ROW_ID_ASC]) { nodes { id: rowId internalReference publishingStartDate \
        publishingEndDate state } pageInfo { hasNextPage endCursor } } }",
    connection: "/data/allProductGroups",
};

/// A server that runs, and its pages.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) pages: Pages,
    _server: NodeServer,
}

/// Those that are installed, on the gateway's own database. Each is warm: its code is compiled while it runs.
pub(crate) async fn start(stage: &Stage, database: &str) -> Result<Vec<Peer>, BenchError> {
    let Some(folder) = node::folder() else { return Ok(Vec::new()) };
    let keys = format!("{}/.well-known/jwks.json", stage.url());
    let environment = [("PEER_KEYS", keys.as_str()), ("PEER_POSTGRES", database)];
    let mut peers = Vec::new();
    for (name, query) in [("mercurius", MERCURIUS), ("postgraphile", POSTGRAPHILE)] {
        let server = NodeServer::start(&folder, name, &environment).await?;
        let pages = Pages::walk(server.url(), stage.token(), query).await?;
        if !pages.has_groups_of(stage.pages()) {
            return Err(format!("{name} lists other product groups than the gateway").into());
        }
        for clients in LOADS {
            pages.sample(clients, SAMPLE).await?;
        }
        peers.push(Peer { name, pages, _server: server });
    }
    Ok(peers)
}
