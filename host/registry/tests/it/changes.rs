//! What is in force: installed, activated, taken back, followed.

use crate::harness::*;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::Clock;
use gateway_domain::regime::PluginComponent;
use gateway_domain::regime::{CanaryShare, PluginRef};
use gateway_registry::{
    ActivationReport, ListedVersion, Order, PluginError, PluginState, Plugins, RollbackScope, Runtime,
};
use gateway_storage::audit;
use gateway_storage::plugins as store;
use gateway_storage::testing;
use gateway_storage::testing::PresentTime;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_version_that_contradicts_its_own_samples_leaves_the_old_one_serving() {
    for db in testing::both().await {
        let plugins = registry(db.db());
        install(&plugins, &["1", "true", "false"]).await;
        activate(&plugins, "1").await.unwrap();
        let refused = activate(&plugins, "false").await.unwrap_err();
        assert!(refused.to_string().contains("its own sample 'empty' fails"), "{refused}");
        assert_eq!(serving(&plugins), ["1"]);
        activate(&plugins, "true").await.unwrap();
        assert_eq!(serving(&plugins), ["true"]);
    }
}

#[tokio::test]
async fn rolling_back_everywhere_is_one_change_that_names_the_workspaces_it_moves() {
    for db in testing::both().await {
        let plugins = registry(db.db());
        install(&plugins, &["1", "2", "3"]).await;
        for version in ["1", "2"] {
            activate(&plugins, version).await.unwrap();
        }
        for (workspace, version) in [(7, "3"), (8, "1")] {
            testing::samples::stored_workspace(db.db(), workspace).await;
            let own = Order { workspace: Some(WorkspaceId(workspace)), ..order(version) };
            plugins.activate(&Actor::operator(), &own, None).await.unwrap();
        }
        let done = plugins.roll_back(&Actor::operator(), &key(), RollbackScope::Everywhere).await.unwrap();
        let moved: Vec<_> = done.moved.iter().map(|own| (own.workspace.0, own.version.as_str())).collect();
        assert_eq!((done.plugin.version.as_str(), moved), ("1", vec![(7, "3")]));
        assert_eq!(done.own_versions, [], "who has it as a version of their own stays there");
        let in_force = store::in_force(db.db()).await.unwrap();
        let in_force: Vec<_> =
            in_force.iter().map(|row| (row.workspace, row.plugin.version.as_str())).collect();
        assert_eq!(in_force, [(None, "1"), (Some(WorkspaceId(8)), "1")]);
        assert_eq!(store::generation(db.db()).await.unwrap(), done.generation);
    }
}

#[tokio::test]
async fn rolling_back_walks_through_what_served_before() {
    for db in testing::both().await {
        let plugins = registry(db.db());
        install(&plugins, &["1", "2", "3"]).await;
        for version in ["1", "2", "3", "3"] {
            activate(&plugins, version).await.unwrap();
        }
        for before in ["2", "1"] {
            let target = plugins.roll_back_target(&key(), None).await.unwrap();
            assert_eq!(target.to_string(), format!("plain@{before}"));
            plugins.roll_back(&Actor::operator(), &key(), RollbackScope::Everybody).await.unwrap();
            assert_eq!(serving(&plugins), [before]);
        }
        let end = plugins.roll_back(&Actor::operator(), &key(), RollbackScope::Everybody).await;
        assert!(matches!(end, Err(PluginError::NothingBefore(_))), "{end:?}");
        plugins.disable(&Actor::operator(), &key(), None).await.unwrap();
        assert_eq!(serving(&plugins), Vec::<String>::new());
        plugins.roll_back(&Actor::operator(), &key(), RollbackScope::Everybody).await.unwrap();
        assert_eq!(serving(&plugins), ["1"]);
        let actions: Vec<_> = audit::page(db.db(), None, 3).await.unwrap();
        let actions: Vec<_> =
            actions.iter().map(|entry| (entry.action.as_str(), entry.subject.as_str())).collect();
        let plain = "plugin:plain@1";
        assert_eq!(
            actions,
            [("plugin.rollback", plain), ("plugin.disable", plain), ("plugin.rollback", plain)]
        );
    }
}

#[tokio::test]
async fn what_does_not_load_leaves_the_old_version_serving_and_is_said() {
    for db in testing::both().await {
        let (here, there) = (registry(db.db()), registry(db.db()));
        install(&here, &["1", "2"]).await;
        activate(&here, "1").await.unwrap();
        assert_eq!(there.catch_up().await.unwrap().problem, None);
        there.runtime().broken.lock().unwrap().insert("2".to_owned());
        activate(&here, "2").await.unwrap();
        let status = there.catch_up().await.unwrap();
        assert_eq!(
            status.problem.as_deref(),
            Some("plain@2: the plugin plain@2 is refused: it does not load: build it again")
        );
        assert_eq!((serving(&here), serving(&there)), (vec!["2".to_owned()], vec!["1".to_owned()]));

        here.runtime().broken.lock().unwrap().insert("1".to_owned());
        let refused = activate(&here, "1").await;
        assert!(matches!(refused, Err(PluginError::NotLoaded(_))), "{refused:?}");
        assert_eq!(serving(&here), ["2"]);
    }
}

#[tokio::test]
async fn forged_components_and_changed_versions_are_not_installed() {
    for db in testing::both().await {
        let plugins = registry(db.db());
        let forged = PluginComponent { signature: Some("forged".to_owned()), ..component("1") };
        let refused = plugins.install(&Actor::operator(), "a test", forged).await;
        assert!(matches!(refused, Err(PluginError::NotTrusted(_))), "{refused:?}");
        assert_eq!(plugins.list().await.unwrap().generation, 0, "nothing changed");
        install(&plugins, &["1", "1"]).await;
        assert_eq!(plugins.list().await.unwrap().generation, 1, "the second time changed nothing");
        let refused = activate(&plugins, "2").await;
        assert_eq!(refused.unwrap_err().to_string(), "plain@2 is not installed: did you mean plain@1?");
        activate(&plugins, "1").await.unwrap();
        let misspelt = plugins.disable(&Actor::operator(), &"plian".parse().unwrap(), None).await;
        assert_eq!(
            misspelt.unwrap_err().to_string(),
            "no version of plian is active there: did you mean plain?"
        );
        let nowhere = Order { workspace: Some(WorkspaceId(7)), ..order("1") };
        let refused = plugins.activate(&Actor::operator(), &nowhere, None).await;
        assert!(matches!(refused, Err(PluginError::UnknownWorkspace(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_misbehaves_serves_nobody_anywhere_until_it_is_activated_again() {
    for db in testing::both().await {
        let (here, there) = (registry(db.db()), registry(db.db()));
        install(&here, &["1"]).await;
        activate(&here, "1").await.unwrap();
        there.catch_up().await.unwrap();
        let stop = CancellationToken::new();
        let following = tokio::spawn(here.clone().follow("here".to_owned(), stop.clone()));
        here.runtime().blocked.lock().unwrap().insert("1".to_owned());
        until_serving(&here, &[]).await;
        assert_eq!(states(&here).await, [PluginState::Blocked]);
        let notices = testing::notices(db.db()).await;
        let [notice] = notices.as_slice() else { panic!("{notices:?}") };
        assert_eq!((notice.kind.as_str(), notice.workspace.0), ("plugin.blocked", 0));
        assert!(notice.data.contains(&format!("gateway plugin rollback {}", key())), "{}", notice.data);
        there.catch_up().await.unwrap();
        assert_eq!(serving(&there), Vec::<String>::new(), "also where it did not misbehave");

        activate(&there, "1").await.unwrap();
        until_serving(&here, &["1"]).await;
        // Whoever follows says so after each change: by now, of the one before.
        let replicas = there.list().await.unwrap().replicas;
        assert!(replicas.iter().map(|replica| replica.address.as_str()).eq(["here"]), "{replicas:?}");
        assert_eq!(states(&here).await, [PluginState::Active]);
        assert!(here.runtime().blocked().is_empty(), "it is called again");
        stop.cancel();
        following.await.unwrap();
        assert_eq!(here.list().await.unwrap().replicas, []);
    }
}

#[tokio::test]
async fn a_stored_component_that_is_another_than_was_installed_is_refused() {
    for db in testing::both().await {
        let plugins = registry(db.db());
        install(&plugins, &["1"]).await;
        plugins.examine(&plugin("1")).await.unwrap();
        let record = PluginRef { version: "2".to_owned(), ..plugin("1") };
        let refused = plugins.examine(&record).await.unwrap_err().to_string();
        assert!(refused.contains("the stored component is plain@1 with sha256 "), "{refused}");
        assert!(refused.ends_with(": install it again"), "{refused}");
    }
}

#[tokio::test]
async fn what_is_activated_because_nobody_decided_does_not_contradict_who_decides_meanwhile() {
    for db in testing::both().await {
        let plugins = registry(&db);
        for version in ["1", "2"] {
            plugins.install(&Actor::operator(), "test", component(version)).await.unwrap();
        }
        assert!(!plugins.is_decided(&key()).await.unwrap());
        activate(&plugins, "1").await.unwrap();
        let late = plugins.activate_first(&Actor::operator(), &order("2")).await;
        assert!(matches!(late, Err(PluginError::ConcurrentChange(_))), "{late:?}");
    }
}

fn share(percent: i64) -> CanaryShare {
    CanaryShare::try_from(percent).unwrap()
}

/// Lets a version serve a share of everybody's documents, or of those of one workspace.
async fn start_canary(
    plugins: &Plugins<Texts>,
    version: &str,
    percent: i64,
    workspace: Option<WorkspaceId>,
) -> Result<ActivationReport, PluginError> {
    let order = Order { workspace, share: Some(share(percent)), ..order(version) };
    plugins.activate(&Actor::operator(), &order, None).await
}

#[tokio::test]
async fn a_canary_serves_its_share_until_it_is_put_in_force_or_taken_back() {
    for db in testing::both().await {
        let plugins = registry(db.db());
        install(&plugins, &["1", "2", "false"]).await;
        let alone = start_canary(&plugins, "2", 10, None).await;
        assert!(matches!(alone, Err(PluginError::NothingBeside(_))), "{alone:?}");
        activate(&plugins, "1").await.unwrap();
        let itself = start_canary(&plugins, "1", 10, None).await;
        assert!(matches!(itself, Err(PluginError::InForce(_))), "{itself:?}");
        let untrue = start_canary(&plugins, "false", 10, None).await;
        assert!(matches!(untrue, Err(PluginError::CanaryFailed { .. })), "{untrue:?}");

        for percent in [10, 50] {
            let started = start_canary(&plugins, "2", percent, None).await.unwrap();
            assert_eq!((started.share, started.replaced.as_deref()), (Some(share(percent)), Some("1")));
            assert_eq!(serving(&plugins), ["1".to_owned(), format!("2 {percent} %")]);
        }
        let state =
            |listed: &ListedVersion| (listed.plugin.version.clone(), listed.state, listed.canaries.len());
        let listed: Vec<_> = plugins.list().await.unwrap().plugins.iter().map(state).collect();
        assert!(listed.contains(&("2".to_owned(), PluginState::Active, 1)), "{listed:?}");

        let promoted = plugins.activate(&Actor::operator(), &order("2"), None).await.unwrap();
        assert_eq!((promoted.replaced.as_deref(), promoted.ended_canaries.len()), (Some("1"), 1));
        assert_eq!(serving(&plugins), ["2"]);

        start_canary(&plugins, "1", 99, None).await.unwrap();
        assert_eq!(plugins.roll_back_target(&key(), None).await.unwrap().to_string(), "plain@2");
        let back = plugins.roll_back(&Actor::operator(), &key(), RollbackScope::Everybody).await.unwrap();
        assert_eq!((back.plugin.version.as_str(), back.replaced.as_deref()), ("2", Some("1")));
        assert_eq!(serving(&plugins), ["2"], "the version in force is still that one");
        plugins.roll_back(&Actor::operator(), &key(), RollbackScope::Everybody).await.unwrap();
        assert_eq!(serving(&plugins), ["1"]);

        let entries = audit::page(db.db(), None, 6).await.unwrap();
        let actions: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
        let promotion = ["plugin.canary_end", "plugin.activate"];
        assert_eq!(actions[..3], ["plugin.rollback", "plugin.canary_end", "plugin.canary"]);
        assert_eq!(actions[3..5], promotion);
        assert_eq!(entries[5].action, "plugin.canary");
        assert_eq!(entries[5].subject, "plugin:plain@2");
    }
}

#[tokio::test]
async fn a_canary_ends_when_the_version_in_force_beside_it_changes() {
    const ONE: Option<WorkspaceId> = Some(WorkspaceId(1));
    for db in testing::both().await {
        let plugins = registry(db.db());
        testing::samples::stored_workspace(db.db(), 1).await;
        install(&plugins, &["1", "2", "3"]).await;
        activate(&plugins, "1").await.unwrap();
        start_canary(&plugins, "2", 10, None).await.unwrap();
        start_canary(&plugins, "2", 30, ONE).await.unwrap();
        assert_eq!(serving(&plugins), ["1", "2 10 %", "2 30 %"]);
        let replaced = start_canary(&plugins, "3", 40, ONE).await.unwrap();
        assert_eq!(replaced.ended_canaries.len(), 1);
        assert_eq!(serving(&plugins), ["1", "2 10 %", "3 40 %"]);

        let activated = plugins.activate(&Actor::operator(), &order("3"), None).await.unwrap();
        assert_eq!(activated.ended_canaries.len(), 2, "both stood beside what everybody had");
        assert_eq!(serving(&plugins), ["3"]);

        start_canary(&plugins, "2", 30, ONE).await.unwrap();
        let disabled = plugins.disable(&Actor::operator(), &key(), ONE).await.unwrap();
        assert_eq!(disabled.iter().map(ToString::to_string).collect::<Vec<_>>(), ["plain@2"]);
        assert_eq!(serving(&plugins), ["3"]);
        start_canary(&plugins, "2", 30, None).await.unwrap();
        let disabled = plugins.disable(&Actor::operator(), &key(), None).await.unwrap();
        assert_eq!(disabled.len(), 2, "{disabled:?}");
        assert_eq!(serving(&plugins), Vec::<String>::new());

        // A release of the gateway from before there were canaries changes what is in force, and leaves the row.
        activate(&plugins, "1").await.unwrap();
        start_canary(&plugins, "2", 30, None).await.unwrap();
        let before = store::newest(db.db(), &key(), None).await.unwrap().unwrap();
        let mut tx = db.db().begin().await.unwrap();
        let generation = store::next_generation(&mut tx).await.unwrap();
        let (version, previous) = (Some("3".to_owned()), Some(before.generation));
        let change = store::Activation { generation, version, previous };
        let now = PresentTime.now();
        store::record(&mut tx, &key(), None, &change, &Actor::operator(), now).await.unwrap();
        tx.commit().await.unwrap();
        plugins.catch_up().await.unwrap();
        assert_eq!(serving(&plugins), ["3"]);
    }
}

#[tokio::test]
async fn a_canary_that_misbehaves_or_does_not_load_leaves_its_documents_to_the_version_in_force() {
    for db in testing::both().await {
        let (here, there) = (registry(db.db()), registry(db.db()));
        install(&here, &["1", "2"]).await;
        activate(&here, "1").await.unwrap();
        start_canary(&here, "2", 50, None).await.unwrap();
        there.runtime().broken.lock().unwrap().insert("2".to_owned());
        let problem = there.catch_up().await.unwrap().problem.unwrap();
        assert!(problem.contains("plain@2 is refused: it does not load"), "{problem}");
        assert_eq!(serving(&there), ["1"]);

        let stop = CancellationToken::new();
        let following = tokio::spawn(here.clone().follow("here".to_owned(), stop.clone()));
        here.runtime().blocked.lock().unwrap().insert("2".to_owned());
        until_serving(&here, &["1"]).await;
        let listed = here.list().await.unwrap().plugins;
        let canary = listed.iter().find(|listed| listed.plugin.version == "2").unwrap();
        assert_eq!((canary.state, canary.canaries.len()), (PluginState::Blocked, 1));
        start_canary(&there, "2", 50, None).await.unwrap_err();
        there.runtime().broken.lock().unwrap().clear();
        start_canary(&there, "2", 60, None).await.unwrap();
        until_serving(&here, &["1", "2 60 %"]).await;
        assert!(here.runtime().blocked().is_empty(), "it is called again");
        stop.cancel();
        following.await.unwrap();
    }
}
