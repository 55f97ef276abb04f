//! One plugin by default, and others for single workspaces.

use crate::components::{
    hostile_component, hostile_component_that_describes, hostile_component_without_sandbox,
};
use crate::documents::{context, invoice};
use crate::hosts::{deactivate, host, key, load};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{Converter, ConverterError};
use gateway_plugin_host::{PluginHost, ServingTable};

const OURS: Option<WorkspaceId> = Some(WorkspaceId(1));
const THEIRS: Option<WorkspaceId> = Some(WorkspaceId(2));

async fn version(host: &PluginHost, workspace: Option<WorkspaceId>) -> Option<String> {
    match host.convert_for(&key(), workspace, &invoice(""), &context()).await {
        Ok(made) => Some(made.plugin.version),
        Err(ConverterError::UnknownRegime(_)) => None,
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_workspace_has_its_own_version_and_the_others_the_default() {
    let host = host();
    let old = host.load_bytes("old.wasm", hostile_component()).await.unwrap();
    let new = host.load_bytes("new.wasm", hostile_component_that_describes("OTHER-VERSION")).await.unwrap();

    let mut table = ServingTable::default();
    assert!(table.set(None, old.clone()).is_none());
    assert!(table.set(OURS, new.clone()).is_none());
    assert!(host.serve(table.clone()).plugins().is_empty());
    assert_eq!(version(&host, OURS).await.unwrap(), "2.0.0");
    assert_eq!(version(&host, THEIRS).await.unwrap(), "1.2.3");
    assert_eq!(version(&host, None).await.unwrap(), "1.2.3");
    assert_eq!(host.regimes_for(OURS)[0].1.version, "2.0.0");
    let recipient = invoice("").recipient.unwrap();
    for (workspace, version) in [(OURS, "2.0.0"), (THEIRS, "1.2.3")] {
        let mapped = host.map_identity_for(&key(), workspace, &recipient).await.unwrap();
        assert_eq!(mapped.plugin.version, version);
    }
    assert_eq!(host.regimes()[0].1.version, "1.2.3");
    assert_eq!(host.serving().plugins().len(), 2);

    // Without a default only the workspace is served.
    assert_eq!(table.remove(&key(), None).unwrap().identity(), old.identity());
    assert_eq!(host.serve(table.clone()).plugins().len(), 2);
    assert_eq!(version(&host, OURS).await.unwrap(), "2.0.0");
    assert_eq!(version(&host, THEIRS).await, None);
    assert!(host.has_sandbox(&key()));

    assert_eq!(table.remove(&key(), OURS).unwrap().identity(), new.identity());
    host.serve(table);
    assert_eq!(version(&host, OURS).await, None);
    assert!(!host.has_sandbox(&key()));
}

#[tokio::test]
async fn activating_by_default_leaves_the_workspaces_alone() {
    let host = host();
    load(&host, hostile_component_without_sandbox()).await;
    let new = host.load_bytes("new.wasm", hostile_component_that_describes("OTHER-VERSION")).await.unwrap();
    let mut table = ServingTable::clone(&host.serving());
    table.set(OURS, new);
    host.serve(table);
    load(&host, hostile_component()).await;
    assert_eq!(version(&host, OURS).await.unwrap(), "2.0.0");
    deactivate(&host).unwrap();
    assert_eq!(version(&host, OURS).await.unwrap(), "2.0.0");
    assert_eq!(version(&host, None).await, None);
}
