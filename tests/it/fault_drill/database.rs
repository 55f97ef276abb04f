//! The database server: stopped, hung, slow, restarted, and with every connection in use.

use super::{issued, until_it_issues};
use crate::database_trouble::{behind_proxy, locally};
use gateway_tests::{Drill, Request, ServerState, World, until};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What is answered while nothing comes from the database.
const WITHOUT_DATABASE: [(Request, &[u16]); 6] = [
    (Request::Healthz, &[200]),
    (Request::Readyz, &[503]),
    // Who got one within the last second gets another.
    (Request::Token, &[200, 503]),
    (Request::Metrics, &[200]),
    (Request::Read, &[503]),
    (Request::Write, &[503]),
];

/// So many writes wait for a lock at a time: more than there are connections.
const WRITES: usize = 40;

async fn drill(fault: &'static str, state: ServerState, answers: &[(Request, &[u16])]) {
    let (world, proxy) = behind_proxy().await;
    let stored = issued(&world).await;
    let drill = Drill::new(fault, &world, &stored).await;
    proxy.set(state);
    drill.holds(answers).await;
    proxy.set(ServerState::Well);
    drill.returns("by itself", until_it_issues(&world)).await;
}

#[test]
fn while_the_database_is_stopped_watching_is_answered_in_time_and_work_is_refused() {
    locally(drill("database stopped", ServerState::Stopped, &WITHOUT_DATABASE));
}

#[test]
fn while_the_database_hangs_watching_is_answered_in_time_and_work_is_refused() {
    locally(drill("database hung", ServerState::Hangs, &WITHOUT_DATABASE));
}

#[test]
fn while_the_database_is_slow_watching_is_answered_in_time() {
    let answers: [(Request, &[u16]); 6] = [
        (Request::Healthz, &[200]),
        (Request::Readyz, &[503]),
        (Request::Token, &[200, 503]),
        (Request::Metrics, &[200]),
        (Request::Read, &[200, 503]),
        (Request::Write, &[201, 503]),
    ];
    locally(drill(
        "database slow (1.5 s an answer)",
        ServerState::Slow(Duration::from_millis(1_500)),
        &answers,
    ));
}

#[test]
fn when_the_database_restarts_who_asks_is_answered_or_refused_and_answered_when_it_asks_again() {
    let either: [(Request, &[u16]); 6] = [
        (Request::Healthz, &[200]),
        (Request::Readyz, &[200, 503]),
        (Request::Token, &[200, 503]),
        (Request::Metrics, &[200]),
        (Request::Read, &[200, 503]),
        (Request::Write, &[201, 503]),
    ];
    locally(async move {
        let (world, proxy) = behind_proxy().await;
        let stored = issued(&world).await;
        let drill = Drill::new("database restarted", &world, &stored).await;
        proxy.restart();
        drill.holds(&either).await;
        drill.returns("by itself", until_it_issues(&world)).await;
    });
}

/// A session that keeps everybody else from a table, until it is dropped.
struct Lock(Child);

impl Lock {
    fn of(table: &str, database: &str) -> Self {
        let mut psql = Command::new("psql");
        psql.args(["--no-psqlrc", "--quiet", database]).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut psql = psql.spawn().unwrap();
        let lock = format!("BEGIN;\nLOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;\n");
        psql.stdin.as_mut().unwrap().write_all(lock.as_bytes()).unwrap();
        Self(psql)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// How many connections to the database are in use.
async fn connections_used(world: &World) -> Option<u32> {
    let metrics = world.gateway.internal().get("/metrics").await.text;
    let row = "db_client_connection_count{db_client_connection_state=\"used\"} ";
    metrics.lines().find_map(|line| line.strip_prefix(row))?.parse().ok()
}

#[test]
fn while_every_connection_to_the_database_is_in_use_watching_is_answered_in_time_and_work_is_refused() {
    locally(async {
        let (world, _proxy) = behind_proxy().await;
        let stored = issued(&world).await;
        let drill = Drill::new("out of connections", &world, &stored).await;
        let lock = Lock::of("invoice", &world.gateway.database_url());
        let document = world.document();
        let waiting = futures::future::join_all((0..WRITES).map(|_| async {
            let answer = world.put_draft(&gateway_tests::fresh_uuid(), &document).await;
            assert!([201, 503].contains(&answer.status), "{answer:?}");
        }));
        let drilling = async {
            until("every connection is in use", || async {
                (connections_used(&world).await >= Some(15)).then_some(())
            })
            .await;
            let answers: [(Request, &[u16]); 6] = [
                (Request::Healthz, &[200]),
                (Request::Readyz, &[200, 503]),
                (Request::Token, &[200, 503]),
                (Request::Metrics, &[200]),
                (Request::Read, &[503]),
                (Request::Write, &[503]),
            ];
            drill.holds(&answers).await;
            drop(lock);
            drill.returns("by itself", until_it_issues(&world)).await;
        };
        tokio::join!(waiting, drilling);
    });
}
