//! Tokens over HTTP, whoever issues them.

use crate::client::Client;
use crate::report::Sample;
use crate::stage::BenchError;
use std::time::{Duration, Instant};

const FORM: &str = "content-type: application/x-www-form-urlencoded";

/// A server, and how it is asked for a token.
#[derive(Debug)]
pub(crate) struct TokenServer {
    /// `http://ADDRESS:PORT`.
    pub(crate) url: String,
    pub(crate) path: &'static str,
    pub(crate) request: String,
    /// Whether the request is a form; else it is JSON.
    pub(crate) is_form: bool,
}

impl TokenServer {
    /// So many clients at once ask for tokens, one after the other, for this long.
    pub(crate) async fn sample(&self, clients: usize, long: Duration) -> Result<Sample, BenchError> {
        let mut connected = Vec::new();
        for _ in 0..clients {
            let client = if self.is_form {
                Client::connect_with(&self.url, FORM).await?
            } else {
                Client::connect(&self.url, "").await?
            };
            connected.push(client);
        }
        let started = Instant::now();
        let running: Vec<_> = connected
            .into_iter()
            .map(|mut client| {
                let (path, request) = (self.path, self.request.clone());
                tokio::spawn(async move {
                    let mut latencies = Vec::new();
                    while started.elapsed() < long {
                        let started = Instant::now();
                        let answer = client.call("POST", path, &request).await?;
                        latencies.push(started.elapsed());
                        if !has_jwt(answer) {
                            return Err(format!("no token: {}", String::from_utf8_lossy(answer)).into());
                        }
                    }
                    Ok(latencies)
                })
            })
            .collect();
        Sample::of_clients(started, running).await
    }
}

/// Whether the access token of an answer has the three parts of a JWT.
fn has_jwt(answer: &[u8]) -> bool {
    let token = str::from_utf8(answer).ok().and_then(|answer| answer.split_once(r#""access_token":""#));
    let token = token.and_then(|(_, rest)| rest.split_once('"'));
    token.is_some_and(|(token, _)| token.split('.').filter(|part| !part.is_empty()).count() == 3)
}
