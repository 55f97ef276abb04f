use super::canaries::{self, Canary};
use super::*;
use gateway_domain::regime::CanaryShare;
use gateway_storage::testing::{self, samples::at};

const ONE: Option<WorkspaceId> = Some(WorkspaceId(1));

fn plugin(version: &str, digit: char) -> PluginRef {
    let digest = digit.to_string().repeat(64);
    PluginRef { key: "es-verifactu".parse().unwrap(), version: version.to_owned(), digest }
}

async fn put(tx: &mut Tx, plugin: &PluginRef, signature: Option<&str>) -> bool {
    let component = PluginComponent { bytes: vec![0, 97], signature: signature.map(str::to_owned) };
    install(tx, plugin, &component, "{}", &Actor::operator(), at(0)).await.unwrap()
}

async fn activate(tx: &mut Tx, plugin: &PluginRef, workspace: Option<WorkspaceId>, version: Option<&str>) {
    let previous = newest(&mut *tx, &plugin.key, workspace).await.unwrap().map(|row| row.generation);
    let generation = next_generation(tx).await.unwrap();
    let change = Activation { generation, version: version.map(str::to_owned), previous };
    record(tx, &plugin.key, workspace, &change, &Actor::operator(), at(1)).await.unwrap();
}

#[tokio::test]
async fn a_version_is_one_artifact_for_ever() {
    for db in testing::both().await {
        let (first, second) = (plugin("1.0.0", 'a'), plugin("1.1.0", 'b'));
        let mut tx = db.begin().await.unwrap();
        assert!(put(&mut tx, &first, None).await);
        assert!(!put(&mut tx, &first, Some("signed")).await, "a second time changes nothing");
        assert!(!put(&mut tx, &plugin("1.0.0", 'c'), None).await, "another digest");
        assert!(!put(&mut tx, &plugin("2.0.0", 'a'), None).await, "another version");
        assert!(put(&mut tx, &second, None).await);
        tx.commit().await.unwrap();
        let versions = versions(db.db(), Some(&first.key)).await.unwrap();
        let known: Vec<_> = versions.iter().map(|version| version.plugin.clone()).collect();
        assert_eq!(known, [first.clone(), second]);
        assert_eq!(versions[0].signature.as_deref(), Some("signed"), "a missing signature is added");
        assert_eq!((versions[0].size, versions[0].was_active), (2, false));
        let kept = component(db.db(), &first.digest).await.unwrap().unwrap();
        assert_eq!((kept.bytes, kept.signature.as_deref()), (vec![0, 97], Some("signed")));
        assert_eq!(component(db.db(), "x").await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_component_is_settled_when_it_is_installed_as_it_is_and_its_key_is_decided_about() {
    for db in testing::both().await {
        let plugin = plugin("1.0.0", 'a');
        let is_settled = async |is_signed| is_settled(db.db(), &plugin.digest, is_signed).await.unwrap();
        assert!(!is_settled(false).await, "it is not installed");
        let mut tx = db.begin().await.unwrap();
        put(&mut tx, &plugin, None).await;
        activate(&mut tx, &plugin, ONE, Some("1.0.0")).await;
        tx.commit().await.unwrap();
        assert!(!is_settled(false).await, "nobody decided for everybody");
        let mut tx = db.begin().await.unwrap();
        activate(&mut tx, &plugin, None, Some("1.0.0")).await;
        tx.commit().await.unwrap();
        assert!(is_settled(false).await);
        assert!(!is_settled(true).await, "its signature is not kept");
        let mut tx = db.begin().await.unwrap();
        put(&mut tx, &plugin, Some("signed")).await;
        activate(&mut tx, &plugin, None, None).await;
        tx.commit().await.unwrap();
        assert!(is_settled(true).await && is_settled(false).await, "that it serves nobody is a decision too");
    }
}

#[tokio::test]
async fn the_newest_change_of_each_workspace_is_in_force() {
    for db in testing::both().await {
        let (first, second) = (plugin("1.0.0", 'a'), plugin("1.1.0", 'b'));
        let mut tx = db.begin().await.unwrap();
        put(&mut tx, &first, None).await;
        put(&mut tx, &second, None).await;
        activate(&mut tx, &first, None, Some("1.0.0")).await;
        activate(&mut tx, &first, ONE, Some("1.0.0")).await;
        activate(&mut tx, &first, ONE, Some("1.1.0")).await;
        tx.commit().await.unwrap();
        let everybody = InForce { plugin: first.clone(), workspace: None, generation: 1, blocked: false };
        let one = InForce { plugin: second.clone(), workspace: ONE, generation: 3, blocked: false };
        assert_eq!(in_force(db.db()).await.unwrap(), [everybody, one.clone()]);
        assert_eq!(generation(db.db()).await.unwrap(), 3);
        let newest = newest(db.db(), &first.key, ONE).await.unwrap().unwrap();
        let before = activation(db.db(), &first.key, ONE, newest.previous.unwrap()).await.unwrap();
        assert_eq!(before.unwrap().version.as_deref(), Some("1.0.0"));

        let mut tx = db.begin().await.unwrap();
        assert!(block(&mut tx, &first.key, "1.1.0", "it trapped", at(2)).await.unwrap());
        assert!(!block(&mut tx, &first.key, "1.1.0", "again", at(3)).await.unwrap());
        activate(&mut tx, &first, None, None).await;
        tx.commit().await.unwrap();
        assert_eq!(in_force(db.db()).await.unwrap(), [InForce { blocked: true, ..one }]);
        assert_eq!(blocked(db.db()).await.unwrap(), 1);
        let all = versions(db.db(), None).await.unwrap();
        assert_eq!(all[1].blocked, Some((at(2), "it trapped".to_owned())));
        assert!(all.iter().all(|version| version.was_active));
        let mut tx = db.begin().await.unwrap();
        unblock(&mut tx, &first.key, "1.1.0").await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(versions(db.db(), None).await.unwrap()[1].blocked, None);
        assert_eq!(blocked(db.db()).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn a_rollback_returns_to_what_served_before_unless_that_is_blocked() {
    for db in testing::both().await {
        let (first, second) = (plugin("1.0.0", 'a'), plugin("1.1.0", 'b'));
        let targets = async || rollback_targets(db.db()).await.unwrap();
        let mut tx = db.begin().await.unwrap();
        put(&mut tx, &first, None).await;
        put(&mut tx, &second, None).await;
        activate(&mut tx, &first, None, Some("1.0.0")).await;
        tx.commit().await.unwrap();
        assert_eq!(targets().await, []);

        let mut tx = db.begin().await.unwrap();
        activate(&mut tx, &first, None, Some("1.1.0")).await;
        activate(&mut tx, &first, ONE, Some("1.1.0")).await;
        activate(&mut tx, &first, ONE, Some("1.0.0")).await;
        tx.commit().await.unwrap();
        assert_eq!(targets().await, [first.clone(), second]);

        let mut tx = db.begin().await.unwrap();
        block(&mut tx, &first.key, "1.1.0", "it trapped", at(2)).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(targets().await, [first]);
    }
}

async fn start_canary(
    tx: &mut Tx,
    plugin: &PluginRef,
    workspace: Option<WorkspaceId>,
    percent: i64,
) -> Canary {
    let in_force = in_force(&mut *tx).await.unwrap();
    let at_own = in_force.iter().find(|row| row.workspace == workspace);
    let beside = at_own.or_else(|| in_force.iter().find(|row| row.workspace.is_none())).unwrap().generation;
    let generation = next_generation(tx).await.unwrap();
    let share = CanaryShare::try_from(percent).unwrap();
    let canary = Canary { plugin: plugin.clone(), workspace, share, beside, generation, blocked: false };
    canaries::put(tx, &canary, &Actor::operator(), at(1)).await.unwrap();
    canary
}

#[tokio::test]
async fn a_canary_counts_as_long_as_the_version_in_force_that_it_stands_beside() {
    for db in testing::both().await {
        let (first, second) = (plugin("1.0.0", 'a'), plugin("1.1.0", 'b'));
        let mut tx = db.begin().await.unwrap();
        put(&mut tx, &first, None).await;
        put(&mut tx, &second, None).await;
        activate(&mut tx, &first, None, Some("1.0.0")).await;
        start_canary(&mut tx, &second, None, 10).await;
        let everybody = start_canary(&mut tx, &second, None, 20).await;
        let one = start_canary(&mut tx, &second, ONE, 30).await;
        assert_eq!(canaries::standing(&mut tx).await.unwrap(), [everybody.clone(), one.clone()]);
        assert_eq!(canaries::standing_at(&mut tx, &first.key, ONE).await.unwrap(), Some(one.clone()));

        // The workspace has a version of its own now, which its canary does not stand beside.
        activate(&mut tx, &first, ONE, Some("1.0.0")).await;
        assert_eq!(canaries::standing_at(&mut tx, &first.key, ONE).await.unwrap(), None);
        assert_eq!(canaries::remove_ended(&mut tx, &first.key).await.unwrap(), [one]);
        assert_eq!(canaries::standing(&mut tx).await.unwrap(), std::slice::from_ref(&everybody));

        // What everybody has changes, and the workspace keeps what it has.
        let one = start_canary(&mut tx, &second, ONE, 40).await;
        block(&mut tx, &first.key, "1.1.0", "it trapped", at(2)).await.unwrap();
        activate(&mut tx, &first, None, None).await;
        let one = Canary { blocked: true, ..one };
        assert_eq!(canaries::standing(&mut tx).await.unwrap(), [one]);
        let ended = canaries::remove_ended(&mut tx, &first.key).await.unwrap();
        assert_eq!(ended, [Canary { blocked: true, ..everybody }]);
        assert!(canaries::remove(&mut tx, &first.key, ONE).await.unwrap());
        assert!(!canaries::remove(&mut tx, &first.key, ONE).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(canaries::standing(db.db()).await.unwrap(), []);
    }
}

#[tokio::test]
async fn processes_say_how_far_they_followed_and_are_forgotten() {
    for db in testing::both().await {
        let replica = |n: u128, generation, seconds| Replica {
            id: Uuid::from_u128(n),
            address: format!("http://127.0.0.1:{n}"),
            generation,
            problem: (n == 2).then(|| "it does not load".to_owned()),
            seen_at: at(seconds),
            version: (n != 1).then(|| "0.1.0".to_owned()),
        };
        let mut tx = db.begin().await.unwrap();
        for replica in [replica(1, 1, 0), replica(2, 1, 5), replica(3, 1, 9), replica(2, 2, 10)] {
            put_replica(&mut tx, &replica).await.unwrap();
        }
        tx.commit().await.unwrap();
        assert_eq!(replicas(db.db(), at(5)).await.unwrap(), [replica(2, 2, 10), replica(3, 1, 9)]);
        let mut tx = db.begin().await.unwrap();
        forget(&mut tx, Uuid::from_u128(3), at(5)).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(replicas(db.db(), at(0)).await.unwrap(), [replica(2, 2, 10)]);
    }
}
