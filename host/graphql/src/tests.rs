//! The schema itself: described to the last value, and the committed file is what it says.

mod compliance;

use super::*;
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute};
use async_graphql::{ServerError, async_trait};
use serde_json::Value as Json;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.graphql");

#[test]
fn the_committed_schema_is_the_schema() {
    let text = sdl();
    if std::env::var_os("GATEWAY_WRITE_SCHEMA").is_some() {
        std::fs::write(FILE, &text).unwrap();
    }
    let committed = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        committed == text,
        "host/graphql/schema.graphql is not the schema any more: \
         GATEWAY_WRITE_SCHEMA=1 cargo test -p gateway-graphql writes it; look at what changed for clients"
    );
}

const INTROSPECTION: &str = "{ __schema { types { name kind description
    fields(includeDeprecated: true) { name description args { name description } type { ...T } }
    inputFields { name description type { ...T } } enumValues(includeDeprecated: true) { name description } } } }
    fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";

async fn types() -> Vec<Json> {
    let schema = schema().finish();
    let request = Request::new(INTROSPECTION).only_introspection();
    let mut response = schema.execute(request).await;
    gateway_graphql_compliance::federation_descriptions::describe(&mut response.data);
    let answer = serde_json::to_value(response).unwrap();
    let types = answer["data"]["__schema"]["types"].as_array().unwrap().clone();
    let ours = |kind: &&Json| !kind["name"].as_str().unwrap().starts_with("__");
    types.iter().filter(ours).cloned().collect()
}

#[tokio::test]
async fn everything_is_described() {
    let mut silent = Vec::new();
    let mut look = |path: String, item: &Json| {
        if item["description"].as_str().unwrap_or_default().trim().is_empty() {
            silent.push(path);
        }
    };
    for kind in types().await {
        let name = kind["name"].as_str().unwrap();
        look(name.to_owned(), &kind);
        for members in ["fields", "inputFields", "enumValues"] {
            for member in kind[members].as_array().unwrap_or(&Vec::new()) {
                let path = format!("{name}.{}", member["name"].as_str().unwrap());
                look(path.clone(), member);
                for argument in member["args"].as_array().unwrap_or(&Vec::new()) {
                    look(format!("{path}({})", argument["name"].as_str().unwrap()), argument);
                }
            }
        }
    }
    assert!(silent.is_empty(), "without a description: {silent:?}");
}

#[tokio::test]
async fn every_type_with_an_id_is_an_entity() {
    let text = sdl();
    let mut without = Vec::new();
    for kind in types().await {
        let name = kind["name"].as_str().unwrap();
        let fields = kind["fields"].as_array().cloned().unwrap_or_default();
        if fields.iter().any(|field| field["name"] == "id")
            && !text.contains(&format!("type {name} @key(fields: \"id\")"))
        {
            without.push(name.to_owned());
        }
    }
    assert!(without.is_empty(), "without a key: {without:?}");
}

/// Ends a request when it would run.
struct Stops;

impl ExtensionFactory for Stops {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self)
    }
}

#[async_trait::async_trait]
impl Extension for Stops {
    async fn execute(&self, _: &ExtensionContext<'_>, _: Option<&str>, _: NextExecute<'_>) -> Response {
        Response::default()
    }
}

/// What validation says of a query, which does not run.
async fn validated(query: &str) -> Vec<ServerError> {
    schema().extension(Stops).finish().execute(Request::new(query)).await.errors
}

#[tokio::test]
async fn lists_below_lists_are_too_much_whether_they_have_pages_or_not() {
    let groups = |first: usize, below: &str| {
        format!("{{ catalog {{ productGroups(first: {first}) {{ nodes {{ id {below} }} }} }} }}")
    };
    for below in [
        "products { nodes { units { id amenities { id } } } }",
        "products { nodes { units { unitType { id } } } }",
        "products { nodes { units { id code status numberOfBedrooms numberOfBathrooms sizeInSqm features } } }",
        "products(first: 5) { nodes { units { id amenities { id } } } }",
        "products(first: 2) { nodes { units { ratePlans { tariffs { id price } } } } }",
    ] {
        let refused = validated(&groups(25, below)).await;
        let [error] = &*refused else { panic!("{below}: {refused:?}") };
        let code = error.extensions.as_ref().and_then(|extensions| extensions.get("code")).cloned();
        assert_eq!(code, Some("QUERY_TOO_COMPLEX".into()), "{error:?}");
        let reason = error.extensions.as_ref().and_then(|extensions| extensions.get("reason")).cloned();
        assert_eq!(reason, Some("queryTooComplex".into()), "{error:?}");
        let (of, rest) = error.message.split_once(" points, at most 20000 are possible: ").unwrap();
        assert!(of.starts_with("the query costs ") && rest.starts_with("ask for smaller pages"), "{error:?}");
    }
    assert_eq!(validated(&groups(25, "products(first: 4) { nodes { id units { id code } } }")).await, []);
    // Three lists below each other, each of its usual size: 16,275 nodes.
    let usual = "internalReference state products { totalCount nodes { id name units { id code status numberOfBedrooms } } }";
    assert_eq!(validated(&groups(25, usual)).await, []);
    let whole =
        "{ catalog { productGroups { nodes { id products { nodes { id units { id code features } } } } } } }";
    assert_eq!(validated(whole).await, []);
    assert_eq!(validated(&groups(1, "products { nodes { units { id code features } } }")).await, []);
}

#[tokio::test]
async fn what_the_guide_asks_for_is_not_too_much() {
    let guide = include_str!("../../api-public/README.md");
    let queries: Vec<&str> = guide
        .split('`')
        .filter(|text| (text.starts_with("{ ") || text.starts_with("mutation ")) && text.ends_with(" }"))
        .collect();
    assert!(queries.len() >= 12, "{queries:?}");
    for query in queries {
        assert_eq!(validated(query).await, [], "{query}");
    }
}

/// A query as clients send it that ask for the type of everything.
fn with_types(query: &str) -> String {
    let mut inside_arguments = 0_u32;
    let mut typed = String::new();
    for letter in query.chars() {
        match letter {
            '(' => inside_arguments += 1,
            ')' => inside_arguments -= 1,
            '}' if inside_arguments == 0 => typed.push_str(" __typename "),
            _ => {}
        }
        typed.push(letter);
    }
    typed
}

#[tokio::test]
async fn everything_that_clients_show_on_one_page_is_not_too_much() {
    for query in [
        include_str!("tests/catalog_query.graphql"),
        include_str!("tests/catalog_mutation.graphql"),
        include_str!("tests/areas_query.graphql"),
        include_str!("tests/areas_mutation.graphql"),
    ] {
        assert_eq!(validated(query).await, [], "{query}");
        let typed = with_types(query);
        assert!(typed.contains("__typename"));
        assert_eq!(validated(&typed).await, [], "{typed}");
    }
}
