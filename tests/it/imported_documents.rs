//! Documents that another system issued: imported, shown, found and exported like ours, credited and reversed like ours, never
//! submitted.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway_tests::{
    Browser, Call, Engine, Options, Ran, Route, ScriptedProvider, World, fresh_uuid, line, on_both,
};
use serde_json::{Value, json};

/// A PDF by its first bytes, with some that are no text.
const PDF: &[u8] = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\nas it was";
const XML: &str = "<?xml version=\"1.0\"?><Factura>Ñ</Factura>";
const QR_URL: &str = "https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642";

/// The day that every database agrees is no later than today, and its year.
async fn today(world: &World) -> (String, String) {
    let draft = world.draft(&world.document()).await;
    let created = world.read(&draft).await["created_at"].as_str().unwrap().to_owned();
    (created[..10].to_owned(), created[..4].to_owned())
}

/// A line about an invoice of 110.00 with 10 % tax.
fn issued(world: &World, date: &str, number: &str) -> Value {
    json!({
        "kind": "issued_document",
        "id": fresh_uuid(),
        "workspace_id": world.workspace,
        "document_type": "invoice",
        "number": number,
        "issue_date": date,
        "currency": "EUR",
        "prices_include_tax": true,
        "recipient": world.document().json()["recipient"],
        "lines": [line("Studio, 1 night", "1", "110.00", "10.0")],
        "totals": {"net": "100.00", "tax": "10.00", "gross": "110.00"},
        "system": "Old ERP",
    })
}

fn with(line: &Value, member: &str, value: Value) -> Value {
    let mut changed = line.clone();
    changed[member] = value;
    changed
}

/// The same with its proof and its files.
fn proven(line: &Value) -> Value {
    let files = json!([{"content": STANDARD.encode(PDF)}, {"content": STANDARD.encode(XML)}]);
    let line = with(&with(line, "qr_url", json!(QR_URL)), "files", files);
    with(&line, "stamps", json!([{"provider": "verifactu-qr", "value": QR_URL}]))
}

/// The same as another document.
fn anew(line: &Value, number: &str) -> Value {
    with(&with(line, "id", json!(fresh_uuid())), "number", json!(number))
}

fn uuid(line: &Value) -> &str {
    line["id"].as_str().unwrap()
}

async fn import(world: &World, lines: &[Value]) -> Ran {
    let text = lines.iter().fold(String::new(), |text, line| format!("{text}{line}\n"));
    world.gateway.cli_with(&["import", "-", "--json"], &[], &text).await
}

/// What became of the documents among the lines: created, unchanged, refused.
fn counts(ran: &Ran) -> [u64; 3] {
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    ["created", "unchanged", "refused"].map(|name| report["kinds"]["issued_document"][name].as_u64().unwrap())
}

/// An own invoice of the day, in the standard flow.
async fn own(world: &World, date: &str) -> Value {
    let draft = world.draft(&world.document().with("issue_date", json!(date))).await;
    world.rpc(&draft, "issue").await.expect(200);
    world.read(&draft).await
}

/// Calls that store a document or start its way to an authority.
fn submissions(provider: &ScriptedProvider) -> Vec<Call> {
    [Route::PutEntry, Route::PutJob].into_iter().flat_map(|route| provider.calls_of(route)).collect()
}

#[tokio::test]
async fn an_imported_document_is_shown_found_and_exported_and_its_series_goes_on() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let (day, year) = today(&world).await;
        let first = proven(&issued(&world, &day, &format!("F-{year}-000412")));
        let lines = [
            first.clone(),
            anew(&issued(&world, &day, ""), &format!("F-{year}-000413")),
            anew(&issued(&world, &day, ""), "2019/17"),
        ];
        let ran = import(&world, &lines).await;
        assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{ran:?}");
        let again = import(&world, &lines).await;
        assert_eq!((again.code, counts(&again)), (0, [0, 3, 0]), "{again:?}");

        let known = world.read(uuid(&first)).await;
        assert_eq!(known["status"], "issued");
        assert_eq!(known["display_invoice_number"], format!("F-{year}-000412"));
        assert_eq!(known["acceptance"]["qr_url"], QR_URL);
        assert_eq!(known["imported"]["system"], "Old ERP");
        assert_eq!(known["imported"]["stamps"][0]["provider"], "verifactu-qr");
        assert_eq!(known["imported"]["files"][0]["size_bytes"], PDF.len());
        assert_eq!(known["send_to_tax_authority"], false);

        let list = "/invoicing/rpc/documents";
        let found = world.api.get(&format!("{list}?number=2019/17")).await.expect(200);
        assert_eq!(found["nodes"][0]["uuid"], lines[2]["id"], "{found}");
        let workspace = world.workspace;
        let exported = world.api.get(&format!("{list}/export?workspace_id={workspace}")).await.text;
        let exported: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(exported.len(), 3);
        assert!(exported.contains(&known));
        gateway_tests::until("the feed has them", || async {
            let events = world.api.get("/invoicing/rpc/events").await.text;
            (events.matches("\"DocumentImported\"").count() == 3).then_some(())
        })
        .await;

        let public = world.gateway.public().with_token(world.api.token());
        let query = format!(
            "{{ invoicing {{ document(id: \"{}\") {{ imported {{ system stamps {{ provider }} files {{ mediaType }} }} }} }} }}",
            uuid(&first)
        );
        let answer = public.post("/v1", &json!({"query": query})).await.expect(200);
        let origin = json!({
            "system": "Old ERP",
            "stamps": [{"provider": "verifactu-qr"}],
            "files": [{"mediaType": "application/pdf"}, {"mediaType": "application/xml"}],
        });
        assert_eq!(answer.pointer("/data/invoicing/document/imported"), Some(&origin), "{answer}");

        assert_eq!(own(&world, &day).await["display_invoice_number"], format!("F-{year}-000414"));
        let whole = world.gateway.cli(&["doctor", "--chain"]).await;
        assert!(whole.code == 0 && whole.stdout.contains("2 files are what was imported"), "{whole:?}");
        let browser = Browser::signed_in(world.gateway.internal().base(), &world.client).await;
        let page = browser.get(&format!("/console/invoices/{}", uuid(&first))).await;
        for sentence in
            ["Imported from another system", "Issued by Old ERP and imported", "XML that was imported"]
        {
            assert!(page.text.contains(sentence), "{sentence}: {}", page.text);
        }
        let facts = world.gateway.cli(&["invoice", "show", uuid(&first)]).await.succeeded().stdout.clone();
        assert!(facts.contains("imported from") && facts.contains("Old ERP"), "{facts}");
    })
    .await;
}

#[tokio::test]
async fn files_are_given_out_as_they_were_imported() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let (day, _) = today(&world).await;
        let first = proven(&issued(&world, &day, "2019/17"));
        let bare = anew(&issued(&world, &day, ""), "2019/18");
        import(&world, &[first.clone(), bare.clone()]).await.succeeded();
        let known = world.read(uuid(&first)).await;
        let pdf = world.api.get(&format!("/invoicing/rpc/documents/{}/pdf", uuid(&first))).await;
        assert_eq!((pdf.status, pdf.header("content-type")), (200, "application/pdf"), "{pdf:?}");
        assert!(pdf.text.ends_with("as it was"), "{pdf:?}");
        let digest = known["imported"]["files"][0]["sha256"].as_str().unwrap();
        assert_eq!(pdf.header("etag"), format!("\"{digest}\""));
        let structured = format!("/finance/rpc/documents/{}/structured", uuid(&first));
        let xml = world.api.get(&structured).await;
        assert_eq!((xml.status, xml.text.as_str()), (200, XML));
        assert_eq!(xml.header("content-type"), "application/xml");
        assert_eq!(world.api.get(&format!("{structured}?part=structured")).await.status, 406);
        let none = format!("/finance/rpc/documents/{}/structured", uuid(&bare));
        assert_eq!(world.api.get(&none).await.status, 410);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_taken_over_is_named_and_everything_else_is_kept() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let (day, year) = today(&world).await;
        let number = |position: u32| format!("F-{year}-{position:06}");
        let line = issued(&world, &day, &number(7));
        let long = [PDF, &vec![b' '; 512 * 1024]].concat();
        let refused = [
            (
                with(&line, "totals", json!({"net": "100", "tax": "10", "gross": "110.01"})),
                "totals.gross",
                "totalsDiffer",
            ),
            (with(&line, "files", json!([{"content": "JVBERi0*"}])), "files[0].content", "invalidFormat"),
            (
                with(&line, "files", json!([{"content": STANDARD.encode(b"GIF89a")}])),
                "files[0].content",
                "invalidFormat",
            ),
            (
                with(&line, "files", json!([{"content": STANDARD.encode(long)}])),
                "files[0].content",
                "tooLong",
            ),
            (with(&line, "issue_date", json!("9000-01-01")), "issue_date", "inTheFuture"),
            (with(&line, "lines", json!([])), "lines", "documentWithoutLines"),
            (with(&line, "document_type", json!("proforma")), "document_type", "invoiceInvalidDocumentType"),
            (with(&line, "workspace_id", json!(4711)), "workspace_id", "notFound"),
            (with(&line, "number", json!("")), "number", "required"),
            (with(&line, "issue_date", json!("2019-01-01")), "number", "seriesConflict"),
        ];
        let lines: Vec<Value> = refused.iter().map(|(line, ..)| line.clone()).chain([line.clone()]).collect();
        let ran = import(&world, &lines).await;
        assert_eq!((ran.code, counts(&ran)), (1, [1, 0, 10]), "{ran:?}");
        for (index, (_, field, code)) in refused.iter().enumerate() {
            let said = format!("line {}: {field}: ", index + 1);
            let sentence = ran.stderr.lines().find(|sentence| sentence.contains(&said));
            let sentence = sentence.unwrap_or_else(|| panic!("nothing about {said}: {ran:?}"));
            assert!(sentence.ends_with(&format!("({code})")), "{sentence}");
        }
    })
    .await;
}

#[tokio::test]
async fn numbers_are_taken_once_in_their_order_and_only_before_the_first_own_one() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let (day, year) = today(&world).await;
        let number = |position: u32| format!("F-{year}-{position:06}");
        let line = issued(&world, &day, &number(7));
        import(&world, std::slice::from_ref(&line)).await.succeeded();
        let again = [
            with(&line, "system", json!("Another")),
            anew(&line, &number(7)),
            anew(&line, &number(9)),
            anew(&line, &number(3)),
            anew(&line, &number(8)),
        ];
        let ran = import(&world, &again).await;
        assert_eq!((ran.code, counts(&ran)), (1, [2, 0, 3]), "{ran:?}");
        for (line, code) in
            [(1, "documentAlreadyIssued"), (2, "invoiceNumberGiven"), (3, "invoiceNumberLeavesGap")]
        {
            let said = ran
                .stderr
                .lines()
                .any(|said| said.contains(&format!("line {line}: ")) && said.ends_with(&format!("({code})")));
            assert!(said, "{code}: {ran:?}");
        }
        // The file is simply imported again: what left a gap does not any more.
        let ran = import(&world, &again).await;
        assert_eq!(counts(&ran), [1, 2, 2], "{ran:?}");
        // Unless the numbers in between were never used.
        let later = with(&anew(&line, &number(12)), "skips_unused", json!(true));
        assert_eq!(counts(&import(&world, &[later.clone(), later]).await), [1, 1, 0]);

        // From the first own number on, the series is ours.
        assert_eq!(own(&world, &day).await["display_invoice_number"], number(13));
        let later = with(&anew(&line, &number(14)), "skips_unused", json!(true));
        let ran = import(&world, &[later, anew(&line, &number(13))]).await;
        assert_eq!(counts(&ran), [0, 0, 2], "{ran:?}");
        assert!(
            ran.stderr.contains("(seriesMovedOn)") && ran.stderr.contains("(invoiceNumberGiven)"),
            "{ran:?}"
        );
        assert_eq!(own(&world, &day).await["display_invoice_number"], number(14));
        let whole = world.gateway.cli(&["doctor", "--chain"]).await;
        assert_eq!(whole.code, 0, "{whole:?}");
    })
    .await;
}

#[tokio::test]
async fn an_imported_document_is_never_submitted_and_what_credits_it_is() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let (day, year) = today(&world).await;
        let line = issued(&world, &day, &format!("F-{year}-000041"));
        let stamps = json!([{"provider": "verifactu-qr", "value": QR_URL}]);
        let (credited, reversed) = (with(&line, "stamps", stamps), anew(&line, &format!("F-{year}-000042")));
        let ran = import(&world, &[credited.clone(), reversed.clone()]).await;
        assert_eq!((ran.code, counts(&ran)), (0, [2, 0, 0]), "{ran:?}");

        for (command, body) in [
            ("issue", json!({})),
            ("send_to_tax_authority", json!({})),
            ("mark_as_rejected_by_tax_authority", json!({"reason": "no"})),
            ("delete", json!({})),
        ] {
            let answer = world.command(uuid(&credited), command, &body).await;
            assert_eq!(answer.status, 422, "{command}: {answer:?}");
        }
        assert_eq!(
            world.api.get(&format!("/finance/rpc/documents/{}/submission", uuid(&credited))).await.status,
            410
        );

        // Ours goes on behind it, and is submitted.
        let own = world.issue(&world.document()).await;
        let own = world.until(&own, "issued").await;
        assert_eq!(own["display_invoice_number"], format!("F-{year}-000043"));
        let of_own = submissions(&provider).len();

        let note =
            world.command(uuid(&credited), "credit", &json!({"at": own["issued_at"]})).await.expect(200);
        let note = note["document"]["uuid"].as_str().unwrap().to_owned();
        assert_eq!(submissions(&provider).len(), of_own, "a draft is nobody's");
        world.command(&note, "issue", &json!({})).await.expect(200);
        world.until(&note, "issued").await;
        let reversal =
            world.command(uuid(&reversed), "reverse", &json!({"at": own["issued_at"]})).await.expect(200);
        let reversal = reversal["document"]["uuid"].as_str().unwrap().to_owned();
        world.until(&reversal, "issued").await;

        for (note, original) in [(&note, "000041"), (&reversal, "000042")] {
            let sent = &provider.calls_for(note, Route::PutEntry)[0].body;
            let document = ["/data", "/doc", ""].iter().find_map(|pointer| {
                sent.pointer(pointer).filter(|document| document.get("preceding").is_some())
            });
            let document = document.unwrap_or_else(|| panic!("nothing precedes: {sent}"));
            let preceding = &document["preceding"][0];
            assert_eq!(preceding["code"], format!("F-{year}-{original}"), "{preceding}");
            assert_eq!(preceding["issue_date"], day, "{preceding}");
        }
        for imported in [&credited, &reversed] {
            let about = |call: &Call| call.document.as_deref() == Some(uuid(imported));
            assert!(!provider.calls().iter().any(about), "nobody submits it");
            let known = world.read(uuid(imported)).await;
            assert_eq!(
                (&known["open_total"], &known["status"]),
                (&json!("0.00"), &json!("issued")),
                "{known}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn entries_that_the_other_system_filed_match_what_was_imported() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let options = Options::provider(&provider.url())
            .variable("GATEWAY_RECONCILIATION__REQUESTS_PER_MIN", "60000")
            .variable("GATEWAY_RECONCILIATION__NIGHTLY_AT", "off");
        let world = World::with(engine, options).await;
        let (day, year) = today(&world).await;
        let number = |position: u32| format!("F-{year}-{position:06}");
        let lines = [1, 2, 3].map(|position| anew(&issued(&world, &day, ""), &number(position)));
        import(&world, &lines).await.succeeded();
        let entry = |number: &str, supplier: &str, payable: &str| {
            json!({
                "$schema": "https://gobl.org/draft-0/bill/invoice",
                "code": number,
                "supplier": {"tax_id": {"country": "ES", "code": supplier}},
                "totals": {"payable": payable},
            })
        };
        let id = |last: u8| format!("0197f4f2-0000-7000-8000-00000000f0{last:02x}");
        provider.store(&id(1), &entry(&number(1), "B98602642", "110.00"));
        provider.store(&id(2), &entry(&number(2), "B98602642", "111.00"));
        provider.store(&id(3), &entry(&number(3), "A58818501", "110.00"));
        let form = json!({"workspace_id": world.workspace, "from": "2019-01-01T00:00:00Z"});
        let begun = world.api.post("/admin/reconciliations", &form).await.expect(202);
        let report = gateway_tests::until("the run ends", || async {
            let path = format!("/admin/reconciliations/{}", begun["id"].as_str().unwrap());
            let report = world.api.get(&path).await.expect(200);
            (report["reconciliation"]["state"] == "ended").then_some(report)
        })
        .await;
        let counts = &report["reconciliation"]["counts"];
        assert_eq!((&counts["matching"], &counts["only_here"]), (&json!(1), &json!(0)), "{report}");
        let outcome = |id: &str| {
            let entries = report["entries"].as_array().unwrap();
            entries.iter().find(|entry| entry["entry_id"] == id).map(|entry| entry["outcome"].clone())
        };
        assert_eq!(outcome(&id(2)), Some(json!("different")), "{report}");
        assert_eq!(outcome(&id(3)), Some(json!("only_there")), "of another supplier: {report}");
    })
    .await;
}

#[tokio::test]
async fn documents_that_another_service_keeps_are_imported_there() {
    gateway_tests::on_both_remote(|engine: Engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let (day, year) = today(&world).await;
        let line = issued(&world, &day, &format!("F-{year}-000041"));
        let ran = import(&world, std::slice::from_ref(&line)).await;
        assert!(ran.code == 1 && ran.stderr.contains("another invoice data service"), "{ran:?}");
        let service = &world.remote_service().gateway;
        service.cli_with(&["import", "-"], &[], &format!("{line}\n")).await.succeeded();
        let known = gateway_tests::until("finance follows", || async {
            let answer = world.api.get(&format!("/finance/rpc/documents/{}", uuid(&line))).await;
            (answer.status == 200).then(|| answer.json())
        })
        .await;
        assert_eq!(known["imported"]["system"], "Old ERP", "{known}");
    })
    .await;
}
