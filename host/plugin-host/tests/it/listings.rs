//! The authority's own list: the question, the answer, and plugins that misbehave over either.

use crate::components::{hostile_component, hostile_component_with_reconcile};
use crate::documents::context;
use crate::hosts::{defect, host, key, load};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::ConverterError;
use gateway_domain_reconciliation::ports::AuthorityListings;
use gateway_domain_reconciliation::{
    FiledRecord, ListingAnswer, ListingMethod, ListingPage, ListingProblem, ListingQuery, ListingQuestion,
};
use gateway_plugin_host::PluginHost;

const WORKSPACE: WorkspaceId = WorkspaceId(1);

fn query(after: &str) -> ListingQuery {
    let after = (!after.is_empty()).then(|| after.to_owned());
    ListingQuery { from: "2026-11-01".parse().unwrap(), until: "2026-11-30".parse().unwrap(), after }
}

async fn page(host: &PluginHost, body: &str) -> Result<Result<ListingPage, ListingProblem>, ConverterError> {
    let answer = ListingAnswer { status: 200, body: body.as_bytes().to_vec() };
    host.read_answer(WORKSPACE, &key(), (&query(""), &context()), &answer).await
}

#[tokio::test]
async fn a_list_is_asked_for_read_and_played_by_those_who_have_it() {
    let host = host();
    let plain = load(&host, hostile_component()).await;
    assert!(!host.reads(WORKSPACE, &key()) && !host.has_listing(&key()), "{}", plain.release());
    let plugin = load(&host, hostile_component_with_reconcile()).await;
    assert_eq!(plugin.release(), "1.9");
    assert!(host.reads(WORKSPACE, &key()) && host.has_listing(&key()));
    let context = context();
    let request = host.question(WORKSPACE, &key(), &query(""), &context).await.unwrap().unwrap();
    let target = format!("?from=2026-11-01&until=2026-11-30&of={}", context.supplier.tax_id);
    assert_eq!((request.method, request.target), (ListingMethod::Get, target));
    let page = page(&host, "F-1\nF-2").await.unwrap().unwrap();
    let numbers: Vec<_> = page.records.iter().map(|record| record.number.as_str()).collect();
    assert_eq!(numbers, ["F-1", "F-2"]);
    let filed = ["a", "b"].map(|record| FiledRecord { document: "{}".to_owned(), record: record.to_owned() });
    let question = ListingQuestion { target: String::new(), body: Vec::new() };
    assert_eq!(host.listing(&key(), &question, &filed).await.unwrap(), b"a\nb");
}

#[tokio::test]
async fn a_question_that_leads_elsewhere_or_carries_credentials_does_not_go_out() {
    let host = host();
    load(&host, hostile_component_with_reconcile()).await;
    for (after, code) in [
        ("TARGET", "PLUGIN-RUBBISH"),
        ("CREDENTIALS", "PLUGIN-RUBBISH"),
        ("TRAP", "PLUGIN-TRAP"),
        ("LOOP", "PLUGIN-DEADLINE"),
    ] {
        let refused = host.question(WORKSPACE, &key(), &query(after), &context()).await;
        assert_eq!(defect(refused).code, code, "{after}");
    }
    let problem = host.question(WORKSPACE, &key(), &query("PROBLEM"), &context()).await.unwrap().unwrap_err();
    assert!(problem.temporary && problem.message == "As told; ask later.");
}

#[tokio::test]
async fn an_answer_that_a_plugin_stumbles_over_blocks_nobody() {
    let host = host();
    let plugin = load(&host, hostile_component_with_reconcile()).await;
    for (body, code) in [
        ("MANY", "PLUGIN-OUTPUT"),
        ("DAY", "PLUGIN-RUBBISH"),
        ("NUMBER", "PLUGIN-RUBBISH"),
        ("CURSOR", "PLUGIN-RUBBISH"),
        ("SILENT", "PLUGIN-RUBBISH"),
        ("BOMB", "PLUGIN-MEMORY"),
    ] {
        assert_eq!(defect(page(&host, body).await).code, code, "{body}");
    }
    for _ in 0..20 {
        assert_eq!(defect(page(&host, "TRAP").await).code, "PLUGIN-TRAP");
    }
    assert!(plugin.blocked().is_none(), "what an authority answers blocks no plugin");
    assert!(page(&host, "F-1").await.unwrap().is_ok());
}
