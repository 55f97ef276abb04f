//! Where webhooks arrive: an endpoint that answers as it is told and keeps what it was sent.

use crate::http_server::{Reply, Request, Server};
use crate::until;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What an endpoint does with a request.
#[derive(Debug, Clone, Default)]
pub enum Reaction {
    /// Takes it.
    #[default]
    Takes,
    /// Answers with a status.
    Refuses(u16),
    /// Does not answer.
    Hangs,
    /// Says that it moved.
    Moved(String),
}

/// A webhook as it arrived.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// The path it was sent to.
    pub path: String,
    /// `webhook-id`.
    pub id: String,
    /// `webhook-timestamp`.
    pub timestamp: String,
    /// `webhook-signature`.
    pub signature: String,
    /// `traceparent`; empty where there was none.
    pub traceparent: String,
    /// What it tells.
    pub body: Value,
}

#[derive(Debug, Default)]
struct State {
    /// By path; the others take everything.
    reactions: HashMap<String, Reaction>,
    arrived: Vec<Arrived>,
}

/// A receiver with any number of endpoints; it ends when dropped.
#[derive(Debug)]
pub struct Receiver {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl Receiver {
    /// On a free port of this machine.
    pub async fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let kept = Arc::clone(&state);
        let server = Server::start(move |request| {
            let mut state = kept.lock().unwrap_or_else(PoisonError::into_inner);
            state.arrived.push(arrived(request));
            match state.reactions.get(&request.path).cloned().unwrap_or_default() {
                Reaction::Takes => Reply::Answer(200, Vec::new(), "{\"ok\":true}".to_owned()),
                Reaction::Refuses(status) => Reply::Answer(status, Vec::new(), "not now".to_owned()),
                Reaction::Hangs => Reply::Hang,
                Reaction::Moved(to) => Reply::Answer(307, vec![("location", to)], String::new()),
            }
        });
        Self { server: server.await, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of an endpoint.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.addr)
    }

    /// From now on an endpoint does this.
    pub fn reacts(&self, path: &str, reaction: Reaction) {
        self.state().reactions.insert(path.to_owned(), reaction);
    }

    /// Everything that arrived at an endpoint, in order.
    pub fn arrived(&self, path: &str) -> Vec<Arrived> {
        self.state().arrived.iter().filter(|one| one.path == path).cloned().collect()
    }

    /// Everything at an endpoint, as soon as there are so many.
    ///
    /// # Panics
    /// When they do not come.
    pub async fn until(&self, path: &str, count: usize) -> Vec<Arrived> {
        until(&format!("{count} webhooks arrived at {path}"), async || {
            Some(self.arrived(path)).filter(|arrived| arrived.len() >= count)
        })
        .await
    }
}

fn arrived(request: &Request) -> Arrived {
    let header = |name| request.header(name).unwrap_or_default().to_owned();
    Arrived {
        path: request.path.clone(),
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        traceparent: header("traceparent"),
        body: request.body.clone(),
    }
}
