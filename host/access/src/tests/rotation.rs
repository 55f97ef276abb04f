//! Another master key beside gateways that serve, and rotations of signing keys that meet.

use super::*;
use crate::secrets::{KeyStanding, Purpose, SealedFor};
use gateway_storage::testing::samples;
use gateway_storage::workspaces::{self, SealedProviderToken, SealedWebhookToken};
use tempfile::TempDir;

/// Several processes on one database and one key file.
struct Site {
    world: World,
    folder: TempDir,
}

impl Site {
    async fn both() -> Vec<Self> {
        let site = |world: World| Site { world, folder: tempfile::tempdir().unwrap() };
        World::both().await.into_iter().map(site).collect()
    }

    fn keyring(&self) -> Arc<Keyring> {
        Arc::new(Keyring::open_or_create(&self.folder.path().join("master.key")).unwrap())
    }

    fn process(&self) -> (Arc<Keyring>, Gateway) {
        let keyring = self.keyring();
        let gateway = self.world.gateway_with(&keyring, "https://gateway.example");
        (keyring, gateway)
    }

    fn master(&self, keyring: &Arc<Keyring>) -> MasterKeys {
        let world = &self.world;
        MasterKeys::new(world.db.db().clone(), Arc::clone(keyring), world.clock.clone(), world.ids.clone())
    }

    async fn store_tokens(&self, keyring: &Keyring, workspace: i64) {
        let id = WorkspaceId(workspace);
        let configuration = gateway_domain::workspace::EInvoicing {
            regime: "es-verifactu".parse().unwrap(),
            company_id: Uuid::from_u128(1),
            workflow_id: Uuid::from_u128(2),
            settings: json!({}),
        };
        let sealed = keyring.seal(SealedFor::ProviderToken(id), b"provider").unwrap();
        let token = SealedProviderToken { sealed, expires_at: None };
        let webhook = SealedWebhookToken {
            sealed: keyring.seal(SealedFor::WebhookToken(id), b"webhook").unwrap(),
            hash: keyring.hash(Purpose::WebhookToken, "webhook").bytes,
        };
        let mut tx = self.world.db.begin().await.unwrap();
        let now = self.world.clock.now();
        workspaces::put_e_invoicing(&mut tx, id, &configuration, &token, Some(webhook), now).await.unwrap();
        tx.commit().await.unwrap();
    }
}

#[tokio::test]
async fn a_rotation_seals_everything_anew_and_secrets_move_when_they_are_shown() {
    for site in Site::both().await {
        let db = site.world.db.db();
        let (serving, gateway) = site.process();
        for workspace in [1, 2] {
            samples::stored_workspace(db, workspace).await;
            site.store_tokens(&serving, workspace).await;
        }
        let [made, silent] = [
            gateway.clients.create(new_client(), &Actor::operator()).await.unwrap(),
            gateway.clients.create(new_client(), &Actor::operator()).await.unwrap(),
        ];
        let before = token(&gateway, &made).await.unwrap();
        let first = serving.keys()[0].0.clone();

        let beside = site.keyring();
        let master = site.master(&beside);
        let done = master.rotate(&Actor::operator()).await.unwrap();
        assert_eq!((done.fresh, done.resealed, done.damaged.as_slice()), (true, 5, &[][..]));
        assert_eq!(serving.keys()[0], (done.active.clone(), KeyStanding::Active));
        for workspace in [1, 2].map(WorkspaceId) {
            let stored = workspaces::e_invoicing(db, workspace).await.unwrap().unwrap();
            assert_eq!(&stored.token.sealed[1..9], done.active.as_bytes());
            let place = SealedFor::ProviderToken(workspace);
            assert_eq!(*serving.open_text(place, &stored.token.sealed).unwrap(), "provider");
            let webhook = stored.webhook_token.unwrap();
            assert_eq!(*serving.open_text(SealedFor::WebhookToken(workspace), &webhook).unwrap(), "webhook");
        }
        let hash = serving.hash(Purpose::WebhookToken, "webhook").bytes;
        assert_eq!(workspaces::by_webhook_token(db, &hash).await.unwrap(), [1, 2].map(WorkspaceId));

        let listed = master.list().await.unwrap();
        assert_eq!(listed[1].id, first);
        assert_eq!((listed[1].standing, listed[1].uses.sealed()), (Some(KeyStanding::Older), 0));
        assert_eq!(listed[1].uses.clients, [made.client.id, silent.client.id]);
        // The old secret works, and stands under the new key afterwards.
        world_time_passes(&site);
        token(&gateway, &made).await.unwrap();
        gateway.tokens.verify(&before).await.unwrap();
        assert_eq!(master.list().await.unwrap()[1].uses.clients, [silent.client.id]);
        token(&gateway, &made).await.unwrap();
        // What a disabled client knows opens nothing, so nothing is kept for it.
        gateway.clients.disable(silent.client.id, &Actor::operator()).await.unwrap();
        assert!(master.list().await.unwrap()[1].uses.is_none());

        // Without the old key's line everything works on.
        let path = site.folder.path().join("master.key");
        let text = std::fs::read_to_string(&path).unwrap();
        let kept: Vec<_> = text.lines().filter(|line| !line.starts_with(&first)).collect();
        std::fs::write(&path, kept.join("\n")).unwrap();
        let (fresh, restarted) = site.process();
        fresh.ensure_holds(keys::keyring_ids(db).await.unwrap().iter().map(String::as_str)).unwrap();
        assert_eq!(fresh.keys().len(), 1);
        let after = token(&restarted, &made).await.unwrap();
        for token in [&before, &after] {
            restarted.tokens.verify(token).await.unwrap();
        }
        let entries = audit::page(db, None, 4).await.unwrap();
        let actions: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
        assert_eq!(actions[..3], ["client.disable", "master_key.reseal", "master_key.rotate"]);
    }
}

/// Longer than a signing key is believed without looking again.
fn world_time_passes(site: &Site) {
    site.world.clock.advance(SignedDuration::from_millis(2_000));
}

#[tokio::test]
async fn a_rotation_that_died_is_finished_by_the_next_one() {
    for site in Site::both().await {
        let (keyring, gateway) = site.process();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        token(&gateway, &made).await.unwrap();
        // Died right after the file: everything is still sealed with the old key.
        let second = site.keyring().rotate().unwrap();
        let master = site.master(&keyring);
        let done = master.rotate(&Actor::operator()).await.unwrap();
        assert_eq!((done.active.as_str(), done.fresh, done.resealed), (second.as_str(), false, 1));
        let again = master.finish(&Actor::operator()).await.unwrap();
        assert_eq!((again.active.as_str(), again.resealed), (second.as_str(), 0));
        assert_eq!(keyring.keys().len(), 2);
        let next = master.rotate(&Actor::operator()).await.unwrap();
        assert!(next.fresh && next.active != second);
    }
}

#[tokio::test]
async fn what_a_staged_key_sealed_elsewhere_is_left_alone() {
    for site in Site::both().await {
        let (keyring, _) = site.process();
        let staged = keyring.stage().unwrap();
        let copy = site.folder.path().join("elsewhere.key");
        std::fs::copy(site.folder.path().join("master.key"), &copy).unwrap();
        let elsewhere = Arc::new(Keyring::open_or_create(&copy).unwrap());
        assert_eq!(elsewhere.rotate().unwrap(), staged);
        samples::stored_workspace(site.world.db.db(), 1).await;
        site.store_tokens(&elsewhere, 1).await;
        let done = site.master(&keyring).finish(&Actor::operator()).await.unwrap();
        assert_eq!(done.resealed, 0);
        let listed = site.master(&keyring).list().await.unwrap();
        assert_eq!((listed[1].standing, listed[1].uses.sealed()), (Some(KeyStanding::Staged), 2));
    }
}

#[tokio::test]
async fn an_envelope_that_does_not_open_is_named_and_stops_nothing() {
    for site in Site::both().await {
        let (keyring, gateway) = site.process();
        super::published(&gateway.tokens).await;
        samples::stored_workspace(site.world.db.db(), 1).await;
        site.store_tokens(&keyring, 1).await;
        let mut tx = site.world.db.begin().await.unwrap();
        // As if the row had been copied from another workspace.
        let foreign = keyring.seal(SealedFor::ProviderToken(WorkspaceId(9)), b"x").unwrap();
        let params = vec![foreign.into()];
        tx.execute(&Sql::both("UPDATE e_invoicing SET token = $1"), params).await.unwrap();
        tx.commit().await.unwrap();
        let done = site.master(&keyring).rotate(&Actor::operator()).await.unwrap();
        assert_eq!(done.resealed, 2);
        assert_eq!(done.damaged, [SealedOwner::ProviderToken(WorkspaceId(1))]);
    }
}

#[tokio::test]
async fn signing_keys_that_are_rotated_at_the_same_time_are_all_stored() {
    for world in World::both().await {
        let gateways: Vec<_> = (0..4).map(|_| world.gateway()).collect();
        super::published(&gateways[0].tokens).await;
        let operator = Actor::operator();
        let rotations = gateways.iter().map(|gateway| gateway.tokens.rotate_signing_key(&operator));
        let rotated = futures::future::join_all(rotations).await;
        let published = keys::published(world.db.db(), world.clock.now()).await.unwrap();
        for rotated in rotated {
            let rotated = rotated.unwrap();
            assert!(rotated.old_published_until.is_some());
            assert!(published.iter().any(|key| key.kid == rotated.kid), "{rotated:?}");
        }
        assert_eq!(published.len(), 5);
    }
}

#[tokio::test]
async fn the_first_key_signs_also_where_the_clock_is_behind_the_one_that_made_it() {
    for world in World::both().await {
        let (ahead, behind) = (world.gateway(), world.gateway());
        let made = ahead.clients.create(new_client(), &Actor::operator()).await.unwrap();
        world.clock.advance(SignedDuration::from_millis(40));
        let first = token(&ahead, &made).await.unwrap();
        world.clock.advance(SignedDuration::from_millis(-40));
        assert_eq!(super::published(&behind.tokens).await["keys"].as_array().unwrap().len(), 1);
        let second = token(&behind, &made).await.unwrap();
        for token in [&first, &second] {
            ahead.tokens.verify(token).await.unwrap();
            behind.tokens.verify(token).await.unwrap();
        }
    }
}
