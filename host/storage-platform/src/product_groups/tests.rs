use super::*;
use gateway_domain_platform::catalog::ProductGroupForm;
use gateway_storage::testing::{self, samples::at, samples::stored_workspace};
use jiff::civil::date;
use uuid::Uuid;

const TODAY: Date = date(2026, 11, 20);

fn group(n: u128, workspace: i64) -> ProductGroup {
    let form = ProductGroupForm {
        workspace_id: WorkspaceId(workspace),
        internal_reference: format!("G{n}"),
        contract_earliest_start_date: date(2026, 9, 1),
        contract_latest_start_date: date(2026, 10, 1),
        contract_earliest_end_date: date(2027, 6, 1),
        contract_latest_end_date: date(2027, 8, 31),
        academic_year: Some("2026/2027".to_owned()),
        product_segment: Some(ProductSegment::FullYear),
        state: None,
        publishing: None,
        default_expiry_duration_in_seconds: Some(3_600),
        allow_booking_expiry_timer: Some(true),
        requires_cancelation_policy: Some(true),
        cancelation_policy_id: Some(CancelationPolicyId("pol_9".to_owned())),
        contract_template_external_id: Some("T".to_owned()),
    };
    form.check(ProductGroupId(Uuid::from_u128(n))).unwrap()
}

fn published(n: u128, start: Option<Date>, end: Option<Date>) -> ProductGroup {
    ProductGroup { publishing: Publishing { start_date: start, end_date: end }, ..group(n, 1) }
}

async fn references_of(
    db: &gateway_database::Db,
    visible: &Workspaces,
    filter: &ProductGroupFilter,
) -> Vec<u128> {
    let found = page(db, visible, filter, TODAY, None, 100).await.unwrap();
    let ids: Vec<u128> = found.iter().map(|group| group.id.0.as_u128()).collect();
    assert_eq!(count(db, visible, filter, TODAY).await.unwrap(), i64::try_from(ids.len()).unwrap());
    ids
}

#[tokio::test]
async fn a_product_group_is_read_as_it_was_written() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        let mut tx = db.begin().await.unwrap();
        let stored = group(1, 1);
        put(&mut tx, &[&stored], at(0)).await.unwrap();
        let edited = ProductGroup {
            state: ActivationState::Active,
            academic_year: None,
            product_segment: None,
            allow_booking_expiry_timer: None,
            default_expiry_duration_in_seconds: None,
            cancelation_policy_id: None,
            contract_template_external_id: None,
            publishing: Publishing { start_date: Some(TODAY), end_date: Some(date(9998, 12, 31)) },
            ..stored.clone()
        };
        let found = by_ids(&mut tx, &Workspaces::All, &[stored.id]).await.unwrap();
        assert_eq!(
            found[&stored.id],
            Stamped { value: stored.clone(), created_at: at(0), updated_at: at(0) }
        );
        put(&mut tx, &[&edited], at(5)).await.unwrap();
        let found = lock(&mut tx, &Workspaces::All, &[stored.id]).await.unwrap();
        assert_eq!(found[&stored.id], Stamped { value: edited, created_at: at(0), updated_at: at(5) });
        let elsewhere = Workspaces::Only(vec![WorkspaceId(2)]);
        assert!(by_ids(&mut tx, &elsewhere, &[stored.id]).await.unwrap().is_empty());
        assert!(lock(&mut tx, &elsewhere, &[stored.id]).await.unwrap().is_empty());
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one list of filters")]
async fn every_filter_narrows_and_another_workspace_shows_nothing() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        stored_workspace(&db, 2).await;
        let mut tx = db.begin().await.unwrap();
        let (yesterday, tomorrow) = (date(2026, 11, 19), date(2026, 11, 21));
        put(&mut tx, &[&published(1, None, None)], at(0)).await.unwrap();
        put(&mut tx, &[&published(2, Some(TODAY), None)], at(0)).await.unwrap();
        put(&mut tx, &[&published(3, Some(yesterday), Some(TODAY))], at(1)).await.unwrap();
        put(&mut tx, &[&published(4, Some(yesterday), Some(yesterday))], at(1)).await.unwrap();
        put(&mut tx, &[&published(5, Some(tomorrow), None)], at(2)).await.unwrap();
        let active = ProductGroup {
            state: ActivationState::Active,
            academic_year: Some("2025/2026".parse().unwrap()),
            product_segment: Some(ProductSegment::Semester1),
            ..group(6, 2)
        };
        put(&mut tx, &[&active], at(3)).await.unwrap();
        tx.commit().await.unwrap();
        let all = Workspaces::All;
        let filter = ProductGroupFilter::default();
        assert_eq!(references_of(&db, &all, &filter).await, [1, 2, 3, 4, 5, 6]);
        assert_eq!(
            references_of(&db, &all, &ProductGroupFilter { published: Some(true), ..filter.clone() }).await,
            [2, 3]
        );
        assert_eq!(
            references_of(&db, &all, &ProductGroupFilter { published: Some(false), ..filter.clone() }).await,
            [1, 4, 5, 6]
        );
        let active = Some(ActivationState::Active);
        assert_eq!(
            references_of(&db, &all, &ProductGroupFilter { state: active, ..filter.clone() }).await,
            [6]
        );
        let year = Some("2025/2026".parse().unwrap());
        assert_eq!(
            references_of(&db, &all, &ProductGroupFilter { academic_year: year, ..filter.clone() }).await,
            [6]
        );
        let segment = Some(ProductSegment::Semester1);
        assert_eq!(
            references_of(&db, &all, &ProductGroupFilter { product_segment: segment, ..filter.clone() })
                .await,
            [6]
        );
        let reference = Some("G3".to_owned());
        assert_eq!(
            references_of(&db, &all, &ProductGroupFilter { internal_reference: reference, ..filter.clone() })
                .await,
            [3]
        );
        let second = Some(WorkspaceId(2));
        assert_eq!(
            references_of(&db, &all, &ProductGroupFilter { workspace: second, ..filter.clone() }).await,
            [6]
        );
        let ids = |ids: &[u128]| Some(ids.iter().map(|n| ProductGroupId(Uuid::from_u128(*n))).collect());
        let named = ProductGroupFilter { ids: ids(&[6, 2, 99]), ..filter.clone() };
        assert_eq!(references_of(&db, &all, &named).await, [2, 6]);
        assert!(
            references_of(&db, &all, &ProductGroupFilter { ids: ids(&[]), ..filter.clone() })
                .await
                .is_empty()
        );
        let first = Workspaces::Only(vec![WorkspaceId(1)]);
        assert_eq!(references_of(&db, &first, &filter).await, [1, 2, 3, 4, 5]);
        assert_eq!(references_of(&db, &first, &named).await, [2]);
        assert!(
            references_of(&db, &first, &ProductGroupFilter { workspace: second, ..filter.clone() })
                .await
                .is_empty()
        );
        assert!(references_of(&db, &Workspaces::Only(Vec::new()), &filter).await.is_empty());
        let both = Workspaces::Only(vec![WorkspaceId(1), WorkspaceId(2)]);
        assert_eq!(references_of(&db, &both, &filter).await, [1, 2, 3, 4, 5, 6]);
    }
}

#[tokio::test]
async fn pages_stay_whole_while_product_groups_are_added() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        let visible = Workspaces::Only(vec![WorkspaceId(1)]);
        let add = async |n: u128| {
            let mut tx = db.begin().await.unwrap();
            // Several at one instant: the id decides.
            put(&mut tx, &[&group(n, 1)], at(i64::try_from(n / 4).unwrap())).await.unwrap();
            tx.commit().await.unwrap();
        };
        for n in 1..=7 {
            add(n).await;
        }
        let (mut listed, mut after) = (Vec::new(), None);
        for round in 0_u128.. {
            let found =
                page(db.db(), &visible, &ProductGroupFilter::default(), TODAY, after, 3).await.unwrap();
            let Some(last) = found.last() else { break };
            after = Some(last.page_key());
            listed.extend(found.iter().map(|group| group.id.0.as_u128()));
            if round < 2 {
                add(100 + round).await;
            }
        }
        assert_eq!(listed, [1, 2, 3, 4, 5, 6, 7, 100, 101]);
    }
}

#[tokio::test]
async fn the_schema_keeps_the_order_of_contract_dates_too() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        for column in ["contract_latest_start_date", "contract_latest_end_date"] {
            let mut tx = db.begin().await.unwrap();
            put(&mut tx, &[&group(1, 1)], at(0)).await.unwrap();
            let sql = match column {
                "contract_latest_start_date" => {
                    "UPDATE product_group SET contract_latest_start_date = '2026-08-31'"
                }
                _ => "UPDATE product_group SET contract_latest_end_date = '2027-05-31'",
            };
            let refused = tx.execute(&gateway_database::Sql::both(sql), Vec::new()).await.unwrap_err();
            assert!(refused.is_refused(), "{column}: {refused:?}");
        }
    }
}
