//! Pages of product groups over HTTP, whoever serves them.

use crate::client::Client;
use crate::report::Sample;
use crate::stage::{BenchError, GROUPS, PAGE};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a server is asked for a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageQuery {
    /// Where GraphQL is.
    pub(crate) path: &'static str,
    /// With the variable `after`.
    pub(crate) text: &'static str,
    /// Where the connection stands in an answer, as a JSON pointer.
    pub(crate) connection: &'static str,
}

/// All pages of a server.
#[derive(Debug)]
pub(crate) struct Pages {
    url: String,
    path: &'static str,
    token: String,
    requests: Arc<Vec<PageRequest>>,
    /// Of the product groups, as they are listed.
    ids: Vec<String>,
}

/// The request of a page, and how long its answer is.
#[derive(Debug)]
struct PageRequest {
    body: String,
    answer_bytes: usize,
}

impl Pages {
    /// Walks through all pages by their cursors, each of which must be full.
    pub(crate) async fn walk(url: &str, token: &str, query: PageQuery) -> Result<Self, BenchError> {
        let mut client = Client::connect(url, token).await?;
        let (mut requests, mut ids, mut after) = (Vec::new(), Vec::new(), Value::Null);
        loop {
            let body = json!({"query": query.text, "variables": {"after": after}}).to_string();
            let answer = client.call("POST", query.path, &body).await?;
            let answer_bytes = answer.len();
            let answer: Value = serde_json::from_slice(answer)?;
            let list = answer.pointer(query.connection).ok_or_else(|| answer.to_string())?;
            let rows = list.pointer("/nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            if rows.len() != PAGE || answer.get("errors").is_some() {
                return Err(format!("a page of {}: {answer}", rows.len()).into());
            }
            ids.extend(rows.iter().filter_map(|row| row.get("id")?.as_str()).map(str::to_owned));
            requests.push(PageRequest { body, answer_bytes });
            after = list.pointer("/pageInfo/endCursor").cloned().unwrap_or_default();
            if list.pointer("/pageInfo/hasNextPage") != Some(&Value::Bool(true)) {
                break;
            }
        }
        if ids.len() != GROUPS {
            return Err(format!("{} product groups on {} pages", ids.len(), requests.len()).into());
        }
        Ok(Self {
            url: url.to_owned(),
            path: query.path,
            token: token.to_owned(),
            requests: Arc::new(requests),
            ids,
        })
    }

    /// Whether both list the same product groups in the same order.
    pub(crate) fn has_groups_of(&self, other: &Self) -> bool {
        self.ids == other.ids
    }

    /// So many clients at once ask for one page after the other, each from another page on, for this long.
    pub(crate) async fn sample(&self, clients: usize, long: Duration) -> Result<Sample, BenchError> {
        let mut connected = Vec::new();
        for _ in 0..clients {
            connected.push(Client::connect(&self.url, &self.token).await?);
        }
        let started = Instant::now();
        let running: Vec<_> = (0_usize..)
            .zip(connected)
            .map(|(number, mut client)| {
                let (requests, path) = (Arc::clone(&self.requests), self.path);
                tokio::spawn(async move {
                    let mut latencies = Vec::new();
                    for request in requests.iter().cycle().skip(number * 17 % requests.len().max(1)) {
                        if started.elapsed() >= long {
                            break;
                        }
                        let started = Instant::now();
                        let answer = client.call("POST", path, &request.body).await?;
                        // Each answer is the one that was looked through.
                        if answer.len() != request.answer_bytes {
                            return Err(String::from_utf8_lossy(answer).into());
                        }
                        latencies.push(started.elapsed());
                    }
                    Ok(latencies)
                })
            })
            .collect();
        Sample::of_clients(started, running).await
    }
}
