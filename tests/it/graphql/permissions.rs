//! Who may read and change what: permissions per operation, workspaces per client.

use super::requests::{ask, codes, data_of};
use crate::platform::{Platform, booking, conversation, group, plan, product, unit};
use gateway_tests::{Engine, Options, on_both};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Every permission that a client may have.
const PERMISSIONS: [&str; 18] = [
    "catalog.read",
    "catalog.write",
    "spaces.read",
    "pricing.write",
    "availability.read",
    "bookings.read",
    "bookings.write",
    "conversations.write",
    "users.read",
    "tasks.read",
    "workspaces.read",
    "invoicing.read",
    "legacy",
    "webhooks.write",
    "invoicing.rpc",
    "finance.rpc",
    "finance.verdict",
    "admin",
];

/// Permission, operation with the node fields of the contract, its path.
fn operations(webhook: &str) -> Vec<(&'static str, String, &'static str)> {
    let rates = plan(0);
    vec![
        ("catalog.read", "{ catalog { productGroups { nodes { id products { totalCount } } } } }".into(), "catalog.productGroups"),
        ("catalog.read", format!("{{ catalog {{ productGroup(id: \"{}\") {{ id publishing {{ state }} }} }} }}", group(0)), "catalog.productGroup"),
        ("catalog.write", format!("mutation {{ catalog {{ productGroup {{ update(input: {{productGroupId: \"{}\", productGroup: {{internalReference: \"A\"}}}}) {{ id }} }} }} }}", group(0)), "catalog.productGroup.update"),
        ("catalog.write", "mutation { catalog { productGroup { create(input: {productGroup: {internalReference: \"A\", workspaceId: \"1\", academicYear: \"2026/2027\", contractEarliestStartDate: \"2026-09-01\", contractLatestStartDate: \"2026-10-01\", contractEarliestEndDate: \"2027-06-01\", contractLatestEndDate: \"2027-08-31\"}}) { id } } } }".into(), "catalog.productGroup.create"),
        ("catalog.write", format!("mutation {{ catalog {{ productGroup {{ updateState(input: {{productGroupIds: [\"{}\"], state: ACTIVE}}) {{ updatedCount }} }} }} }}", group(0)), "catalog.productGroup.updateState"),
        ("spaces.read", "{ spaces { units { nodes { id unitType { building { id } } amenities { name } } } } }".into(), "spaces.units"),
        ("spaces.read", format!("{{ spaces {{ unit(id: \"{}\") {{ id mediaItems {{ url }} }} }} }}", unit(0)), "spaces.unit"),
        ("pricing.write", format!("mutation {{ pricing {{ ratePlans {{ updateRatePlans(input: {{ratePlans: [{{id: \"{rates}\", minStay: 2}}]}}) {{ ratePlans {{ id }} }} }} }} }}"), "pricing.ratePlans.updateRatePlans"),
        ("pricing.write", format!("mutation {{ spaces {{ batchUpdateTariffs(input: {{tariffs: [{{ratePlanId: \"{rates}\", startDate: \"2027-01-01\", endDate: \"2027-01-02\", price: \"1\"}}]}}) {{ updatedCount }} }} }}"), "spaces.batchUpdateTariffs"),
        ("availability.read", format!("{{ availability {{ unitsAvailability(q: {{ids: [\"{}\"], startDate: \"2026-12-01\", endDate: \"2026-12-02\"}}) {{ nodes {{ unit {{ id code }} availability {{ date }} }} }} }} }}", unit(0)), "availability.unitsAvailability"),
        ("bookings.read", "{ bookings { search { nodes { id product { id name } conversation { id } vetting { status } } } } }".into(), "bookings.search"),
        ("bookings.read", format!("{{ bookings {{ booking(bookingId: \"{}\") {{ id vetting {{ status }} }} }} }}", booking(0)), "bookings.booking"),
        ("bookings.read", format!("{{ bookings {{ checkUnitAvailability(unitId: \"{}\", productId: \"{}\", startDate: \"2026-12-10\", endDate: \"2026-12-14\") {{ status }} }} }}", unit(0), product(0)), "bookings.checkUnitAvailability"),
        ("conversations.write", format!("mutation {{ conversations {{ sendMessage(input: {{conversationId: \"{}\", message: \"Hi\"}}) {{ conversation {{ id }} }} }} }}", conversation(0)), "conversations.sendMessage"),
        ("workspaces.read", "{ awc { workspace(id: \"1\") { id name } } }".into(), "awc.workspace"),
        ("users.read", "{ authIdentity { users { nodes { id roleBindings { workspace { id } roles } teams { id name } } } } }".into(), "authIdentity.users"),
        ("tasks.read", "{ ticketsTasks { tasks { nodes { id unit { id code } booking { id } } } } }".into(), "ticketsTasks.tasks"),
        ("invoicing.read", format!("{{ invoicing {{ document(id: \"{}\") {{ id status }} }} }}", booking(0)), "invoicing.document"),
        ("invoicing.read", "{ invoicing { documents { nodes { id timeline { event } } totalCount } } }".into(), "invoicing.documents"),
        ("bookings.read", format!("{{ bookings {{ conversation(id: \"{}\") {{ id messages {{ totalCount }} }} }} }}", conversation(0)), "bookings.conversation"),
        ("webhooks.write", "{ webhooks { webhooks { nodes { id notificationUrl events } totalCount } } }".into(), "webhooks.webhooks"),
        ("webhooks.write", format!("{{ webhooks {{ webhook(id: \"{webhook}\") {{ id enabled }} }} }}"), "webhooks.webhook"),
        ("webhooks.write", format!("{{ webhooks {{ deliveries(webhookId: \"{webhook}\") {{ nodes {{ deliveryId attempts {{ at }} }} }} }} }}"), "webhooks.deliveries"),
        ("webhooks.write", "mutation { webhooks { register(input: {notificationUrl: \"http://127.0.0.1:9/b\"}) { webhook { id } secret } } }".into(), "webhooks.register"),
        ("webhooks.write", format!("mutation {{ webhooks {{ update(input: {{webhookId: \"{webhook}\", events: []}}) {{ id }} }} }}"), "webhooks.update"),
        ("webhooks.write", format!("mutation {{ webhooks {{ rotateSecret(input: {{webhookId: \"{webhook}\"}}) {{ secret }} }} }}"), "webhooks.rotateSecret"),
        ("webhooks.write", format!("mutation {{ webhooks {{ test(input: {{webhookId: \"{webhook}\"}}) {{ deliveryId }} }} }}"), "webhooks.test"),
        ("webhooks.write", format!("mutation {{ webhooks {{ replay(input: {{webhookId: \"{webhook}\", from: \"2026-01-01T00:00:00Z\"}}) {{ replayedCount }} }} }}"), "webhooks.replay"),
        ("webhooks.write", format!("mutation {{ webhooks {{ remove(input: {{webhookId: \"{webhook}\"}}) {{ webhookId }} }} }}"), "webhooks.remove"),
    ]
}

#[tokio::test]
async fn each_operation_needs_its_permission_and_no_other() {
    on_both(|engine| async move {
        let options = Options::default().variable("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true");
        let platform = Platform::with(engine, options).await;
        let form = json!({"workspace_id": 1, "notification_url": "http://127.0.0.1:9/a"});
        let registered = platform.api.post("/v1/webhooks", &form).await.expect(201);
        let webhook = registered["webhook"]["id"].as_str().unwrap();
        let mut clients = vec![("none", platform.client(&[], &["*"]).await)];
        for permission in PERMISSIONS {
            clients.push((permission, platform.client(&[permission], &["1"]).await));
        }
        for (needed, query, path) in operations(webhook) {
            assert!(PERMISSIONS.contains(&needed));
            for (permission, client) in &clients {
                if *permission == needed {
                    data_of(client, &query).await;
                    continue;
                }
                let refused = ask(client, &query).await.expect(200);
                assert_eq!(codes(&refused), [format!("FORBIDDEN {path}")], "{permission}: {query}");
                let value = path.split('.').fold(&refused["data"], |value, name| &value[name]);
                assert_eq!(value, &Value::Null, "{permission}: {refused}");
            }
        }
    })
    .await;
}

/// What anybody with a token may ask.
const OPEN: [&str; 1] = ["authIdentity.whoami"];

/// Every operation of the schema: the fields of the areas, which are the types that only lead to operations.
fn operations_of(schema: &Value) -> Vec<String> {
    let types = schema["types"].as_array().unwrap();
    let leads = |name: &str| name.ends_with("Query") || name.ends_with("Mutation");
    let mut operations = Vec::new();
    let mut areas: Vec<(String, &str)> = ["queryType", "mutationType"]
        .map(|root| (String::new(), schema[root]["name"].as_str().unwrap()))
        .to_vec();
    while let Some((path, name)) = areas.pop() {
        let area = types.iter().find(|kind| kind["name"] == name).unwrap();
        for field in area["fields"].as_array().unwrap() {
            let path = format!("{path}{}", field["name"].as_str().unwrap());
            let kind = &field["type"];
            let kind = if kind["kind"] == "NON_NULL" { &kind["ofType"] } else { kind };
            match kind["name"].as_str().filter(|name| leads(name)) {
                Some(area) => areas.push((format!("{path}."), area)),
                // Federation's own: what they read needs the permission of its type.
                None if path.starts_with('_') => {}
                None => operations.push(path),
            }
        }
    }
    operations
}

#[tokio::test]
async fn every_operation_of_the_schema_has_its_permission_here() {
    let platform = Platform::start(Engine::Sqlite).await;
    let introspection = "{ __schema { queryType { name } mutationType { name } \
        types { name fields { name type { kind name ofType { name } } } } } }";
    let schema = platform.data(introspection).await;
    let known: BTreeSet<String> = operations("w").iter().map(|(.., path)| (*path).to_owned()).collect();
    let in_schema: BTreeSet<String> = operations_of(&schema["__schema"]).into_iter().collect();
    let known: BTreeSet<String> = known.into_iter().chain(OPEN.map(str::to_owned)).collect();
    assert_eq!(in_schema, known, "give each operation a row, and take away the rows of those that are gone");
}

#[tokio::test]
async fn a_refused_field_is_null_while_the_rest_answers() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let tasks = platform.client(&["tasks.read"], &["1"]).await;
        let query = "{ awc { workspace(id: \"1\") { id } } authIdentity { whoami { name } }
            ticketsTasks { tasks(first: 1) { nodes { id unit { code status } booking { id contacts { email } } } } } }";
        let body = ask(&tasks, query).await.expect(200);
        assert_eq!(
            codes(&body),
            ["FORBIDDEN awc.workspace", "FORBIDDEN ticketsTasks.tasks.nodes.0.booking", "FORBIDDEN ticketsTasks.tasks.nodes.0.unit"]
        );
        assert_eq!(body["data"]["awc"], json!({"workspace": null}));
        assert_eq!(body["data"]["authIdentity"]["whoami"]["name"], "integrator");
        let node = &body["data"]["ticketsTasks"]["tasks"]["nodes"][0];
        assert!(node["id"].is_string() && node["unit"].is_null() && node["booking"].is_null(), "{body}");
        assert!(!body.to_string().contains("jane@example.test"));
    })
    .await;
}

#[tokio::test]
async fn what_belongs_to_another_workspace_does_not_exist() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let second = platform.client(&["*"], &["2"]).await;
        let query = format!(
            "{{ catalog {{ productGroup(id: \"{}\") {{ id }} productGroups {{ totalCount nodes {{ workspaceId }} }} }} \
             other: catalog {{ productGroups(filters: {{workspaceId: \"1\"}}) {{ totalCount }} }} \
             spaces {{ unit(id: \"{}\") {{ id }} units {{ totalCount }} }} bookings {{ booking(bookingId: \"{}\") {{ id }} search \
             {{ totalCount }} }} awc {{ workspace(id: \"1\") {{ id }} }} authIdentity {{ users {{ totalCount }} }} ticketsTasks \
             {{ tasks {{ totalCount }} }} }}",
            group(0),
            unit(0),
            booking(0)
        );
        assert_eq!(
            data_of(&second, &query).await,
            json!({"catalog": {"productGroup": null, "productGroups": {"totalCount": 1, "nodes": [{"workspaceId": 2}]}},
                "other": {"productGroups": {"totalCount": 0}}, "spaces": {"unit": null, "units": {"totalCount": 1}},
                "bookings": {"booking": null, "search": {"totalCount": 1}}, "awc": {"workspace": null},
                "authIdentity": {"users": {"totalCount": 1}}, "ticketsTasks": {"tasks": {"totalCount": 1}}})
        );
        let change = format!(
            "mutation {{ catalog {{ productGroup {{ updateState(input: {{productGroupIds: [\"{}\"], state: INACTIVE}}) {{ updatedCount }} \
             }} }} conversations {{ sendMessage(input: {{conversationId: \"{}\", message: \"Hi\"}}) {{ conversation {{ id }} }} }} }}",
            group(0),
            conversation(0)
        );
        let body = ask(&second, &change).await.expect(200);
        assert_eq!(codes(&body), ["NOT_FOUND catalog.productGroup.updateState", "NOT_FOUND conversations.sendMessage"]);
    })
    .await;
}
