//! One plugin by default, others for single workspaces, and canaries for a share of their documents.

use crate::components::{
    hostile_component, hostile_component_that_describes, hostile_component_without_sandbox,
};
use crate::documents::{context, invoice};
use crate::hosts::{deactivate, defect, host, key, load, patient};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::ports::{Converter, ConverterError, ServedDocument};
use gateway_domain::regime::{CanaryShare, PluginRef};
use gateway_plugin_host::{Plugin, PluginHost, Scope, ServingTable};
use std::sync::Arc;
use uuid::Uuid;

const OURS: Option<WorkspaceId> = Some(WorkspaceId(1));
const THEIRS: Option<WorkspaceId> = Some(WorkspaceId(2));

async fn version(host: &PluginHost, workspace: Option<WorkspaceId>) -> Option<String> {
    match host.convert_for(&key(), &workspace.into(), &invoice(""), &context()).await {
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
    assert_eq!(host.regimes_for(&OURS.into())[0].1.version, "2.0.0");
    let recipient = invoice("").recipient.unwrap();
    for (workspace, version) in [(OURS, "2.0.0"), (THEIRS, "1.2.3")] {
        let mapped = host.map_identity_for(&key(), &workspace.into(), &recipient).await.unwrap();
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

/// The `number`th document of a workspace, by the version that is to explain it.
fn document(workspace: Option<WorkspaceId>, number: u128, converted_by: Option<&PluginRef>) -> Scope {
    let (workspace, id) = (workspace.unwrap(), InvoiceId(Uuid::from_u128(number)));
    Scope::Document(ServedDocument { workspace, id, converted_by: converted_by.cloned() })
}

/// Half of the documents.
fn half() -> CanaryShare {
    CanaryShare::try_from(50).unwrap()
}

/// A document that a share of a half includes, and one that it does not.
fn included_and_not() -> (u128, u128) {
    let numbers = |is_included| {
        (0..100).find(|number| half().includes(InvoiceId(Uuid::from_u128(*number))) == is_included)
    };
    (numbers(true).unwrap(), numbers(false).unwrap())
}

/// Two versions of one plugin.
async fn versions(host: &PluginHost) -> (Arc<Plugin>, Arc<Plugin>) {
    let old = host.load_bytes("old.wasm", hostile_component()).await.unwrap();
    let new = host.load_bytes("new.wasm", hostile_component_that_describes("OTHER-VERSION")).await.unwrap();
    (old, new)
}

#[tokio::test]
async fn a_canary_serves_the_documents_of_its_share_and_nothing_else() {
    let host = host();
    let (old, new) = versions(&host).await;
    let mut table = ServingTable::default();
    table.set(None, old.clone());
    table.set_canary(None, half(), new.clone());
    host.serve(table.clone());
    let version = async |scope: &Scope| {
        host.convert_for(&key(), scope, &invoice(""), &context()).await.unwrap().plugin.version
    };
    for number in 0..20 {
        let is_included = half().includes(InvoiceId(Uuid::from_u128(number)));
        let expected = if is_included { "2.0.0" } else { "1.2.3" };
        assert_eq!(version(&document(OURS, number, None)).await, expected, "document {number}");
    }
    let (inside, outside) = included_and_not();
    assert_eq!(version(&Scope::Default).await, "1.2.3");
    assert_eq!(version(&OURS.into()).await, "1.2.3", "no document is concerned");
    assert_eq!(host.serving().plugins().len(), 2);

    // Who converted a document explains it, while it serves there; another version does no more.
    assert_eq!(version(&document(OURS, inside, Some(old.identity()))).await, "1.2.3");
    assert_eq!(version(&document(OURS, outside, Some(new.identity()))).await, "2.0.0");
    let gone = PluginRef { version: "0.9.0".to_owned(), ..old.identity().clone() };
    assert_eq!(version(&document(OURS, inside, Some(&gone))).await, "2.0.0");

    // A workspace with a version of its own has no part in everybody's canary, and may have one of its own.
    table.set(OURS, old.clone());
    host.serve(table.clone());
    assert_eq!(version(&document(OURS, inside, None)).await, "1.2.3");
    assert_eq!(version(&document(THEIRS, inside, None)).await, "2.0.0");
    table.set(None, new);
    table.set_canary(OURS, half(), host.plugin_for(&key(), &document(THEIRS, inside, None)).unwrap());
    host.serve(table);
    assert_eq!(version(&document(OURS, inside, None)).await, "2.0.0");
    assert_eq!(version(&document(OURS, outside, None)).await, "1.2.3");
}

#[tokio::test]
async fn a_canary_that_misbehaves_leaves_its_documents_to_the_version_in_force() {
    let mut options = patient();
    options.limits.breaker_stops = 3;
    let host = PluginHost::new(options).unwrap();
    let (old, new) = versions(&host).await;
    let mut table = ServingTable::default();
    table.set(None, old);
    table.set_canary(None, half(), new);
    host.serve(table);
    let (inside, outside) = included_and_not();
    let (inside, outside) = (document(OURS, inside, None), document(OURS, outside, None));
    let is_inside = |number: &u128| half().includes(InvoiceId(Uuid::from_u128(*number)));
    for number in (0..).filter(is_inside).take(3) {
        // Both versions trap on these documents; the one in force answers for others in between.
        let trapping = document(OURS, number, None);
        let fault = defect(host.convert_for(&key(), &trapping, &invoice("PANIC"), &context()).await);
        assert_eq!(fault.code, "PLUGIN-TRAP");
        host.convert_for(&key(), &outside, &invoice(""), &context()).await.unwrap();
    }
    let [blocked] = &host.blocked()[..] else { panic!("{:?}", host.blocked()) };
    assert_eq!(blocked.plugin.version, "2.0.0");
    let made = host.convert_for(&key(), &inside, &invoice(""), &context()).await.unwrap();
    assert_eq!(made.plugin.version, "1.2.3");
}
