//! Who is let in: forged tokens, missing permissions, and what answers on which listener.

use crate::jwt::{self, Forger};
use gateway_tests::{Api, Options, World, fresh_uuid, on_both, until};
use serde_json::{Value, json};

const LIST: &str = "/invoicing/rpc/documents";

#[track_caller]
fn assert_unauthorised(answer: &gateway_tests::Answer, error: bool, what: &str) {
    assert_eq!(answer.status, 401, "{what}: {answer:?}");
    let challenge = answer.header("www-authenticate");
    assert!(
        challenge.starts_with("Bearer") && challenge.contains("invalid_token") == error,
        "{what}: {challenge}"
    );
    answer.errors(401);
}

#[tokio::test]
async fn a_forged_token_opens_nothing() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let jwks = world.gateway.public().get("/.well-known/jwks.json").await.expect(200);
        let model = ForgeryMaterial::of(world.api.token(), &jwks["keys"][0]);
        let uuid = fresh_uuid();
        for (what, token) in model
            .with_other_algorithms()
            .into_iter()
            .chain(model.with_other_keys())
            .chain(model.with_alterations())
        {
            assert_ne!(token, model.good, "{what}");
            let api = world.api.with_token(&token);
            for (method, path) in protected_routes(&uuid) {
                let body = Some(b"{}".to_vec());
                let answer = api.send(method, &path, &[("content-type", "application/json")], body).await;
                assert_unauthorised(&answer, true, &format!("{what}: {method} {path}"));
            }
            let public = world.gateway.public().with_token(&token);
            let answer = public.post("/v1", &json!({"query": "{ __typename }"})).await;
            assert_eq!(answer.status, 401, "{what}: {answer:?}");
            assert!(answer.header("www-authenticate").contains("invalid_token"), "{what}: {answer:?}");
            assert_eq!(answer.json()["errors"][0]["extensions"]["code"], "UNAUTHENTICATED", "{what}");
            assert!(answer.json().get("data").is_none(), "{what}: {answer:?}");
        }
        world.api.get(LIST).await.expect(200);
        let public = world.gateway.public().with_token(world.api.token());
        public.post("/v1", &json!({"query": "{ __typename }"})).await.expect(200);
    })
    .await;
}

/// What a forger has: a good token, the published key, and a key of his own.
struct ForgeryMaterial {
    good: String,
    header: Value,
    claims: Value,
    published: Value,
    stranger: Forger,
}

type Forgeries = Vec<(&'static str, String)>;

impl ForgeryMaterial {
    fn of(good: &str, published: &Value) -> Self {
        let (header, claims) = jwt::parts(good);
        let published = published.clone();
        Self { good: good.to_owned(), header, claims, published, stranger: Forger::new() }
    }

    fn header(&self, name: &str, value: Value) -> Value {
        with_member(&self.header, name, value)
    }

    /// The claims that are signed, and the signature.
    fn signed_part_and_signature(&self) -> (&str, &str) {
        self.good.rsplit_once('.').unwrap()
    }

    /// Signed with another algorithm, or with none.
    fn with_other_algorithms(&self) -> Forgeries {
        let Self { good, claims, published, .. } = self;
        let (signed, _) = self.signed_part_and_signature();
        let none = |alg: &str| {
            let body = signed.split_once('.').unwrap().1;
            let kid = &self.header["kid"];
            format!("{}.{body}.", jwt::encoded(&json!({"alg": alg, "typ": "at+jwt", "kid": kid})))
        };
        let hs256 = self.header("alg", json!("HS256"));
        let secret = |secret: &[u8]| jwt::hs256(&hs256, claims, secret);
        vec![
            ("unsigned", none("none")),
            ("unsigned, spelt otherwise", none("NonE")),
            ("stripped of its signature", format!("{signed}.")),
            ("two parts", signed.to_owned()),
            ("signed with the public point as a secret", secret(&jwt::point(published))),
            ("signed with the public key as a secret", secret(published.to_string().as_bytes())),
            ("signed with nothing as a secret", secret(b"")),
            (
                "another algorithm over the signature",
                replace_part(good, 0, &self.header("alg", json!("ES384"))),
            ),
            ("RSA over the signature", replace_part(good, 0, &self.header("alg", json!("RS256")))),
            ("a critical extension", replace_part(good, 0, &self.header("crit", json!(["b64"])))),
            ("another kind of token", replace_part(good, 0, &self.header("typ", json!("JWT")))),
        ]
    }

    /// Signed with the forger's key, which the token claims to be good.
    fn with_other_keys(&self) -> Forgeries {
        let Self { header, claims, stranger, .. } = self;
        let own = |header: Value| stranger.sign(&header, claims);
        let claim = |name: &str, value: Value| stranger.sign(header, &with_member(claims, name, value));
        let seconds = |name: &str| claims[name].as_i64().unwrap();
        let with_key_id = |kid: Value| own(self.header("kid", kid));
        let embedded =
            with_member(&self.header("jwk", stranger.jwk()), "jku", json!("http://127.0.0.1:9/jwks.json"));
        let linked =
            with_member(&self.header("x5u", json!("http://127.0.0.1:9/x.pem")), "x5c", json!(["MIIB"]));
        vec![
            ("signed by a stranger", own(header.clone())),
            ("a stranger's key brought along", own(embedded)),
            ("a certificate brought along", own(linked)),
            ("an unknown key id", with_key_id(json!("nobody"))),
            ("the forger's own key id", with_key_id(stranger.jwk_with_id()["kid"].clone())),
            ("a key id that is a path", with_key_id(json!("../../../../dev/null"))),
            ("a key id that is an address", with_key_id(json!("http://127.0.0.1:9/key.json"))),
            ("a key id that is SQL", with_key_id(json!("' OR '1'='1"))),
            ("a key id that is SQL with a key", with_key_id(json!("x' UNION SELECT 'AA' -- "))),
            ("a key id with an end in it", with_key_id(json!(format!("{}\u{0}x", header["kid"])))),
            ("an empty key id", with_key_id(json!(""))),
            ("a key id that is no text", with_key_id(json!({"$ne": ""}))),
            ("no key id", with_key_id(Value::Null)),
            ("expired", claim("exp", json!(seconds("iat") - 10))),
            ("not yet valid", claim("nbf", json!(seconds("exp") - 10))),
            ("of another issuer", claim("iss", json!("https://evil.example"))),
            ("for another audience", claim("aud", json!("https://evil.example"))),
            ("of another use", claim("token_use", json!("id"))),
            ("of another version", claim("version", json!(1))),
        ]
    }

    /// The good token, changed.
    fn with_alterations(&self) -> Forgeries {
        let Self { good, claims, .. } = self;
        let (signed, signature) = self.signed_part_and_signature();
        let body = signed.split_once('.').unwrap().1;
        let changed = |name: &str, value: Value| replace_part(good, 1, &with_member(claims, name, value));
        let other_first = if signature.starts_with('A') { "B" } else { "A" };
        // The last character of 64 bytes has four bits to spare.
        let last = char::from(good.as_bytes().last().unwrap() + 1);
        vec![
            ("a client of its own choice", changed("sub", json!(fresh_uuid()))),
            ("an actor of its own choice", changed("act", json!({"sub": "root"}))),
            ("a later end", changed("exp", json!(9_999_999_999_u64))),
            ("another signature", format!("{signed}.{other_first}{}", &signature[1..])),
            ("another spelling of the signature", format!("{}{last}", &good[..good.len() - 1])),
            ("a signature of zeros", format!("{signed}.{}", "A".repeat(86))),
            ("cut off", good[..good.len() - 1].to_owned()),
            ("cut off in its claims", good[..good.len() / 2].to_owned()),
            ("longer", format!("{good}A")),
            ("padded", format!("{good}==")),
            ("more parts", format!("{good}.x")),
            ("two dots more", format!("{good}..")),
            ("a dot before", format!(".{good}")),
            ("no header", format!(".{body}.{signature}")),
            ("huge", format!("{}.{body}.{signature}", "A".repeat(40_000))),
            ("no token at all", "x".to_owned()),
            ("long rubbish", "a.".repeat(2_000)),
        ]
    }
}

fn with_member(of: &Value, name: &str, value: Value) -> Value {
    let mut changed = of.clone();
    changed[name] = value;
    changed
}

/// The token with one part written anew under the old signature.
fn replace_part(token: &str, index: usize, part: &Value) -> String {
    let mut parts: Vec<String> = token.split('.').map(str::to_owned).collect();
    parts[index] = jwt::encoded(part);
    parts.join(".")
}

#[tokio::test]
async fn a_token_of_another_issuer_or_another_purpose_is_refused() {
    on_both(|engine| async move {
        // The same keys sign under another name: as if a token of a sister installation were replayed.
        let options = Options::default().variable("GATEWAY_OAUTH__ISSUER", "https://old.example");
        let mut world = World::unconfigured(engine, options).await;
        let old = world.api.token().to_owned();
        assert_eq!(jwt::parts(&old).1["iss"], "https://old.example");
        world.api.get(LIST).await.expect(200);
        world.gateway.kill9();
        world
            .gateway
            .reconfigure(Options::default().variable("GATEWAY_OAUTH__ISSUER", "https://new.example"));
        world.serve_again().await;
        assert_unauthorised(&world.api.with_token(&old).get(LIST).await, true, "another issuer");
        world.api.get(LIST).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn an_expired_token_is_refused_as_such() {
    on_both(|engine| async move {
        // The lifetime is set after the preparation, whose own token must not expire meanwhile.
        let mut world = World::unconfigured(engine, Options::default()).await;
        world.gateway.kill9();
        world.gateway.reconfigure(Options::default().variable("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "1"));
        world.serve_again().await;
        let answer = until("the token expires", || async {
            Some(world.api.get(LIST).await).filter(|answer| answer.status == 401)
        })
        .await;
        assert_unauthorised(&answer, true, "expired");
        assert!(answer.header("www-authenticate").contains("expired"), "{answer:?}");
        let api = world.authenticated(&world.client).await;
        let (_, claims) = jwt::parts(api.token());
        assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn without_a_bearer_token_nothing_internal_answers() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let internal = world.gateway.internal();
        let uuid = fresh_uuid();
        for (method, path) in internal_routes(&uuid) {
            let answer = internal
                .send(method, &path, &[("content-type", "application/json")], Some(b"{}".to_vec()))
                .await;
            assert_unauthorised(&answer, false, &path);
            let basic = [("authorization", "Basic eDp5"), ("content-type", "application/json")];
            let answer = internal.send(method, &path, &basic, Some(b"{}".to_vec())).await;
            assert_unauthorised(&answer, false, &path);
        }
    })
    .await;
}

#[tokio::test]
async fn without_the_permission_every_call_is_forbidden() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let all = "*";
        let [invoicing, finance, neither] = [
            world.as_client(&["invoicing.rpc"], &[all]).await,
            world.as_client(&["finance.rpc"], &[all]).await,
            world.as_client(&["catalog.read", "invoicing.read"], &[all]).await,
        ];
        let uuid = world.draft(&world.document()).await;
        for (method, path) in internal_routes(&uuid) {
            let mut refused: Vec<&Api> = vec![&neither];
            refused.push(if path.starts_with("/invoicing") { &finance } else { &invoicing });
            for api in refused {
                let answer = api
                    .send(method, &path, &[("content-type", "application/json")], Some(b"{}".to_vec()))
                    .await;
                assert_eq!(answer.fields(403).len(), 1, "{method} {path}");
            }
        }
        // The verdicts need a permission of their own.
        for verdict in ["mark_as_accepted_by_tax_authority", "mark_as_rejected_by_tax_authority"] {
            let path = format!("/finance/rpc/documents/{uuid}/commands/{verdict}");
            finance.post(&path, &json!({"reason": "x"})).await.errors(403);
        }
        assert_eq!(world.read(&uuid).await["status"], "draft");
    })
    .await;
}

#[tokio::test]
async fn nothing_internal_answers_on_the_public_listener() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let public = world.gateway.public().with_token(world.api.token());
        let more = ["/metrics", "/readyz", "/admin/clients", "/console"].map(|path| ("GET", path.to_owned()));
        for (method, path) in internal_routes(&uuid).into_iter().chain(more) {
            let answer = public
                .send(method, &path, &[("content-type", "application/json")], Some(b"{}".to_vec()))
                .await;
            assert_eq!(answer.status, 404, "{method} {path}: {answer:?}");
        }
        public.get("/healthz").await.expect(200);
        let webhook = world.gateway.internal().post("/webhooks/provider", &json!({"id": uuid})).await;
        assert!([401, 404].contains(&webhook.status), "{webhook:?}");
    })
    .await;
}

/// Every surface that asks for a token.
fn protected_routes(uuid: &str) -> Vec<(&'static str, String)> {
    let admin = [
        ("GET", "/admin/clients"),
        ("POST", "/admin/clients"),
        ("GET", "/admin/clients/1"),
        ("POST", "/admin/keys/rotate"),
        ("GET", "/admin/workspaces"),
        ("GET", "/admin/workspaces/1/e-invoicing"),
        ("GET", "/admin/plugins"),
        ("GET", "/admin/renderers"),
        ("GET", "/admin/submissions"),
        ("GET", "/invoicing/rpc/documents/export?workspace_id=1"),
    ];
    let admin = admin.map(|(method, path)| (method, path.to_owned()));
    internal_routes(uuid).into_iter().chain(admin).collect()
}

fn internal_routes(uuid: &str) -> Vec<(&'static str, String)> {
    let document = format!("/invoicing/rpc/documents/{uuid}");
    let finance = format!("/finance/rpc/documents/{uuid}");
    vec![
        ("GET", LIST.to_owned()),
        ("GET", document.clone()),
        ("PUT", document.clone()),
        ("DELETE", document.clone()),
        ("PUT", format!("{document}/issuing")),
        ("PUT", format!("{document}/issue")),
        ("PUT", format!("{document}/reject")),
        ("GET", "/invoicing/rpc/events".to_owned()),
        ("GET", finance.clone()),
        ("GET", format!("{finance}/events")),
        ("GET", format!("{finance}/submission")),
        ("GET", format!("{finance}/structured")),
        ("POST", format!("{finance}/commands/issue")),
        ("POST", format!("{finance}/commands/mark_as_accepted_by_tax_authority")),
        ("POST", format!("/finance/rpc/submissions/{uuid}/retry")),
    ]
}
