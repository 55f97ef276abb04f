//! What a test needs to know of the guides besides: which blocks it does not run and why, what it types before a block for
//! what the text around it takes as given, and what it replaces.

pub(crate) const README: &str = "README.md";
pub(crate) const OPERATING: &str = "host/gateway/OPERATING.md";
pub(crate) const RUNBOOK: &str = "host/gateway/ops/RUNBOOK.md";
pub(crate) const PACKAGING: &str = "host/gateway/packaging/README.md";
pub(crate) const APIS: &str = "host/api-public/README.md";
pub(crate) const PLUGINS: &str = "plugins/README.md";
pub(crate) const CONTRIBUTING: &str = ".github/CONTRIBUTING.md";

/// The guides with blocks that are typed into a terminal; a test finds the others.
pub(crate) const GUIDES: [&str; 7] = [CONTRIBUTING, README, APIS, OPERATING, RUNBOOK, PACKAGING, PLUGINS];

/// A block that is not run: its guide, its first line, why. The block itself says `no-run`.
pub(crate) const NOT_RUN: [(&str, &str, &str); 22] = [
    (
        OPERATING,
        "gateway reconcile ",
        "compares with a provider that lists its entries; the tests of the reconciliation type these commands",
    ),
    (
        OPERATING,
        "gateway invoice annotate ",
        "needs a document of that number and a file to attach; the tests of annotations type these commands",
    ),
    (
        OPERATING,
        "gateway invoice amend ",
        "needs a document that the authority accepted under that number; the tests of amendments type these commands",
    ),
    (
        OPERATING,
        "PGPASSWORD=... gateway move ",
        "needs a PostgreSQL server at the terminal; the tests of recovery type this very command",
    ),
    (
        OPERATING,
        "# postgresql.conf: archive_mode",
        "needs a PostgreSQL server whose configuration is one's own; what the gateway does then is `gateway doctor`",
    ),
    (
        OPERATING,
        "gateway plugin activate es-verifactu@0.5.0 --at ",
        "needs a version that is still to come; the tests of schedules type these commands",
    ),
    (
        OPERATING,
        "gateway plugin activate es-verifactu@0.4.1 --share ",
        "needs a version beside the one in force; the tests of canaries type these commands",
    ),
    (
        OPERATING,
        "gateway plugin push ",
        "needs a registry of container images; the suite `registry` types these commands",
    ),
    (
        PACKAGING,
        "apt install ",
        "installs into the system; the suite `packaging` does that in a Debian of its own",
    ),
    (
        PACKAGING,
        "editor ",
        "needs an installed service; the suite `packaging` types these commands of `gatewayctl`",
    ),
    (
        PACKAGING,
        "tar ",
        "installs into the system; the suite `packaging` runs the program from where the archive was unpacked",
    ),
    (
        PACKAGING,
        "docker build ",
        "needs a container daemon; the suite `packaging` runs the last stage of the image step by step",
    ),
    (
        PACKAGING,
        "kubectl ",
        "needs a cluster; the suite `packaging` holds what is rendered against Kubernetes' schemas",
    ),
    (
        README,
        "cargo xtask demo ",
        "builds everything for minutes; `demo` and this very run of tests are these commands",
    ),
    (
        PLUGINS,
        "gateway plugin new xx-hello           #",
        "compiles a plugin for minutes; the suite `new plugin` types this very block",
    ),
    (
        PLUGINS,
        "gateway plugin new xx-hello --lang python ",
        "installs a compiler for minutes; the suites `python` and `javascript` build and test the folders that it copies",
    ),
    (
        PLUGINS,
        "gateway plugin watch --install",
        "compiles a plugin for minutes, and goes on until it is interrupted",
    ),
    (
        PLUGINS,
        "gateway plugin test xx-hello.wasm --payloads ",
        "the plugin that stands in for the reader's has its cases elsewhere; `plugin_test_command` types this command",
    ),
    (
        CONTRIBUTING,
        "cargo xtask plugins ",
        "builds everything for minutes; `cargo xtask test` begins with it",
    ),
    (
        CONTRIBUTING,
        "cargo check -p gateway-finance ",
        "builds for minutes, and would wait for the cargo that runs the tests",
    ),
    (CONTRIBUTING, "UPDATE_GOLDEN=1 cargo test ", "writes into the tree"),
    (CONTRIBUTING, "GATEWAY_WRITE_OPENAPI=1 cargo test ", "writes into the tree, and builds for minutes"),
];

/// What is replaced in blocks of a guide (in all of them: no guide), besides the ports of the two listeners and of the
/// stand-in, and a `gateway serve` at the end of a line, which goes to the background.
pub(crate) const REPLACEMENTS: [(&str, &str, &str); 6] = [
    ("", "http://invoicing.internal:8081", "http://127.0.0.1:{other}"),
    ("", "/run/secrets/", "./secrets/"),
    ("", "/tmp/", "./tmp/"),
    ("", "https://example.com/hooks", "{receiver}"),
    // The plugin that the reader has written by then would take minutes to compile.
    (PLUGINS, "xx-hello@0.1.0", "es-verifactu@0.4.0"),
    (PLUGINS, "xx-hello", "es-verifactu"),
];

/// What is typed before a block: its guide, its first line, what.
pub(crate) const PREPARATIONS: [(&str, &str, &[&str]); 25] = [
    (README, "export GATEWAY_DATA_DIR=./trial GATEWAY_PROVIDER__BASE_URL=sandbox ", &[BUILT_PLUGINS]),
    (OPERATING, "gateway workspace create --name Casa ", &[PROVIDER]),
    (OPERATING, "gateway client create --name me ", &[WORKSPACE, CLIENT]),
    (OPERATING, "cat > issued.ndjson ", &[WORKSPACE]),
    (OPERATING, "gateway client rotate-secret $ID ", &[WORKSPACE, CLIENT, SERVE]),
    (OPERATING, "gateway backup gateway.backup ", &[WORKSPACE, CLIENT, SERVE, BACKUP_PASSPHRASE]),
    (OPERATING, "gateway plugin install es-verifactu.wasm ", &[PLUGIN_FILE, EARLIER_PLUGIN]),
    (OPERATING, "gateway renderer install render-pdf.wasm ", &[RENDERER_FILE]),
    (
        OPERATING,
        "gateway client create --name finance --permission invoicing.rpc --workspace '*'",
        &[REMOTE_SERVICE],
    ),
    (OPERATING, "export GATEWAY_FINANCE__INVOICING_URL=", &[REMOTE_CREDENTIALS]),
    (
        APIS,
        "H=\"Authorization: Bearer $TOKEN\" NOW=",
        &[WORKSPACE, PROVIDER, E_INVOICING, CLIENT, SERVE, TOKEN, DOCUMENTS],
    ),
    (APIS, "curl -s \"http://127.0.0.1:8089/sandbox/v1/entries/$ENTRY_ID/messages\"", &[ENTRY]),
    (APIS, "# 1. cancels the invoice with a full credit note", &[WRONG_INVOICE]),
    (APIS, "gateway client create --name 'older integration' ", &[SAMPLE, SERVE]),
    (
        APIS,
        "curl -H \"authorization: Bearer $TOKEN\" 'localhost:8081/invoicing/rpc/events",
        &[WORKSPACE, PROVIDER, E_INVOICING, CLIENT, SERVE, TOKEN, DOCUMENTS],
    ),
    (APIS, "call() { curl -s -u \"$ID:$SECRET\" ", &[PRIVATE_ENDPOINTS, WORKSPACE, CLIENT, SERVE]),
    (PLUGINS, "gateway plugin install xx-hello.wasm --activate", &[PLUGIN_FILE]),
    (PLUGINS, "gateway plugin keygen ", &[PLUGIN_FILE, EARLIER_PLUGIN]),
    (
        RUNBOOK,
        "gateway submission list",
        &[WORKSPACE, PROVIDER, E_INVOICING, CLIENT, SERVE, TOKEN, DOCUMENTS, SUBMISSION],
    ),
    (
        RUNBOOK,
        "curl -s http://127.0.0.1:8081/metrics | grep 'http_client_request_duration_seconds_count",
        &[WORKSPACE, PROVIDER, E_INVOICING, CLIENT, SERVE, TOKEN, DOCUMENTS],
    ),
    (RUNBOOK, "gateway plugin list ", &[PLUGIN_FILE, EARLIER_PLUGIN, LATER_PLUGIN]),
    (RUNBOOK, "openssl x509 ", &[CERTIFICATE, SERVE]),
    (RUNBOOK, "gateway doctor | grep certificates", &[CERTIFICATE]),
    (
        RUNBOOK,
        "curl -s http://127.0.0.1:8081/metrics | grep -E '^(process_cpu_time_seconds_total",
        &[WORKSPACE, CLIENT, SERVE, READY, TOKEN, OPERATION],
    ),
    // Every other section: a gateway that serves.
    (RUNBOOK, "", &[WORKSPACE, SERVE, READY]),
];

/// The plugins as `cargo xtask plugins` leaves them.
const BUILT_PLUGINS: &str = r#"mkdir target && ln -s "$PLUGINS" target/plugins
"#;

/// A finished component in the folder of its author.
const PLUGIN_FILE: &str = r#"cp "$PLUGINS/es-verifactu.wasm" .
"#;

/// The same plugin under an earlier version, in force, to go back to.
const EARLIER_PLUGIN: &str = r"LC_ALL=C sed 's/0\.4\.0/0.3.9/g' es-verifactu.wasm > before.wasm
gateway plugin install before.wasm --activate
";

/// The plugin in force again, with the one before it to go back to.
const LATER_PLUGIN: &str = r"gateway plugin install es-verifactu.wasm --activate
KEY=es-verifactu VERSION=0.4.0
";

/// A listener that speaks TLS.
const CERTIFICATE: &str = r"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 60 -subj /CN=gateway \
  -keyout tls.key -out tls.crt 2> openssl.log
export GATEWAY_SERVER__PUBLIC_TLS_CERTIFICATE_FILE=$PWD/tls.crt GATEWAY_SERVER__PUBLIC_TLS_KEY_FILE=$PWD/tls.key
";

/// A document whose submission is on its way.
const SUBMISSION: &str = r"UUID=$ISSUING
";

/// The renderer of the release, and one before it in force, to go back to.
const RENDERER_FILE: &str = r#"cp "$RENDERERS/render-pdf.wasm" .
LC_ALL=C sed 's/render-pdf0\.1\.0/render-pdf0.0.9/g' render-pdf.wasm > before.wasm
gateway renderer install before.wasm --activate
"#;

const WORKSPACE: &str = r"gateway workspace create --name Casa --legal-name 'Casa S.L.' --tax-id B98602642 --country ES
";

/// What the provider gave the workspace.
const PROVIDER: &str = r"PROVIDER_TOKEN=sandbox-token
COMPANY_ID=0199a000-0000-7000-8000-000000000001 WORKFLOW_ID=0199a000-0000-7000-8000-000000000002
";

const E_INVOICING: &str = r"printf %s $PROVIDER_TOKEN | gateway workspace e-invoicing set --workspace 1 --regime es-verifactu \
  --company-id $COMPANY_ID --workflow-id $WORKFLOW_ID --token-file -
export GATEWAY_PROVIDER__BASE_URL=sandbox
";

const CLIENT: &str = r#"gateway client create --name given --permission invoicing.rpc,finance.rpc,finance.verdict,legacy --workspace 1 \
  --json > given.json
given() { sed -n 's/.*"'$1'": *"\([^"]*\)".*/\1/p' given.json; }
ID=$(given client_id) SECRET=$(given client_secret)
"#;

const SERVE: &str = r"gateway serve &
until curl -so /dev/null http://127.0.0.1:8081/healthz; do sleep 0.1; done
";

const READY: &str = r"until curl -so /dev/null http://127.0.0.1:8081/readyz; do sleep 0.1; done
";

const TOKEN: &str = r#"TOKEN=$(curl -s http://127.0.0.1:8080/v1/oauth2/token \
  -d grant_type=client_credentials -d client_id=$ID -d client_secret=$SECRET | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
"#;

/// A GraphQL operation, for what is counted by its name.
const OPERATION: &str = r#"curl -s http://127.0.0.1:8080/v1 -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json' \
  -d '{"operationName":"kind","query":"query kind { __typename }"}'
"#;

const BACKUP_PASSPHRASE: &str = r"echo 'correct horse battery staple' > backup.passphrase
";

/// Documents of one booking in every state; two wait for an authority that takes its time.
const DOCUMENTS: &str = r#"B=http://127.0.0.1:8081 BOOKING=0199a000-0000-7000-8000-00000000000b
DRAFT=0199a000-0000-4000-8000-000000000001 ISSUED=0199a000-0000-4000-8000-000000000002
ISSUING=0199a000-0000-4000-8000-000000000003 ANOTHER=0199a000-0000-4000-8000-000000000004
draft() {
  curl -s -X PUT $B/invoicing/rpc/documents/$1 -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{
    "workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true, "booking_id": "'$BOOKING'",
    "recipient": {"type": "company", "name": "'$2'", "tax_number": "B17002288", "country": "ES"},
    "lines": [{"description": "Night", "quantity": "1", "unit_price": "110.00", "tax": {"category": "VAT", "rate": "10.0"}}]}'
}
issue() { curl -s -X POST $B/finance/rpc/documents/$1/commands/issue -H "Authorization: Bearer $TOKEN"; }
until_issued() {
  until curl -s $B/finance/rpc/documents/$1 -H "Authorization: Bearer $TOKEN" | grep '"status":"issued"'; do sleep 0.1; done
}
draft $DRAFT Guest
draft $ISSUED Guest
issue $ISSUED
until_issued $ISSUED
draft $ISSUING SANDBOX-SLOW-600
issue $ISSUING
draft $ANOTHER SANDBOX-SLOW-600
issue $ANOTHER
"#;

const ENTRY: &str = r#"ENTRY_ID=$(curl -s $B/finance/rpc/documents/$ISSUED/submission -H "$H" | sed 's/.*"entry_id":"\([^"]*\)".*/\1/')
"#;

const WRONG_INVOICE: &str = r"WRONG=0199a000-0000-4000-8000-000000000005
draft $WRONG Guest
issue $WRONG
until_issued $WRONG
NOW=$(date -u +%FT%TZ)
";

const SAMPLE: &str = r"gateway import --sample sample.ndjson
gateway import sample.ndjson
";

/// The endpoint of the test is on this machine.
const PRIVATE_ENDPOINTS: &str = r"export GATEWAY_WEBHOOKS__ALLOW_PRIVATE=true
";

/// The invoice data service elsewhere: another gateway, at whose terminal the next block is typed.
const REMOTE_SERVICE: &str = r"export GATEWAY_DATA_DIR=./there
(
  export GATEWAY_SERVER__INTERNAL_ADDR=127.0.0.1:{other} GATEWAY_SERVER__PUBLIC_ADDR=127.0.0.1:0
  gateway serve &
)
until curl -so /dev/null http://127.0.0.1:{other}/healthz; do sleep 0.1; done
";

/// Back from there, with what the client there is known by.
const REMOTE_CREDENTIALS: &str = r#"CLIENT_ID=$(gateway client list --json | sed -n 's/.*"client_id": *"\([^"]*\)".*/\1/p')
mkdir secrets
gateway client rotate-secret $CLIENT_ID --json | sed -n 's/.*"client_secret": *"\([^"]*\)".*/\1/p' > secrets/invoicing
test -s secrets/invoicing
unset GATEWAY_DATA_DIR
"#;
