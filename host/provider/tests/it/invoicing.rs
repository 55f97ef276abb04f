//! What the client of the invoice data service makes of a peer that misbehaves.

use crate::peer::{http, peer};
use gateway_domain::access::Actor;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, IssueError, Status};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::ports::{InvoiceDataError, InvoicingClient};
use gateway_domain_input::document::invoice_from_body;
use gateway_provider::{ClientCredentials, HttpInvoiceData, InvoiceDataOptions, SetupError};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpListener;

const SECRET: &str = "client-secret-of-finance";
const TOKEN: &str = "access-token-of-finance";
const ID: &str = "0193a1b2-0000-4000-8000-00000000c0de";

fn id() -> InvoiceId {
    ID.parse().unwrap()
}

fn jane() -> Actor {
    Actor("jane".to_owned())
}

fn service(base: &str) -> HttpInvoiceData {
    service_within(base, Duration::from_secs(20))
}

/// The same whose calls may take no longer than this.
fn service_within(base: &str, timeout: Duration) -> HttpInvoiceData {
    let options = InvoiceDataOptions { timeout, body_bytes_max: 10_000, ..InvoiceDataOptions::default() };
    HttpInvoiceData::new(base.parse().unwrap(), Some(ClientCredentials::new("finance", SECRET)), options)
        .unwrap()
}

fn token() -> Vec<u8> {
    let body = json!({"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"});
    http("200 OK", "", &body.to_string())
}

fn document_json() -> Value {
    json!({"uuid": ID, "workspace_id": 1, "document_type": "invoice", "status": "draft", "display_document_number": null,
        "display_invoice_number": null, "send_to_tax_authority": false, "currency": "EUR", "booking_id": null,
        "issue_date": null, "operation_date": null, "prices_include_tax": false, "recipient": null,
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "10.00", "tax": {"category": "VAT", "rate": "10.0"}}],
        "retentions": [], "referenced_document_ids": [], "notes": null,
        "totals": {"net": "10.00", "tax": "1.00", "gross": "11.00", "retained": "0.00", "payable": "11.00", "rates": []},
        "issuing_at": null, "issued_at": null, "rejected_by_tax_authority_at": null, "rejection_reason": null,
        "acceptance": null, "version": 3, "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-20T09:00:00Z",
        "a_member_of_tomorrow": 1})
}

/// What reading a document comes to when the peer answers so.
async fn read(answer: Vec<u8>) -> InvoiceDataError {
    let (base, _) = peer(vec![token(), answer]).await;
    service(&base).document(&jane(), id()).await.unwrap_err()
}

#[tokio::test]
async fn a_document_is_read_with_a_token_that_acts_for_the_caller() {
    let (base, requests) = peer(vec![token(), http("200 OK", "", &document_json().to_string())]).await;
    let found = service(&base).document(&jane(), id()).await.unwrap().unwrap();
    assert_eq!((found.id, found.workspace, found.version), (id(), WorkspaceId(1), 3));
    assert_eq!((found.state.status(), found.totals.payable.to_string().as_str()), (Status::Draft, "11.00"));
    let requests = requests.await.unwrap();
    assert!(requests[0].starts_with("POST /prefix/v1/oauth2/token HTTP/1.1\r\n"), "{}", requests[0]);
    let request: Value = serde_json::from_str(requests[0].rsplit("\r\n").next().unwrap()).unwrap();
    let expected = json!({"grant_type": "client_credentials", "client_id": "finance", "client_secret": SECRET,
        "act": {"sub": "jane"}});
    assert_eq!(request, expected);
    let get = format!("GET /prefix/invoicing/rpc/documents/{ID} HTTP/1.1\r\n");
    assert!(requests[1].starts_with(&get), "{}", requests[1]);
    assert!(requests[1].contains(&format!("authorization: Bearer {TOKEN}\r\n")), "{}", requests[1]);
}

#[tokio::test]
async fn calls_go_out_as_the_specification_says() {
    let done = || http("200 OK", "", "{}");
    let (base, requests) =
        peer(vec![token(), done(), done(), done(), done(), http("204 No Content", "", ""), done(), done()])
            .await;
    let (service, by) = (service(&base), Actor::gateway());
    let acceptance = Acceptance {
        qr_url: Some("https://qr".to_owned()),
        tax_system_hash: None,
        accepted_at: "2026-11-20T09:00:00Z".parse().unwrap(),
        warnings: Vec::new(),
        sandbox: false,
    };
    let at = Some("2026-11-20T08:00:00Z".parse().unwrap());
    service.issuing(&by, id(), at, Some(3)).await.unwrap();
    service.issue(&by, id(), Some(&acceptance), None, None, "k1").await.unwrap();
    service.issue(&by, id(), None, None, Some(5), "k2").await.unwrap();
    service.reject(&by, id(), &"x\0".repeat(3_000), "k3").await.unwrap();
    service.delete(&by, id(), 7).await.unwrap();
    let content = invoice_from_body(&document_json()).unwrap().content;
    for version in [None, Some(3)] {
        service.save(&by, id(), WorkspaceId(1), &content, version).await.unwrap();
    }
    let requests = requests.await.unwrap();
    assert!(!requests[0].contains("act"), "the gateway acts for nobody: {}", requests[0]);
    let call = |at: usize| {
        let (head, body) = requests[at].split_once("\r\n\r\n").unwrap();
        let line = head.lines().next().unwrap().to_owned();
        (line, head.to_owned(), serde_json::from_str::<Value>(body).unwrap_or_default())
    };
    let path = format!("/prefix/invoicing/rpc/documents/{ID}");
    let (line, head, body) = call(1);
    assert_eq!(line, format!("PUT {path}/issuing HTTP/1.1"));
    assert_eq!(body, json!({"send_to_tax_authority": true, "at": "2026-11-20T08:00:00Z"}));
    assert!(!head.contains("idempotency-key"), "a second issuing is refused: {head}");
    let (line, head, body) = call(2);
    assert!(line.ends_with("/issue HTTP/1.1") && head.contains("idempotency-key: k1"), "{head}");
    assert!(!head.contains("if-match"), "a verdict is about a number: {head}");
    assert_eq!(body["acceptance"]["qr_url"], "https://qr");
    let (_, head, body) = call(3);
    assert!(body.is_null() && !head.contains("content-type"), "the standard issue has no body: {head}");
    assert!(head.contains("if-match: \"5\"") && head.contains("idempotency-key: k2"), "{head}");
    let (line, _, body) = call(4);
    assert!(line.ends_with("/reject HTTP/1.1"));
    assert_eq!(body["reason"].as_str().unwrap(), "x".repeat(2_000));
    let (line, head, _) = call(5);
    assert!(line == format!("DELETE {path} HTTP/1.1") && head.contains("if-match: \"7\""), "{head}");
    let (line, head, _) = call(6);
    assert!(
        line == format!("PUT {path} HTTP/1.1") && head.contains("if-none-match: *"),
        "it makes one: {head}"
    );
    let (_, head, _) = call(7);
    assert!(head.contains("if-match: \"3\"") && !head.contains("if-none-match"), "{head}");
}

#[tokio::test]
async fn a_service_that_knows_the_specification_only_is_called_as_that_says() {
    let refused = |fields: &[&str]| {
        let errors: Vec<_> =
            fields.iter().map(|field| json!({"field": field, "message": "is no member"})).collect();
        http("422 Unprocessable Entity", "", &json!({ "errors": errors }).to_string())
    };
    let (done, by) = (|| http("200 OK", "", "{}"), Actor::gateway());
    let at = Some("2026-11-20T08:00:00Z".parse().unwrap());
    for refusals in
        [vec![vec!["send_to_tax_authority", "at"]], vec![vec!["send_to_tax_authority"], vec!["at"]]]
    {
        let mut answers = vec![token()];
        answers.extend(refusals.iter().map(|fields| refused(fields)));
        answers.push(done());
        let (base, requests) = peer(answers).await;
        service(&base).issuing(&by, id(), at, Some(3)).await.unwrap();
        let last = requests.await.unwrap().pop().unwrap();
        assert!(last.contains("/issuing HTTP/1.1") && last.contains("if-match: \"3\""), "{last}");
        assert!(last.ends_with("\r\n\r\n") && !last.contains("content-type"), "no body: {last}");
    }
    let acceptance = Acceptance {
        qr_url: None,
        tax_system_hash: None,
        accepted_at: "2026-11-20T09:00:00Z".parse().unwrap(),
        warnings: Vec::new(),
        sandbox: false,
    };
    let (base, requests) = peer(vec![token(), refused(&["acceptance"]), done()]).await;
    service(&base).issue(&by, id(), Some(&acceptance), None, None, "k1").await.unwrap();
    let last = requests.await.unwrap().pop().unwrap();
    assert!(last.contains("/issue HTTP/1.1") && last.contains("idempotency-key: k1"), "{last}");
    assert!(last.ends_with("\r\n\r\n"), "no body: {last}");
    for fields in [&["lines"][..], &["at"], &["status"]] {
        let (base, requests) = peer(vec![token(), refused(fields)]).await;
        let error = service(&base).issuing(&by, id(), at, None).await.unwrap_err();
        assert!(matches!(error, InvoiceDataError::Refused(_)), "{error:?}");
        assert_eq!(requests.await.unwrap().len(), 2, "a refusal is an answer");
    }
}

#[tokio::test]
async fn a_time_whose_year_takes_no_number_any_more_is_not_left_out() {
    let (code, message) = (IssueError::SeriesMovedOn.code(), IssueError::SeriesMovedOn.to_string());
    let errors = json!({"errors": [{"field": "at", "code": code, "message": message}]});
    let refused = || http("422 Unprocessable Entity", "", &errors.to_string());
    let (at, by) = (Some("2025-12-30T08:00:00Z".parse().unwrap()), Actor::gateway());
    for step in ["issue", "issuing"] {
        let (base, requests) = peer(vec![token(), refused()]).await;
        let answer = match step {
            "issue" => service(&base).issue(&by, id(), None, at, None, "k1").await,
            _ => service(&base).issuing(&by, id(), at, None).await,
        };
        assert!(matches!(answer, Err(InvoiceDataError::Refused(_))), "{answer:?}");
        assert_eq!(requests.await.unwrap().len(), 2, "it is not asked again without the time");
    }
}

#[tokio::test]
async fn a_document_need_not_tell_when_it_was_made() {
    let mut bare = document_json();
    for member in ["created_at", "updated_at", "a_member_of_tomorrow"] {
        bare.as_object_mut().unwrap().remove(member);
    }
    let draft = invoice_from_body(&bare).unwrap();
    assert_eq!(
        (draft.created_at.as_second(), draft.updated_at.as_second()),
        (0, 0),
        "the same at every reading"
    );
    bare["status"] = json!("issuing");
    bare["display_invoice_number"] = json!("F-1");
    bare["issuing_at"] = json!("2026-11-20T09:00:00Z");
    let issuing = invoice_from_body(&bare).unwrap();
    assert_eq!(issuing.updated_at, "2026-11-20T09:00:00Z".parse().unwrap());
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let refused = || http("401 Unauthorized", "", "{}");
    let (base, requests) =
        peer(vec![token(), refused(), token(), http("200 OK", "", &document_json().to_string())]).await;
    assert!(service(&base).document(&jane(), id()).await.unwrap().is_some());
    assert_eq!(requests.await.unwrap().len(), 4);
    let (base, requests) = peer(vec![token(), refused(), token(), refused()]).await;
    let error = service(&base).document(&jane(), id()).await.unwrap_err();
    assert_eq!(error, InvoiceDataError::Unauthorised { status: 401 });
    assert_eq!(requests.await.unwrap().len(), 4);
}

#[tokio::test]
async fn one_token_serves_many_calls_of_one_actor_until_it_ends() {
    let document = || http("200 OK", "", &document_json().to_string());
    let (base, requests) = peer(vec![token(), document(), document(), token(), document()]).await;
    let service = service(&base);
    for by in [jane(), jane(), Actor::gateway()] {
        service.document(&by, id()).await.unwrap();
    }
    assert_eq!(requests.await.unwrap().iter().filter(|text| text.contains("oauth2")).count(), 2);
    let ended = http("200 OK", "", &json!({"access_token": TOKEN, "expires_in": 0}).to_string());
    let (base, requests) = peer(vec![ended.clone(), document(), ended, document()]).await;
    let service = self::service(&base);
    for _ in 0..2 {
        service.document(&jane(), id()).await.unwrap();
    }
    assert_eq!(requests.await.unwrap().iter().filter(|text| text.contains("oauth2")).count(), 2);
}

#[tokio::test]
async fn credentials_that_are_refused_are_named_and_nothing_is_called() {
    for status in ["400 Bad Request", "401 Unauthorized", "403 Forbidden"] {
        let (base, requests) = peer(vec![http(status, "", r#"{"error":"invalid_client"}"#)]).await;
        let error = service(&base).document(&jane(), id()).await.unwrap_err();
        assert!(matches!(error, InvoiceDataError::Unauthorised { .. }), "{error:?}");
        assert!(error.to_string().contains("finance.invoicing_client_id"), "{error}");
        assert_eq!(requests.await.unwrap().len(), 1);
    }
    for body in ["", "null", "{}", "<html>", r#"{"access_token":7}"#] {
        let (base, _) = peer(vec![http("200 OK", "", body)]).await;
        let error = service(&base).document(&jane(), id()).await.unwrap_err();
        assert!(matches!(error, InvoiceDataError::Protocol { .. }), "{body}: {error:?}");
    }
}

#[tokio::test]
async fn nobody_a_broken_answer_and_silence_mean_unavailable() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let nobody = service(&format!("http://{free}")).document(&jane(), id()).await.unwrap_err();
    assert!(matches!(nobody, InvoiceDataError::Unavailable { .. }), "{nobody:?}");
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", silent.local_addr().unwrap());
    let silence = service_within(&base, Duration::from_millis(400)).document(&jane(), id()).await;
    assert!(matches!(silence, Err(InvoiceDataError::Unavailable { .. })), "{silence:?}");
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"uuid\":".to_vec();
    for answer in [cut, b"garbage\r\n\r\n".to_vec(), Vec::new()] {
        assert!(matches!(read(answer).await, InvoiceDataError::Unavailable { .. }));
    }
    let wait = read(http("503 Service Unavailable", "retry-after: 17\r\n", "")).await;
    assert_eq!(
        wait,
        InvoiceDataError::Unavailable { detail: "HTTP 503".to_owned(), retry_after_s: Some(17) }
    );
}

#[tokio::test]
async fn an_answer_that_is_no_such_document_is_a_protocol_error() {
    let mut other = document_json();
    other["uuid"] = json!("0193a1b2-0000-4000-8000-000000000bad");
    let mut dearer = document_json();
    dearer["totals"]["payable"] = json!("12.00");
    let mut nobody = document_json();
    nobody["status"] = json!("issuing");
    let bodies = [other.to_string(), dearer.to_string(), nobody.to_string(), "[]".to_owned(), "{".to_owned()];
    for body in bodies.into_iter().chain([String::new(), "x".repeat(20_000), "[".repeat(5_000)]) {
        let error = read(http("200 OK", "", &body)).await;
        assert!(matches!(error, InvoiceDataError::Protocol { .. }), "{body}: {error:?}");
    }
    let moved = read(http("307 Temporary Redirect", "location: http://127.0.0.1:9/\r\n", "")).await;
    assert!(matches!(moved, InvoiceDataError::Protocol { .. }), "a redirect is not followed: {moved:?}");
}

#[tokio::test]
async fn refusals_keep_their_fields_and_an_unknown_document_is_none() {
    let body = r#"{"errors":[{"field":"base","message":"invoiceInvalidDocumentType"}]}"#;
    let refused = read(http("422 Unprocessable Entity", "", body)).await;
    let errors =
        vec![FieldError::new("base", ErrorCode::InvoiceInvalidDocumentType, "invoiceInvalidDocumentType")];
    assert_eq!(refused, InvoiceDataError::Refused(errors));
    assert_eq!(read(http("412 Precondition Failed", "", "")).await, InvoiceDataError::Stale);
    let (base, _) = peer(vec![token(), http("410 Gone", "", "{}")]).await;
    assert_eq!(service(&base).document(&jane(), id()).await, Ok(None));
    let (base, _) = peer(vec![token(), http("410 Gone", "", "{}")]).await;
    assert_eq!(service(&base).delete(&jane(), id(), 1).await, Err(InvoiceDataError::Gone));
}

#[tokio::test]
async fn secrets_that_come_back_are_not_shown() {
    for status in ["401 Unauthorized", "422 Unprocessable Entity", "500 Internal Server Error", "200 OK"] {
        let body = format!(
            r#"{{"errors":[{{"field":"{TOKEN}","message":"bad token {TOKEN}"}}],"status":"{TOKEN}"}}"#
        );
        let (base, _) = peer(vec![token(), http(status, "", &body), token(), http(status, "", &body)]).await;
        let error = service(&base).document(&jane(), id()).await.unwrap_err();
        assert!(!format!("{error:?} {error}").contains(TOKEN), "{error:?}");
    }
    let document_json =
        format!("{:?} {:?}", service("http://127.0.0.1:9"), ClientCredentials::new("finance", SECRET));
    assert!(!document_json.contains(SECRET), "{document_json}");
}

#[test]
fn only_a_plain_http_address_is_taken() {
    for bad in ["ftp://x/", "http://user@x/", "http://:pw@x/", "http://x/?a", "http://x/#a", "data:x"] {
        let credentials = ClientCredentials::new("finance", SECRET);
        let made =
            HttpInvoiceData::new(bad.parse().unwrap(), Some(credentials), InvoiceDataOptions::default());
        assert_eq!(made.unwrap_err(), SetupError::Address, "{bad}");
    }
}

#[tokio::test]
async fn a_service_that_asks_for_no_token_is_called_without_one() {
    let feed = json!({"events": [], "next": "4"}).to_string();
    let (base, requests) =
        peer(vec![http("200 OK", "", &document_json().to_string()), http("200 OK", "", &feed)]).await;
    let open = HttpInvoiceData::new(base.parse().unwrap(), None, InvoiceDataOptions::default()).unwrap();
    assert_eq!(open.document(&jane(), id()).await.unwrap().unwrap().version, 3);
    assert_eq!(open.events(Some("3 & more")).await.unwrap().next, "4");
    let requests = requests.await.unwrap();
    assert!(requests.iter().all(|request| !request.contains("authorization")), "{requests:?}");
    let feed = "GET /prefix/invoicing/rpc/events?limit=100&after=3+%26+more HTTP/1.1\r\n";
    assert!(requests[1].starts_with(feed), "{}", requests[1]);
}
