use crate::world::{World, here, id, sampled, seeing};
use gateway_domain::ids::{ProductGroupId, WorkspaceId};
use gateway_domain_lists::PageRequest;
use gateway_domain_platform::catalog::{
    ActivationState, ProductGroupChange, ProductGroupFilter, ProductGroupForm,
};
use gateway_platform::PlatformError;
use gateway_storage::audit;
use jiff::civil::date;
use uuid::Uuid;

fn form(workspace: i64) -> ProductGroupForm {
    ProductGroupForm {
        workspace_id: WorkspaceId(workspace),
        internal_reference: "A".to_owned(),
        contract_earliest_start_date: date(2026, 9, 1),
        contract_latest_start_date: date(2026, 10, 1),
        contract_earliest_end_date: date(2027, 6, 1),
        contract_latest_end_date: date(2027, 8, 31),
        academic_year: Some("2026/2027".to_owned()),
        product_segment: None,
        state: None,
        publishing: None,
        default_expiry_duration_in_seconds: None,
        allow_booking_expiry_timer: None,
        requires_cancelation_policy: None,
        cancelation_policy_id: None,
        contract_template_external_id: None,
    }
}

async fn trail(world: &World) -> Vec<(String, String, String)> {
    let entries = audit::page(world.db.db(), None, 100).await.unwrap();
    let ours = entries.into_iter().filter(|entry| entry.action.starts_with("product_group"));
    ours.map(|entry| (entry.actor.name().to_owned(), entry.action, entry.subject)).collect()
}

#[tokio::test]
async fn a_product_group_is_made_edited_and_switched_on_and_the_actor_is_kept() {
    for world in here().await {
        let (platform, acting) = (&world.platform, &world.acting);
        let made = platform.catalog.create_product_group(acting, form(world.workspace.0)).await.unwrap();
        assert_eq!((made.state, made.created_at), (ActivationState::Inactive, made.updated_at));
        world.pass(60);
        let unchanged = platform
            .catalog
            .update_product_group(acting, made.id, &ProductGroupChange::default())
            .await
            .unwrap();
        assert_eq!(unchanged, made);
        let change =
            ProductGroupChange { internal_reference: Some("B".to_owned()), ..ProductGroupChange::default() };
        let edited = platform.catalog.update_product_group(acting, made.id, &change).await.unwrap();
        assert_eq!((edited.internal_reference.as_str(), edited.created_at), ("B", made.created_at));
        assert!(edited.updated_at > made.updated_at);
        let listed = platform
            .catalog
            .set_product_groups_state(acting, &[made.id, made.id], ActivationState::Active)
            .await
            .unwrap();
        assert_eq!(listed, [made.id]);
        platform.catalog.set_product_groups_state(acting, &[made.id], ActivationState::Active).await.unwrap();
        let found = platform.catalog.product_group(acting, made.id).await.unwrap().unwrap();
        assert_eq!(found.state, ActivationState::Active);
        let entry = |action: &str| {
            ("jane".to_owned(), format!("product_group.{action}"), format!("product_group:{}", made.id))
        };
        assert_eq!(trail(&world).await, [entry("update_state"), entry("update"), entry("create")]);
    }
}

#[tokio::test]
async fn what_belongs_to_another_workspace_does_not_exist() {
    for world in here().await {
        let (platform, own) = (&world.platform, &world.acting);
        let made = platform.catalog.create_product_group(own, form(world.workspace.0)).await.unwrap();
        let stranger = seeing(&[99]);
        let not_found = |error: PlatformError| match error {
            PlatformError::NotFound(missing) => (missing.field, missing.ids),
            other => panic!("{other:?}"),
        };
        assert_eq!(platform.catalog.product_group(&stranger, made.id).await.unwrap(), None);
        let change = ProductGroupChange::default();
        let error = platform.catalog.update_product_group(&stranger, made.id, &change).await.unwrap_err();
        assert_eq!(not_found(error), ("product_group_id", vec![made.id.to_string()]));
        let error =
            platform.catalog.create_product_group(&stranger, form(world.workspace.0)).await.unwrap_err();
        assert_eq!(not_found(error), ("workspace_id", vec![world.workspace.to_string()]));
        let error = platform.catalog.create_product_group(&seeing(&[98]), form(98)).await.unwrap_err();
        assert_eq!(not_found(error), ("workspace_id", vec!["98".to_owned()]), "visible, and not there");
    }
}

#[tokio::test]
async fn states_are_set_for_all_that_are_listed_or_for_none() {
    for world in here().await {
        let (platform, acting) = (&world.platform, &world.acting);
        let made = platform.catalog.create_product_group(acting, form(world.workspace.0)).await.unwrap();
        let unknown: Vec<_> = [2, 1].map(|n| ProductGroupId(Uuid::from_u128(n))).to_vec();
        let listed = [unknown[0], made.id, unknown[1]];
        let error = platform
            .catalog
            .set_product_groups_state(acting, &listed, ActivationState::Active)
            .await
            .unwrap_err();
        let PlatformError::NotFound(missing) = error else { panic!("{error:?}") };
        assert_eq!(missing.ids, [unknown[1].to_string(), unknown[0].to_string()]);
        let found = platform.catalog.product_group(acting, made.id).await.unwrap().unwrap();
        assert_eq!(found.state, ActivationState::Inactive);
        let many: Vec<_> = (0..101).map(|n| ProductGroupId(Uuid::from_u128(n))).collect();
        let error = platform
            .catalog
            .set_product_groups_state(acting, &many, ActivationState::Active)
            .await
            .unwrap_err();
        assert!(matches!(error, PlatformError::Invalid(faults) if faults[0].field == "product_group_ids"));
        let none =
            platform.catalog.set_product_groups_state(acting, &[], ActivationState::Active).await.unwrap();
        assert!(none.is_empty());
    }
}

#[tokio::test]
async fn a_form_with_mistakes_is_told_them_all_and_stores_nothing() {
    for world in here().await {
        let wrong = ProductGroupForm {
            internal_reference: String::new(),
            academic_year: Some("2026".to_owned()),
            contract_latest_start_date: date(2026, 1, 1),
            ..form(world.workspace.0)
        };
        let error = world.platform.catalog.create_product_group(&world.acting, wrong).await.unwrap_err();
        assert!(matches!(error, PlatformError::Invalid(faults) if faults.len() == 4));
        let count =
            world.platform.catalog.product_groups_count(&world.acting, &ProductGroupFilter::default()).await;
        assert_eq!(count.unwrap(), 0);
    }
}

#[tokio::test]
async fn the_products_of_groups_are_counted_and_paged() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[1]));
        let groups: [ProductGroupId; 3] = [id(8, 0), id(8, 1), id(8, 31)];
        let counts = platform.catalog.products_counts(&acting, &groups).await.unwrap();
        assert_eq!((counts.len(), counts[&groups[0]]), (2, 3), "the third belongs to another workspace");
        let first = PageRequest { first: 2, after: None };
        let page = platform.catalog.products_of_group(&acting, groups[0], first).await.unwrap();
        assert_eq!((page.nodes.len(), page.has_next), (2, true));
        let rest = PageRequest { first: 2, after: page.end() };
        let rest = platform.catalog.products_of_group(&acting, groups[0], rest).await.unwrap();
        assert_eq!((rest.nodes.len(), rest.has_next), (1, false));
        let pages = platform.catalog.first_products_of_groups(&acting, &groups, 2).await.unwrap();
        assert_eq!((pages.len(), &pages[&groups[0]]), (2, &page));
        assert_eq!(page.nodes[0].units.len(), 2, "every sixth of ten");
        let listed = platform
            .catalog
            .product_groups(&acting, &ProductGroupFilter::default(), PageRequest::default())
            .await
            .unwrap();
        assert_eq!((listed.nodes.len(), listed.has_next), (25, true));
    }
}

#[tokio::test]
async fn who_follows_a_list_misses_nothing_that_others_make_meanwhile() {
    for world in here().await {
        let (writers, each) = (8, 12);
        let mut making = tokio::task::JoinSet::new();
        for _ in 0..writers {
            let (platform, acting, form) =
                (world.platform.clone(), world.acting.clone(), form(world.workspace.0));
            making.spawn(async move {
                for _ in 0..each {
                    platform.catalog.create_product_group(&acting, form.clone()).await.unwrap();
                }
            });
        }
        let (mut listed, mut after, mut last) = (Vec::new(), None, false);
        loop {
            while making.try_join_next().is_some() {}
            last = last || making.is_empty();
            let page = PageRequest { first: 5, after };
            let filter = ProductGroupFilter::default();
            let page = world.platform.catalog.product_groups(&world.acting, &filter, page).await.unwrap();
            listed.extend(page.nodes.iter().map(|group| group.id));
            after = page.end().or(after);
            if last && page.nodes.is_empty() {
                break;
            }
        }
        assert_eq!(listed.len(), writers * each);
        listed.sort_unstable();
        listed.dedup();
        assert_eq!(listed.len(), writers * each, "each once");
    }
}
