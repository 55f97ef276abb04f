//! A gateway with one client, the key that signs bare, and the samples of signatures.

use crate::server::TokenServer;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use gateway::InProcess;
use gateway_access::NewClient;
use gateway_domain::access::{Actor, Permission, Workspaces};
use secrecy::ExposeSecret;
use serde_json::json;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// About as long as what a token signs.
const MESSAGE_BYTES: usize = 512;

/// A gateway that serves.
pub(crate) struct Stage {
    gateway: InProcess,
    server: TokenServer,
    // Dropped last: the gateway lives in it.
    _folder: TempDir,
}

impl Stage {
    /// Starts the gateway on a fresh database: SQLite, or the empty one on PostgreSQL that `server` names.
    pub(crate) async fn set(server: Option<&str>) -> Result<Self, BenchError> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let gateway = InProcess::start(folder.path(), server).await?;
        let permissions = vec![Permission::InvoicingRpc];
        let new = NewClient { name: "bench".to_owned(), permissions, workspaces: Workspaces::All };
        let made = gateway.services().clients.create(new, &Actor::operator()).await?;
        let (id, secret) = (made.client.id.to_string(), made.secret.expose_secret());
        let request = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret,
            "act": {"sub": "0193a1b2-0000-7000-8000-00000000c0de"}});
        let server = TokenServer {
            url: gateway.internal_url().to_owned(),
            path: "/v1/oauth2/token",
            request: request.to_string(),
            is_form: false,
        };
        Ok(Self { gateway, server, _folder: folder })
    }

    /// The gateway, as it is asked for tokens.
    pub(crate) fn server(&self) -> &TokenServer {
        &self.server
    }

    /// Ends the gateway.
    pub(crate) async fn strike(self) {
        self.gateway.stop().await;
    }
}

/// A key that signs and does nothing else.
pub(crate) struct Signer(EcdsaKeyPair);

impl Signer {
    pub(crate) fn new() -> Result<Self, BenchError> {
        Ok(Self(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING)?))
    }

    /// Signatures a second on this thread, over this long.
    pub(crate) fn sample(&self, long: Duration) -> Result<f64, BenchError> {
        let (random, mut message) = (SystemRandom::new(), [7_u8; MESSAGE_BYTES]);
        let (started, mut made) = (Instant::now(), 0_u32);
        while started.elapsed() < long {
            message[..4].copy_from_slice(&made.to_be_bytes());
            std::hint::black_box(self.0.sign(&random, &message)?);
            made += 1;
        }
        Ok(f64::from(made) / started.elapsed().as_secs_f64())
    }
}
