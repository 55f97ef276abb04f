//! Versions that come in force at a time.

use crate::harness::{activate, install, key, order, registry_at, serving, until_serving};
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_registry::{DueTime, Order, PluginError, PluginName, ScheduledVersion};
use gateway_storage::audit;
use gateway_storage::testing::samples::{at, stored_workspace};
use gateway_storage::testing::{self, TestClock};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn operator() -> Actor {
    Actor::operator()
}

fn in_hours(hours: i64) -> DueTime {
    DueTime::At(at(0) + SignedDuration::from_hours(hours))
}

fn due(scheduled: &[ScheduledVersion]) -> Vec<(&str, Timestamp)> {
    scheduled.iter().map(|it| (it.plugin.version.as_str(), it.due_at)).collect()
}

#[tokio::test]
async fn a_scheduled_version_comes_in_force_when_it_is_due_in_every_process_once() {
    for db in testing::both().await {
        let clock = Arc::new(TestClock::at(at(0)));
        let (here, there) = (registry_at(db.db(), clock.clone()), registry_at(db.db(), clock.clone()));
        install(&here, &["1", "2"]).await;
        activate(&here, "1").await.unwrap();
        let report = here.schedule(&operator(), (&order("2"), in_hours(1)), None).await.unwrap();
        assert_eq!(due(&[report.scheduled]), [("2", at(0) + HOUR)]);
        assert!(here.list().await.unwrap().waiting().is_empty(), "it does not wait for anybody");

        let stop = CancellationToken::new();
        let processes = [&here, &there];
        let following = processes.map(|it| tokio::spawn(it.clone().follow("it".to_owned(), stop.clone())));
        until_serving(&there, &["1"]).await;
        clock.advance(HOUR);
        for process in processes {
            until_serving(process, &["2"]).await;
        }
        stop.cancel();
        for following in following {
            following.await.unwrap();
        }
        assert_eq!(here.list().await.unwrap().scheduled, []);
        let actions = audit::page(db.db(), None, 9).await.unwrap();
        let activations = actions.iter().filter(|entry| entry.action == "plugin.activate");
        assert_eq!(activations.count(), 2, "whoever is first activates it for all");
        let back = here.roll_back_target(&key(), None).await.unwrap();
        assert_eq!(back.version, "1", "it is taken back like any other");
    }
}

#[tokio::test]
async fn what_cannot_come_in_force_leaves_the_version_before_and_is_said_once() {
    for db in testing::both().await {
        let clock = Arc::new(TestClock::at(at(0)));
        let plugins = registry_at(db.db(), clock.clone());
        install(&plugins, &["1", "2"]).await;
        activate(&plugins, "1").await.unwrap();
        plugins.schedule(&operator(), (&order("2"), in_hours(1)), None).await.unwrap();
        plugins.runtime().broken.lock().unwrap().insert("2".to_owned());
        clock.advance(HOUR);
        let stop = CancellationToken::new();
        let following = tokio::spawn(plugins.clone().follow("it".to_owned(), stop.clone()));
        let missed = loop {
            let notices = testing::notices(db.db()).await;
            if !notices.is_empty() {
                break notices;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(serving(&plugins), ["1"]);
        let [scheduled] = &plugins.list().await.unwrap().scheduled[..] else { panic!("it stays") };
        let problem = scheduled.problem.as_deref().unwrap_or_default();
        assert!(problem.contains("does not load"), "{problem}");
        let [notice] = missed.as_slice() else { panic!("{missed:?}") };
        assert_eq!((notice.kind.as_str(), notice.workspace.0), ("plugin.not_activated", 0));

        plugins.runtime().broken.lock().unwrap().clear();
        clock.advance(HOUR);
        until_serving(&plugins, &["2"]).await;
        stop.cancel();
        following.await.unwrap();
        assert_eq!(testing::notices(db.db()).await.len(), 1);
        assert_eq!(plugins.list().await.unwrap().scheduled, []);
    }
}

#[tokio::test]
async fn what_is_taken_back_or_replaced_never_comes_in_force() {
    for db in testing::both().await {
        let clock = Arc::new(TestClock::at(at(0)));
        let plugins = registry_at(db.db(), clock.clone());
        install(&plugins, &["1", "2", "3"]).await;
        activate(&plugins, "1").await.unwrap();
        for (version, hours) in [("2", 1), ("3", 1), ("2", 2)] {
            plugins.schedule(&operator(), (&order(version), in_hours(hours)), None).await.unwrap();
        }
        let scheduled = plugins.list().await.unwrap().scheduled;
        assert_eq!(due(&scheduled), [("3", at(0) + HOUR), ("2", at(0) + HOUR + HOUR)]);
        let name = |version: &str| PluginName { key: key(), version: version.to_owned() };
        plugins.unschedule(&operator(), &name("2"), None).await.unwrap();
        let refused = plugins.unschedule(&operator(), &name("2"), None).await;
        assert!(matches!(refused, Err(PluginError::NotScheduled(_))), "{refused:?}");
        let refused = plugins.unschedule(&operator(), &name("4"), None).await;
        assert!(matches!(refused, Err(PluginError::Unknown { .. })), "{refused:?}");
        assert_eq!(due(&plugins.list().await.unwrap().scheduled), [("3", at(0) + HOUR)]);
    }
}

#[tokio::test]
async fn a_day_begins_where_the_workspace_is() {
    for db in testing::both().await {
        let plugins = registry_at(db.db(), Arc::new(TestClock::at(at(0))));
        install(&plugins, &["1"]).await;
        stored_workspace(db.db(), 7).await;
        let day: DueTime = "2027-01-01".parse().unwrap();
        let own = Order { workspace: Some(WorkspaceId(7)), ..order("1") };
        let report = plugins.schedule(&operator(), (&own, day), None).await.unwrap();
        assert_eq!(report.scheduled.due_at.to_string(), "2026-12-31T23:00:00Z");
        let everybody = plugins.schedule(&operator(), (&order("1"), day), None).await.unwrap();
        assert_eq!(
            everybody.scheduled.due_at.to_string(),
            "2027-01-01T00:00:00Z",
            "nobody has the tax system"
        );
        let past: DueTime = "2020-01-01".parse().unwrap();
        let refused = plugins.schedule(&operator(), (&order("1"), past), None).await;
        assert!(matches!(refused, Err(PluginError::DueInThePast(_))), "{refused:?}");
        let unknown = Order { workspace: Some(WorkspaceId(9)), ..order("1") };
        let refused = plugins.schedule(&operator(), (&unknown, day), None).await;
        assert!(matches!(refused, Err(PluginError::UnknownWorkspace(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn drafts_can_be_tried_on_what_is_scheduled_as_long_as_it_is() {
    for db in testing::both().await {
        let clock = Arc::new(TestClock::at(at(0)));
        let plugins = registry_at(db.db(), clock.clone());
        install(&plugins, &["1", "2", "3"]).await;
        activate(&plugins, "1").await.unwrap();
        plugins.schedule(&operator(), (&order("2"), in_hours(1)), None).await.unwrap();
        plugins.schedule(&operator(), (&order("3"), in_hours(2)), None).await.unwrap();
        plugins.runtime().broken.lock().unwrap().insert("3".to_owned());
        let status = plugins.catch_up().await.unwrap();
        assert_eq!(status.problem, None, "nobody is served by what is scheduled");
        plugins.load_coming().await;
        let coming = || {
            let coming = plugins.runtime().coming.lock().unwrap().clone();
            coming.into_iter().map(|it| (it.version.version, it.due_at, it.plugin)).collect::<Vec<_>>()
        };
        let (second, third) = ("2".to_owned(), "3".to_owned());
        let loaded = (second.clone(), at(0) + HOUR, Some(second));
        assert_eq!(coming(), [loaded.clone(), (third, at(0) + HOUR * 2, None)]);
        assert_eq!(serving(&plugins), ["1"]);
        plugins.runtime().broken.lock().unwrap().clear();
        plugins.load_coming().await;
        assert_eq!(coming()[1].2, Some("3".to_owned()), "what did not load is tried again");

        plugins.unschedule(&operator(), &order("3").name, None).await.unwrap();
        plugins.catch_up().await.unwrap();
        assert_eq!(coming(), [loaded]);
        clock.advance(HOUR);
        let stop = CancellationToken::new();
        let following = tokio::spawn(plugins.clone().follow("it".to_owned(), stop.clone()));
        until_serving(&plugins, &["2"]).await;
        stop.cancel();
        following.await.unwrap();
        assert_eq!(coming(), []);
    }
}
