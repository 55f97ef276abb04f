//! A database server that stops, hangs or is slow: what still answers, how soon, and that work goes on by itself afterwards.

use gateway_tests::{
    Answer, Api, Credentials, DatabaseProxy, Engine, Gateway, Options, ServerState, World, fresh_uuid, until,
};
use serde_json::json;
use std::future::Future;
use std::time::{Duration, Instant};

/// What must be answered within two seconds may take so long on a machine that is busy with other tests: less than anything that
/// waits for the database.
const QUICK: Duration = Duration::from_secs(6);
/// The same for every other request, which is given up after 30 seconds.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(40);

/// A gateway in front of a server that can be made to fail, with a workspace that sends its invoices.
pub(crate) async fn behind_proxy() -> (World, DatabaseProxy) {
    // What the provider tells while the database is away is asked for again.
    let options = Options::sandbox().variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
    let mut gateway = Gateway::prepared(Engine::Postgres, options).await;
    let proxy = DatabaseProxy::start(&gateway.database_url()).await;
    gateway.reconfigure(gateway.options().clone().variable("GATEWAY_DATABASE__URL", proxy.url()));
    gateway.serve().await;
    let world = World::of(gateway).await;
    world.configure(world.workspace, &[]).await;
    (world, proxy)
}

async fn within<T>(limit: Duration, what: &str, answer: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let answer = answer.await;
    let took = began.elapsed();
    println!("{what}: {} ms", took.as_millis());
    assert!(took < limit, "{what} took {took:?}");
    answer
}

async fn token(client: &Credentials, api: &Api) -> Answer {
    let credentials = json!({
        "grant_type": "client_credentials", "client_id": client.id, "client_secret": client.secret,
    });
    api.post("/v1/oauth2/token", &credentials).await
}

/// A client that never called: its credentials are looked up in the database, those of one that just did are remembered.
async fn client_to_look_up(world: &World) -> Credentials {
    world.another_client(&[], &[]).await
}

/// What others watch a gateway by is answered in time and says what is wrong. `client` has not called yet.
async fn assert_watched(world: &World, client: &Credentials, state: &str) {
    let (public, internal) = (world.gateway.public(), world.gateway.internal());
    for api in [&public, &internal] {
        within(QUICK, &format!("{state}, /healthz"), api.get("/healthz")).await.expect(200);
    }
    let ready = within(QUICK, &format!("{state}, /readyz"), internal.get("/readyz")).await.expect(503);
    assert_eq!(ready["checks"]["database"], false, "{state}: {ready}");
    assert!(ready["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{state}: {ready}");
    let refused = within(QUICK, &format!("{state}, token"), token(client, &public)).await;
    assert_eq!(refused.status, 503, "{state}: {refused:?}\n{}", world.gateway.log());
    assert_ne!(refused.header("retry-after"), "", "{state}");
    let metrics = within(QUICK, &format!("{state}, /metrics"), internal.get("/metrics")).await;
    assert_eq!(metrics.status, 200, "{state}");
    let issued = format!("einvoicing_documents{{workspace=\"{}\",status=\"issued\"}} 1", world.workspace);
    assert!(metrics.text.contains(&issued), "{state}: the last figures: {}", metrics.text);
    let age = metrics.text.lines().find_map(|line| line.strip_prefix("einvoicing_sample_age_seconds "));
    assert!(age.is_some_and(|age| age.parse::<f64>().is_ok_and(|age| age > 0.0)), "{state}: {age:?}");
}

async fn assert_refused_and_back(state: ServerState) {
    let (world, proxy) = behind_proxy().await;
    let uuid = world.issue(&world.document()).await;
    world.until(&uuid, "issued").await;
    until("the issued document is counted", || async {
        let metrics = world.gateway.internal().get("/metrics").await.text;
        metrics.contains("status=\"issued\"} 1").then_some(())
    })
    .await;
    let name = format!("{state:?}");
    let client = client_to_look_up(&world).await;
    proxy.set(state);
    // More than there are connections.
    let (paths, draft) = (std::iter::repeat_with(draft_path).take(20).collect::<Vec<_>>(), world.document());
    let drafts = paths.iter().map(|path| world.api.put(path, draft.json()));
    let name = format!("{name}, drafts");
    let drafts = within(ANSWER_TIMEOUT, &name, futures::future::join_all(drafts));
    let ((), drafts) = tokio::join!(assert_watched(&world, &client, &name), drafts);
    for refused in drafts {
        assert_eq!(refused.status, 503, "{name}: {refused:?}\n{}", world.gateway.log());
        assert_ne!(refused.header("retry-after"), "", "{name}");
    }
    assert!(world.gateway.log().contains("database"), "{name}: the log names the cause");
    proxy.set(ServerState::Well);
    until("it is ready again", || async {
        (world.gateway.internal().get("/readyz").await.status == 200).then_some(())
    })
    .await;
    let uuid = world.issue(&world.document()).await;
    world.until(&uuid, "issued").await;
}

fn draft_path() -> String {
    format!("/invoicing/rpc/documents/{}", fresh_uuid())
}

pub(crate) fn locally(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(tokio::task::LocalSet::new().run_until(test));
}

#[test]
fn a_database_server_that_hangs_delays_nothing_that_watches_and_refuses_the_rest_in_time() {
    locally(assert_refused_and_back(ServerState::Hangs));
}

#[test]
fn a_database_server_that_is_gone_delays_nothing_that_watches_and_refuses_the_rest_in_time() {
    locally(assert_refused_and_back(ServerState::Stopped));
}

#[test]
fn a_database_server_that_restarts_is_met_again_and_what_was_on_its_way_ends_once() {
    locally(async {
        let (world, proxy) = behind_proxy().await;
        let mut uuids = Vec::new();
        for _ in 0..4 {
            uuids.push(world.issue(&world.document().named("SANDBOX-SLOW-1")).await);
        }
        let drafts: Vec<_> = std::iter::repeat_with(draft_path).take(20).collect();
        let document = world.document();
        let written = drafts.iter().map(|path| world.api.put(path, document.json()));
        let restart = async { proxy.restart() };
        let written = within(ANSWER_TIMEOUT, "restarted, drafts", futures::future::join_all(written));
        let (written, ()) = tokio::join!(written, restart);
        proxy.restart();
        for (path, answer) in drafts.iter().zip(written) {
            assert!([200, 201, 503].contains(&answer.status), "{answer:?}\n{}", world.gateway.log());
            // Whether it was stored or not, the same again is taken.
            let again = until("a draft is taken again", || async {
                let answer =
                    within(ANSWER_TIMEOUT, "restarted, a draft", world.api.put(path, document.json())).await;
                (answer.status != 503).then_some(answer)
            });
            let again = again.await;
            assert!([200, 201].contains(&again.status), "{again:?}\n{}", world.gateway.log());
        }
        let mut numbers = std::collections::BTreeSet::new();
        for uuid in &uuids {
            let issued = world.until(uuid, "issued").await;
            numbers.insert(issued["display_invoice_number"].to_string());
        }
        assert_eq!(numbers.len(), uuids.len(), "{numbers:?}");
    });
}

#[test]
fn a_database_server_that_is_slow_delays_nothing_that_watches() {
    locally(async {
        let (world, proxy) = behind_proxy().await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        let client = client_to_look_up(&world).await;
        proxy.set(ServerState::Slow(Duration::from_millis(1_500)));
        let (public, internal) = (world.gateway.public(), world.gateway.internal());
        within(QUICK, "slow, /healthz", public.get("/healthz")).await.expect(200);
        within(QUICK, "slow, /readyz", internal.get("/readyz")).await.expect(503);
        within(QUICK, "slow, token", token(&client, &public)).await.expect(503);
        assert_eq!(within(QUICK, "slow, /metrics", internal.get("/metrics")).await.status, 200);
        // What has the time is answered.
        proxy.set(ServerState::Slow(Duration::from_millis(50)));
        let read = format!("/invoicing/rpc/documents/{uuid}");
        within(ANSWER_TIMEOUT, "slow, a document", world.api.get(&read)).await.expect(200);
        proxy.set(ServerState::Well);
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
    });
}
