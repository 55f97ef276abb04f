//! A gateway with two workspaces of platform data, as integrators meet it at the public listener.

use gateway_tests::{Api, Credentials, Engine, Gateway, Options, grants, until, with_fail_points};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Units of the first workspace.
pub(crate) const UNITS: usize = 30;

pub(crate) struct Platform {
    pub(crate) gateway: Gateway,
    /// May do everything, everywhere.
    pub(crate) api: Api,
    // Dropped last: the gateway looks into them.
    _no_plugins: tempfile::TempDir,
    _clock: Option<tempfile::TempDir>,
}

/// Some days before the nights of the bookings, seconds since 1970: 20 November 2026.
const BEFORE_ITS_BOOKINGS_S: i64 = 1_795_165_200;

/// The id of the nth thing of a kind.
pub(crate) fn id(kind: u8, n: usize) -> String {
    format!("{kind:08x}-0000-7000-8000-{n:012x}")
}

pub(crate) fn group(n: usize) -> String {
    id(1, n)
}

pub(crate) fn product(n: usize) -> String {
    id(2, n)
}

pub(crate) fn unit(n: usize) -> String {
    id(3, n)
}

pub(crate) fn booking(n: usize) -> String {
    id(4, n)
}

pub(crate) fn plan(n: usize) -> String {
    id(5, n)
}

pub(crate) fn conversation(n: usize) -> String {
    id(6, n)
}

pub(crate) fn user(n: usize) -> String {
    id(7, n)
}

pub(crate) fn task(n: usize) -> String {
    id(8, n)
}

impl Platform {
    pub(crate) async fn start(engine: Engine) -> Self {
        Self::with(engine, Options::default()).await
    }

    /// At a time when the nights of its bookings are not over, whenever the test runs.
    #[expect(clippy::disallowed_methods, reason = "the system's clock is what the test sets right")]
    pub(crate) async fn before_its_bookings(engine: Engine) -> Self {
        with_fail_points();
        let clock = tempfile::tempdir().unwrap();
        let file = clock.path().join("offset");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let offset = BEFORE_ITS_BOOKINGS_S - i64::try_from(now).unwrap();
        std::fs::write(&file, offset.to_string()).unwrap();
        let options = Options::default().variable("GATEWAY_TEST_CLOCK_FILE", &file.display().to_string());
        Self { _clock: Some(clock), ..Self::with(engine, options).await }
    }

    pub(crate) async fn with(engine: Engine, options: Options) -> Self {
        let no_plugins = tempfile::tempdir().unwrap();
        let options = Options { plugins: Some(no_plugins.path().to_owned()), ..options };
        let options = if options.variables.iter().any(|(name, _)| name.contains("LIMITS")) {
            options
        } else {
            options.variable("GATEWAY_LIMITS__REQUESTS_PER_S", "0")
        };
        let gateway = Gateway::start(engine, options).await;
        gateway.cli_with(&["import", "-"], &[], &data()).await.succeeded();
        let client = Credentials::of_new_client(&gateway, "integrator", &grants(&["*"], &["*"])).await;
        let api = client.sign_in(&gateway.public()).await;
        Self { gateway, api, _no_plugins: no_plugins, _clock: None }
    }

    /// With a log that tells of statements. Only PostgreSQL's are logged where the request is known; the statements are
    /// the same on both databases.
    pub(crate) async fn telling_statements() -> Self {
        let options = Options::default()
            .variable("GATEWAY_LOG__FORMAT", "json")
            .variable("GATEWAY_LOG__FILTER", "info,sqlx::query=debug,gateway_http=debug");
        Self::with(Engine::Postgres, options).await
    }

    /// Statements that the log tells of within one request, whose last line says `last`.
    pub(crate) async fn statements_of(&self, id: &str, last: &str) -> Vec<String> {
        let of_request = || -> Vec<Value> {
            let log = self.gateway.log();
            let lines = log
                .lines()
                .filter(|line| line.contains(id))
                .filter_map(|line| serde_json::from_str(line).ok());
            lines.collect()
        };
        until("the request is in the log", || async {
            of_request().iter().any(|line| line.to_string().contains(last)).then_some(())
        })
        .await;
        // Who calls is looked up once in a while, whatever is asked.
        let of_caller = |line: &Value| {
            let line = line.to_string();
            ["FROM client WHERE", "FROM client_secret WHERE", "FROM signing_key"]
                .iter()
                .any(|table| line.contains(table))
        };
        let summary = |line: &Value| format!("{} after {}", line["summary"], line["elapsed"]);
        let lines = of_request();
        lines.iter().filter(|line| line["target"] == "sqlx::query" && !of_caller(line)).map(summary).collect()
    }

    /// A client with these permissions, in these workspaces.
    pub(crate) async fn client(&self, permissions: &[&str], workspaces: &[&str]) -> Api {
        self.credentials(permissions, workspaces).await.sign_in(&self.gateway.public()).await
    }

    /// The same at the internal listener, in every workspace.
    pub(crate) async fn internal(&self, permissions: &[&str]) -> Api {
        self.credentials(permissions, &["*"]).await.sign_in(&self.gateway.internal()).await
    }

    /// The client that may do everything, for an end user.
    pub(crate) async fn acting_for(&self, sub: &str) -> Api {
        self.credentials(&["*"], &["*"]).await.sign_in_for(&self.gateway.public(), sub).await
    }

    pub(crate) async fn credentials(&self, permissions: &[&str], workspaces: &[&str]) -> Credentials {
        Credentials::of_new_client(&self.gateway, "integrator", &grants(permissions, workspaces)).await
    }
}

/// Two workspaces: the first with much, the second with one of each.
fn data() -> String {
    let mut lines = String::new();
    let mut line = |value: Value| writeln!(lines, "{value}").unwrap();
    for (number, name) in [(1, "Casa Azul"), (2, "Casa Verde")] {
        line(
            json!({"kind": "workspace", "id": number, "name": name, "status": "ACTIVE", "legal_name": format!("{name} SL"),
            "tax_id": format!("B0000000{number}"), "country": "ES", "time_zone": "Europe/Madrid"}),
        );
    }
    line(json!({"kind": "amenity", "id": id(9, 1), "name": "Wifi"}));
    line(json!({"kind": "team", "id": id(10, 1), "name": "Reception"}));
    for (workspace, units) in [(1, 0..UNITS), (2, UNITS..UNITS + 1)] {
        let building = id(11, workspace);
        let address =
            json!({"street": "Calle 1", "locality": "Madrid", "postcode": "28001", "country": "ES"});
        line(
            json!({"kind": "building", "id": building, "workspace_id": workspace, "name": "Casa", "address": address}),
        );
        line(json!({"kind": "unit_type", "id": id(12, workspace), "workspace_id": workspace,
            "building_id": building, "code": "STUDIO"}));
        let active = if workspace == 1 { "ACTIVE" } else { "INACTIVE" };
        for n in units {
            line(
                json!({"kind": "unit", "id": unit(n), "workspace_id": workspace, "unit_type_id": id(12, workspace),
                "code": format!("U{n:02}"), "status": "ACTIVE", "number_of_bedrooms": 1, "size_in_sqm": 32.5,
                "amenity_ids": [id(9, 1)], "features": ["balcony"],
                "media_items": [{"id": id(13, n), "url": "https://example.test/1.jpg"}]}),
            );
            line(json!({"kind": "rate_plan", "id": plan(n), "workspace_id": workspace, "unit_id": unit(n),
                "name": "Standard", "currency": "EUR", "min_stay": 2}));
            line(
                json!({"kind": "tariff", "id": id(14, n), "rate_plan_id": plan(n), "start_date": "2026-12-01",
                "end_date": "2026-12-31", "price": "80.00"}),
            );
            line(json!({"kind": "product_group", "id": group(n), "workspace_id": workspace,
                "internal_reference": format!("G{n:02}"), "contract_earliest_start_date": "2026-09-01",
                "contract_latest_start_date": "2026-12-31", "contract_earliest_end_date": "2026-12-01",
                "contract_latest_end_date": "2027-08-31", "academic_year": "2026/2027", "state": active,
                "publishing": {"start_date": "2020-01-01", "end_date": null}}));
            line(
                json!({"kind": "product", "id": product(n), "workspace_id": workspace, "product_group_id": group(n),
                "name": format!("Product {n}"), "unit_ids": [unit(n)]}),
            );
            line(json!({"kind": "booking", "id": booking(n), "workspace_id": workspace, "unit_id": unit(n),
                "product_id": product(n), "confirmation_code": format!("B{n:02}"), "status": "CONFIRMED",
                "check_in": "2026-12-05", "check_out": "2026-12-08", "guests": {"adults": 2, "children": 1},
                "contacts": [{"name": "Jane", "email": "jane@example.test", "phone": "+34 600"}],
                "platform": "direct", "payment_status": "paid"}));
            line(
                json!({"kind": "conversation", "id": conversation(n), "workspace_id": workspace, "booking_id": booking(n)}),
            );
            line(
                json!({"kind": "user", "id": user(n), "email": format!("u{n}@example.test"), "name": format!("User {n}"),
                "status": "ACTIVE", "joined_at": "2026-01-01T00:00:00Z", "team_ids": [id(10, 1)],
                "role_bindings": [{"workspace_id": workspace, "roles": ["manager"]}]}),
            );
            line(
                json!({"kind": "task", "id": task(n), "workspace_id": workspace, "title": format!("Clean {n}"),
                "type": "cleaning", "due_date": "2026-12-08", "start_time": "11:00:00",
                "estimated_duration_hours": 1.5, "unit_id": unit(n), "booking_id": booking(n)}),
            );
        }
    }
    lines
}
