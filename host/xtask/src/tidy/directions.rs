//! The list that says which crate may use what: heavy dependencies have one home, and our crates point one way.

/// Start servers for tests or check answers, and only for tests.
pub(super) const TEST_HELPERS: [&str; 3] =
    ["gateway-test-postgres", "gateway-test-nats", "gateway-test-openapi"];

/// Dependency, and the only crates that may name it.
pub(super) const HOMES: [(&str, &[&str]); 11] = [
    ("async-graphql", &["gateway-graphql"]),
    ("async-graphql-value", &["gateway-graphql"]),
    ("async-nats", &["gateway-bus"]),
    ("axum", &["gateway", "gateway-api-internal", "gateway-api-public", "gateway-http", "gateway-sandbox"]),
    ("clap", &["gateway-cli"]),
    ("config", &["gateway-cli"]),
    ("jsonwebtoken", &["gateway-access"]),
    ("reqwest", &["gateway-courier", "gateway-provider", "gateway-tests"]),
    ("sqlx", &["gateway-storage"]),
    ("wasmtime", &["gateway-plugin-host"]),
    ("wasmtime-wasi", &["gateway-plugin-host"]),
];

/// What one of our crates may use of our crates.
pub(super) enum Uses {
    Only(&'static [&'static str]),
    /// The binary names every adapter, and only it does.
    EveryHostCrate,
    Everything,
}

/// One of our crates, and which of them it may use.
pub(super) const DIRECTIONS: [(&str, Uses); 33] = [
    ("gateway-domain", Uses::Only(&[])),
    ("gateway-domain-platform", Uses::Only(&["gateway-domain"])),
    ("gateway-storage", Uses::Only(&["gateway-domain", "gateway-domain-platform"])),
    ("gateway-courier", Uses::Only(&["gateway-domain"])),
    ("gateway-provider", Uses::Only(&["gateway-domain"])),
    ("gateway-plugin-host", Uses::Only(&["gateway-domain"])),
    ("gateway-bus", Uses::Only(&["gateway-domain"])),
    ("gateway-access", Uses::Only(&["gateway-domain", "gateway-storage"])),
    ("gateway-events", Uses::Only(&["gateway-domain", "gateway-storage"])),
    ("gateway-jobs", Uses::Only(&["gateway-domain", "gateway-storage"])),
    (
        "gateway-webhooks",
        Uses::Only(&[
            "gateway-access",
            "gateway-domain",
            "gateway-events",
            "gateway-jobs",
            "gateway-storage",
        ]),
    ),
    ("gateway-workspaces", Uses::Only(&["gateway-access", "gateway-domain", "gateway-storage"])),
    (
        "gateway-platform",
        Uses::Only(&[
            "gateway-access",
            "gateway-domain",
            "gateway-domain-platform",
            "gateway-events",
            "gateway-storage",
            "gateway-webhooks",
            "gateway-workspaces",
        ]),
    ),
    ("gateway-invoicing", Uses::Only(&["gateway-domain", "gateway-events", "gateway-storage"])),
    (
        "gateway-finance",
        Uses::Only(&[
            "gateway-access",
            "gateway-domain",
            "gateway-domain-platform",
            "gateway-events",
            "gateway-invoicing",
            "gateway-jobs",
            "gateway-platform",
            "gateway-storage",
            "gateway-webhooks",
            "gateway-workspaces",
        ]),
    ),
    (
        "gateway-registry",
        Uses::Only(&[
            "gateway-access",
            "gateway-domain",
            "gateway-finance",
            "gateway-plugin-host",
            "gateway-storage",
        ]),
    ),
    (
        "gateway-graphql",
        Uses::Only(&[
            "gateway-finance",
            "gateway-domain",
            "gateway-domain-platform",
            "gateway-invoicing",
            "gateway-platform",
        ]),
    ),
    ("gateway-console", Uses::Only(&["gateway-finance", "gateway-domain"])),
    // It speaks the provider's protocol, so it sends its webhooks through the one client for that.
    (
        "gateway-sandbox",
        Uses::Only(&["gateway-domain", "gateway-storage", "gateway-plugin-host", "gateway-provider"]),
    ),
    // What the surfaces still name of storage is in `surfaces`; that list only shrinks.
    ("gateway-http", Uses::Only(&["gateway-access", "gateway-domain", "gateway-storage"])),
    (
        "gateway-api-public",
        Uses::Only(&[
            "gateway-access",
            "gateway-domain",
            "gateway-domain-platform",
            "gateway-finance",
            "gateway-graphql",
            "gateway-http",
            "gateway-platform",
            "gateway-storage",
            "gateway-webhooks",
            "gateway-workspaces",
        ]),
    ),
    (
        "gateway-api-internal",
        Uses::Only(&[
            "gateway-access",
            "gateway-domain",
            "gateway-events",
            "gateway-finance",
            "gateway-http",
            "gateway-invoicing",
            "gateway-registry",
            "gateway-storage",
            "gateway-webhooks",
            "gateway-workspaces",
        ]),
    ),
    // Authors try plugins in the gateway's own plugin host, and the demonstration calls a gateway over HTTP.
    (
        "gateway-cli",
        Uses::Only(&[
            "gateway-access",
            "gateway-bus",
            "gateway-domain",
            "gateway-events",
            "gateway-finance",
            "gateway-http",
            "gateway-platform",
            "gateway-plugin-host",
            "gateway-provider",
            "gateway-registry",
            "gateway-webhooks",
            "gateway-workspaces",
        ]),
    ),
    ("gateway", Uses::EveryHostCrate),
    ("gateway-tests", Uses::Everything),
    ("gateway-test-postgres", Uses::Only(&[])),
    ("gateway-test-nats", Uses::Only(&[])),
    ("gateway-test-openapi", Uses::Only(&[])),
    ("xtask", Uses::Only(&["gateway-test-postgres", "gateway-test-nats"])),
    ("einvoice-plugin", Uses::Only(&[])),
    ("einvoice-gobl", Uses::Only(&["einvoice-plugin"])),
    ("einvoice-es", Uses::Only(&["einvoice-plugin", "einvoice-gobl"])),
    ("einvoice-eu", Uses::Only(&["einvoice-plugin", "einvoice-gobl", "einvoice-es"])),
];

/// Rows for whole folders, for crates without a row of their own.
pub(super) const FOLDERS: [(&str, Uses); 2] = [
    ("plugins/", Uses::Only(&["einvoice-plugin", "einvoice-gobl", "einvoice-es", "einvoice-eu"])),
    ("tests/", Uses::Everything),
];
