use super::*;
use async_graphql::parser::parse_query;
use serde_json::{Value as Json, json};

fn types() -> Types {
    Types::read(&crate::schema().finish().sdl())
}

fn checked(query: &str, variables: Json) -> (ExecutableDocument, Result<Checked, Vec<ServerError>>) {
    let mut document = parse_query(query).unwrap();
    let result = check(&types(), &mut document, None, &Variables::from_json(variables));
    (document, result)
}

/// `field: message` of every mistake.
fn mistakes(query: &str, variables: Json) -> Vec<String> {
    let Err(errors) = checked(query, variables).1 else { return Vec::new() };
    let extensions = serde_json::to_value(&errors[0].extensions).unwrap();
    assert_eq!((errors.len(), &extensions["code"]), (1, &json!("BAD_USER_INPUT")));
    let fields = extensions["fields"].as_array().unwrap().iter();
    fields
        .map(|row| format!("{}: {}", row["field"].as_str().unwrap(), row["message"].as_str().unwrap()))
        .collect()
}

const UPDATE: &str = "mutation($t: String, $s: CatalogProductSegmentEnum, $p: PublishingInput, $b: Boolean, $d: ISO8601Date) {
    catalog { productGroup { update(input: {productGroupId: \"1\", productGroup: {contractTemplateExternalId: $t,
    productSegment: $s, publishing: $p, allowBookingExpiryTimer: $b}}) { id }
    other: update(input: {productGroupId: \"1\", productGroup: {publishing: {startDate: $d}}}) { id } } } }";

fn arguments(document: &ExecutableDocument, fields: &[&str]) -> String {
    fn below<'a>(set: &'a SelectionSet, key: &str) -> &'a async_graphql::parser::types::Field {
        let found = set.items.iter().find_map(|item| match &item.node {
            Selection::Field(field) if field.node.response_key().node == key => Some(&field.node),
            _ => None,
        });
        found.unwrap()
    }
    let mut set = &document.operations.iter().next().unwrap().1.node.selection_set.node;
    let mut text = String::new();
    for key in fields {
        let field = below(set, key);
        set = &field.selection_set.node;
        let arguments = field.arguments.iter().map(|(name, value)| format!("{}: {}", name.node, value.node));
        text = arguments.collect::<Vec<_>>().join(", ");
    }
    text
}

#[test]
fn a_variable_that_is_not_given_is_a_member_that_is_not_given() {
    let path = ["catalog", "productGroup", "update"];
    let (document, result) = checked(UPDATE, json!({}));
    assert!(result.is_ok());
    assert_eq!(arguments(&document, &path), r#"input: {productGroupId: "1", productGroup: {}}"#);
    let path = ["catalog", "productGroup", "other"];
    let expected = r#"input: {productGroupId: "1", productGroup: {publishing: {}}}"#;
    assert_eq!(arguments(&document, &path), expected);
    let definitions = &document.operations.iter().next().unwrap().1.node.variable_definitions;
    assert!(definitions.is_empty(), "nothing uses them any more");
    // Null is given.
    let (document, _) = checked(UPDATE, json!({"t": null}));
    let expected = r#"input: {productGroupId: "1", productGroup: {contractTemplateExternalId: $t}}"#;
    assert_eq!(arguments(&document, &["catalog", "productGroup", "update"]), expected);
    let (document, _) =
        checked("query($n: Int) { catalog { productGroups(first: $n) { totalCount } } }", json!({}));
    assert_eq!(arguments(&document, &["catalog", "productGroups"]), "");
}

#[test]
fn a_variable_that_nothing_uses_is_still_the_clients_mistake() {
    let (document, _) =
        checked("query($n: Int, $m: Int) { catalog { productGroups(first: $n) { totalCount } } }", json!({}));
    let definitions = &document.operations.iter().next().unwrap().1.node.variable_definitions;
    assert_eq!(definitions.len(), 1);
    assert_eq!(definitions[0].node.name.node, "m");
}

#[test]
fn a_required_variable_is_named_before_anything_runs() {
    let query = "query($a: Int!) { catalog { productGroups(first: $a) { totalCount } } }";
    assert_eq!(mistakes(query, json!({})), ["a: is required"]);
    let (_, result) = checked(query, json!({}));
    assert_eq!(result.unwrap_err()[0].message, "variable $a of type Int! is required");
    assert_eq!(mistakes(query, json!({"a": null})), ["a: must not be null"]);
    assert_eq!(mistakes(query, json!({"a": 3})), [""; 0]);
    let with_default = "query($a: Int! = 2) { catalog { productGroups(first: $a) { totalCount } } }";
    assert_eq!(mistakes(with_default, json!({})), [""; 0]);
}

#[test]
fn a_variable_stands_only_where_its_type_fits() {
    let nullable = "query($i: ID) { spaces { unit(id: $i) { id } } }";
    let expected = ["id: variable $i of type ID is given where ID! is expected"];
    assert_eq!(mistakes(nullable, json!({"i": "1"})), expected);
    assert_eq!(mistakes(nullable, json!({})), expected);
    let fallback = "query($i: ID = \"1\") { spaces { unit(id: $i) { id } } }";
    assert_eq!(mistakes(fallback, json!({})), [""; 0]);
    let other = "query($i: Int!) { spaces { unit(id: $i) { id } } }";
    assert_eq!(mistakes(other, json!({"i": 1})).len(), 1);
    let condition = "query($i: Boolean) { __typename @skip(if: $i) }";
    assert_eq!(mistakes(condition, json!({})).len(), 1);
}

#[test]
fn whole_numbers_have_32_bits_wherever_they_stand() {
    let sentence = "must be a whole number from -2147483648 to 2147483647";
    let literal = "{ catalog { productGroups(first: 2147483648) { totalCount } } }";
    assert_eq!(mistakes(literal, json!({})), [format!("first: {sentence}")]);
    let plans = "mutation($r: [RatePlanUpdateInput!]!) { pricing { ratePlans { updateRatePlans(input: {ratePlans: $r}) { ratePlans { id } } } } }";
    assert_eq!(
        mistakes(plans, json!({"r": [{"id": "1", "minStay": 3}, {"id": 2, "minStay": 3_000_000_000_u64}]})),
        [format!("ratePlans[1].minStay: {sentence}")]
    );
    let whole = "mutation($i: CreateProductGroupMutationInput!) { catalog { productGroup { create(input: $i) { id } } } }";
    let found =
        mistakes(whole, json!({"i": {"productGroup": {"workspaceId": true, "publishing": {"begin": 1}}}}));
    assert!(
        found.contains(&"productGroup.workspaceId: must be a text or a whole number".to_owned()),
        "{found:?}"
    );
    assert!(found.contains(&"productGroup.internalReference: is required".to_owned()));
    assert!(found.contains(&"productGroup.publishing.begin: PublishingInput has no such member".to_owned()));
}

#[test]
fn an_enum_value_is_no_text_and_directives_are_known() {
    let text = "{ catalog { productGroups(filters: {state: \"ACTIVE\"}) { totalCount } } }";
    let found = mistakes(text, json!({}));
    assert!(found[0].starts_with("filters.state: must be one of ") && found[0].ends_with("without quotes"));
    let variable = "query($s: CatalogProductGroupStateEnum) { catalog { productGroups(filters: {state: $s}) { totalCount } } }";
    assert_eq!(mistakes(variable, json!({"s": "ACTIVE"})), [""; 0]);
    assert_eq!(mistakes(variable, json!({"s": "GONE"})).len(), 1);
    assert_eq!(mistakes("{ __typename @foo }", json!({})), ["@foo: there is no such directive"]);
    assert_eq!(mistakes("{ bookings { booking { id } } }", json!({})), ["bookingId: is required"]);
    let day = "{ availability { unitsAvailability(q: {ids: [], startDate: \"soon\", endDate: \"2026-01-01\"}) { totalCount } } }";
    assert!(mistakes(day, json!({}))[0].starts_with("q.startDate: must be an existing date"));
}

#[test]
fn keys_are_counted() {
    let query = "query($r: [_Any!]!) { _entities(representations: $r) { ... on Unit { id } } }";
    let (_, result) = checked(query, json!({"r": [{"__typename": "Unit", "id": "1"}, {}, {}]}));
    assert_eq!(result, Ok(Checked { by_key: 3 }));
}

#[tokio::test]
async fn many_keys_times_much_of_each_is_too_much() {
    let ask = |below: &str, keys: usize| {
        let query = format!("{{ _entities(representations: []) {{ ... on ProductGroup {{ {below} }} }} }}");
        let request = async_graphql::Request::new(query).data(Checked { by_key: keys });
        async move { crate::schema().finish().execute(request).await.errors }
    };
    let nested = "products(first: 25) { nodes { id name units { id code features } } }";
    let refused = ask(nested, 1000).await;
    assert!(refused[0].message.starts_with("Query is too complex"), "{refused:?}");
    assert_eq!(ask("id internalReference", 1000).await, []);
}
