//! Configurations as they are written, and what is refused of them.

use super::*;
use crate::keys::{self, KEYS};
use secrecy::ExposeSecret;

fn variables(pairs: &[(&str, &str)]) -> impl Iterator<Item = (OsString, OsString)> {
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    pairs.into_iter()
}

fn from(toml: &str, pairs: &[(&str, &str)]) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    std::fs::write(&file, toml).unwrap();
    read(Some(&file), variables(pairs))
        .map(|read| read.config)
        .map_err(|error| error.to_string().replace(&*folder.path().to_string_lossy(), ""))
}

#[test]
fn without_anything_the_defaults_hold() {
    let config = from("", &[]).unwrap();
    assert_eq!(config.server.public_addr.to_string(), "127.0.0.1:8080");
    assert_eq!(config.provider.base_url, None);
    assert_eq!(config.database_url().expose_secret(), "sqlite:data/gateway.db");
    assert!(config.database.auto_migrate);
    assert_eq!(config.oauth.token_lifetime_s, 3600);
}

/// Every key with a value that it takes.
const VALUES: [(&str, &str); 72] = [
    ("data_dir", "/tmp/elsewhere"),
    ("server.public_addr", "127.0.0.1:0"),
    ("server.internal_addr", "[::1]:9"),
    ("server.public_url", "https://gateway.example"),
    ("server.public_tls_certificate_file", "/tmp/public.crt"),
    ("server.public_tls_key_file", "/tmp/public.key"),
    ("server.internal_tls_certificate_file", "/tmp/internal.crt"),
    ("server.internal_tls_key_file", "/tmp/internal.key"),
    ("server.trusted_proxies", "10.0.0.0/8, ::1"),
    ("server.cors_origins", "https://app.example,http://localhost:3000"),
    ("database.url", "postgres://localhost/x"),
    ("database.auto_migrate", "false"),
    ("secrets.master_key_file", "/tmp/key"),
    ("oauth.issuer", "https://issuer.example"),
    ("oauth.token_lifetime_s", "60"),
    ("plugins.dir", "/tmp/plugins"),
    ("plugins.trusted_keys", ""),
    ("plugins.component_mib", "64"),
    ("plugins.memory_mib", "256"),
    ("plugins.deadline_ms", "2000"),
    ("plugins.document_mib", "8"),
    ("plugins.calls", "16"),
    ("plugins.calls_per_plugin", "4"),
    ("provider.base_url", "sandbox"),
    ("provider.poll_after_s", "5"),
    ("provider.overdue_after_s", "600"),
    ("provider.due_alert_before_s", "7200"),
    ("provider.outage_after_s", "300"),
    ("provider.retry_max", "3"),
    ("provider.timeout_s", "7"),
    ("sandbox.addr", "127.0.0.1:0"),
    ("limits.requests_per_s", "0"),
    ("limits.public_connections", "3000"),
    ("limits.internal_connections", "20"),
    ("webhooks.allow_private", "true"),
    ("webhooks.timeout_s", "2"),
    ("webhooks.retry_speed", "100"),
    ("notices.mail.smtp_url", "smtps://gateway:hunter2@mail.example"),
    ("notices.mail.from", "gateway@example.org"),
    ("notices.mail.to", "ops@example.org, 1=ana@example.org"),
    ("notices.mail.digest_every_min", "60"),
    ("notices.mail.quiet_hours", "22:00-07:00"),
    ("notices.mail.console_url", "https://inside.example"),
    ("events.bus", "embedded"),
    ("reconciliation.nightly_at", "off"),
    ("reconciliation.days", "7"),
    ("reconciliation.requests_per_min", "600"),
    ("reconciliation.authority_urls", "xx-first=https://one.example/ws,xx-second=https://two.example/ws"),
    ("reconciliation.authority_certificate_files", "xx-first=/tmp/one.pem"),
    ("reconciliation.authority_key_files", "xx-first=/tmp/one.key"),
    ("recipient_check.vies_url", "https://vies.example/rest-api"),
    ("recipient_check.sml_zone", "sml.example.org"),
    ("recipient_check.sml_servers", "192.0.2.1:53,192.0.2.2:5353"),
    ("recipient_check.smp_url", "https://smp.example"),
    ("recipient_check.smp_allow_private", "true"),
    ("recipient_check.smp_regimes", "xx-first,xx-second"),
    ("recipient_check.timeout_ms", "500"),
    ("recipient_check.cache_h", "48"),
    ("recipient_check.retry_after_s", "60"),
    ("retention.audit_days", "3650"),
    ("retention.event_days", "90"),
    ("retention.message_days", "4000"),
    ("retention.delivery_days", "60"),
    ("retention.archive_dir", "/tmp/archive"),
    ("retention.run_every_h", "0"),
    ("finance.invoicing_url", "https://invoicing.example"),
    ("finance.invoicing_client_id", "finance"),
    ("finance.invoicing_client_secret_file", "/tmp/secret"),
    ("telemetry.otlp_endpoint", "http://collector.example:4318"),
    ("telemetry.sample_percent", "10"),
    ("log.format", "json"),
    ("log.filter", "debug"),
];

#[test]
fn every_key_can_be_set_in_the_environment_and_in_the_file() {
    let values = VALUES;
    assert_eq!(values.map(|(key, _)| key), KEYS);
    let names = values.map(|(key, value)| (keys::variable_of(key), value));
    let pairs: Vec<_> = names.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let lines = values.iter().filter(|(_, value)| !value.is_empty());
    let toml = lines.map(|(key, value)| format!("{key} = \"{value}\"")).collect::<Vec<_>>().join("\n");
    for config in [from("", &pairs).unwrap(), from(&toml, &[]).unwrap()] {
        assert_eq!(config.data_dir, Path::new("/tmp/elsewhere"));
        assert_eq!(config.server.public_addr.port(), 0);
        assert_eq!(config.server.trusted_proxies, ["10.0.0.0/8", "::1"]);
        assert!(!config.database.auto_migrate && config.webhooks.allow_private);
        assert_eq!((config.oauth.token_lifetime_s, config.provider.retry_max), (60, 3));
        assert_eq!(config.provider.base_url, Some(ProviderAddress::Sandbox));
        assert_eq!((config.limits.requests_per_s, config.log.format), (0, LogFormat::Json));
        assert_eq!(config.notice_mail.to.to_string(), "ops@example.org,1=ana@example.org");
        let server = config.entries().into_iter().find(|(key, _)| *key == "notices.mail.smtp_url");
        assert_eq!(server.unwrap().1, "smtps://gateway:…@mail.example");
        assert!(!format!("{config:?}").contains("hunter2"));
    }
}

#[test]
fn the_environment_wins_over_the_file() {
    let toml = "[provider]\npoll_after_s = 5\nretry_max = 2\n";
    let config = from(toml, &[("GATEWAY_PROVIDER__POLL_AFTER_S", "7")]).unwrap();
    assert_eq!((config.provider.poll_after_s, config.provider.retry_max), (7, 2));
}

#[test]
fn an_unknown_key_is_refused_by_name() {
    assert_eq!(
        from("[provider]\nurl = \"sandbox\"\n", &[]).unwrap_err(),
        "provider.url in /own.toml is no configuration key: did you mean database.url?"
    );
    assert_eq!(
        from("", &[("GATEWAY_PROVIDER__BASEURL", "x")]).unwrap_err(),
        "the variable GATEWAY_PROVIDER__BASEURL is no configuration key: did you mean GATEWAY_PROVIDER__BASE_URL?"
    );
    assert!(
        from("", &[("GATEWAY_TEST_POSTGRES", "x"), ("GATEWAY_TOTALS_SAMPLE", "y"), ("PATH", "/")]).is_ok()
    );
}

#[test]
fn what_an_orchestrator_sets_beside_a_service_of_this_name_is_passed_over_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    std::fs::write(&file, "").unwrap();
    let set = [
        ("GATEWAY_SERVICE_HOST", "10.0.0.1"),
        ("GATEWAY_PORT", "tcp://10.0.0.1:8080"),
        ("GATEWAY_PORT_8080_TCP_ADDR", "10.0.0.1"),
        ("GATEWAY_PROVIDER_BASE_URL", "x"),
        ("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "60"),
    ];
    let read = read(Some(&file), variables(&set)).unwrap();
    let passed_over = [
        "GATEWAY_PORT",
        "GATEWAY_PORT_8080_TCP_ADDR",
        "GATEWAY_PROVIDER_BASE_URL (did you mean GATEWAY_PROVIDER__BASE_URL?)",
        "GATEWAY_SERVICE_HOST",
    ];
    assert_eq!(read.ignored, passed_over);
    assert_eq!(read.config.oauth.token_lifetime_s, 60);
    let error = from("", &[("GATEWAY_OAUTH__LIFETIME", "60")]).unwrap_err();
    assert!(error.contains("GATEWAY_OAUTH__LIFETIME is no configuration key"), "{error}");
}

#[test]
fn a_section_that_is_none_is_refused_though_nothing_is_in_it() {
    assert_eq!(
        from("[servr]\n", &[]).unwrap_err(),
        "servr in /own.toml is no configuration key: remove it; 'gateway config check' shows every key"
    );
    assert!(from("[limits.foo]\n", &[]).unwrap_err().starts_with("limits.foo in /own.toml is no "));
    from("[server]\n[limits]\n", &[]).unwrap();
}

#[test]
fn a_value_of_another_kind_is_refused_and_not_turned_into_one() {
    for (toml, detail) in [
        ("[limits]\nrequests_per_s = 1.5", "1.5 was found where a whole number belongs"),
        ("[database]\nauto_migrate = \"yes\"", "'yes' was found where true or false belongs"),
        ("[database]\nauto_migrate = 1", "1 was found where true or false belongs"),
        ("[oauth]\ntoken_lifetime_s = true", "true was found where a whole number belongs"),
        (
            "[plugins]\ntrusted_keys = 3",
            "3 was found where a list of texts, or one text with commas between them belongs",
        ),
        (
            "[server]\ncors_origins = {a = 1}",
            "a table was found where a list of texts, or one text with commas between them belongs",
        ),
    ] {
        let error = from(toml, &[]).unwrap_err();
        assert!(error.contains(detail), "{toml}: {error}");
    }
    from("[database]\nauto_migrate = false\n[limits]\nrequests_per_s = 2\n", &[]).unwrap();
}

#[test]
fn every_key_is_read() {
    for key in KEYS {
        let error = from(&format!("{key} = [[1]]"), &[]).unwrap_err();
        assert!(error.starts_with(&format!("the configuration key {key} (")), "{error}");
    }
}

#[test]
fn a_variable_may_be_a_flag_in_other_words_and_the_file_may_not() {
    for (text, flag) in
        [("1", true), ("On", true), ("yes", true), ("0", false), ("OFF", false), ("no", false)]
    {
        let config = from("", &[("GATEWAY_DATABASE__AUTO_MIGRATE", text)]).unwrap();
        assert_eq!(config.database.auto_migrate, flag, "{text}");
        let error = from(&format!("[database]\nauto_migrate = \"{text}\""), &[]).unwrap_err();
        assert!(error.contains(&format!("'{text}' was found where true or false belongs")), "{error}");
    }
    let error = from("", &[("GATEWAY_PROVIDER__RETRY_MAX", "yes")]).unwrap_err();
    assert!(error.contains("'yes' was found where a whole number belongs"), "{error}");
}

#[test]
fn a_variable_that_is_empty_sets_nothing() {
    let config = from("[provider]\nretry_max = 2\n", &[("GATEWAY_PROVIDER__RETRY_MAX", "")]).unwrap();
    assert_eq!(config.provider.retry_max, 2);
}

#[test]
fn a_dot_within_a_name_is_no_section() {
    assert_eq!(
        from("\"server.public_url\" = \"x\"\n", &[]).unwrap_err(),
        "\"server.public_url\" in /own.toml is no configuration key: did you mean server.public_url?"
    );
}

#[test]
fn a_misspelt_key_is_named_before_the_values_beside_it() {
    let toml = "[oauth]\ntoken_lifetime_s = \"soon\"\n[provider]\npoll_after_s = \"soon\"\nretries = 3\n";
    assert_eq!(
        from(toml, &[]).unwrap_err(),
        "provider.retries in /own.toml is no configuration key: remove it; 'gateway config check' shows every key"
    );
    let section = "[servers]\npublic_url = \"https://gateway.example\"\n";
    assert_eq!(
        from(section, &[]).unwrap_err(),
        "servers.public_url in /own.toml is no configuration key: did you mean server.public_url?"
    );
}

#[test]
fn a_wrong_value_is_told_as_it_was_written() {
    for (toml, says) in [
        ("[oauth]\ntoken_lifetime_s = \"soon\"", "'soon' was found where a whole number belongs"),
        ("[oauth]\ntoken_lifetime_s = -1", "-1 was found where a whole number from 0 on belongs"),
        ("[database]\nauto_migrate = \"maybe\"", "'maybe' was found where true or false belongs"),
        ("[oauth]\ntoken_lifetime_s = [1]", "a list was found where a whole number belongs"),
        (
            "[oauth]\ntoken_lifetime_s = 4294967296",
            "4294967296 was found where a whole number up to 4294967295 belongs",
        ),
        ("[database]\nauto_migrate = 1.5", "1.5 was found where true or false belongs"),
        ("[oauth]\nissuer = true", "true was found where a text belongs"),
        ("[server]\ntrusted_proxies = [true]", "true was found where a text belongs"),
        ("[log]\nfilter = \"gateway=loud\"", "it is no log filter: use off, error, warn"),
    ] {
        let error = from(toml, &[]).unwrap_err();
        assert!(error.contains(says), "{toml}: {error}");
    }
}

#[test]
fn a_file_that_is_no_toml_is_told_where_it_stops_being_so() {
    assert_eq!(
        from("data_dir = \"x\"\nx\n", &[]).unwrap_err(),
        "/own.toml is not TOML: look at line 2, column 2: write each key as name = value, texts in quotes, and \
         sections as [name]"
    );
    let large = from("[limits]\nrequests_per_s = 99999999999999999999\n", &[]).unwrap_err();
    assert!(large.starts_with("/own.toml is not TOML: ") && !large.contains("target type"), "{large}");
    let folder = tempfile::tempdir().unwrap();
    let error = read(Some(folder.path()), variables(&[])).unwrap_err().to_string();
    assert!(error.contains("(it is a folder)"), "{error}");
}

#[test]
fn a_wrong_value_is_refused_with_its_key() {
    for (name, value, key) in [
        ("GATEWAY_SERVER__PUBLIC_ADDR", "localhost", "server.public_addr"),
        ("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "soon", "oauth.token_lifetime_s"),
        ("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "-1", "oauth.token_lifetime_s"),
        ("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "0", "oauth.token_lifetime_s"),
        ("GATEWAY_PROVIDER__BASE_URL", "somewhere", "provider.base_url"),
        ("GATEWAY_PROVIDER__BASE_URL", "ftp://x", "provider.base_url"),
        ("GATEWAY_SERVER__PUBLIC_URL", "x", "server.public_url"),
        ("GATEWAY_SERVER__PUBLIC_URL", "http://0.0.0.0:8080", "server.public_url"),
        ("GATEWAY_SERVER__PUBLIC_URL", "https://[::]/", "server.public_url"),
        ("GATEWAY_OAUTH__ISSUER", "http://0.0.0.0:8080", "oauth.issuer"),
        ("GATEWAY_OAUTH__ISSUER", "0.0.0.0", "oauth.issuer"),
        ("GATEWAY_OAUTH__ISSUER", "0.0.0.0:8080", "oauth.issuer"),
        ("GATEWAY_OAUTH__ISSUER", "[::]", "oauth.issuer"),
        ("GATEWAY_OAUTH__ISSUER", "https://[::ffff:0.0.0.0]/", "oauth.issuer"),
        ("GATEWAY_SERVER__PUBLIC_URL", "https://[::ffff:0.0.0.0]/", "server.public_url"),
        ("GATEWAY_SERVER__PUBLIC_ADDR", "x", "server.public_addr"),
        ("GATEWAY_SANDBOX__ADDR", "localhost", "sandbox.addr"),
        ("GATEWAY_FINANCE__INVOICING_URL", "x", "finance.invoicing_url"),
        ("GATEWAY_SERVER__TRUSTED_PROXIES", "10.0.0.0/99", "server.trusted_proxies"),
        ("GATEWAY_SERVER__CORS_ORIGINS", "https://app.example/", "server.cors_origins"),
        ("GATEWAY_SERVER__CORS_ORIGINS", "https://*.example", "server.cors_origins"),
        ("GATEWAY_DATABASE__AUTO_MIGRATE", "perhaps", "database.auto_migrate"),
        ("GATEWAY_DATABASE__URL", "mysql://x", "database.url"),
        ("GATEWAY_LOG__FORMAT", "xml", "log.format"),
        ("GATEWAY_LOG__FILTER", "a=b=c", "log.filter"),
        ("GATEWAY_EVENTS__BUS", "amqp://x", "events.bus"),
        ("GATEWAY_FINANCE__INVOICING_CLIENT_ID", "x", "finance.invoicing_url"),
        ("GATEWAY_PLUGINS__TRUSTED_KEYS", "k1,k2", "plugins.trusted_keys"),
    ] {
        let error = from("", &[(name, value)]).unwrap_err();
        assert!(error.contains(key) && error.contains(name), "{name}={value}: {error}");
        for words in [
            "socket address syntax",
            "variant constructor",
            "relative URL",
            "invalid type",
            "64 bit",
            "boolean",
            "string \"",
            "parsing level filter",
        ] {
            assert!(!error.contains(words), "{name}={value}: {error}");
        }
    }
    let url = ("GATEWAY_FINANCE__INVOICING_URL", "http://x");
    from("", &[url]).unwrap();
    let file = ("GATEWAY_FINANCE__INVOICING_CLIENT_SECRET_FILE", "x");
    let error = from("", &[url, file]).unwrap_err();
    assert!(error.contains("finance.invoicing_client_id"), "{error}");
    let error = from("", &[url, ("GATEWAY_FINANCE__INVOICING_CLIENT_ID", "x")]).unwrap_err();
    assert!(error.contains("finance.invoicing_client_secret_file"), "{error}");
    let error = from("[oauth]\ntoken_lifetime_s = \"x\"\n", &[]).unwrap_err();
    assert!(error.contains("oauth.token_lifetime_s"), "{error}");
    assert!(from("[oauth\n", &[]).unwrap_err().contains("is not TOML"));
    assert!(from("server = 3\n", &[]).unwrap_err().contains("server"));
}

#[test]
fn a_password_in_the_database_address_is_never_shown() {
    let config = from("", &[("GATEWAY_DATABASE__URL", "postgres://u:hunter2@h/d")]).unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
    let error = from("", &[("GATEWAY_DATABASE__URL", "mysql://u:hunter2@h/d")]).unwrap_err();
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn a_file_that_is_named_must_exist() {
    let error = read(Some(Path::new("/nowhere/gateway.toml")), variables(&[])).unwrap_err();
    assert!(matches!(error, ConfigError::NoFile { .. }));
}

/// Keys that the packaged file shows with an example, because nothing that can be written there holds without them.
const WITH_EXAMPLES: [&str; 27] = [
    "reconciliation.authority_urls",
    "reconciliation.authority_certificate_files",
    "reconciliation.authority_key_files",
    "server.public_url",
    "server.public_tls_certificate_file",
    "server.public_tls_key_file",
    "server.internal_tls_certificate_file",
    "server.internal_tls_key_file",
    "oauth.issuer",
    "plugins.dir",
    "provider.base_url",
    "retention.archive_dir",
    "notices.mail.smtp_url",
    "notices.mail.from",
    "notices.mail.to",
    "notices.mail.quiet_hours",
    "notices.mail.console_url",
    "finance.invoicing_url",
    "finance.invoicing_client_id",
    "finance.invoicing_client_secret_file",
    "recipient_check.vies_url",
    "recipient_check.sml_zone",
    "recipient_check.sml_servers",
    "recipient_check.smp_url",
    "recipient_check.smp_regimes",
    "telemetry.otlp_endpoint",
    "log.filter",
];

#[test]
fn the_packaged_file_has_every_key_and_its_comments_are_what_holds() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gateway/packaging/gateway.toml");
    let packaged = std::fs::read_to_string(path).unwrap();
    let installed = Config { data_dir: "/var/lib/gateway".into(), ..Config::default() };
    assert_eq!(from(&packaged, &[]).unwrap().entries(), installed.entries());

    // A comment is text after a space, and a key without one.
    let is_key = |rest: &str| rest.starts_with(|first: char| first.is_ascii_lowercase());
    let setting = |line: &str| line.strip_prefix('#').filter(|rest| is_key(rest)).unwrap_or(line).to_owned();
    let settings: Vec<String> = packaged.lines().map(setting).collect();
    let (mut section, mut named) = (String::new(), Vec::new());
    for line in &settings {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = format!("{name}.");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| is_key(line)) {
            named.push(format!("{section}{name}"));
        }
    }
    let (mut known, mut sorted) = (KEYS.to_vec(), named.clone());
    known.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(sorted, known, "host/gateway/packaging/gateway.toml names every key once");

    let uncommented = from(&settings.join("\n"), &[]).unwrap().entries();
    for ((key, value), (_, default)) in uncommented.iter().zip(installed.entries()) {
        assert_eq!(
            *value == default,
            !WITH_EXAMPLES.contains(key),
            "{key} is {value}, the default is {default}"
        );
    }
}
