use super::*;
use crate::testing::{self, samples::at};
use gateway_domain::invoicing::RecipientSearch;

fn values(status: Status, number: Option<String>) -> FilterValues {
    FilterValues {
        accepted_with_errors: false,
        status,
        booking: None,
        number,
        document_type: Some(DocumentKind::Invoice),
        issue_date: None,
        gross: "121.00".parse().ok(),
        recipient: BTreeSet::from(["jane".to_owned(), "roe".to_owned()]),
    }
}

fn copy(created_s: i64, version: i64, data: Option<&str>) -> DocumentCopy {
    DocumentCopy {
        document: InvoiceId(Uuid::from_u128(7)),
        workspace: WorkspaceId(1),
        age: (at(created_s), version),
        data: data.map(str::to_owned),
        listed_by: None,
        recipient_may_differ: true,
        updated_at: at(100),
    }
}

#[tokio::test]
async fn the_newest_state_stays_whatever_the_order() {
    let states = [
        copy(0, 1, Some("one")),
        copy(0, 2, Some("two")),
        copy(0, 3, None),
        copy(50, 1, Some("the id again")),
    ];
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        for (order, last) in [([0, 1, 2, 3], 3), ([1, 0, 2, 2], 2), ([3, 2, 1, 0], 3), ([2, 1, 1, 0], 2)] {
            clear(&mut tx, DocumentRange::default()).await.unwrap();
            for state in order {
                keep(&mut tx, std::slice::from_ref(&states[state])).await.unwrap();
            }
            let found = find(&mut tx, states[0].document, &Workspaces::All).await.unwrap();
            let DocumentCopy { age, data, .. } = states[last].clone();
            assert_eq!(found, Some((age, data)), "{order:?}");
        }
        assert_eq!(keep(&mut tx, &states[2..3]).await.unwrap(), 0, "the same state is no news");
    }
}

#[tokio::test]
async fn the_last_numbered_copies_of_a_workspace_are_found_newest_first() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        let states = [(1, 1, Some("F-1")), (2, 1, None), (4, 1, Some("F-4")), (5, 2, Some("F-5"))];
        for (id, workspace, number) in states {
            let number = number.map(str::to_owned);
            let document = InvoiceId(Uuid::from_u128(id));
            let second = i64::try_from(id).unwrap();
            let state = DocumentCopy {
                document,
                workspace: WorkspaceId(workspace),
                listed_by: Some(values(Status::Issued, number)),
                ..copy(second, 1, Some(&id.to_string()))
            };
            assert_eq!(keep(&mut tx, std::slice::from_ref(&state)).await.unwrap(), 1);
        }
        for (limit, expected) in [(9, vec!["4", "1"]), (1, vec!["4"])] {
            assert_eq!(super::numbered(&mut tx, WorkspaceId(1), limit).await.unwrap(), expected);
        }
    }
}

/// How the release before the lists of copies keeps one; it may run beside this one while replicas are replaced.
const KEEP_WITHOUT_VALUES: Sql = Sql::both(
    "INSERT INTO finance_document (document_id, workspace_id, created_at, version, data, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (document_id) DO UPDATE SET workspace_id = excluded.workspace_id, created_at = excluded.created_at,
            version = excluded.version, data = excluded.data, updated_at = excluded.updated_at",
);

#[tokio::test]
async fn copies_that_an_older_release_keeps_are_listed_by_their_own_values() {
    let issued = |number: &str| values(Status::Issued, Some(number.to_owned()));
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        let draft = values(Status::Draft, None);
        let first = DocumentCopy { listed_by: Some(draft), ..copy(0, 1, Some("draft")) };
        assert_eq!(keep(&mut tx, std::slice::from_ref(&first)).await.unwrap(), 1);
        assert_eq!(unlisted(&mut tx, 9).await.unwrap(), []);
        let other = InvoiceId(Uuid::from_u128(8));
        for (document, version, data) in [(first.document, 2_i64, "issued"), (other, 1, "new")] {
            let params = params![document, WorkspaceId(1), at(0), version, data, at(101)];
            tx.execute(&KEEP_WITHOUT_VALUES, params).await.unwrap();
        }
        let found = unlisted(&mut tx, 9).await.unwrap();
        assert_eq!(
            found.iter().map(|copy| (copy.version, copy.data.as_deref())).collect::<Vec<_>>(),
            [(2, Some("issued")), (1, Some("new"))]
        );
        assert_eq!(unlisted(&mut tx, 1).await.unwrap(), found[..1]);
        list(&mut tx, &UnlistedCopy { version: 1, ..found[0].clone() }, None).await.unwrap();
        assert_eq!(unlisted(&mut tx, 9).await.unwrap(), found, "another state is kept meanwhile");
        for (copy, number) in found.iter().zip(["F-1", "F-2"]) {
            list(&mut tx, copy, Some(&issued(number))).await.unwrap();
        }
        assert_eq!(unlisted(&mut tx, 9).await.unwrap(), []);
        tx.commit().await.unwrap();
        let filter = DocumentFilter { status: Some(Status::Issued), ..DocumentFilter::default() };
        let listed = page(db.db(), &Workspaces::All, &filter, None, 9).await.unwrap();
        assert_eq!(listed.iter().map(|copy| copy.data.as_str()).collect::<Vec<_>>(), ["issued", "new"]);
        let filter = DocumentFilter { number: Some("F-2".to_owned()), ..DocumentFilter::default() };
        assert_eq!(count(db.db(), &Workspaces::All, &filter).await.unwrap(), 1);
        for (prefix, documents) in [("F-", 2), ("F-2", 1), ("F", 2), ("f-", 0), ("F-22", 0), ("-", 0)] {
            let filter =
                DocumentFilter { number_prefix: Some(prefix.to_owned()), ..DocumentFilter::default() };
            assert_eq!(count(db.db(), &Workspaces::All, &filter).await.unwrap(), documents, "{prefix}");
        }
        let recipient = RecipientSearch::parse("jane ro");
        let filter = DocumentFilter { recipient, ..DocumentFilter::default() };
        assert_eq!(count(db.db(), &Workspaces::All, &filter).await.unwrap(), 2);
    }
}

#[tokio::test]
async fn texts_that_many_documents_match_find_the_same_as_those_of_few() {
    let many = SearchMatches { number_prefix: MatchCount::Many, recipient: vec![MatchCount::Many; 2] };
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        let copies: Vec<_> = (0..3)
            .map(|number| DocumentCopy {
                document: InvoiceId(Uuid::from_u128(number)),
                listed_by: Some(values(Status::Issued, Some(format!("F-{number}")))),
                ..copy(0, 1, Some("issued"))
            })
            .collect();
        keep(&mut tx, &copies).await.unwrap();
        tx.commit().await.unwrap();
        for (prefix, words, documents) in [
            ("F-", "jane ro", 3),
            ("F-2", "jane", 1),
            ("F-", "roe", 3),
            ("F-", "jane smith", 0),
            ("G", "jane", 0),
        ] {
            let filter = DocumentFilter {
                number_prefix: Some(prefix.to_owned()),
                recipient: RecipientSearch::parse(words),
                ..DocumentFilter::default()
            };
            for matches in [SearchMatches::default(), many.clone()] {
                for visible in [Workspaces::All, Workspaces::Only(vec![WorkspaceId(1)])] {
                    let found = query(&filter, &visible, &matches);
                    let count = lists::count(db.db().into(), TABLE, found).await.unwrap();
                    assert_eq!(count, documents, "{prefix} {words} {matches:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn the_copy_of_another_workspace_does_not_exist() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        let state = copy(0, 1, Some("{}"));
        assert_eq!(keep(&mut tx, std::slice::from_ref(&state)).await.unwrap(), 1);
        for (workspace, exists) in [(1, true), (2, false)] {
            let visible = Workspaces::Only(vec![WorkspaceId(workspace)]);
            assert_eq!(find(&mut tx, state.document, &visible).await.unwrap().is_some(), exists);
        }
    }
}
