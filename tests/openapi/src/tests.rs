use super::*;

fn document() -> Document {
    let errors = json!({"type": "object", "required": ["errors"], "additionalProperties": false,
        "properties": {"errors": {"type": "array"}}});
    Document::new(
        "test",
        json!({
            "paths": {
                "/things/{id}": {"get": {"responses": {
                    "200": {"headers": {"X-Total": {"required": true}}, "content": {"application/json": {"schema":
                        {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": false}}}},
                    "204": {"description": "nothing"},
                    "404": {"$ref": "#/components/responses/NotFound"},
                }}},
                "/things/file": {"get": {"responses": {"200": {"content": {"*/*": {}}}}}},
                "/things/all": {"get": {"responses": {"200": {"content": {"text/plain": {}}}}}},
            },
            "webhooks": {"thing.changed": {"post": {"requestBody": {"content": {"application/json": {"schema":
                {"type": "object", "required": ["type", "id"], "properties": {"id": {"type": "integer"}}}}}}}}},
            "components": {
                "schemas": {"Errors": errors},
                "responses": {"NotFound": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Errors"}}}}},
            },
        }),
    )
}

fn check(method: &str, path: &str, status: u16, media: &str, body: &str) -> Result<(), String> {
    let mut headers = vec![("content-type".to_owned(), media.to_owned())];
    if status == 200 {
        headers.push(("x-total".to_owned(), "1".to_owned()));
    }
    document().check(&Exchange { method, path, status, headers: &headers, body })
}

#[test]
fn documented_exchanges_pass() {
    for (path, status, media, body) in [
        ("/things/1?a=b", 200, "application/json; charset=utf-8", r#"{"name":"x"}"#),
        ("/things/1", 204, "", ""),
        ("/things/1", 404, "application/json", r#"{"errors":[]}"#),
        ("/things/all", 200, "text/plain", "x"),
        ("/things/file", 200, "image/png", "x"),
        ("/elsewhere", 418, "", "x"),
    ] {
        assert_eq!(check("GET", path, status, media, body), Ok(()), "{path} {status}");
    }
    assert_eq!(check("HEAD", "/things/1", 200, "application/json", ""), Ok(()));
    assert_eq!(check("DELETE", "/things/1", 405, "", ""), Ok(()), "no document tells of other methods");
}

#[test]
fn an_undocumented_exchange_is_refused_with_a_sentence() {
    for (path, status, media, body, said) in [
        ("/things/1", 418, "application/json", "{}", "has no 418 at /things/{id}"),
        ("/things/1", 200, "application/json", r#"{"name":1}"#, "has another schema"),
        ("/things/1", 200, "application/json", r#"{"other":"x"}"#, "has another schema"),
        ("/things/1", 200, "application/json", "x", "tells of JSON"),
        ("/things/1", 200, "text/html", "x", "does not tell of the media type \"text/html\""),
        ("/things/1", 204, "", "x", "tells of no body"),
        ("/things/1", 404, "application/json", "{}", "has another schema"),
        ("/things/all", 200, "application/json", "{}", "media type"),
        ("/things/file", 200, "", "x", "media type"),
    ] {
        let sentence = check("GET", path, status, media, body).unwrap_err();
        assert!(sentence.contains(said), "{sentence}");
    }
    let exchange = Exchange { method: "GET", path: "/things/1", status: 200, headers: &[], body: "{}" };
    assert!(document().check(&exchange).unwrap_err().contains("promises the header X-Total"));
}

#[test]
fn a_notification_is_as_the_document_has_it_by_its_event() {
    let check = |body: Value| document().check_notification(&body);
    assert_eq!(check(json!({"type": "thing.changed", "id": 1})), Ok(()));
    assert!(
        check(json!({"type": "thing.changed"})).unwrap_err().contains("thing.changed has another schema")
    );
    assert!(
        check(json!({"type": "thing.gone", "id": 1})).unwrap_err().contains("no notification \"thing.gone\"")
    );
}
