//! How the recipient of a document is identified to the tax authority, wherever the document is.

use crate::remote::service;
use crate::service::{Rpc, Trouble, unavailable};
use crate::world::{Mood, World, both, remote_worlds};
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::ports::{ConverterError, Ids as _};
use gateway_domain::regime::{Identity, IdentityMapping};
use gateway_domain_finance::Route;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_input::document::DocumentForm;
use gateway_finance::{CommandError, IdentityError, ReadError};
use gateway_storage::testing::RandomIds;
use serde_json::json;

async fn identity(world: &World, id: InvoiceId) -> Result<IdentityMapping, IdentityError> {
    world.gateway.identity(&world.acting, id).await
}

/// A simplified invoice.
async fn for_nobody(world: &World) -> InvoiceId {
    let id = InvoiceId(RandomIds.next());
    let form: DocumentForm = serde_json::from_value(json!({"workspace_id": world.workspace, "document_type": "invoice",
        "currency": "EUR", "prices_include_tax": true,
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "9.00", "tax": {"category": "VAT", "rate": "10.0"}}]}))
    .unwrap();
    world.keeper.invoicing().save(&world.acting, id, form, None).await.unwrap();
    id
}

#[tokio::test]
async fn the_plugin_says_how_a_recipient_is_identified_in_any_state_of_the_document() {
    for world in both().await {
        let draft = world.draft().await;
        let mapping = identity(&world, draft).await.unwrap();
        assert_eq!(
            mapping.mapped_to,
            Some(Identity::TaxId { country: "ES".to_owned(), code: "Guest".to_owned() })
        );
        assert_eq!((mapping.plugin.version.as_str(), mapping.faults.as_slice()), ("1.0.0", &[][..]));
        assert_eq!(
            json!(mapping.rule),
            json!({"recipient": "company", "identified_by": "tax_number", "country": "ES"})
        );
        let waiting = world.waiting().await;
        assert_eq!(identity(&world, waiting).await.unwrap(), mapping);
        let dry_run = world.gateway.issue_dry_run(&world.acting, draft, None).await.unwrap();
        assert_eq!((dry_run.route, dry_run.identity), (Route::TaxAuthority, Some(mapping)));
    }
}

#[tokio::test]
async fn what_the_plugin_objects_to_is_an_answer() {
    for world in both().await {
        let draft = world.draft().await;
        let faults = vec![Fault::error("ES-1", "/recipient/tax_number", "no NIF: mend it")];
        world.regime.is(Mood::RefusesAll(faults.clone()));
        let mapping = identity(&world, draft).await.unwrap();
        assert_eq!((&mapping.mapped_to, &mapping.faults), (&None, &faults));
        assert_eq!(mapping.plugin.key.as_str(), "es-verifactu");
        assert!(mapping.rule.is_some());
        let dry_run = world.gateway.issue_dry_run(&world.acting, draft, None).await.unwrap();
        assert_eq!((dry_run.faults, dry_run.identity), (faults, Some(mapping)));
    }
}

#[tokio::test]
async fn no_plugin_is_asked_about_a_document_for_nobody() {
    for world in both().await {
        let id = for_nobody(&world).await;
        world.regime.is(Mood::Broken);
        let mapping = identity(&world, id).await.unwrap();
        assert_eq!((mapping.rule, mapping.mapped_to, mapping.faults), (None, None, Vec::new()));
        assert_eq!(mapping.plugin.version, "1.0.0");
    }
}

#[tokio::test]
async fn a_plugin_that_breaks_is_no_answer_but_stops_no_dry_run() {
    for world in both().await {
        let draft = world.draft().await;
        world.regime.is(Mood::Broken);
        let Err(IdentityError::Plugin(known)) = identity(&world, draft).await else { panic!("it answered") };
        assert_eq!(known.faults.first().map(|fault| fault.code.as_str()), Some("PLUGIN-TRAP"));
        let dry_run = world.gateway.issue_dry_run(&world.acting, draft, None).await.unwrap();
        assert_eq!((dry_run.faults, dry_run.identity), (Vec::new(), Some(*known)));

        world.regime.is(Mood::Inactive);
        let missing = identity(&world, draft).await;
        assert!(
            matches!(missing, Err(IdentityError::Converter(ConverterError::UnknownRegime(_)))),
            "{missing:?}"
        );
        let dry_run = world.gateway.issue_dry_run(&world.acting, draft, None).await;
        assert!(matches!(dry_run, Err(CommandError::Converter(_))), "{dry_run:?}");
    }
}

#[tokio::test]
async fn a_document_that_no_authority_hears_of_has_no_mapping() {
    for world in both().await {
        let draft = world.draft().await;
        let stranger = Acting { workspaces: Workspaces::Only(vec![WorkspaceId(99)]), ..world.acting.clone() };
        let unseen = world.gateway.identity(&stranger, draft).await;
        assert!(matches!(unseen, Err(IdentityError::Gone)), "{unseen:?}");
        let unknown = identity(&world, InvoiceId(RandomIds.next())).await;
        assert!(matches!(unknown, Err(IdentityError::Gone)), "{unknown:?}");

        let operator = &world.acting.actor;
        world.gateway.workspaces().clear_e_invoicing(operator, world.workspace).await.unwrap();
        let plain = identity(&world, draft).await;
        assert!(matches!(plain, Err(IdentityError::NotConfigured)), "{plain:?}");
        let dry_run = world.gateway.issue_dry_run(&world.acting, draft, None).await.unwrap();
        assert_eq!((dry_run.route, dry_run.identity), (Route::Standard, None));
    }
}

#[tokio::test]
async fn nothing_is_held_while_the_plugin_runs() {
    for world in both().await {
        let draft = world.draft().await;
        let (keeper, acting) = (world.keeper.clone(), world.acting.clone());
        world.regime.meanwhile(async move { keeper.invoicing().delete(&acting, draft, None).await.unwrap() });
        assert!(identity(&world, draft).await.unwrap().mapped_to.is_some());
        assert!(matches!(identity(&world, draft).await, Err(IdentityError::Gone)));
    }
}

#[tokio::test]
async fn a_remote_service_that_does_not_answer_is_said_so() {
    for world in remote_worlds().await {
        let draft = world.draft().await;
        service(&world).has(Rpc::Document, Trouble::Fails(unavailable()));
        let lost = identity(&world, draft).await;
        assert!(
            matches!(
                lost,
                Err(IdentityError::Read(ReadError::InvoiceData(InvoiceDataError::Unavailable { .. })))
            ),
            "{lost:?}"
        );
        assert!(identity(&world, draft).await.is_ok());
    }
}
