//! Stands between a gateway and its PostgreSQL server: lets everything through, or behaves as a server does that is stopped, hangs
//! or is slow.

use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use url::Url;

/// How the server behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerState {
    /// As it should.
    Well,
    /// Its process stands still: connections are taken and stay open, and nothing is answered.
    Hangs,
    /// It is gone: open connections end, and new ones end at once.
    Stopped,
    /// Each answer takes so long.
    Slow(Duration),
}

/// Between a gateway and its database server.
#[derive(Debug)]
pub struct DatabaseProxy {
    url: String,
    state: Arc<watch::Sender<ServerState>>,
    restarts: Arc<watch::Sender<()>>,
}

impl DatabaseProxy {
    /// In front of the database at `url`, as it should be.
    ///
    /// # Panics
    /// When there is no room for a listener, or the address is none of a server.
    pub async fn start(url: &str) -> Self {
        let mut url: Url = url.parse().expect("the address of a database");
        let host = url.host_str().expect("a server").to_owned();
        let upstream = (host, url.port().unwrap_or(5432));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is room for a listener");
        let port = listener.local_addr().expect("it listens").port();
        url.set_host(Some("127.0.0.1")).expect("it has a host");
        url.set_port(Some(port)).expect("it has a port");
        let state = Arc::new(watch::channel(ServerState::Well).0);
        let restarts = Arc::new(watch::channel(()).0);
        let (shared, restarted) = (Arc::clone(&state), Arc::clone(&restarts));
        tokio::task::spawn_local(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::task::spawn_local(pass_on(
                    client,
                    upstream.clone(),
                    shared.subscribe(),
                    restarted.subscribe(),
                ));
            }
        });
        Self { url: url.to_string(), state, restarts }
    }

    /// The address that the gateway is given.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// From now on the server is so.
    pub fn set(&self, state: ServerState) {
        self.state.send_replace(state);
    }

    /// The server restarts: every open connection ends, and new ones are taken.
    pub fn restart(&self) {
        self.restarts.send_replace(());
    }
}

async fn pass_on(
    client: TcpStream,
    upstream: (String, u16),
    state: watch::Receiver<ServerState>,
    mut restarts: watch::Receiver<()>,
) {
    if *state.borrow() == ServerState::Stopped {
        return;
    }
    let Ok(server) = TcpStream::connect(upstream).await else { return };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let (asking, answering) = (state.clone(), state.clone());
    tokio::select! {
        () = copy(from_client, to_server, asking) => {}
        () = copy(from_server, to_client, answering) => {}
        () = stopped(state) => {}
        _ = restarts.changed() => {}
    }
}

async fn stopped(mut state: watch::Receiver<ServerState>) {
    let _ = state.wait_for(|state| *state == ServerState::Stopped).await;
}

async fn copy(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut state: watch::Receiver<ServerState>,
) {
    let mut bytes = [0; 16 << 10];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let _ = state.wait_for(|state| *state != ServerState::Hangs).await;
        let slow = *state.borrow();
        if let ServerState::Slow(by) = slow {
            tokio::time::sleep(by).await;
        }
        let Some(read) = bytes.get(..read) else { return };
        if to.write_all(read).await.is_err() {
            return;
        }
    }
}
