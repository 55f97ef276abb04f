//! The list that says which crate may use what: heavy dependencies have one home, and our crates point one way.

/// Start servers for tests or check answers, and only for tests.
pub(super) const TEST_HELPERS: [&str; 3] =
    ["gateway-test-postgres", "gateway-test-nats", "gateway-test-openapi"];

/// What tests of a crate join it with, which it does not know: never what is shipped.
pub(super) const TEST_DEPENDENCIES: [(&str, &[&str]); 5] = [
    (
        "gateway-finance",
        &["gateway-domain-platform", "gateway-platform", "gateway-watchdog", "gateway-webhooks"],
    ),
    ("gateway-storage-access", &["gateway-storage"]),
    ("gateway-storage-platform", &["gateway-storage"]),
    ("gateway-storage-plugins", &["gateway-storage"]),
    (
        "gateway-graphql",
        &["gateway-access", "gateway-deadlines", "gateway-events", "gateway-storage", "gateway-workspaces"],
    ),
];

/// Dependency, and the only crates that may name it.
#[rustfmt::skip]
pub(super) const HOMES: [(&str, &[&str]); 19] = [
    ("argon2", &["gateway-access"]),
    ("askama", &["gateway-console"]),
    ("async-graphql", &["gateway-graphql", "gateway-graphql-compliance"]),
    ("async-graphql-value", &["gateway-graphql-compliance"]),
    ("async-nats", &["gateway-bus"]),
    ("axum", &["gateway", "gateway-api-admin", "gateway-api-internal", "gateway-api-public",
        "gateway-console", "gateway-http", "gateway-sandbox"]),
    ("clap", &["gateway-cli"]),
    ("hickory-resolver", &["gateway-participant-lookup"]),
    ("jsonwebtoken", &["gateway-access"]),
    ("lettre", &["gateway-mail"]),
    ("oci-client", &["gateway-plugin-oci"]),
    ("reqwest", &["gateway-outbound", "gateway-participant-lookup", "gateway-provider", "gateway-tests", "gateway-webhooks"]),
    ("sqlx", &["gateway-database", "gateway-storage", "gateway-storage-access", "gateway-storage-documents", "gateway-storage-platform",
        "gateway-storage-plugins", "gateway-storage-provider", "gateway-storage-tables"]),
    ("sqlx-postgres", &["gateway-database", "gateway-storage", "gateway-storage-tables"]),
    ("sqlx-sqlite", &["gateway-database", "gateway-storage", "gateway-storage-tables"]),
    ("tar", &["gateway-recovery", "xtask"]),
    ("toml", &["gateway-config"]),
    ("wasmtime", &["gateway-plugin-host"]),
    ("wasmtime-wasi", &["gateway-plugin-host"]),
];

/// Where the rules of the business are: whatever is above them may use them. Those of the platform are named by who uses
/// them, so that documents and their way to the authority do not depend on them.
pub(super) const RULES: [&str; 11] = [
    "gateway-domain",
    "gateway-domain-deadline",
    "gateway-domain-evidence",
    "gateway-domain-events",
    "gateway-domain-finance",
    "gateway-domain-input",
    "gateway-domain-lists",
    "gateway-domain-numbers",
    "gateway-domain-recipients",
    "gateway-domain-reconciliation",
    "gateway-domain-rules",
];

/// What one of our crates may use of our crates.
pub(super) enum Uses {
    Only(&'static [&'static str]),
    /// Those named, and every crate of [`RULES`].
    Rules(&'static [&'static str]),
    /// The binary names every adapter, and only it does.
    EveryHostCrate,
    Everything,
}

/// One of our crates, and which of them it may use. A line each, as far as one is enough.
#[rustfmt::skip]
pub(super) const DIRECTIONS: [(&str, Uses); 78] = [
    ("gateway-domain", Uses::Only(&[])),
    ("gateway-domain-lists", Uses::Only(&[])),
    ("gateway-domain-numbers", Uses::Only(&["gateway-domain"])),
    ("gateway-domain-deadline", Uses::Only(&["gateway-domain"])), ("gateway-domain-recipients", Uses::Only(&["gateway-domain"])), ("gateway-domain-rules", Uses::Only(&["gateway-domain"])), ("gateway-domain-evidence", Uses::Only(&["gateway-domain", "gateway-domain-finance"])),
    ("gateway-domain-input", Uses::Only(&["gateway-domain"])), ("gateway-domain-finance", Uses::Only(&["gateway-domain", "gateway-domain-deadline", "gateway-domain-events", "gateway-domain-input"])),
    ("gateway-domain-events", Uses::Only(&["gateway-domain"])), ("gateway-domain-reconciliation", Uses::Only(&["gateway-domain", "gateway-domain-finance", "gateway-domain-input"])),
    ("gateway-domain-annotations", Uses::Only(&["gateway-domain", "gateway-domain-input"])),
    ("gateway-domain-amendment", Uses::Only(&["gateway-domain", "gateway-domain-finance", "gateway-domain-input"])),
    ("gateway-domain-platform", Uses::Only(&["gateway-domain", "gateway-domain-events", "gateway-domain-input",
        "gateway-domain-lists"])),
    ("gateway-trace-context", Uses::Only(&[])),
    ("gateway-database", Uses::Rules(&[])),
    ("gateway-storage-access", Uses::Rules(&["gateway-database"])),
    ("gateway-storage-platform", Uses::Rules(&["gateway-database", "gateway-domain-platform"])),
    ("gateway-storage-plugins", Uses::Rules(&["gateway-database"])), ("gateway-storage-tables", Uses::Rules(&["gateway-database"])),
    ("gateway-storage-documents", Uses::Rules(&["gateway-database", "gateway-domain-annotations"])),
    ("gateway-storage-provider", Uses::Rules(&["gateway-database", "gateway-domain-amendment"])),
    ("gateway-storage", Uses::Rules(&["gateway-database", "gateway-domain-platform", "gateway-storage-access",
        "gateway-storage-documents", "gateway-storage-platform", "gateway-storage-plugins", "gateway-storage-provider", "gateway-storage-tables",
        "gateway-trace-context"])),
    ("gateway-outbound", Uses::Only(&["gateway-trace-context"])),
    ("gateway-provider", Uses::Rules(&["gateway-outbound"])), ("gateway-participant-lookup", Uses::Rules(&["gateway-domain-platform", "gateway-outbound"])),
    ("gateway-plugin-host", Uses::Rules(&[])),
    ("gateway-bus", Uses::Rules(&[])),
    ("gateway-access", Uses::Rules(&["gateway-storage"])),
    ("gateway-evidence", Uses::Rules(&["gateway-storage"])),
    ("gateway-recovery", Uses::Rules(&["gateway-access", "gateway-storage"])),
    ("gateway-retention", Uses::Rules(&["gateway-access", "gateway-storage"])),
    ("gateway-events", Uses::Rules(&["gateway-storage"])),
    ("gateway-jobs", Uses::Rules(&["gateway-storage", "gateway-trace-context"])),
    ("gateway-mail", Uses::Rules(&["gateway-events", "gateway-storage"])),
    ("gateway-webhooks", Uses::Rules(&["gateway-access", "gateway-domain-platform", "gateway-events", "gateway-jobs",
        "gateway-outbound", "gateway-storage", "gateway-trace-context"])),
    ("gateway-workspaces", Uses::Rules(&["gateway-access", "gateway-storage"])),
    ("gateway-invoicing", Uses::Rules(&["gateway-events", "gateway-storage"])),
    // Its import hands over documents that another system issued.
    ("gateway-platform", Uses::Rules(&["gateway-access", "gateway-domain-platform", "gateway-events", "gateway-invoicing",
        "gateway-storage", "gateway-workspaces"])),
    ("gateway-deadlines", Uses::Rules(&["gateway-access", "gateway-storage"])), ("gateway-finance", Uses::Rules(&["gateway-access", "gateway-deadlines", "gateway-domain-amendment", "gateway-events", "gateway-invoicing", "gateway-jobs",
        "gateway-read-models", "gateway-storage", "gateway-workspaces"])),
    ("gateway-recipients", Uses::Rules(&["gateway-jobs", "gateway-storage"])), ("gateway-read-models", Uses::Rules(&["gateway-events", "gateway-invoicing", "gateway-storage"])),
    ("gateway-rendering", Uses::Rules(&["gateway-access", "gateway-finance", "gateway-plugin-host", "gateway-storage"])),
    ("gateway-watchdog", Uses::Rules(&["gateway-domain-platform", "gateway-events", "gateway-finance", "gateway-read-models",
        "gateway-storage"])),
    ("gateway-annotations", Uses::Rules(&["gateway-access", "gateway-domain-annotations", "gateway-storage"])),
    ("gateway-amendment", Uses::Rules(&["gateway-domain-amendment", "gateway-events", "gateway-finance", "gateway-invoicing",
        "gateway-jobs", "gateway-storage", "gateway-workspaces"])),
    ("gateway-reconciliation", Uses::Rules(&["gateway-access", "gateway-events", "gateway-evidence", "gateway-finance", "gateway-jobs",
        "gateway-storage", "gateway-workspaces"])),
    ("gateway-registry", Uses::Rules(&["gateway-access", "gateway-events", "gateway-finance", "gateway-plugin-host",
        "gateway-storage"])),
    ("gateway-rules", Uses::Rules(&["gateway-finance", "gateway-workspaces"])), ("gateway-graphql-compliance", Uses::Rules(&[])),
    ("gateway-graphql", Uses::Rules(&["gateway-domain-platform", "gateway-finance", "gateway-graphql-compliance",
        "gateway-invoicing", "gateway-platform", "gateway-webhooks"])),
    // It speaks the provider's protocol, so it sends its webhooks through the one client for that.
    ("gateway-sandbox", Uses::Rules(&["gateway-storage", "gateway-plugin-host", "gateway-provider"])),
    // No surface names storage: what a service returns is a type of the rules or of the service.
    ("gateway-http", Uses::Rules(&["gateway-access", "gateway-trace-context"])),
    ("gateway-api-public", Uses::Rules(&["gateway-access", "gateway-domain-platform", "gateway-finance", "gateway-graphql",
        "gateway-http", "gateway-platform", "gateway-webhooks", "gateway-workspaces"])),
    ("gateway-api-admin", Uses::Rules(&["gateway-access", "gateway-deadlines", "gateway-domain-platform", "gateway-finance", "gateway-http",
        "gateway-reconciliation", "gateway-registry", "gateway-rendering", "gateway-rules", "gateway-watchdog", "gateway-webhooks",
        "gateway-workspaces"])),
    ("gateway-presentation", Uses::Rules(&["gateway-domain-amendment", "gateway-domain-annotations"])),
    ("gateway-console", Uses::Rules(&["gateway-access", "gateway-amendment", "gateway-annotations", "gateway-domain-annotations", "gateway-domain-platform", "gateway-events", "gateway-finance",
        "gateway-http", "gateway-invoicing", "gateway-jobs", "gateway-platform", "gateway-presentation",
        "gateway-read-models", "gateway-recipients", "gateway-reconciliation", "gateway-registry", "gateway-rendering", "gateway-watchdog",
        "gateway-webhooks", "gateway-workspaces"])),
    ("gateway-api-internal", Uses::Rules(&["gateway-access", "gateway-amendment", "gateway-annotations", "gateway-domain-annotations", "gateway-domain-amendment", "gateway-events", "gateway-finance", "gateway-http",
        "gateway-invoicing", "gateway-jobs", "gateway-recipients", "gateway-reconciliation", "gateway-registry", "gateway-rendering",
        "gateway-watchdog", "gateway-webhooks", "gateway-workspaces"])),
    ("gateway-config", Uses::Rules(&["gateway-bus", "gateway-http", "gateway-plugin-host"])),
    ("gateway-terminal", Uses::Rules(&[])),
    // Authors try plugins in the gateway's own plugin host, and hand them to a gateway over HTTP.
    ("gateway-plugin-author", Uses::Rules(&["gateway-plugin-host", "gateway-provider", "gateway-registry",
        "gateway-terminal"])),
    // Registries of container images have a client of their own: only its adapter names it.
    ("gateway-plugin-oci", Uses::Rules(&[])),
    ("gateway-cli", Uses::Rules(&["gateway-access", "gateway-amendment", "gateway-annotations", "gateway-domain-annotations", "gateway-config", "gateway-deadlines", "gateway-domain-amendment",
        "gateway-domain-platform", "gateway-events",
        "gateway-finance", "gateway-invoicing", "gateway-platform", "gateway-plugin-author", "gateway-plugin-oci",
        "gateway-recipients", "gateway-reconciliation", "gateway-registry", "gateway-rendering", "gateway-retention", "gateway-rules",
        "gateway-terminal", "gateway-watchdog", "gateway-webhooks", "gateway-workspaces"])),
    // It is shown on a gateway that serves: set up like an operator's command, then called over HTTP.
    ("gateway-demo", Uses::Rules(&["gateway-access", "gateway-cli", "gateway-platform", "gateway-provider",
        "gateway-terminal", "gateway-workspaces"])),
    ("gateway", Uses::EveryHostCrate),
    ("gateway-tests", Uses::Everything),
    ("gateway-test-postgres", Uses::Only(&[])),
    ("gateway-test-nats", Uses::Only(&[])),
    ("gateway-test-openapi", Uses::Only(&[])),
    ("house-rules", Uses::Only(&[])),
    ("xtask", Uses::Only(&["gateway-test-postgres", "gateway-test-nats", "house-rules"])),
    ("einvoice-plugin", Uses::Only(&[])),
    ("einvoice-xml", Uses::Only(&[])),
    ("einvoice-gobl", Uses::Only(&["einvoice-plugin"])),
    ("einvoice-en16931", Uses::Only(&["einvoice-plugin", "einvoice-gobl", "einvoice-xml"])),
    ("einvoice-es", Uses::Only(&["einvoice-plugin", "einvoice-gobl", "einvoice-xml"])),
    ("einvoice-eu", Uses::Only(&["einvoice-plugin", "einvoice-gobl", "einvoice-es"])),
];

/// Rows for whole folders, for crates without a row of their own.
pub(super) const FOLDERS: [(&str, Uses); 2] = [
    (
        "plugins/",
        Uses::Only(&[
            "einvoice-plugin",
            "einvoice-gobl",
            "einvoice-en16931",
            "einvoice-es",
            "einvoice-eu",
            "einvoice-xml",
        ]),
    ),
    ("tests/", Uses::Everything),
];
