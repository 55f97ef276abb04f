//! The checks of `gateway-graphql-compliance`, held against our schema.

use super::*;
use async_graphql::parser::parse_query;
use async_graphql::parser::types::{Selection, SelectionSet};
use gateway_graphql_compliance::{EntityKeyCount, SchemaTypes, check, merge_fields};
use serde_json::json;
use std::sync::LazyLock;

fn types() -> &'static SchemaTypes {
    static TYPES: LazyLock<SchemaTypes> =
        LazyLock::new(|| SchemaTypes::read(&keyed_sdl(&schema().finish()), &scalars::RULES));
    &TYPES
}

fn checked(query: &str, variables: Json) -> (ExecutableDocument, Result<EntityKeyCount, Vec<ServerError>>) {
    let mut document = parse_query(query).unwrap();
    let result = check(types(), &mut document, None, &Variables::from_json(variables));
    (document, result.map_err(|faults| vec![errors::of_inputs(faults)]))
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
fn a_variable_is_defined_once_and_its_default_is_of_its_type() {
    let lists = |variables: &str, argument: &str| {
        format!("query({variables}) {{ catalog {{ productGroups({argument}) {{ totalCount }} }} }}")
    };
    let twice = lists("$f: Int, $f: Int", "first: $f");
    assert_eq!(mistakes(&twice, json!({})), ["f: is defined twice"]);
    let filters = "filters: $f";
    let text = lists("$f: ProductGroupsFiltersInput = {state: \"ACTIVE\"}", filters);
    let found = mistakes(&text, json!({}));
    assert!(found[0].starts_with("f.state: must be one of ") && found.len() == 1, "{found:?}");
    let good = lists("$f: ProductGroupsFiltersInput = {state: ACTIVE}", filters);
    assert_eq!(mistakes(&good, json!({})), [""; 0]);
    let null = lists("$f: Int! = null", "first: $f");
    assert_eq!(mistakes(&null, json!({})), ["f: must not be null"]);
    let none = lists("$f: Int = null", "first: $f");
    assert_eq!(mistakes(&none, json!({})), [""; 0]);
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
    let (_, result) = checked(
        query,
        json!({"r": [{"__typename": "Unit", "id": "1"}, {"__typename": "User", "id": "2"}, {"__typename": "Unit", "id": 3}]}),
    );
    assert_eq!(result, Ok(EntityKeyCount { per_field: 3 }));
}

#[test]
fn a_key_names_a_type_and_an_id() {
    let query = "query($r: [_Any!]!) { _entities(representations: $r) { __typename } }";
    let keys = json!([{"__typename": "Unti", "id": "1"}, {"id": []}, "x", {"__typename": 5, "id": 1.5}]);
    let refused = checked(query, json!({"r": keys})).1.unwrap_err();
    let message = &refused[0].message;
    for expected in [
        "representations[0].__typename: must be one of Amenity, Booking, ",
        "; did you mean Unit?",
        "representations[1].__typename: is required",
        "representations[1].id: must be a text or a whole number",
        "representations[2]: must be an object with __typename and id",
        "representations[3].__typename: must be a text",
        "representations[3].id: must be a text or a whole number",
    ] {
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let introspection = checked("{ __type(name: 5) { name } }", json!({})).1.unwrap_err();
    assert_eq!(introspection[0].message, "name: must be a text");
}

#[tokio::test]
async fn many_keys_times_much_of_each_is_too_much() {
    let ask = |below: &str, keys: usize| {
        let query = format!("{{ _entities(representations: []) {{ ... on ProductGroup {{ {below} }} }} }}");
        let request = async_graphql::Request::new(query).data(EntityKeyCount { per_field: keys });
        async move { schema().finish().execute(request).await.errors }
    };
    let nested = "products(first: 25) { nodes { id name units { id code features } } }";
    let refused = ask(nested, 1000).await;
    assert!(refused[0].message.starts_with("the query, with its 1000 keys, costs "), "{refused:?}");
    assert_eq!(ask("id internalReference", 1000).await, []);
}

/// A selection as text, on one line.
fn printed(set: &SelectionSet) -> String {
    let items = set.items.iter().map(|item| match &item.node {
        Selection::Field(field) => {
            let alias = field.node.alias.as_ref().map(|alias| format!("{}:", alias.node)).unwrap_or_default();
            let below = printed(&field.node.selection_set.node);
            let arguments = field.node.arguments.iter();
            let arguments: Vec<_> =
                arguments.map(|(name, value)| format!("{}:{}", name.node, value.node)).collect();
            let arguments =
                if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(",")) };
            let directives =
                field.node.directives.iter().map(|directive| format!("@{}", directive.node.name.node));
            format!("{alias}{}{arguments}{}{below}", field.node.name.node, directives.collect::<String>())
        }
        Selection::InlineFragment(inline) => {
            let on = inline.node.type_condition.as_ref().unwrap();
            format!("...{}{}", on.node.on.node, printed(&inline.node.selection_set.node))
        }
        Selection::FragmentSpread(spread) => format!("...{}", spread.node.fragment_name.node),
    });
    let items: Vec<String> = items.collect();
    if items.is_empty() { String::new() } else { format!("{{{}}}", items.join(" ")) }
}

/// What runs of a good query; none when it runs as it is written.
fn runs(query: &str, name: Option<&str>, variables: Json) -> Option<String> {
    let mut document = parse_query(query).unwrap();
    let (types, variables) = (types(), Variables::from_json(variables));
    check(types, &mut document, name, &variables).unwrap();
    let merged = merge_fields(types, &document, name, &variables)?;
    let operation = &merged.operations.iter().next().unwrap().1.node;
    let definitions = operation.variable_definitions.iter().map(|known| format!("${}", known.node.name.node));
    Some(format!("{}{}", definitions.collect::<String>(), printed(&operation.selection_set.node)))
}

const GROUP: &str = "productGroup(id:\"1\")";

#[test]
fn a_field_is_run_once_however_it_is_selected_again() {
    let once = format!("{{catalog{{{GROUP}{{id internalReference}}}}}}");
    for query in [
        "{ catalog { § { id } § { internalReference } } }",
        "{ catalog { § { id } } catalog { § { internalReference id } } }",
        "{ catalog { § { id internalReference id } § { id } } }",
        "{ ...F ...F } fragment F on Query { catalog { § { id internalReference } } }",
        "{ ...F catalog { § { internalReference } } } fragment F on Query { catalog { § { id } } }",
        "{ ...F ...H } fragment F on Query { catalog { § { id } } } fragment H on Query { catalog { § { ...I } } } fragment I on ProductGroup { internalReference }",
        "{ ... { catalog { § { id } } } ... on Query { catalog { § { internalReference } } } }",
        "{ catalog { ... on CatalogQuery { § { id } } ... { ... on CatalogQuery { § { internalReference } } } } }",
        "{ catalog { § { id } productGroup: § { internalReference } } }",
        "{ catalog { § { id } ...F @include(if: true) } } fragment F on CatalogQuery { § { internalReference } }",
        "{ catalog { § { id } ... @skip(if: false) { § @include(if: true) { internalReference } } } }",
        "{ catalog { § { id } § { internalReference } § @skip(if: true) { state } ...F @include(if: false) } } fragment F on CatalogQuery { § { state } }",
        "{ catalog { § { id } § { internalReference @skip(if: false) @include(if: true) } } ...F @skip(if: true) } fragment F on Query { catalog { § { createdAt } } }",
        "query A { catalog { § { id } § { internalReference } } }",
    ] {
        let query = query.replace('§', GROUP);
        assert_eq!(runs(&query, None, json!({})).as_deref(), Some(once.as_str()), "{query}");
    }
}

#[test]
fn what_is_selected_once_runs_as_it_is_written() {
    for query in [
        "{ catalog { a: productGroup(id: 1) { id } b: productGroup(id: 1) { id } } }",
        "{ __typename ... { __typename catalog { __typename } } }",
        "{ _entities(representations: []) { __typename ... on Unit { id } ... on User { id } } }",
    ] {
        assert_eq!(runs(query, None, json!({})), None, "{query}");
    }
}

#[test]
fn defaults_of_variables_are_conditions_too() {
    let selections = [
        "catalog { § @DIRECTIVE { id } }",
        "catalog @DIRECTIVE { § { id } }",
        "... @DIRECTIVE { catalog { § { id } } }",
        "... on Query @DIRECTIVE { catalog { § { id } } }",
        "...F @DIRECTIVE",
    ];
    for ty in ["Boolean", "Boolean!"] {
        for (directive, default, stays) in
            [("skip", true, false), ("skip", false, true), ("include", true, true), ("include", false, false)]
        {
            for selection in selections {
                let fragment = if selection.contains("...F") {
                    "fragment F on Query { catalog { § { id } } }"
                } else {
                    ""
                };
                let query = format!("query($c: {ty} = {default}) {{ {selection} }} {fragment}")
                    .replace("DIRECTIVE", &format!("{directive}(if: $c)"))
                    .replace('§', GROUP);
                let found = |variables| runs(&query, None, variables).unwrap().contains("productGroup");
                assert_eq!(found(json!({})), stays, "{query}");
                assert_eq!(found(json!({"c": default})), stays, "{query}");
                assert_eq!(found(json!({"c": !default})), !stays, "{query}");
            }
        }
    }
}

#[test]
fn an_object_of_which_nothing_is_selected_is_asked_for_nothing() {
    for (query, expected) in [
        ("{ catalog @skip(if: true) { § { id } } }", "{{}:__typename}"),
        ("{ catalog { § @include(if: false) { id } } }", "{catalog{{}:__typename}}"),
        ("{ catalog { § { id @skip(if: true) } } }", "{catalog{§{{}:__typename}}}"),
        (
            "{ catalog { § { ...F @skip(if: true) } } } fragment F on ProductGroup { id }",
            "{catalog{§{{}:__typename}}}",
        ),
        (
            "{ _entities(representations: []) { ... on Unit { id } } }",
            "{_entities(representations:[]){...Unit{id} {}:__typename}}",
        ),
        ("{ catalog { § { __typename @skip(if: true) } } }", "{catalog{§{{}:__typename}}}"),
    ] {
        let (query, expected) = (query.replace('§', GROUP), expected.replace('§', GROUP));
        assert_eq!(runs(&query, None, json!({})).as_deref(), Some(expected.as_str()), "{query}");
    }
}

#[test]
fn conditions_are_read_with_the_variables_and_these_are_used_no_more() {
    let query = "query A($s: Boolean!, $i: Boolean! = false, $n: Int) { catalog { productGroups(first: $n) { totalCount }
        productGroups(first: $n) @skip(if: $s) { nodes { id } } productGroups(first: $n) @include(if: $i) { nodes { state } } } }
        query B { __typename }";
    let run = |variables| runs(query, Some("A"), variables).unwrap_or_default();
    let all = "$n{catalog{productGroups(first:$n){totalCount nodes{id state}}}}";
    assert_eq!(run(json!({"s": false, "i": true, "n": 3})), all);
    let some = "$n{catalog{productGroups(first:$n){totalCount nodes{id}}}}";
    assert_eq!(run(json!({"s": false, "n": 3})), some);
    assert_eq!(run(json!({"s": false})), "{catalog{productGroups{totalCount nodes{id}}}}");
    let first = "$n{catalog{productGroups(first:$n){totalCount}}}";
    assert_eq!(run(json!({"s": true, "n": 3})), first);
}

#[test]
fn what_is_selected_of_other_types_stays_with_them() {
    let query = "{ _entities(representations: []) { __typename ... on Unit { unitType { id } } ... on User { id } ...U ...U } }
        fragment U on Unit { unitType { code } }";
    assert_eq!(
        runs(query, None, json!({})).unwrap(),
        "{_entities(representations:[]){__typename ...Unit{unitType{id code}} ...User{id}}}"
    );
}

#[test]
fn two_fields_do_not_share_a_key() {
    let key = |key: &str| vec![format!("{key}: is selected in two ways: give one of them an alias")];
    for (query, expected) in [
        ("{ catalog { productGroup(id: 1) { id } productGroup(id: 2) { id } } }", "productGroup"),
        ("{ catalog { productGroup(id: 1) { id } } catalog { productGroup(id: 2) { id } } }", "productGroup"),
        ("{ catalog { x: productGroups { totalCount } x: productGroup(id: 2) { id } } }", "x"),
        (
            "{ catalog { productGroups(first: 1) { totalCount } } ...F } fragment F on Query { catalog { productGroups { totalCount } } }",
            "productGroups",
        ),
        (
            "{ catalog { productGroup(id: 1) { id } ... on CatalogQuery { productGroup(id: 2) @skip(if: true) { id } } } }",
            "productGroup",
        ),
        (
            "query($a: Int, $b: Int) { spaces { units(first: $a) { totalCount } units(first: $b) { totalCount } } }",
            "units",
        ),
        ("query($a: Int) { spaces { units(first: $a) { totalCount } units { totalCount } } }", "units"),
    ] {
        assert_eq!(mistakes(query, json!({})), key(expected), "{query}");
    }
    let order = "{ spaces { units(first: 1, after: \"x\") { totalCount } units(after: \"x\", first: 1) { totalCount } } }";
    assert_eq!(mistakes(order, json!({})), [""; 0]);
}

#[test]
fn fragments_in_a_circle_are_left_to_validation() {
    let query =
        "{ ...F ...F } fragment F on Query { a { ...F } b { ...H } } fragment H on Query { c { ...F } }";
    assert_eq!(runs(query, None, json!({})), None);
}
