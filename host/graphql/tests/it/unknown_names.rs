//! Whoever writes an unknown name is told which one was probably meant.

use crate::world::here;

#[tokio::test]
async fn an_unknown_name_is_told_the_nearest_known_one() {
    let [world, _] = <[_; 2]>::try_from(here().await).ok().unwrap();
    for (query, meant) in [
        (
            "{ space { units { totalCount } } }",
            "Unknown field \"space\" on type \"Query\". Did you mean \"spaces\"?",
        ),
        (
            "{ spaces { units { nodes { cod } } } }",
            "Unknown field \"cod\" on type \"Unit\". Did you mean \"code\"?",
        ),
        (
            "{ spaces { units { nodes { id } nodes { ...F } } } } fragment F on Unit { stauts }",
            "Unknown field \"stauts\" on type \"Unit\". Did you mean \"status\"?",
        ),
        ("{ spaces { units { nodes { zebra } } } }", "Unknown field \"zebra\" on type \"Unit\"."),
        (
            "{ spaces { units(filter: {}) { totalCount } } }",
            "Unknown argument \"filter\" on field \"units\" of type \"SpacesQuery\". Did you mean \"filters\"?",
        ),
        // What is below an unknown name is no mistake of its own.
        (
            "{ catalog { productGrups(first: 1) { nodes { id } } } }",
            "Unknown field \"productGrups\" on type \"CatalogQuery\". Did you mean \"productGroups\"?",
        ),
        (
            "{ spaces { units(limit: 3) { totalCount } } }",
            "Unknown argument \"limit\" on field \"units\" of type \"SpacesQuery\".",
        ),
        (
            "{ spaces { units(filters: {workspaceID: \"1\"}) { totalCount } } }",
            "filters.workspaceID: UnitsFiltersInput has no such member; did you mean workspaceId?",
        ),
        (
            "{ spaces { units(filters: {size: 1}) { totalCount } } }",
            "filters.size: UnitsFiltersInput has no such member",
        ),
        (
            "{ spaces { units(filters: {status: active}) { totalCount } } }",
            "filters.status: must be one of ACTIVE, INACTIVE, ARCHIVED, without quotes; did you mean ACTIVE?",
        ),
        (
            "{ spaces { units(filters: {status: GONE}) { totalCount } } }",
            "filters.status: must be one of ACTIVE, INACTIVE, ARCHIVED, without quotes",
        ),
        (
            "query($s: UnitStatusEnum = ARCHIVE) { spaces { units(filters: {status: $s}) { totalCount } } }",
            "s: must be one of ACTIVE, INACTIVE, ARCHIVED, without quotes; did you mean ARCHIVED?",
        ),
    ] {
        let found = world.errors(query).await;
        assert_eq!(found, [format!("BAD_USER_INPUT queryInvalid: {meant}")], "{query}");
    }
}
