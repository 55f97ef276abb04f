//! Stands between finance and an invoice data service elsewhere: forwards every call, loses answers on demand, and stays
//! at its address while the service behind it is killed and started again.

use crate::http_server::{Reply, Request, Server};
use crate::provider::Fault;
use reqwest::Client;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The calls finance makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rpc {
    /// A token.
    Token,
    /// Reads a document.
    Read,
    /// Writes a document.
    Save,
    /// Deletes a draft.
    Delete,
    /// Moves a document to issuing.
    Issuing,
    /// Makes a document final.
    Issue,
    /// Moves a document to rejected.
    Reject,
    /// Reads the event feed.
    Feed,
}

#[derive(Debug, Default)]
struct State {
    upstream: String,
    /// What happens to the next calls; none: they pass.
    faults: Vec<(Rpc, usize, Option<Fault>)>,
    calls: Vec<Rpc>,
}

/// The proxy.
#[derive(Debug)]
pub struct Proxy {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl Proxy {
    pub(crate) async fn start(upstream: &str) -> Self {
        let state = Arc::new(Mutex::new(State { upstream: upstream.to_owned(), ..State::default() }));
        let shared = Arc::clone(&state);
        let client = Client::builder().timeout(Duration::from_secs(30)).no_proxy().build();
        let client = client.expect("there is an HTTP client");
        let server =
            Server::start_async(move |request| pass_on(Arc::clone(&shared), client.clone(), request));
        Self { server: server.await, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.server.addr)
    }

    pub(crate) fn leads_to(&self, upstream: &str) {
        upstream.clone_into(&mut self.state().upstream);
    }

    /// The next `times` calls of this kind go wrong, after those that were said before.
    pub fn fail(&self, rpc: Rpc, times: usize, fault: Fault) {
        self.state().faults.push((rpc, times, Some(fault)));
    }

    /// The next `times` calls of this kind go well, after those that were said before.
    pub fn pass(&self, rpc: Rpc, times: usize) {
        self.state().faults.push((rpc, times, None));
    }

    /// No call goes wrong any more.
    pub fn mend(&self) {
        self.state().faults.clear();
    }

    /// No call of this kind goes wrong any more.
    pub fn mend_only(&self, rpc: Rpc) {
        self.state().faults.retain(|(of, ..)| *of != rpc);
    }

    /// How many calls of this kind came so far.
    pub fn calls(&self, rpc: Rpc) -> usize {
        self.state().calls.iter().filter(|call| **call == rpc).count()
    }
}

fn rpc_of(request: &Request) -> Option<Rpc> {
    let path = request.path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("POST", ["v1", "oauth2", "token"]) => Some(Rpc::Token),
        ("GET", ["invoicing", "rpc", "events"]) => Some(Rpc::Feed),
        ("GET", ["invoicing", "rpc", "documents", _]) => Some(Rpc::Read),
        ("PUT", ["invoicing", "rpc", "documents", _]) => Some(Rpc::Save),
        ("DELETE", ["invoicing", "rpc", "documents", _]) => Some(Rpc::Delete),
        ("PUT", ["invoicing", "rpc", "documents", _, "issuing"]) => Some(Rpc::Issuing),
        ("PUT", ["invoicing", "rpc", "documents", _, "issue"]) => Some(Rpc::Issue),
        ("PUT", ["invoicing", "rpc", "documents", _, "reject"]) => Some(Rpc::Reject),
        _ => None,
    }
}

async fn pass_on(state: Arc<Mutex<State>>, client: Client, request: Request) -> Reply {
    let (upstream, fault) = {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let rpc = rpc_of(&request);
        state.calls.extend(rpc);
        let fault = state.faults.iter_mut().find(|(of, times, _)| Some(*of) == rpc && *times > 0);
        let fault = fault.map(|(_, times, fault)| {
            *times = times.saturating_sub(1);
            fault.clone()
        });
        (state.upstream.clone(), fault)
    };
    match fault.flatten() {
        None => forward(&client, &upstream, &request).await.unwrap_or(Reply::Close),
        Some(Fault::Lost) => {
            drop(forward(&client, &upstream, &request).await);
            Reply::Close
        }
        Some(Fault::Done(status, body)) => {
            drop(forward(&client, &upstream, &request).await);
            Reply::json(status, &body)
        }
        Some(Fault::Closed) => Reply::Close,
        Some(Fault::Status(status, body)) => Reply::json(status, &body),
        Some(Fault::Later(seconds)) => {
            Reply::Answer(429, vec![("retry-after", seconds.to_string())], "{}".to_owned())
        }
        Some(Fault::Garbage) => Reply::Answer(200, Vec::new(), "<html>proxy</html>".to_owned()),
    }
}

async fn forward(client: &Client, upstream: &str, request: &Request) -> reqwest::Result<Reply> {
    let method = request.method.parse().unwrap_or_default();
    let mut onward = client.request(method, format!("{upstream}{}", request.path));
    for name in ["authorization", "content-type", "if-match", "idempotency-key"] {
        if let Some(value) = request.header(name) {
            onward = onward.header(name, value);
        }
    }
    if !request.body.is_null() {
        onward = onward.body(request.body.to_string());
    }
    let answer = onward.send().await?;
    let status = answer.status().as_u16();
    let wait = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let headers = wait.map(|wait| ("retry-after", wait.to_owned())).into_iter().collect();
    Ok(Reply::Answer(status, headers, answer.text().await?))
}
