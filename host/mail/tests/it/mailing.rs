use crate::world::worlds;
use gateway_mail::MailRound;
use gateway_storage::testing;

const OPS: &str = "ops@example.org";
const ANA: &str = "1=ana@example.org";

#[tokio::test]
async fn the_first_notice_is_mailed_at_once_and_what_follows_as_one_digest() {
    for world in worlds(&[OPS], &[]).await {
        assert_eq!(world.mailed().await, [], "nothing happened");
        world.alerted(Some(1), 1).await;
        let [first] = world.mailed().await.try_into().unwrap();
        assert_eq!(
            first,
            (OPS.to_owned(), "Submission waits for somebody: F-1 (retriesExhausted)".to_owned())
        );
        for document in [2, 3, 2] {
            world.pass(4);
            world.alerted(Some(1), document).await;
            assert_eq!(world.mailed().await, [], "it is too soon");
        }
        world.pass(3);
        world.round("me").await;
        let [digest] = world.messages().try_into().unwrap();
        assert_eq!(digest.subject, "2 submissions wait for somebody");
        assert!(digest.body.contains("2026-11-20 09:04 UTC, 11 min ago; noted 2 times"), "{}", digest.body);
        assert!(digest.body.contains("http://inside.example/console/invoices/"), "{}", digest.body);
        world.pass(60);
        assert_eq!(world.mailed().await, [], "nothing is mailed twice");
    }
}

#[tokio::test]
async fn each_workspace_has_its_recipients_and_they_are_told_nothing_of_others() {
    for world in worlds(&[OPS, ANA], &[]).await {
        for (workspace, document) in [(Some(1), 1), (Some(2), 2), (None, 3)] {
            world.alerted(workspace, document).await;
        }
        world.round("me").await;
        let [ana, ops] = world.messages().try_into().unwrap();
        assert!(ana.body.contains("F-1") && !ana.body.contains("F-2"), "{}", ana.body);
        assert!(ops.body.contains("F-2") && ops.body.contains("F-3"), "{}", ops.body);
        assert_ne!(ana.id, ops.id);
    }
}

#[tokio::test]
async fn a_server_that_takes_nothing_is_asked_ever_less_often_and_nothing_is_forgotten() {
    for world in worlds(&[OPS, ANA], &[]).await {
        world.refuse(Some(OPS));
        world.alerted(Some(1), 1).await;
        world.alerted(Some(2), 2).await;
        assert_eq!(world.round("me").await, MailRound { sent: 1, failed: 1 }, "ana is mailed all the same");
        world.alerted(Some(2), 3).await;
        assert_eq!(world.round("me").await, MailRound::default(), "the first wait");
        world.pass(1);
        assert_eq!(world.round("me").await, MailRound { sent: 0, failed: 1 });
        world.pass(1);
        assert_eq!(world.round("me").await, MailRound::default(), "the wait is twice as long");
        world.pass(1);
        world.refuse(None);
        world.messages();
        assert_eq!(
            world.mailed().await,
            [(OPS.to_owned(), "2 submissions wait for somebody".to_owned())],
            "with what came meanwhile"
        );
        assert_eq!(world.mailed().await, []);
    }
}

#[tokio::test]
async fn in_quiet_hours_a_workspace_is_left_in_peace_and_the_others_are_not() {
    // At nine in UTC it is ten in Madrid.
    for world in worlds(&[OPS], &["1=09:30-11:00"]).await {
        world.alerted(Some(1), 1).await;
        world.alerted(Some(2), 2).await;
        let subject = |document| format!("Submission waits for somebody: F-{document} (retriesExhausted)");
        assert_eq!(world.mailed().await, [(OPS.to_owned(), subject(2))]);
        world.pass(59);
        assert_eq!(world.mailed().await, []);
        world.pass(1);
        assert_eq!(world.mailed().await, [(OPS.to_owned(), subject(1))]);
    }
}

#[tokio::test]
async fn one_process_at_a_time_mails_and_another_goes_on_when_it_died() {
    for world in worlds(&[OPS], &[]).await {
        world.refuse(Some(OPS));
        world.alerted(Some(1), 1).await;
        assert_eq!(world.round("dies").await, MailRound { sent: 0, failed: 1 });
        world.refuse(None);
        world.pass(1);
        assert_eq!(world.round("me").await, MailRound::default(), "the other may live");
        testing::expire_leases(&world.db).await;
        assert_eq!(world.round("me").await, MailRound { sent: 1, failed: 0 });
    }
}

#[tokio::test]
async fn without_recipients_notices_are_passed_by_and_are_not_mailed_later() {
    for world in worlds(&[ANA], &[]).await {
        world.alerted(Some(2), 2).await;
        world.alerted(None, 3).await;
        let waiting = gateway_storage::mail::waiting(world.db.db(), 10).await.unwrap();
        assert!(waiting.is_empty(), "{waiting:?}");
        assert_eq!(world.round("me").await, MailRound::default());
    }
}
