//! One supplier never uses a number twice, whichever workspaces, kinds and patterns its numbers come from.

use crate::platform::import;
use crate::world::{World, both, here};
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentKind, InvoiceNumber, IssueError, SeriesKey, State};
use gateway_domain::ports::Ids;
use gateway_domain_finance::{CommandForm, Stage};
use gateway_domain_input::document::DocumentForm;
use gateway_finance::CommandError;
use gateway_invoicing::{Issue, StepError};
use gateway_storage::testing::RandomIds;
use gateway_storage::{Engine, Sql, numbers, workspaces};
use gateway_workspaces::{NewWorkspace, WorkspaceChange, WorkspaceError};
use serde_json::json;

const TAX_ID: &str = "B98602642";

fn patterns(invoice: &str, credit: &str) -> WorkspaceChange {
    let given = |pattern: &str| (!pattern.is_empty()).then(|| pattern.to_owned());
    WorkspaceChange {
        invoice_pattern: given(invoice),
        credit_pattern: given(credit),
        ..WorkspaceChange::default()
    }
}

impl World {
    async fn workspace_of(&self, tax_id: &str) -> WorkspaceId {
        let new = NewWorkspace {
            name: "Twin".to_owned(),
            legal_name: "Casa S.L.".to_owned(),
            tax_id: tax_id.to_owned(),
            country: "ES".to_owned(),
            ..NewWorkspace::default()
        };
        self.keeper.workspaces().create(&Actor::operator(), &new).await.unwrap().workspace.id
    }

    async fn set(&self, workspace: WorkspaceId, change: &WorkspaceChange) -> Result<(), Vec<String>> {
        match self.keeper.workspaces().set(&Actor::operator(), workspace, change).await {
            Ok(_) => Ok(()),
            Err(WorkspaceError::Invalid(errors)) => {
                Err(errors.into_iter().map(|error| format!("{}: {}", error.field, error.message)).collect())
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    async fn draft_of(&self, workspace: WorkspaceId, kind: &str) -> InvoiceId {
        let id = InvoiceId(RandomIds.next());
        let form: DocumentForm = serde_json::from_value(json!({"workspace_id": workspace, "document_type": kind,
            "currency": "EUR", "prices_include_tax": false, "issue_date": "2026-11-20",
            "recipient": {"type": "company", "name": "Guest", "tax_number": "B1", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "1", "tax": {"category": "VAT", "rate": "10.0"}}]}))
        .unwrap();
        self.keeper.invoicing().save(&Acting::gateway(), id, form, None).await.unwrap();
        id
    }

    /// The number that the next document of a workspace gets.
    async fn number_of(&self, workspace: WorkspaceId, kind: &str) -> String {
        let id = self.draft_of(workspace, kind).await;
        let issued = self.keeper.invoicing().issue(&Acting::gateway(), id, Issue::default()).await.unwrap();
        issued.state.number().unwrap().0.clone()
    }
}

#[tokio::test]
async fn a_pattern_that_leads_to_a_used_number_is_refused() {
    for world in here().await {
        let (one, second) = (world.workspace, world.workspace_of("es b98602642").await);
        assert_eq!(world.number_of(one, "invoice").await, "F-2026-000001");
        world.set(one, &patterns("Z-{year}-{number:06}", "")).await.unwrap();
        let refused = world.set(second, &patterns("F-{year}-{number:06}", "")).await.unwrap_err();
        assert!(refused.len() == 1 && refused[0].starts_with("invoice_pattern:"), "{refused:?}");
        assert!(refused[0].contains("F-2026-000001"), "{refused:?}");
        assert_eq!(world.number_of(second, "invoice").await, "F2-2026-000001", "one supplier");
        // A third one gets patterns of its own, although no workspace numbers in the usual way now.
        let third = world.workspace_of(TAX_ID).await;
        assert_eq!(world.number_of(third, "invoice").await, "F3-2026-000001");
        // Behind what is used the way is free.
        let behind = WorkspaceChange { next_number: Some(2), ..patterns("F-{year}-{number:06}", "") };
        let fourth = world.workspace_of(TAX_ID).await;
        world.set(fourth, &behind).await.unwrap();
        assert_eq!(world.number_of(fourth, "invoice").await, "F-2026-000002");
        assert_eq!(world.number_of(one, "invoice").await, "Z-2026-000002");
        assert!(world.set(one, &patterns("F-{year}-{number:06}", "")).await.is_err());
    }
}

#[tokio::test]
async fn patterns_that_can_give_one_number_are_refused() {
    for world in here().await {
        let second = world.workspace_of(TAX_ID).await;
        for pattern in [
            "F-{year}-{number:06}",
            "F-{year}-0{number:05}",
            "F-{year}-00{number:04}",
            "F-{year}-{number:08}",
            "R-{year}-{number:06}",
        ] {
            let refused = world.set(second, &patterns(pattern, "")).await.unwrap_err();
            assert!(refused.len() == 1 && refused[0].starts_with("invoice_pattern:"), "{refused:?}");
            let refused = world.set(second, &patterns("", pattern)).await.unwrap_err();
            assert!(refused.len() == 1 && refused[0].starts_with("credit_pattern:"), "{refused:?}");
        }
        for credit in ["F-{year}-0{number:05}", "F-{year}-{number}", "F-{year}-{number:06}"] {
            let refused = world.set(world.workspace, &patterns("", credit)).await.unwrap_err();
            assert!(refused[0].starts_with("credit_pattern: invoices and credit notes"), "{refused:?}");
        }
        world.set(second, &patterns("F-{year}-B{number:06}", "F-{year}-{number:06}-R")).await.unwrap();
    }
}

#[tokio::test]
async fn a_workspace_does_not_use_a_number_for_an_invoice_and_for_a_credit_note() {
    for world in here().await {
        let one = world.workspace;
        assert_eq!(world.number_of(one, "credit_note").await, "R-2026-000001");
        let refused =
            world.set(one, &patterns("R-{year}-{number:06}", "Z-{year}-{number:06}")).await.unwrap_err();
        assert!(refused.len() == 1 && refused[0].contains("R-2026-000001"), "{refused:?}");
        assert_eq!(world.number_of(one, "invoice").await, "F-2026-000001");
        let moved = patterns("A-{year}-{number:06}", "F-{year}-{number:06}");
        // The series of the credit notes is behind the only invoice.
        world.set(one, &moved).await.unwrap();
        assert_eq!(world.number_of(one, "credit_note").await, "F-2026-000002");
        assert!(world.set(one, &patterns("F-{year}-{number:06}", "Q-{year}-{number:06}")).await.is_err());
        // How many zeros there are may change at any time.
        world.set(one, &patterns("A-{year}-{number:04}", "")).await.unwrap();
        assert_eq!(world.number_of(one, "invoice").await, "A-2026-0002");
        world.set(one, &patterns("A-{year}-{number:06}", "")).await.unwrap();
        assert_eq!(world.number_of(one, "invoice").await, "A-2026-000003");
    }
}

#[tokio::test]
async fn a_workspace_of_another_tax_id_joins_a_supplier_without_its_numbers() {
    for world in here().await {
        let (one, other) = (world.workspace, world.workspace_of("A58818501").await);
        assert_eq!(world.number_of(other, "invoice").await, "F-2026-000001");
        let tax_id =
            |patterns: WorkspaceChange| WorkspaceChange { tax_id: Some(TAX_ID.to_owned()), ..patterns };
        assert_eq!(world.set(other, &tax_id(patterns("", ""))).await.unwrap_err().len(), 2);
        world.set(other, &tax_id(patterns("G-{year}-{number}", "GR-{year}-{number}"))).await.unwrap();
        // What it gave before is a number of the supplier now: the first workspace comes to it.
        world.set(one, &patterns("H-{year}-{number}", "")).await.unwrap();
        let refused = world.set(one, &patterns("F-{year}-{number:06}", "")).await.unwrap_err();
        assert!(refused[0].contains("F-2026-000001"), "{refused:?}");
        let renamed = WorkspaceChange { name: Some("Other".to_owned()), ..WorkspaceChange::default() };
        world.set(other, &renamed).await.unwrap();
    }
}

#[tokio::test]
async fn an_import_keeps_the_numbers_of_a_supplier_apart_too() {
    for world in here().await {
        let line = |id: i64, tax_id: &str| {
            json!({"kind": "workspace", "id": id, "name": "Casa", "country": "ES", "tax_id": tax_id})
                .to_string()
        };
        let refused = import(
            &world,
            &[line(7, "ES-B98602642"), json!({"kind": "workspace", "id": 8, "name": "Casa"}).to_string()],
        )
        .await;
        assert_eq!(refused, Vec::<String>::new());
        assert_eq!(world.number_of(WorkspaceId(7), "invoice").await, "F7-2026-000001");
        assert_eq!(world.number_of(WorkspaceId(8), "invoice").await, "F-2026-000001");
        let refused = import(&world, &[line(8, TAX_ID)]).await;
        assert!(refused.len() == 1 && refused[0].contains("tax_id"), "{refused:?}");
        // Nothing of what was refused is kept.
        assert_eq!(world.number_of(world.workspace, "invoice").await, "F-2026-000001");
    }
}

impl World {
    /// Makes the number that the next invoice would get one that another document has, as no check lets it happen.
    async fn give_the_next_number_away(&self) {
        let other = self.draft().await;
        let mut tx = self.kept().begin().await.unwrap();
        let workspace = workspaces::find(&mut tx, self.workspace).await.unwrap().unwrap();
        let (kind, number) = (DocumentKind::CreditNote, InvoiceNumber("F-2026-000001".to_owned()));
        let series = SeriesKey { workspace: self.workspace, kind, year: 2026 };
        let (issuer, now) = (workspace.issuer(), "2026-11-20T09:00:00Z".parse().unwrap());
        assert!(numbers::give(&mut tx, &issuer, series, 1, &number, other, now).await.unwrap());
        tx.commit().await.unwrap();
    }

    async fn next_number(&self) -> i64 {
        let key = SeriesKey { workspace: self.workspace, kind: DocumentKind::Invoice, year: 2026 };
        numbers::next_position(self.kept(), key).await.unwrap()
    }
}

#[tokio::test]
async fn a_number_that_was_given_is_refused_where_the_check_missed_it_and_nothing_is_left_behind() {
    for world in both().await {
        world.give_the_next_number_away().await;
        let id = world.draft().await;
        let issuing = world.keeper.invoicing().begin_issuing(&world.acting, id, false, None, None).await;
        assert!(matches!(issuing, Err(StepError::Issue(IssueError::NumberGiven))), "{issuing:?}");
        let issued = world.keeper.invoicing().issue(&world.acting, id, Issue::default()).await;
        assert!(matches!(issued, Err(StepError::Issue(IssueError::NumberGiven))), "{issued:?}");
        for _ in 0..2 {
            let refused = world.issue(id).await;
            assert!(matches!(refused, Err(CommandError::Issue(IssueError::NumberGiven))), "{refused:?}");
        }
        assert_eq!(world.document(id).await.state, State::Draft);
        let submission = world.gateway.submissions().find(&world.acting, id).await.unwrap();
        assert!(submission.is_none_or(|view| view.submission.stage() == Stage::Withdrawn));
        assert_eq!(world.next_number().await, 1);
        world.set(world.workspace, &patterns("G-{year}-{number:06}", "")).await.unwrap();
        world.issue(id).await.unwrap();
        assert_eq!(world.number(id).await, "G-2026-000001");
    }
}

#[tokio::test]
async fn a_reversal_whose_number_was_given_is_refused_before_anything_is_written() {
    for world in here().await {
        world.regime.takes_credit_notes();
        world.provider.accepts();
        let id = world.waiting().await;
        world.notified(id).await;
        let before = world.events(id).await;
        let other = world.draft().await;
        let mut tx = world.db.begin().await.unwrap();
        let issuer = workspaces::find(&mut tx, world.workspace).await.unwrap().unwrap().issuer();
        let series = SeriesKey { workspace: world.workspace, kind: DocumentKind::Invoice, year: 2026 };
        let (text, now) = (InvoiceNumber("R-2026-000001".to_owned()), world.gateway.now());
        assert!(numbers::give(&mut tx, &issuer, series, 500, &text, other, now).await.unwrap());
        tx.commit().await.unwrap();
        for _ in 0..2 {
            let refused =
                world.gateway.command(&world.acting, id, CommandForm::Reverse { at: now }, None).await;
            assert!(matches!(refused, Err(CommandError::Issue(IssueError::NumberGiven))), "{refused:?}");
        }
        assert_eq!(world.events(id).await, before);
    }
}

#[tokio::test]
async fn workspaces_from_before_whose_tax_id_is_spelled_in_two_ways_are_changed_all_the_same() {
    let spell = Sql::both("UPDATE workspace SET tax_id = $1, invoice_pattern = $2 WHERE id = $3");
    for world in here().await {
        let second = world.workspace_of(TAX_ID).await;
        let mut tx = world.db.begin().await.unwrap();
        let old = format!("ES{TAX_ID}");
        tx.execute(&spell, vec![old.into(), "F-{year}-{number:06}".to_owned().into(), second.0.into()])
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let zone =
            WorkspaceChange { time_zone: Some("Europe/Madrid".to_owned()), ..WorkspaceChange::default() };
        world.set(second, &zone).await.unwrap();
        let spelled = WorkspaceChange { tax_id: Some(TAX_ID.to_owned()), ..WorkspaceChange::default() };
        let refused = world.set(second, &spelled).await.unwrap_err();
        let other = format!("invoice_pattern: workspace {} of the same supplier", world.workspace);
        assert!(refused[0].starts_with(&other), "{refused:?}");
        let both = WorkspaceChange { tax_id: spelled.tax_id, ..patterns("T-{year}-{number:06}", "") };
        world.set(second, &both).await.unwrap();
    }
}

/// Returns when a transaction waits for another one, which it has to do before `waiting` ends.
async fn until_one_waits<T>(world: &World, waiting: &tokio::task::JoinHandle<T>) {
    let waits = Sql::both(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    loop {
        let (waits,): (i64,) = world.db.fetch_one(&waits, Vec::new()).await.unwrap();
        if waits > 0 {
            return;
        }
        assert!(!waiting.is_finished(), "it did not wait");
    }
}

#[tokio::test]
async fn who_comes_second_waits_and_gets_the_number_only_if_the_first_one_does_not() {
    for (first_commits, number) in [(true, None), (false, Some("F-2026-000001"))] {
        let worlds = here().await.into_iter();
        for world in worlds.filter(|world| world.db.engine() == Engine::Postgres) {
            let other_workspace = world.workspace_of(TAX_ID).await;
            let (second, first) = (world.draft().await, world.draft_of(other_workspace, "invoice").await);
            // Two processes changed the patterns of both at the same moment.
            let mut tx = world.db.begin().await.unwrap();
            let issuer = workspaces::find(&mut tx, other_workspace).await.unwrap().unwrap().issuer();
            let series = SeriesKey { workspace: other_workspace, kind: DocumentKind::Invoice, year: 2026 };
            let (text, now) = (InvoiceNumber("F-2026-000001".to_owned()), world.gateway.now());
            assert!(numbers::give(&mut tx, &issuer, series, 1, &text, first, now).await.unwrap());

            let (keeper, acting) = (world.keeper.clone(), world.acting.clone());
            let waiting = tokio::spawn(async move {
                keeper.invoicing().begin_issuing(&acting, second, false, None, None).await
            });
            until_one_waits(&world, &waiting).await;
            if first_commits {
                tx.commit().await.unwrap();
            } else {
                tx.rollback().await.unwrap();
            }
            let outcome = waiting.await.unwrap();
            if let Some(number) = number {
                assert_eq!(outcome.unwrap().state.number().unwrap().0, number);
                assert_eq!(world.next_number().await, 2);
            } else {
                let refused = matches!(outcome, Err(StepError::Issue(IssueError::NumberGiven)));
                assert!(refused, "{outcome:?}");
                assert_eq!(world.document(second).await.state, State::Draft);
                assert_eq!(world.next_number().await, 1, "nothing is used");
            }
        }
    }
}
