mod rows;

use super::*;
use crate::testing::{self, samples::at};
use gateway_domain_finance::{Alert, AlertCode};

/// The submission of a document, changed so many seconds after the first one.
async fn stored(tx: &mut Tx, id: u128, workspace: i64, second: i64, alerted: bool) -> InvoiceId {
    let document = InvoiceId(Uuid::from_u128(id));
    let requested = Submission::requested(document, WorkspaceId(workspace), "jane".to_owned(), at(second));
    let alert = Alert { code: AlertCode::ProviderNotConfigured, message: "set provider.base_url".to_owned() };
    let submission = Submission { alert: alerted.then_some(alert), ..requested };
    assert!(insert(tx, &submission).await.unwrap());
    document
}

#[tokio::test]
async fn what_waits_for_somebody_is_listed_before_what_changed_last_and_only_to_whom_it_may_concern() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        let old = stored(&mut tx, 1, 1, 0, true).await;
        let new = stored(&mut tx, 2, 1, 1, false).await;
        let others = stored(&mut tx, 3, 2, 2, true).await;
        let newest = stored(&mut tx, 4, 1, 3, false).await;
        let one = Workspaces::Only(vec![WorkspaceId(1)]);
        let (every, alerted) =
            (SubmissionFilter::default(), SubmissionFilter { alerted: true, ..SubmissionFilter::default() });
        let ended = SubmissionFilter { stage: Some(Stage::Accepted), ..every };
        let two = Workspaces::Only(vec![WorkspaceId(1), WorkspaceId(2)]);
        for (visible, filter, (offset, size), expected) in [
            (&Workspaces::All, every, (0, 9), vec![others, old, newest, new]),
            (&one, every, (0, 9), vec![old, newest, new]),
            (&one, every, (0, 2), vec![old, newest]),
            (&Workspaces::All, alerted, (0, 9), vec![others, old]),
            (&one, alerted, (0, 1), vec![old]),
            (&one, ended, (0, 9), Vec::new()),
            (&Workspaces::Only(Vec::new()), every, (0, 9), Vec::new()),
            (&Workspaces::All, alerted, (1, 9), vec![old]),
            (&two, alerted, (1, 1), vec![old]),
            (&two, every, (1, 2), vec![old, newest]),
            (&one, alerted, (1, 9), Vec::new()),
        ] {
            let window = Window { offset, size };
            let listed = list(&mut tx, visible, filter, window).await.unwrap();
            let listed: Vec<_> = listed.into_iter().map(|submission| submission.document).collect();
            assert_eq!(listed, expected, "{visible:?} {filter:?} {window:?}");
        }
    }
}

#[tokio::test]
async fn the_submissions_of_several_documents_are_what_each_of_them_is_alone() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        let (one, two) = (stored(&mut tx, 1, 1, 0, true).await, stored(&mut tx, 2, 1, 1, false).await);
        let others = stored(&mut tx, 3, 2, 2, false).await;
        let visible = Workspaces::Only(vec![WorkspaceId(1)]);
        let found = of_documents(&mut tx, &[one, two, others], &visible).await.unwrap();
        assert_eq!(found.len(), 2);
        for submission in found {
            let alone = find(&mut tx, submission.document, &visible).await.unwrap();
            assert_eq!(Some(submission), alone);
        }
    }
}
