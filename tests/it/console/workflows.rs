//! What is done in the console.

use super::{FINANCE, OPERATOR, READ, browser};
use crate::{pdf, resubmission};
use gateway_tests::{Browser, Document, Outcome, ScriptedProvider, World, between, on_both, until};
use serde_json::json;

/// A PNG of one grey pixel.
pub(super) const DOT: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 58,
    126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 218, 99, 104, 0, 0, 0, 130, 0, 129, 218, 69, 8, 59, 0, 0,
    0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

#[tokio::test]
async fn an_invoice_is_issued_credited_and_followed_in_the_console() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.draft(&world.document()).await;
        let page = format!("/console/invoices/{document}");
        let trial = finance.get(&format!("{page}/dry-run")).await;
        assert!(trial.text.contains("It goes to the tax authority"), "{}", trial.text);
        assert_eq!(world.read(&document).await["status"], "draft");
        let confirm = finance.get(&format!("{page}/issue")).await;
        let version = between(&confirm.text, "name=\"version\" value=\"", "\"").unwrap().to_owned();
        let request = between(&confirm.text, "name=\"request\" value=\"", "\"").unwrap().to_owned();
        let fields = [("version", version.as_str()), ("request", request.as_str())];
        let (live, issue) = (format!("{page}/live"), format!("{page}/issue"));
        let (_, answer) =
            tokio::join!(finance.listen(&live, "event: changed"), finance.submit(&issue, &fields));
        assert_eq!((answer.status, answer.header("location")), (303, page.as_str()), "{}", answer.text);
        let again = finance.submit(&issue, &fields).await;
        assert_eq!((again.status, again.header("location")), (303, page.as_str()), "{}", again.text);
        let issued = world.until(&document, "issued").await;
        let html = finance.get(&page).await.text;
        for part in [
            issued["display_invoice_number"].as_str().unwrap(),
            "qr.svg",
            "AcceptedByTaxAuthority",
            "Structured document",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        let qr = finance.get(&format!("{page}/qr.svg")).await;
        assert_eq!((qr.status, qr.header("content-type")), (200, "image/svg+xml"));
        let sent = finance.get(&format!("{page}/structured.json")).await;
        assert!(sent.header("content-disposition").starts_with("attachment"), "{sent:?}");
        let record = finance.get(&format!("{page}/record")).await;
        assert!(record.status == 200 && record.text.contains("<?xml"), "{}", record.text);

        let unticked = finance.submit(&format!("{page}/credit"), &[]).await;
        assert!(unticked.status == 422 && unticked.text.contains("tick at least one"), "{}", unticked.text);
        let credited = finance.submit(&format!("{page}/credit"), &[("line", "0")]).await;
        assert_eq!(credited.status, 303, "{}", credited.text);
        let note = credited.header("location").to_owned();
        let html = finance.get(&note).await.text;
        assert!(html.contains("Credit note") && html.contains("draft"), "{html}");
        assert!(finance.get(&page).await.text.contains("holds a part of it back"));
        assert!(html.contains("<h1>Credit note <span") && html.contains("<dt>To be refunded</dt>"), "{html}");
        assert!(!html.contains("<dt>To refund</dt>"), "nothing is open of a draft: {html}");
        let (_, id) = note.rsplit_once('/').unwrap();
        let blocked = finance.submit(&format!("{page}/reverse"), &[]).await;
        let sentence = format!("the unissued credit note {id} holds");
        let link = format!("<a href=\"{note}\"><code>{id}</code></a>");
        assert!(
            blocked.status == 422 && blocked.text.contains(&sentence) && blocked.text.contains(&link),
            "{}",
            blocked.text
        );
        assert_eq!(
            finance.submit(&format!("{note}/delete"), &[]).await.header("location"),
            "/console/invoices"
        );
        let reversed = finance.submit(&format!("{page}/reverse"), &[]).await;
        assert_eq!(reversed.status, 303, "{}", reversed.text);
        let html = finance.get(&page).await.text;
        let link = format!("<td>is credited by</td><td><a href=\"{}\">", reversed.header("location"));
        assert!(html.contains(&link), "{link}: {html}");
    })
    .await;
}

#[tokio::test]
async fn documents_are_searched_narrowed_and_taken_along_as_files() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.issue(&world.document()).await;
        let issued = world.until(&document, "issued").await;
        let number = issued["display_invoice_number"].as_str().unwrap();
        for (query, expected) in [
            (format!("q={number}"), true),
            (format!("q={}", &number[..number.len() - 2]), true),
            (format!("q={}", &number[2..]), false),
            ("status=issued&q=roe".to_owned(), true),
            ("status=rejected".to_owned(), false),
            ("gross_from=100000".to_owned(), false),
            ("gross_from=0,01&gross_to=100000,00".to_owned(), true),
        ] {
            let list = finance.get(&format!("/console/invoices?{query}")).await;
            assert_eq!(list.text.contains(&document), expected, "{query}: {}", list.text);
            let rows = finance.get(&format!("/console/invoices.csv?{query}")).await;
            assert_eq!(rows.text.contains(&document), expected, "{query}");
            let lines = finance.get(&format!("/console/invoices.ndjson?{query}")).await;
            assert_eq!(lines.text.contains(&document), expected, "{query}");
        }
        let mistaken = finance.get("/console/invoices?issued_from=yesterday").await;
        assert!(
            mistaken.status == 200 && mistaken.text.contains("Issued from – use a date"),
            "{}",
            mistaken.text
        );
        let overview = until("the verdict is counted", || async {
            Some(finance.get("/console").await.text).filter(|text| text.contains("100.0 %"))
        });
        overview.await;
    })
    .await;
}

#[tokio::test]
async fn documents_are_found_by_the_code_of_their_booking() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let [building, kind, unit, booking] = [(); 4].map(|()| gateway_tests::fresh_uuid());
        let lines = [
            json!({"kind": "building", "id": building, "workspace_id": world.workspace, "name": "Mayor", "address": {"locality": "Madrid"}}),
            json!({"kind": "unit_type", "id": kind, "workspace_id": world.workspace, "building_id": building, "code": "S"}),
            json!({"kind": "unit", "id": unit, "workspace_id": world.workspace, "unit_type_id": kind, "code": "1A", "status": "active"}),
            json!({"kind": "booking", "id": booking, "workspace_id": world.workspace, "unit_id": unit, "confirmation_code": "HMX7Q",
                "status": "CONFIRMED", "check_in": "2026-12-01", "check_out": "2026-12-05"}),
        ];
        let lines = lines.map(|line| line.to_string()).join("\n");
        world.gateway.cli_with(&["import", "-"], &[], &lines).await.succeeded();
        let billed = world.draft(&world.document().with("booking_id", json!(booking))).await;
        let other = world.draft(&world.document()).await;
        let finance = browser(&world, FINANCE).await;
        for search in ["HMX7Q", booking.as_str()] {
            let list = finance.get(&format!("/console/invoices?q={search}")).await.text;
            assert!(list.contains(&billed) && !list.contains(&other), "{search}: {list}");
        }
        let nobody = finance.get("/console/invoices?q=HMX7").await.text;
        assert!(!nobody.contains(&billed) && !nobody.contains(&other), "a part of a code is none: {nobody}");
    })
    .await;
}

#[tokio::test]
async fn a_rejected_invoice_is_mended_and_resubmitted_and_many_are_in_one_go() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let refused = |world: &World| -> Document { world.document().named("Rita SANDBOX-REJECT-1239") };
        let (one, two) = (world.issue(&refused(&world)).await, world.issue(&refused(&world)).await);
        world.until(&one, "rejected").await;
        world.until(&two, "rejected").await;
        let page = finance.get(&format!("/console/invoices/{one}")).await.text;
        assert!(page.contains("Rejected:") && page.contains("1239"), "{page}");
        let queue = finance.get("/console/rejected").await.text;
        assert!(queue.contains(&one) && queue.contains(&two), "{queue}");
        let path = format!("/console/invoices/{one}/recipient");
        let form = finance.get(&path).await.text;
        assert!(form.contains("Rita SANDBOX-REJECT-1239"), "{form}");
        let empty = finance.submit(&path, &[("type", "individual"), ("name", "")]).await;
        assert_eq!(empty.status, 422, "{}", empty.text);
        let recipient = [
            ("type", "individual"),
            ("name", "Rita Roe"),
            ("document_kind", "passport"),
            ("document_number", "123456789"),
            ("document_country", "gb"),
            ("street", "1 High St"),
            ("locality", "Leeds"),
            ("postcode", "LS1 1AA"),
            ("address_country", "gb"),
        ];
        let answer = finance.submit(&path, &recipient).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        let chosen = [("action", "issue"), ("id", one.as_str()), ("id", two.as_str()), ("id", "not-an-id")];
        let confirm = finance.submit("/console/bulk", &chosen).await;
        assert!(confirm.text.contains("Resubmit: 3 documents"), "{}", confirm.text);
        let done = finance.submit("/console/bulk/carry-out", &chosen).await;
        assert_eq!(done.text.matches(">done<").count(), 2, "{}", done.text);
        assert!(done.text.contains("there is no such document"), "{}", done.text);
        world.until(&one, "issued").await;
        let draft = world.draft(&world.document()).await;
        let chosen = [("action", "issue"), ("id", draft.as_str()), ("version", "1")];
        let done = finance.submit("/console/bulk/carry-out", &chosen).await;
        assert!(done.text.contains("is draft, not rejected"), "{}", done.text);
        assert_eq!(finance.submit("/console/bulk", &[("action", "issue")]).await.status, 422);
        assert_eq!(finance.submit("/console/bulk", &[("action", "delete"), ("id", &one)]).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn a_verdict_is_given_by_hand_and_a_submission_that_waits_is_retried() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.document().named("Slow SANDBOX-SLOW-600");
        let (one, two) = (world.issue(&document).await, world.issue(&document).await);
        for id in [&one, &two] {
            until("it waits for the verdict", || async {
                Some(world.submission(id).await).filter(|submission| submission["state"] == "waiting")
            })
            .await;
        }
        let path = format!("/console/invoices/{one}/accept");
        let unproved = finance.submit(&path, &[]).await;
        assert!(
            unproved.status == 422
                && unproved.text.contains("Address to verify it at – is required")
                && !unproved.text.contains("null"),
            "{}",
            unproved.text
        );
        let script = [("qr_url", "javascript:alert(1)"), ("no_hash", "yes")];
        let refused = finance.submit(&path, &script).await;
        assert_eq!(refused.status, 422);
        assert!(
            refused.text.contains("value=\"javascript:alert(1)\""),
            "what was typed stays: {}",
            refused.text
        );
        let proof = [("qr_url", "https://verify.example/1"), ("tax_system_hash", "ABC")];
        assert_eq!(finance.submit(&path, &proof).await.status, 303);
        assert_eq!(world.until(&one, "issued").await["acceptance"]["tax_system_hash"], "ABC");
        let rejected = [("reason", "not registered"), ("code", "1239")];
        assert_eq!(finance.submit(&format!("/console/invoices/{two}/reject"), &rejected).await.status, 303);
        assert_eq!(world.until(&two, "rejected").await["rejection_reason"], "1239: not registered");
        let over = finance.submit(&format!("/console/invoices/{two}/retry"), &[]).await;
        assert!(over.status == 409 && over.text.contains("ended"), "{}", over.text);
    })
    .await;
}

#[tokio::test]
async fn without_a_renderer_the_file_is_a_page_to_print() {
    on_both(|engine| async move {
        let plugins = pdf::plugins();
        let world = World::with(engine, pdf::with(plugins.path())).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.issue(&world.document().named("Paula Print")).await;
        let issued = world.until(&document, "issued").await;
        let page = format!("/console/invoices/{document}");
        let file = finance.get(&format!("{page}/pdf")).await;
        let view = format!("{page}/view");
        assert_eq!((file.status, file.header("location")), (303, view.as_str()), "{}", file.text);
        let reversed =
            world.command(&document, "reverse", &json!({"at": issued["issued_at"]})).await.expect(200);
        let credit = reversed["document"]["uuid"].as_str().unwrap().to_owned();
        let credit_note = world.until(&credit, "issued").await;
        let (_, filed) =
            credit_note["acceptance"]["qr_url"].as_str().unwrap().split_once("importe=-").unwrap();
        let printed = finance.get(&format!("/console/invoices/{credit}/view")).await.text;
        let refund = format!("<dt>Importe a devolver</dt><dd><b>{} EUR</b>", filed.replace('.', ","));
        assert!(printed.contains(&refund) && !printed.contains("Total a pagar"), "{refund}: {printed}");
        let english = finance.get(&format!("{page}/pdf?locale=en")).await;
        assert_eq!(english.header("location"), format!("{view}?locale=en"));
        let spanish = finance.get(&view).await.text;
        for part in
            ["lang=\"es\"", "Factura", "Expedida por", "Fecha de expedición", "IVA 10 %", "Total a pagar"]
        {
            assert!(spanish.contains(part), "{part}: {spanish}");
        }
        assert_eq!(finance.get(&format!("{view}?locale=tlh")).await.status, 404);
        let html = finance.get(&format!("{view}?locale=en")).await.text;
        let number = issued["display_invoice_number"].as_str().unwrap();
        for part in ["Issued by", "Paula Print", number, "qr.svg", "VERI*FACTU", "SANDBOX"] {
            assert!(html.contains(part), "{part}: {html}");
        }
        let draft = world.draft(&world.document()).await;
        let html = finance.get(&format!("/console/invoices/{draft}/view?locale=en")).await.text;
        assert!(html.contains("this is no invoice yet"), "{html}");
        let html = finance.get(&format!("/console/invoices/{draft}/view")).await.text;
        assert!(html.contains("Borrador"), "{html}");
        pdf::install_renderer(plugins.path());
        let made = until("the renderer is taken", || async {
            Some(finance.get(&format!("{page}/pdf?locale=en")).await).filter(|answer| answer.status == 200)
        });
        assert_eq!(made.await.header("content-type"), "application/pdf");
        let html = finance.get(&page).await.text;
        let languages = between(&html, "<select name=\"locale\">", "</select>").unwrap();
        assert!(languages.contains("<option value=\"en\" selected>en</option>"), "of a Briton: {languages}");
        assert_eq!(finance.get(&format!("{page}/pdf?locale=")).await.status, 200);
        let operator = browser(&world, OPERATOR).await;
        assert!(operator.get("/console/plugins").await.text.contains("render-pdf"));
    })
    .await;
}

#[tokio::test]
async fn what_was_accepted_after_all_is_settled_under_its_earlier_number() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = resubmission::world(engine, &provider).await;
        let finance = browser(&world, FINANCE).await;
        let (uuid, number) = resubmission::rejected_by_hand(&world, &provider).await;
        let page = format!("/console/invoices/{uuid}");
        assert!(!finance.get(&page).await.text.contains("earlier number"), "nothing waits for it");
        provider.outcome(Outcome::Accepted(json!([])));
        world.until_alert(&uuid, "acceptedAfterAll").await;
        let offered = finance.get(&page).await.text;
        assert!(offered.contains(&format!("{page}/accept-earlier")), "{offered}");
        let form = finance.get(&format!("{page}/accept-earlier")).await.text;
        assert!(form.contains(&format!("<option>{number}</option>")), "{form}");
        let unsaid = finance.submit(&format!("{page}/reject-earlier"), &[]).await;
        assert!(unsaid.status == 422 && unsaid.text.contains("Number – is required"), "{}", unsaid.text);
        let chosen = [("number", number.as_str())];
        let refuted = finance.submit(&format!("{page}/reject-earlier"), &chosen).await;
        assert!(refuted.status == 422 && refuted.text.contains("was accepted by"), "{}", refuted.text);
        assert_eq!(finance.submit(&format!("{page}/accept-earlier"), &chosen).await.status, 303);
        resubmission::assert_settled(&world, &provider, &uuid, &number).await;
    })
    .await;
}

#[tokio::test]
async fn an_operator_configures_how_a_workspace_sends_its_invoices() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::sandbox()).await;
        let operator = browser(&world, OPERATOR).await;
        let path = format!("/console/workspaces/{}/e-invoicing", world.workspace);
        let plugins = until("the plugin is in force", || async {
            Some(operator.get(&path).await.text).filter(|text| text.contains("es-verifactu"))
        });
        let form = plugins.await;
        assert!(form.contains("required"), "{form}");
        let wrong = [("regime", "es-verifactu"), ("company_id", "x"), ("workflow_id", "y"), ("token", "t")];
        let answer = operator.submit(&path, &wrong).await;
        assert!(
            answer.status == 422 && answer.text.contains("Company at the provider – is no UUID"),
            "{}",
            answer.text
        );
        for typed in ["es-verifatcu", "ES-verifactu"] {
            let misspelt = [("regime", typed), ("company_id", "x")];
            let answer = operator.submit(&path, &misspelt).await;
            assert!(
                answer.status == 422 && answer.text.contains("did you mean &#39;es-verifactu&#39;?"),
                "{}",
                answer.text
            );
        }
        let bogus = operator.get(&format!("{path}?regime=bogus")).await.text;
        assert!(
            bogus.contains("No plugin serves the tax system") && !bogus.contains("company_id"),
            "{bogus}"
        );
        let id = "0197f4f2-0000-7000-8000-0000000000d1";
        let fields =
            [("regime", "es-verifactu"), ("company_id", id), ("workflow_id", id), ("token", "kept-secret")];
        assert_eq!(operator.submit(&path, &fields).await.status, 303);
        let saved = operator.get(&path).await.text;
        assert!(saved.contains("A token is stored") && !saved.contains("kept-secret"), "{saved}");
        let tested = operator.submit(&format!("{path}/test"), &[]).await.text;
        assert!(tested.contains("the provider answered"), "{tested}");
        let chosen = [&fields[..3], &[("settings.credit_note_type", "R1")]].concat();
        assert_eq!(operator.submit(&path, &chosen).await.status, 303);
        let everywhere = [("key", "es-verifactu"), ("workspace_id", "everybody")];
        assert_eq!(operator.submit("/console/plugins/disable", &everywhere).await.status, 303);
        let other_token =
            [("regime", "es-verifactu"), ("company_id", id), ("workflow_id", id), ("token", "another")];
        assert_eq!(operator.submit(&path, &other_token).await.status, 303);
        let show =
            ["workspace", "e-invoicing", "show", "--json", "--workspace", &world.workspace.to_string()];
        let kept = world.gateway.cli(&show).await.json();
        assert_eq!(
            kept["settings"]["credit_note_type"], "R1",
            "without its plugin nothing is forgotten: {kept}"
        );
        assert_eq!(operator.submit("/console/plugins/roll-back", &everywhere).await.status, 200);
        assert_eq!(operator.submit(&format!("{path}/clear"), &[]).await.status, 303);
        assert!(operator.get(&path).await.text.contains("It is stored encrypted"));
    })
    .await;
}

#[tokio::test]
async fn the_logo_of_a_workspace_is_shown_exchanged_and_removed_alone() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let (operator, reader) = (browser(&world, OPERATOR).await, browser(&world, READ).await);
        let page = format!("/console/workspaces/{}", world.workspace);
        let (picture, upload) = (format!("{page}/logo.png"), format!("{page}/logo/upload"));
        assert_eq!(operator.get(&picture).await.status, 404);
        let send = async |browser: &Browser, file: &[u8]| {
            let token = browser.form_token();
            browser.upload(&upload, &[("form_token", &token)], ("logo", file)).await
        };
        assert_eq!(send(&reader, DOT).await.status, 403);
        let refused = send(&operator, b"no picture").await;
        assert!(
            refused.status == 422 && refused.text.contains("no PNG that can be read"),
            "{}",
            refused.text
        );
        let set = send(&operator, DOT).await;
        let saved = format!("{page}?done=saved");
        assert_eq!((set.status, set.header("location")), (303, saved.as_str()), "{}", set.text);
        let logo = reader.get(&picture).await;
        assert_eq!((logo.status, logo.header("content-type")), (200, "image/png"));
        let printing = format!("/admin/workspaces/{}/printing", world.workspace);
        let admin = world.as_client(&["admin"], &["*"]).await;
        admin.put(&printing, &json!({"attach_record": true})).await.expect(200);
        assert!(operator.get(&page).await.text.contains("Remove the logo"));
        assert_eq!(operator.submit(&format!("{page}/logo/remove"), &[]).await.status, 303);
        let left = admin.get(&printing).await.expect(200);
        assert_eq!(
            (&left["logo"], &left["attach_record"]),
            (&json!(null), &json!(true)),
            "what else is set stays"
        );
        assert!(!operator.get(&page).await.text.contains("Remove the logo"));
    })
    .await;
}
