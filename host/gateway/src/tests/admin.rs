use super::routers::{Routers, both, get, json_post, one};
use crate::clock::{SystemClock, SystemIds};
use crate::listeners::Surfaces;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use gateway_api_public::PublicApi;
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::{InvoiceId, JobId, WorkspaceId};
use gateway_domain::ports::{Clock as _, Ids as _};
use gateway_domain_finance::{Alert, AlertCode, Submission};
use gateway_http::limits::Limits;
use gateway_storage::{jobs, submissions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use uuid::Uuid;

async fn workspace(routers: &Routers, admin: &str) -> Value {
    let form = json!({"name": "N", "legal_name": "L SL", "tax_id": "b-0000 0000", "country": "es", "time_zone": "Europe/Madrid"});
    let answer = routers.send(admin, "POST", "/admin/workspaces", Some(form)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{answer:?}");
    answer.json()
}

fn configuration(token: &str) -> Value {
    json!({"regime": "es-verifactu", "company_id": "0197f4f2-0000-7000-8000-000000000001",
        "workflow_id": "0197f4f2-0000-7000-8000-000000000002", "token": token})
}

#[tokio::test]
async fn a_client_is_made_listed_rotated_and_disabled() {
    for routers in both().await {
        let admin = routers.admin().await;
        let form = json!({"name": "pms", "permissions": ["invoicing.rpc"], "workspaces": [1, 2]});
        let made = routers.send(&admin, "POST", "/admin/clients", Some(form)).await;
        assert_eq!(made.status, StatusCode::CREATED, "{made:?}");
        let (id, secret) = (made.json()["client_id"].clone(), made.json()["client_secret"].clone());
        assert!(secret.as_str().unwrap().len() > 40);
        let list = routers.send(&admin, "GET", "/admin/clients", None).await;
        assert!(!list.text.contains(secret.as_str().unwrap()) && !list.text.contains("client_secret"));
        let path = format!("/admin/clients/{}", id.as_str().unwrap());
        let rotated = routers.send(&admin, "POST", &format!("{path}/rotate-secret"), None).await.json();
        assert_ne!(rotated["client_secret"], secret);
        let disabled = routers.send(&admin, "POST", &format!("{path}/disable"), None).await;
        assert_eq!(disabled.json()["disabled"], true);
        let credentials = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": rotated["client_secret"]});
        let refused = routers.public(json_post("/v1/oauth2/token", &credentials)).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test]
async fn everything_of_a_workspace_is_retried_by_whoever_may_operate_it() {
    for routers in both().await {
        let admin = routers.admin().await;
        let id = workspace(&routers, &admin).await["id"].clone();
        let path = "/admin/submissions/retry";
        let retried = routers.send(&admin, "POST", path, Some(json!({"workspace_id": id}))).await;
        assert_eq!(
            (retried.status, retried.json()),
            (StatusCode::OK, json!({"workspace_id": id, "retried": 0}))
        );
        let unknown = routers.send(&admin, "POST", path, Some(json!({"workspace_id": 999}))).await;
        assert_eq!(
            (unknown.status, unknown.fields()),
            (StatusCode::UNPROCESSABLE_ENTITY, vec!["workspace_id".to_owned()])
        );
        let missing = routers.send(&admin, "POST", path, Some(json!({}))).await;
        assert_eq!(missing.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}

#[tokio::test]
async fn submissions_that_wait_for_somebody_come_first_and_others_hide_none() {
    for routers in both().await {
        let mut tx = routers.services.db.begin().await.unwrap();
        for (number, workspace, alerted) in [(1, 1, true), (2, 1, false), (3, 2, true), (4, 2, false)] {
            let id = InvoiceId(Uuid::from_u128(number));
            let at = format!("2026-11-20T09:00:0{number}Z").parse().unwrap();
            let alert = Alert { code: AlertCode::ProviderNotConfigured, message: "set it".to_owned() };
            let requested = Submission::requested(id, WorkspaceId(workspace), "jane".to_owned(), at);
            let submission = Submission { alert: alerted.then_some(alert), ..requested };
            assert!(submissions::insert(&mut tx, &submission).await.unwrap());
        }
        tx.commit().await.unwrap();
        let admin = routers.admin().await;
        let own = routers.token(&[Permission::Admin], Workspaces::Only(vec![WorkspaceId(1)])).await;
        for (token, query, expected, more) in [
            (&admin, "", &[3, 1, 4, 2][..], false),
            (&admin, "?alerted=true", &[3, 1], false),
            (&own, "", &[1, 2], false),
            (&own, "?limit=1", &[1], true),
            (&own, "?alerted=true&limit=1", &[1], false),
        ] {
            let list = routers.send(token, "GET", &format!("/admin/submissions{query}"), None).await.json();
            let ids: Vec<Uuid> = list["submissions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|submission| submission["document_id"].as_str().unwrap().parse().unwrap())
                .collect();
            let expected: Vec<_> = expected.iter().map(|number| Uuid::from_u128(*number)).collect();
            assert_eq!((ids, &list["more"]), (expected, &json!(more)), "{query}");
            assert_eq!(list["unsubmitted"], json!([]), "{query}");
        }
        let unclear = routers.send(&admin, "GET", "/admin/submissions?alerted=perhaps", None).await;
        assert_eq!(unclear.fields(), ["alerted"]);
    }
}

#[tokio::test]
async fn a_workspace_may_have_an_address_for_electronic_mail() {
    for routers in both().await {
        let admin = routers.admin().await;
        let made = workspace(&routers, &admin).await;
        assert_eq!(made.get("email"), None, "shown only where there is one");
        let path = format!("/admin/workspaces/{}", made["id"]);
        let set = |email: &str| routers.send(&admin, "PATCH", &path, Some(json!({"email": email})));
        assert_eq!(set("office@example.com").await.json()["email"], "office@example.com");
        assert_eq!(set("office").await.fields(), ["email"]);
        assert_eq!(set("").await.json().get("email"), None);
    }
}

#[tokio::test]
async fn bad_forms_name_their_members() {
    let routers = one().await;
    let admin = routers.admin().await;
    for (path, body, status, field) in [
        ("/admin/clients", json!({"permissions": []}), 422, "name"),
        ("/admin/clients", json!({"name": "x", "permissions": ["fly"]}), 422, "permissions[0]"),
        ("/admin/clients", json!({"name": "x", "workspaces": ["one"]}), 422, "workspaces"),
        ("/admin/clients", json!({"name": "", "workspaces": "*"}), 422, "name"),
        ("/admin/clients", json!({"name": "x", "colour": 1}), 422, "colour"),
        (
            "/admin/workspaces",
            json!({"name": "N", "legal_name": "L", "tax_id": "1", "country": "Spain"}),
            422,
            "country",
        ),
        (
            "/admin/workspaces",
            json!({"name": "N", "legal_name": "L", "tax_id": "1", "country": "ES", "time_zone": "Moon"}),
            422,
            "time_zone",
        ),
        (
            "/admin/workspaces",
            json!({"name": "N", "legal_name": "L", "tax_id": "1", "country": "ES", "invoice_pattern": "F"}),
            422,
            "invoice_pattern",
        ),
        (
            "/admin/workspaces",
            json!({"name": "N", "legal_name": "L", "tax_id": "1", "country": "ES", "email": "office"}),
            422,
            "email",
        ),
        ("/admin/workspaces", json!([]), 422, "base"),
    ] {
        let answer = routers.send(&admin, "POST", path, Some(body.clone())).await;
        assert_eq!(answer.status.as_u16(), status, "{body}: {answer:?}");
        assert!(answer.fields().contains(&field.to_owned()), "{body}: {answer:?}");
    }
    let malformed = Request::post("/admin/clients").header("authorization", format!("Bearer {admin}"));
    let malformed = malformed.header("content-type", "application/json").body(Body::from("{")).unwrap();
    assert_eq!(routers.internal(malformed).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn two_workspaces_of_one_supplier_get_different_numbers() {
    for routers in both().await {
        let admin = routers.admin().await;
        let (first, second) = (workspace(&routers, &admin).await, workspace(&routers, &admin).await);
        assert_eq!((&first["tax_id"], &first["country"]), (&json!("B00000000"), &json!("ES")));
        assert_eq!(first["invoice_pattern"], "F-{year}-{number:06}");
        assert_eq!(
            (&second["invoice_pattern"], &second["credit_pattern"]),
            (&json!("F2-{year}-{number:06}"), &json!("R2-{year}-{number:06}"))
        );
        let same = json!({"invoice_pattern": "F-{year}-{number:06}"});
        let refused = routers.send(&admin, "PATCH", "/admin/workspaces/2", Some(same)).await;
        assert_eq!((refused.status.as_u16(), refused.fields()), (422, vec!["invoice_pattern".to_owned()]));
    }
}

#[tokio::test]
async fn the_next_number_is_set_once_before_the_first_use() {
    for routers in both().await {
        let admin = routers.admin().await;
        workspace(&routers, &admin).await;
        let set = |next: i64| {
            routers.send(&admin, "PATCH", "/admin/workspaces/1", Some(json!({"next_number": next})))
        };
        assert_eq!(set(0).await.fields(), ["next_number"]);
        assert_eq!(set(500).await.status, StatusCode::OK);
        let again = set(600).await;
        assert_eq!((again.status, again.fields()), (StatusCode::CONFLICT, vec!["next_number".to_owned()]));
    }
}

#[tokio::test]
async fn the_provider_token_is_set_and_never_shown() {
    for routers in both().await {
        let admin = routers.admin().await;
        workspace(&routers, &admin).await;
        let path = "/admin/workspaces/1/e-invoicing";
        assert_eq!(routers.send(&admin, "GET", path, None).await.status, StatusCode::NOT_FOUND);
        let mut body = configuration("tok-hunter2");
        let set = routers.send(&admin, "PUT", path, Some(body.clone())).await;
        assert_eq!(set.status, StatusCode::OK, "{set:?}");
        let configuration = routers.send(&admin, "GET", path, None).await;
        assert_eq!(
            (&configuration.json()["regime"], &configuration.json()["token"]),
            (&json!("es-verifactu"), &json!("set"))
        );
        assert!(!set.text.contains("hunter2") && !configuration.text.contains("hunter2"));

        body["token"] = Value::Null;
        assert_eq!(routers.send(&admin, "PUT", path, Some(body.clone())).await.status, StatusCode::OK);
        body["token"] = json!("two words");
        assert_eq!(routers.send(&admin, "PUT", path, Some(body.clone())).await.fields(), ["token"]);
        body["company_id"] = json!("x");
        assert_eq!(routers.send(&admin, "PUT", path, Some(body)).await.fields(), ["company_id"]);

        assert_eq!(routers.send(&admin, "DELETE", path, None).await.status, StatusCode::NO_CONTENT);
        assert_eq!(routers.send(&admin, "GET", path, None).await.status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn once_a_workspace_has_a_webhook_token_the_webhook_demands_one() {
    for routers in both().await {
        let admin = routers.admin().await;
        workspace(&routers, &admin).await;
        let notify = |bearer: Option<&str>| {
            let mut request = Request::post("/webhooks/provider");
            if let Some(bearer) = bearer {
                request = request.header("authorization", format!("Bearer {bearer}"));
            }
            routers.public(
                request.body(Body::from("{\"id\":\"0197f4f2-0000-7000-8000-000000000009\"}")).unwrap(),
            )
        };
        assert_eq!(notify(None).await.status, StatusCode::NO_CONTENT);
        let mut body = configuration("t");
        body["webhook_token"] = json!("hook");
        let path = "/admin/workspaces/1/e-invoicing";
        assert_eq!(routers.send(&admin, "PUT", path, Some(body)).await.status, StatusCode::OK);
        for wrong in [None, Some("other")] {
            assert_eq!(notify(wrong).await.status, StatusCode::UNAUTHORIZED, "{wrong:?}");
        }
        assert_eq!(notify(Some("hook")).await.status, StatusCode::NO_CONTENT);
    }
}

#[tokio::test]
async fn an_address_that_notifies_without_end_is_told_to_wait() {
    let routers = one().await.with(|app| {
        let notification_limits = Arc::new(Limits::new(1));
        Surfaces { public: PublicApi { notification_limits, ..app.public }, ..app }
    });
    let notify = || routers.public(Request::post("/webhooks/provider").body(Body::from("{}")).unwrap());
    for _ in 0..2 {
        assert_eq!(notify().await.status, StatusCode::NO_CONTENT);
    }
    let refused = notify().await;
    assert_eq!((refused.status, refused.fields()), (StatusCode::TOO_MANY_REQUESTS, vec!["base".to_owned()]));
    assert_eq!(refused.header("retry-after"), "1");
}

#[tokio::test]
async fn a_client_of_one_workspace_operates_no_other() {
    let routers = one().await;
    let admin = routers.admin().await;
    workspace(&routers, &admin).await;
    workspace(&routers, &admin).await;
    let limited = routers.token(&[Permission::Admin], Workspaces::Only(vec![WorkspaceId(1)])).await;
    let visible = routers.send(&limited, "GET", "/admin/workspaces", None).await.json();
    assert_eq!(visible["workspaces"].as_array().unwrap().len(), 1);
    let of_none =
        routers.send(&admin, "POST", "/admin/clients", Some(json!({"name": "of none"}))).await.json();
    let visible = routers.send(&limited, "GET", "/admin/clients", None).await.json();
    let ids: Vec<_> = visible["clients"].as_array().unwrap().iter().map(|client| &client["id"]).collect();
    assert!(!ids.is_empty() && !ids.contains(&&of_none["client_id"]), "{visible}");
    for (method, path, body, status) in [
        ("GET", "/admin/workspaces/2/e-invoicing", None, 404),
        ("PUT", "/admin/workspaces/2/e-invoicing", Some(configuration("t")), 404),
        ("PATCH", "/admin/workspaces/2", Some(json!({})), 404),
        ("POST", "/admin/clients", Some(json!({"name": "x", "workspaces": "*"})), 422),
        ("POST", "/admin/clients", Some(json!({"name": "x", "workspaces": [1]})), 201),
        ("POST", "/admin/clients", Some(json!({"name": "x"})), 422),
        (
            "POST",
            "/admin/workspaces",
            Some(json!({"name": "N", "legal_name": "L", "tax_id": "1", "country": "ES"})),
            403,
        ),
    ] {
        let answer = routers.send(&limited, method, path, body).await;
        assert_eq!(answer.status.as_u16(), status, "{method} {path}: {answer:?}");
    }
}

#[tokio::test]
async fn the_gateway_is_ready_when_database_and_background_work() {
    for routers in both().await {
        assert_eq!(routers.internal(get("/readyz")).await.status, StatusCode::SERVICE_UNAVAILABLE);
        routers.app.internal.readiness.working.store(true, Ordering::Release);
        let ready = routers.internal(get("/readyz")).await;
        assert_eq!((ready.status, &ready.json()["checks"]["migrations"]), (StatusCode::OK, &json!(true)));
        let admin = routers.admin().await;
        let id = workspace(&routers, &admin).await["id"].clone();
        for (accept, media_type, type_of_build) in [
            (None, "text/plain; version=0.0.4; charset=utf-8", "# TYPE build_info gauge\n"),
            (
                Some("text/plain;version=0.0.4"),
                "text/plain; version=0.0.4; charset=utf-8",
                "events_unreadable_total counter\n",
            ),
            (
                Some("application/openmetrics-text;version=1.0.0;q=0.6,text/plain;q=0.3,*/*;q=0.1"),
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
                "# TYPE build info\n",
            ),
        ] {
            let mut request = get("/metrics");
            if let Some(accept) = accept {
                request.headers_mut().insert("accept", accept.parse().unwrap());
            }
            let answer = routers.internal(request).await;
            assert_eq!(answer.header("content-type"), media_type);
            assert!(answer.text.contains(type_of_build), "{accept:?}: {}", answer.text);
            assert_eq!(answer.text.ends_with("# EOF\n"), media_type.starts_with("application"));
            let none = format!("einvoicing_documents{{workspace=\"{id}\",status=\"issuing\"}} 0\n");
            assert!(answer.text.contains(&none), "{}", answer.text);
        }
        let metrics = routers.internal(get("/metrics")).await.text;
        for name in [
            "build_info",
            "einvoicing_documents",
            "einvoicing_issuing_age_seconds",
            "einvoicing_alerts",
            "einvoicing_jobs_unknown",
            "plugin_call_duration_seconds",
            "http_server_request_duration_seconds",
        ] {
            assert!(metrics.contains(name), "{name} is missing in {metrics}");
        }
    }
}

#[tokio::test]
async fn jobs_of_a_kind_that_this_version_does_not_know_are_counted_until_they_are_gone() {
    for routers in both().await {
        let counted = async || {
            let metrics = routers.internal(get("/metrics")).await.text;
            let rows = metrics.lines().filter(|line| line.starts_with("einvoicing_jobs_unknown"));
            let mut rows: Vec<_> = rows.map(str::to_owned).collect();
            rows.sort();
            rows
        };
        assert_eq!(counted().await, Vec::<String>::new());
        let mut tx = routers.services.db.begin().await.unwrap();
        for (kind, subject) in [("newer", "1"), ("newer", "2"), ("older", "1"), ("submission", "1")] {
            let (id, at) = (JobId(SystemIds.next()), SystemClock.now());
            jobs::enqueue(&mut tx, id, kind, subject, at);
        }
        tx.commit().await.unwrap();
        let both_kinds =
            ["einvoicing_jobs_unknown{kind=\"newer\"} 2", "einvoicing_jobs_unknown{kind=\"older\"} 1"];
        assert_eq!(counted().await, both_kinds, "and not those that are known");
        let mut tx = routers.services.db.begin().await.unwrap();
        assert!(jobs::remove(&mut tx, "older", "1").await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(counted().await, [both_kinds[0]]);
    }
}

#[tokio::test]
async fn the_audit_trail_is_paged_from_the_newest_by_whoever_sees_every_workspace() {
    for routers in both().await {
        let admin = routers.admin().await;
        for _ in 0..3 {
            workspace(&routers, &admin).await;
        }
        let first = routers.send(&admin, "GET", "/admin/audit?first=2", None).await.json();
        let nodes = first["nodes"].as_array().unwrap();
        assert_eq!((nodes.len(), &nodes[0]["action"]), (2, &json!("workspace.create")), "{first}");
        assert!(nodes[0]["actor"].as_str().is_some_and(|actor| !actor.is_empty()), "{first}");
        assert_eq!(first["page_info"]["has_next_page"], true);
        let path = format!("/admin/audit?after={}", first["page_info"]["end_cursor"].as_str().unwrap());
        let rest = routers.send(&admin, "GET", &path, None).await.json();
        assert_eq!(rest["page_info"]["has_next_page"], false, "{rest}");
        assert!(rest["nodes"].as_array().unwrap().iter().all(|entry| !nodes.contains(entry)));
        let foreign = routers.send(&admin, "GET", "/admin/audit?after=x", None).await;
        assert_eq!(
            (foreign.status, foreign.fields()),
            (StatusCode::UNPROCESSABLE_ENTITY, vec!["after".to_owned()])
        );
        let some = Workspaces::Only(vec![WorkspaceId(1)]);
        let restricted = routers.token(&[Permission::Admin], some).await;
        let refused = routers.send(&restricted, "GET", "/admin/audit", None).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
    }
}
