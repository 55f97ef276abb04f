//! Lists of documents as finance asks for them: by recipient, kind, dates and amounts, as pages and as streams, with what is left
//! of each.

use gateway_tests::{Document, World, on_both, on_every, until};
use serde_json::{Value, json};

const LIST: &str = "/invoicing/rpc/documents";

/// The recipients of a list, in its order.
async fn recipients(world: &World, query: &str) -> Vec<String> {
    let page = world.api.get(&format!("{LIST}?sort=created&{query}")).await.expect(200);
    let nodes = page["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["recipient"]["name"].as_str().unwrap().to_owned()).collect()
}

fn costing(document: Document, amount: &str) -> Document {
    document.with("lines", json!([gateway_tests::line("Studio", "1", amount, "10.0")]))
}

#[tokio::test]
async fn documents_are_found_by_recipient_kind_issue_date_and_gross() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        for (name, day, amount) in [
            ("María García López", "2026-10-30", "50.00"),
            ("Ole Übermann", "2026-11-01", "100.00"),
            ("Garcilaso Vega", "2026-11-20", "1000.00"),
        ] {
            let document = world.document().named(name).with("issue_date", json!(day));
            world.draft(&costing(document.with("prices_include_tax", json!(true)), amount)).await;
        }
        let (maria, ole, vega) = ("María García López", "Ole Übermann", "Garcilaso Vega");
        for (query, found) in [
            ("recipient=garci", vec![maria, vega]),
            ("recipient=GARC%C3%8DA%20maria", vec![maria]),
            ("recipient=ubermann", vec![ole]),
            ("recipient=arcia", vec![]),
            ("issued_from=2026-11-01", vec![ole, vega]),
            ("issued_to=2026-11-01", vec![maria, ole]),
            ("issued_from=2026-11-01&issued_to=2026-11-01", vec![ole]),
            ("gross_from=100", vec![ole, vega]),
            ("gross_to=99.9999", vec![maria]),
            ("gross_from=50.00&gross_to=100.00", vec![maria, ole]),
            ("document_type=invoice&status=draft", vec![maria, ole, vega]),
            ("document_type=credit_note", vec![]),
            ("recipient=garci&gross_from=51&issued_from=2026-11-01", vec![vega]),
        ] {
            assert_eq!(recipients(&world, query).await, found, "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_mended_recipient_is_found_by_the_new_name_alone() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document().named("Jane Roe")).await;
        world.put_draft(&uuid, &world.document().named("Joan Doe")).await.expect(200);
        assert_eq!(recipients(&world, "recipient=joan").await, ["Joan Doe"]);
        assert_eq!(recipients(&world, "recipient=jane").await, [""; 0]);
        assert_eq!(world.api.delete(&format!("{LIST}/{uuid}")).await.status, 204);
        assert_eq!(recipients(&world, "recipient=joan").await, [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn parameters_that_cannot_be_searched_for_are_named() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        for (query, field) in [
            ("recipient=-", "recipient"),
            ("issued_from=soon", "issued_from"),
            ("issued_from=2026-11-02&issued_to=2026-11-01", "issued_to"),
            ("gross_from=1,00", "gross_from"),
            ("gross_from=1.00001", "gross_from"),
            ("gross_from=2&gross_to=1", "gross_to"),
            ("document_type=bill", "document_type"),
        ] {
            assert_eq!(world.api.get(&format!("{LIST}?{query}")).await.fields(422), [field], "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_list_is_given_as_a_whole_where_a_stream_is_asked_for() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        // More than the documents that are held at once.
        let mut drafts = Vec::new();
        for _ in 0..103 {
            drafts.push(world.draft(&world.document().named("Jane \"J\" Roe, Ltd")).await);
        }
        world.draft(&world.document().named("=HYPERLINK(\"evil\")")).await;
        let ask = async |accept: &str, query: &str| {
            world.api.send("GET", &format!("{LIST}{query}"), &[("accept", accept)], None).await
        };
        let lines = ask("application/x-ndjson", "?recipient=roe").await;
        assert_eq!((lines.status, lines.header("content-type")), (200, "application/x-ndjson"));
        let uuid =
            |line: &str| serde_json::from_str::<Value>(line).unwrap()["uuid"].as_str().unwrap().to_owned();
        assert_eq!(lines.text.lines().map(uuid).collect::<Vec<_>>(), drafts);
        let rows = ask("text/csv", "?sort=-created").await;
        assert_eq!((rows.status, rows.header("vary")), (200, "accept"));
        assert!(rows.header("content-type").starts_with("text/csv"));
        let mut rows = rows.text.split_terminator("\r\n");
        assert!(
            rows.next()
                .unwrap()
                .starts_with("id,workspace_id,document_type,status,number,issue_date,recipient,")
        );
        let rows: Vec<_> = rows.collect();
        assert_eq!(rows.len(), drafts.len() + 1);
        assert!(rows[0].contains(r#""'=HYPERLINK(""evil"")""#), "{}", rows[0]);
        assert!(
            rows[1].contains(r#""Jane ""J"" Roe, Ltd""#) && rows[1].starts_with(&drafts[102]),
            "{}",
            rows[1]
        );
        assert_eq!(
            ask("text/csv", "?recipient=nobody").await.text.lines().count(),
            1,
            "the names of the columns"
        );
        assert_eq!(ask("application/x-ndjson", "?first=3").await.fields(422), ["first"]);
        assert_eq!(ask("application/pdf", "").await.fields(406), ["accept"]);
    })
    .await;
}

#[tokio::test]
async fn a_document_shows_what_was_credited_and_refunded_of_it() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let document = world.document().with("prices_include_tax", json!(true));
        let invoice = world.issue(&costing(document, "100.00")).await;
        let fresh = world.until(&invoice, "issued").await;
        let balance = |document: &Value| {
            ["credited_total", "refunded_total", "open_total"]
                .map(|name| document[name].as_str().unwrap().to_owned())
        };
        assert_eq!(balance(&fresh), ["0.00", "0.00", "100.00"]);
        let at = fresh["issued_at"].clone();
        let part = json!({"at": at, "lines": [gateway_tests::line("Studio", "1", "40.00", "10.0")]});
        let note = world.command(&invoice, "credit", &part).await.expect(200)["document"].clone();
        let note = note["uuid"].as_str().unwrap();
        let credited = world.read(&invoice).await;
        assert_eq!(balance(&credited), ["0.00", "0.00", "100.00"], "the note is a draft");
        assert_eq!(credited["unissued_credit_note_ids"], json!([note]));
        world.command(note, "issue", &json!({"at": at})).await.expect(200);
        world.until(note, "issued").await;
        world.command(note, "refund", &json!({"at": at, "amount": "15.00"})).await.expect(200);
        let page = world.api.get(LIST).await.expect(200);
        assert_eq!(balance(&page["nodes"][0]), ["40.00", "0.00", "60.00"]);
        assert_eq!(balance(&page["nodes"][1]), ["0.00", "15.00", "25.00"]);
        assert_eq!(page["nodes"][0]["unissued_credit_note_ids"], json!([]));
        let rows = world.api.send("GET", LIST, &[("accept", "text/csv")], None).await;
        let left: Vec<_> = rows.text.lines().map(|row| row.rsplit(',').take(3).collect::<Vec<_>>()).collect();
        assert_eq!(
            left,
            [
                ["open_total", "refunded_total", "credited_total"],
                ["60.00", "0.00", "40.00"],
                ["25.00", "15.00", "0.00"]
            ],
            "the last columns, from the end: {}",
            rows.text
        );
        let cli = async |arguments: &[&str]| world.gateway.cli(arguments).await.json();
        let list = cli(&["invoice", "list", "--json"]).await;
        assert_eq!(balance(&list["documents"][0]), ["0.00", "15.00", "25.00"], "the newest first: {list}");
        assert_eq!(balance(&list["documents"][1]), ["40.00", "0.00", "60.00"]);
        let view = cli(&["invoice", "show", &invoice, "--json"]).await;
        assert_eq!(balance(&view["document"]), ["40.00", "0.00", "60.00"]);
    })
    .await;
}

#[tokio::test]
async fn graphql_finds_documents_by_the_same_and_gives_the_newest_first() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        for (name, amount) in [("Jane Roe", "10.00"), ("Joan Roe", "20.00"), ("Max Doe", "30.00")] {
            let document = world.document().named(name).with("prices_include_tax", json!(true));
            let uuid = world.issue(&costing(document, amount)).await;
            world.until(&uuid, "issued").await;
        }
        let credentials = world.another_client(&["invoicing.read"], &["*"]).await;
        let public = credentials.sign_in(&world.gateway.public()).await;
        let ask = async |arguments: &str| {
            let query = format!(
                "{{ invoicing {{ documents({arguments}) {{ totalCount nodes {{ totals {{ gross }} }} }} }} }}"
            );
            let answer = public.post("/v1", &json!({"query": query})).await.expect(200);
            let list = &answer["data"]["invoicing"]["documents"];
            let nodes = list["nodes"].as_array().unwrap_or_else(|| panic!("{answer}"));
            assert_eq!(list["totalCount"], json!(nodes.len()));
            nodes.iter().map(|node| node["totals"]["gross"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        gateway_tests::until("the copies are listed", || async {
            (ask("filters: {documentType: INVOICE}").await.len() == 3).then_some(())
        })
        .await;
        assert_eq!(ask("filters: {recipient: \"roe\"}, sort: NEWEST_FIRST").await, ["20.00", "10.00"]);
        assert_eq!(ask("filters: {grossFrom: \"20\", documentType: INVOICE}").await, ["20.00", "30.00"]);
        assert_eq!(ask("filters: {documentType: CREDIT_NOTE}").await, [""; 0]);
        assert_eq!(ask("filters: {issuedTo: \"2020-01-01\"}").await, [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn reports_add_up_exactly_by_month_rate_and_state() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let taxed = |amount: &str, rate: &str| gateway_tests::line("Studio", "1", amount, rate);
        let exempt = json!({"description": "Rent", "quantity": "1", "unit_price": "500.00",
            "tax": {"category": "VAT", "exemption": "article_20"}});
        for (day, currency, lines) in [
            ("2026-10-31", "EUR", json!([taxed("0.10", "10.0"), taxed("0.20", "21.0")])),
            ("2026-11-01", "EUR", json!([taxed("100.00", "10.0"), exempt])),
            ("2026-11-02", "EUR", json!([taxed("0.20", "10.0")])),
            ("2026-11-03", "JPY", json!([taxed("1000", "10.0")])),
        ] {
            let document = world.document().with("prices_include_tax", json!(false)).with("lines", lines);
            let uuid = world.draft(&document.with("issue_date", json!(day)).with("currency", json!(currency))).await;
            world.rpc(&uuid, "issue").await.expect(200);
        }
        world.draft(&world.document()).await;
        let workspace = world.workspace;
        let report = async |query: &str| {
            let path = format!("/invoicing/rpc/reports/totals?workspace_id={workspace}&{query}");
            world.api.get(&path).await.expect(200)["rows"].clone()
        };
        let sums = |key: &str, value: &str, currency: &str, documents: i64, [net, tax, gross]: [&str; 3]| {
            let none = if currency == "JPY" { "0" } else { "0.00" };
            json!({key: value, "document_type": "invoice", "currency": currency, "documents": documents, "net": net,
                "tax": tax, "gross": gross, "retained": none, "payable": gross})
        };
        let (october, november, yen) = (
            sums("month", "2026-10", "EUR", 1, ["0.30", "0.05", "0.35"]),
            sums("month", "2026-11", "EUR", 2, ["600.20", "10.02", "610.22"]),
            sums("month", "2026-11", "JPY", 1, ["1000", "100", "1100"]),
        );
        assert_eq!(report("group=month").await, json!([october, november, yen]));
        assert_eq!(report("group=month&to=2026-10-31").await, json!([october]));
        assert_eq!(report("group=month&from=2026-12-01").await, json!([]));
        assert_eq!(
            report("group=status").await,
            json!([
                sums("status", "draft", "EUR", 1, ["100.00", "10.00", "110.00"]),
                sums("status", "issued", "EUR", 3, ["600.50", "10.07", "610.57"]),
                sums("status", "issued", "JPY", 1, ["1000", "100", "1100"]),
            ])
        );
        let rate = |rate: &str, currency: &str, documents: i64, base: &str, amount: &str| {
            json!({"category": "VAT", "rate": rate, "document_type": "invoice", "currency": currency,
                "documents": documents, "base": base, "amount": amount})
        };
        let exempt = json!({"category": "VAT", "exemption": "article_20", "document_type": "invoice", "currency": "EUR",
            "documents": 1, "base": "500.00", "amount": "0.00"});
        assert_eq!(
            report("group=rate").await,
            json!([
                exempt,
                rate("10.0", "EUR", 3, "100.30", "10.03"),
                rate("10.0", "JPY", 1, "1000", "100"),
                rate("21.0", "EUR", 1, "0.20", "0.04"),
            ])
        );
        let elsewhere = "/invoicing/rpc/reports/totals?workspace_id=999999&group=month";
        assert_eq!(world.api.get(elsewhere).await.expect(200)["rows"], json!([]));
        for (query, field) in [
            ("group=month", "workspace_id"),
            ("workspace_id=1", "group"),
            ("workspace_id=1&group=day", "group"),
            ("workspace_id=1&group=month&from=2026-11-02&to=2026-11-01", "to"),
        ] {
            let path = format!("/invoicing/rpc/reports/totals?{query}");
            assert_eq!(world.api.get(&path).await.fields(422), [field], "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn documents_that_were_accepted_with_errors_are_a_list_of_their_own_everywhere() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let clean = world.issue(&world.document()).await;
        let with_errors = world.issue(&world.document().named("Jane SANDBOX-REJECT-2001")).await;
        for uuid in [&clean, &with_errors] {
            world.until(uuid, "issued").await;
        }
        let expected = vec![with_errors.clone()];
        let ids = |list: &Value| -> Vec<String> {
            list["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|node| node["uuid"].as_str().unwrap().to_owned())
                .collect()
        };
        let path = "/invoicing/rpc/documents?accepted_with_errors=true";
        assert_eq!(ids(&world.api.get(path).await.expect(200)), expected);
        assert_eq!(
            world.api.get("/invoicing/rpc/documents?accepted_with_errors=x").await.fields(422),
            ["accepted_with_errors"]
        );
        // Finance's copy of a remote document follows the events.
        until("the list has it", || async {
            let listed =
                world.gateway.cli(&["invoice", "list", "--accepted-with-errors", "--json"]).await.json();
            let listed = listed["documents"]
                .as_array()
                .unwrap()
                .iter()
                .map(|node| node["uuid"].clone())
                .collect::<Vec<_>>();
            (listed == [json!(with_errors)]).then_some(())
        })
        .await;
        let metrics = world.gateway.internal().get("/metrics").await.text;
        assert!(metrics.contains("einvoicing_documents_accepted_with_errors 1"), "{metrics}");
    })
    .await;
}
