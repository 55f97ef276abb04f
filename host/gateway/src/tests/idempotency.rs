//! Mutations with an `Idempotency-Key` that end otherwise than with their answer.

use super::legacy::workspace;
use super::routers::{Answer, Routers, both, json_post};
use crate::clock::SystemClock;
use crate::listeners::Surfaces;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use gateway_api_public::PublicApi;
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::ProductGroupId;
use gateway_storage::{Engine, Sql, Tx, product_groups, testing};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A gateway with a workspace, and a client that may change the catalog.
struct Catalog {
    routers: Routers,
    token: String,
    workspace: i64,
}

impl Catalog {
    async fn of(routers: Routers) -> Self {
        let workspace = workspace(&routers, "Casa").await;
        let token =
            routers.token(&[Permission::CatalogWrite, Permission::CatalogRead], Workspaces::All).await;
        Self { routers, token, workspace }
    }

    async fn on_postgres() -> Self {
        let db = testing::database(Engine::Postgres).await;
        Self::of(Routers::with_clock(db, Arc::new(SystemClock))).await
    }

    fn create(&self, reference: &str) -> String {
        format!(
            "mutation {{ catalog {{ productGroup {{ create(input: {{productGroup: {{internalReference: \"{reference}\", \
             workspaceId: \"{}\", academicYear: \"2026/2027\", contractEarliestStartDate: \"2026-09-01\", \
             contractLatestStartDate: \"2026-10-01\", contractEarliestEndDate: \"2027-06-01\", \
             contractLatestEndDate: \"2027-08-31\"}}}}) {{ id }} }} }} }}",
            self.workspace
        )
    }

    fn request(&self, key: Option<&str>, query: &str) -> Request<Body> {
        let mut request = json_post("/v1", &json!({ "query": query }));
        request.headers_mut().insert("authorization", format!("Bearer {}", self.token).parse().unwrap());
        if let Some(key) = key {
            request.headers_mut().insert("idempotency-key", key.parse().unwrap());
        }
        request
    }

    async fn send(&self, key: Option<&str>, query: &str) -> Answer {
        self.routers.public(self.request(key, query)).await
    }

    async fn references(&self) -> Vec<String> {
        let found = self.send(None, "{ catalog { productGroups { nodes { internalReference } } } }").await;
        let nodes = found.json()["data"]["catalog"]["productGroups"]["nodes"].clone();
        let nodes = nodes.as_array().unwrap().iter();
        nodes.map(|node| node["internalReference"].as_str().unwrap().to_owned()).collect()
    }

    /// A product group that nobody changes before the transaction ends, and a mutation that renames it.
    async fn locked_group(&self) -> (Tx, String) {
        let made = self.send(None, &self.create("held")).await.json();
        let id = made["data"]["catalog"]["productGroup"]["create"]["id"].as_str().unwrap().to_owned();
        let mut tx = self.routers.services.db.begin().await.unwrap();
        let group: ProductGroupId = id.parse().unwrap();
        assert_eq!(product_groups::lock(&mut tx, &Workspaces::All, &[group]).await.unwrap().len(), 1);
        let rename = format!(
            "mutation {{ catalog {{ productGroup {{ update(input: {{productGroupId: \"{id}\", productGroup: \
             {{internalReference: \"renamed\"}}}}) {{ internalReference }} }} }} }}"
        );
        (tx, rename)
    }
}

fn reason(answer: &Answer) -> Value {
    answer.json()["errors"][0]["extensions"]["reason"].clone()
}

#[tokio::test]
async fn a_mutation_that_failed_inside_is_not_carried_out_again() {
    for routers in both().await {
        let catalog = Catalog::of(routers).await;
        let rename = async |from: &str, to: &str| {
            let mut tx = catalog.routers.services.db.begin().await.unwrap();
            let sql = format!("ALTER TABLE {from} RENAME TO {to}");
            tx.execute(&Sql::both(String::leak(sql)), Vec::new()).await.unwrap();
            tx.commit().await.unwrap();
        };
        rename("product_group", "gone").await;
        let failed = catalog.send(Some("k"), &catalog.create("A")).await;
        assert_eq!((failed.status, reason(&failed)), (StatusCode::OK, json!("internal")));
        rename("gone", "product_group").await;
        let again = catalog.send(Some("k"), &catalog.create("A")).await;
        assert_eq!((again.status, reason(&again)), (StatusCode::CONFLICT, json!("answerNotKept")));
        assert_eq!(catalog.references().await, [""; 0]);
        let fresh = catalog.send(Some("another"), &catalog.create("A")).await;
        assert_eq!(fresh.json().get("errors"), None, "{fresh:?}");
    }
}

#[tokio::test]
async fn a_mutation_that_takes_too_long_is_not_carried_out_again() {
    let mut catalog = Catalog::on_postgres().await;
    let short = |app: Surfaces| {
        let graphql = app.public.graphql.clone().with_deadline(Duration::from_secs(2));
        Surfaces { public: PublicApi { graphql, ..app.public }, ..app }
    };
    // The first request of all takes longer than others, so it comes before the time is short.
    let (tx, rename) = catalog.locked_group().await;
    catalog.routers = catalog.routers.with(short);
    let late = catalog.send(Some("k"), &rename).await;
    assert_eq!((late.status, reason(&late)), (StatusCode::SERVICE_UNAVAILABLE, json!("queryTooComplex")));
    tx.rollback().await.unwrap();
    let again = catalog.send(Some("k"), &rename).await;
    assert_eq!((again.status, reason(&again)), (StatusCode::CONFLICT, json!("answerNotKept")));
    assert!(again.text.contains("look at what it changed"), "{again:?}");
}

#[tokio::test]
async fn a_mutation_goes_on_when_its_client_hangs_up() {
    let catalog = Catalog::on_postgres().await;
    let (tx, rename) = catalog.locked_group().await;
    let db = catalog.routers.services.db.clone();
    tokio::select! {
        answer = catalog.send(Some("k"), &rename) => panic!("it waits for the row: {answer:?}"),
        () = testing::until_somebody_waits(&db) => {}
    }
    tx.rollback().await.unwrap();
    let again = catalog.send(Some("k"), &rename).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (StatusCode::OK, "true"));
    assert!(again.text.contains("renamed"), "{again:?}");
    assert_eq!(catalog.references().await, ["renamed"]);
}
