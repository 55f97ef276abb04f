//! Suppliers of an import are checked by the plugin of their workspace, as they are when they are set by hand.

use crate::world::{World, here, import};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::workspace::EInvoicing;
use gateway_storage::workspaces::{self, SealedProviderToken};
use serde_json::{Value, json};
use uuid::Uuid;

const W: i64 = 7;

fn line(tax_id: &str) -> Value {
    json!({"kind": "workspace", "id": W, "name": "Casa Roja", "legal_name": "Casa Roja SL", "tax_id": tax_id, "country": "ES"})
}

/// From now on the workspace has a regime.
async fn configured(world: &World) {
    let configuration = EInvoicing {
        regime: "strict".parse().unwrap(),
        company_id: Uuid::nil(),
        workflow_id: Uuid::nil(),
        settings: json!({}),
    };
    let token = SealedProviderToken { sealed: b"sealed".to_vec(), expires_at: None };
    let mut tx = world.db.db().begin().await.unwrap();
    workspaces::put_e_invoicing(&mut tx, WorkspaceId(W), &configuration, &token, None, world.now())
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

async fn stored(world: &World) -> String {
    workspaces::find(world.db.db(), WorkspaceId(W)).await.unwrap().unwrap().supplier.tax_id
}

#[tokio::test]
async fn an_import_refuses_the_tax_id_that_the_plugin_of_the_workspace_does_not_take() {
    for world in here().await {
        import(&world, &[line("B1")]).await;
        configured(&world).await;
        let wrong = [line("B1X"), json!({"kind": "amenity", "id": Uuid::from_u128(3), "name": "Wi-Fi"})];
        let (imported, refused) = import(&world, &wrong).await;
        assert_eq!(refused, ["1: tax_id: It ends with another letter; correct it (XX-01)"]);
        assert_eq!((imported.refused(), imported.written()), (1, 1), "nothing else is lost");
        assert_eq!(stored(&world).await, "B1");
        let (_, refused) = import(&world, &[line("B2"), line("b-2"), line("B2x"), line("B3")]).await;
        assert!(refused.iter().any(|line| line.starts_with("3: tax_id: ")), "{refused:?}");
        assert_eq!(stored(&world).await, "B3");
    }
}

#[tokio::test]
async fn an_import_that_changes_something_else_is_not_held_up_by_the_stored_tax_id() {
    for world in here().await {
        let (_, refused) = import(&world, &[line("B1X")]).await;
        assert!(refused.is_empty(), "no regime is chosen yet: {refused:?}");
        configured(&world).await;
        let mut renamed = line("b-1x");
        renamed["name"] = json!("Casa Verde");
        let (imported, refused) = import(&world, &[renamed]).await;
        assert!(refused.is_empty() && imported.written() == 1, "{refused:?}");
    }
}
