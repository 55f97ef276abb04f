//! Addresses at which no database can be opened, real peers behind them, and the sentence that each gives.

use super::NoConnection;
use crate::db::{Db, Options};
use crate::error::OpenError;
use crate::sql::Engine;
use crate::testing;
use std::error::Error;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

async fn refusal_of(url: &str) -> NoConnection {
    let options = Options { acquire_timeout: Duration::from_millis(200), ..Options::default() };
    let error = Db::connect(url, &options).await.expect_err(url);
    assert_eq!(
        error.to_string(),
        "no connection to the database: check database.url and that the server runs",
        "{url}"
    );
    let OpenError::Connect(cause) = &error else { panic!("{url}: {error:?}") };
    assert!(error.source().and_then(Error::source).is_none(), "{url}: nothing of the driver follows");
    cause.error.downcast_ref::<NoConnection>().expect(url).clone()
}

/// A peer that reads what comes and answers every connection the same.
async fn peer(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut sent = [0; 1024];
            let _count = stream.read(&mut sent).await;
            let _done = stream.write_all(answer).await;
        }
    });
    format!("postgres://gateway:secret@{address}/gateway")
}

#[tokio::test]
async fn an_address_that_cannot_be_read_is_one_of_the_database() {
    for url in ["postgres://u:p@127.0.0.1:notaport/x", "postgres://u:a/b@c:d@127.0.0.1/x"] {
        assert_eq!(refusal_of(url).await, NoConnection::Address, "{url}");
    }
}

#[tokio::test]
async fn a_server_that_is_none_is_called_so() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let nobody = format!("postgres://gateway:secret@{free}/gateway");
    assert_eq!(refusal_of(&nobody).await, NoConnection::NobodyListens);
    assert_eq!(refusal_of("postgres://gateway@nowhere.invalid/gateway").await, NoConnection::UnknownName);
    assert_eq!(refusal_of("postgres:///gateway?host=/nowhere").await, NoConnection::NoSocket);
    let silent = format!("{}?sslmode=disable", peer(b"").await);
    assert_eq!(refusal_of(&silent).await, NoConnection::Closed);
    let web = peer(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    assert_eq!(refusal_of(&web).await, NoConnection::NotPostgres);
    assert_eq!(refusal_of(&format!("{}?sslmode=require", peer(b"N").await)).await, NoConnection::NoTls);
}

#[tokio::test]
async fn a_server_says_what_it_refuses() {
    let db = testing::empty(Engine::Postgres).await;
    let (server, name) = db.url().rsplit_once('/').unwrap();
    let name = name.split('?').next().unwrap();
    let unknown = db.url().replace(name, "no_such_database");
    assert!(unknown.starts_with(server));
    assert_eq!(refusal_of(&unknown).await, NoConnection::UnknownDatabase);
    let (scheme, rest) = db.url().split_once("://").unwrap();
    let host = rest.split_once('@').map_or(rest, |(_, host)| host);
    let stranger = format!("{scheme}://no_such_user:secret@{host}");
    assert_eq!(refusal_of(&stranger).await, NoConnection::Credentials);
}
