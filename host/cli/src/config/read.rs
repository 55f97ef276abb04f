//! From a file and the environment to a checked [`Config`].

use super::keys::{self, KEYS};
use super::{Config, default_file};
use config::{Environment, File, FileFormat, Map, Source as _, Value, ValueKind};
use gateway_domain_input::unreadable;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Why the configuration is refused. One sentence that names the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file named with `--config` is not there.
    #[error("the configuration file {} cannot be read ({detail}): give the path of an existing file", file.display())]
    NoFile { file: PathBuf, detail: String },
    /// The file is no TOML.
    #[error("{} is not TOML: {detail}", file.display())]
    NotToml { file: PathBuf, detail: String },
    /// A key that nobody reads.
    #[error("{place} is no configuration key{hint}")]
    Unknown { place: String, hint: String },
    /// A value of the wrong type or shape.
    #[error("the configuration key {key} ({variable}) is refused: {detail}", variable = keys::variable_of(key))]
    Refused { key: String, detail: String },
}

/// A configuration, and what was passed over.
#[derive(Debug, Default)]
pub struct ReadConfig {
    pub config: Config,
    /// Variables that begin as those of the gateway do, without the two underscores of a key, each with the one it may be
    /// meant for: an orchestrator sets such ones beside a service of this name.
    pub ignored: Vec<String>,
}

/// Reads `gateway.toml` (or `file`, which must exist), then the variables, and checks the whole.
pub fn read(
    file: Option<&Path>,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<ReadConfig, ConfigError> {
    let mut builder = config::Config::builder();
    if let Some(text) = read_file(file)? {
        let path = file.unwrap_or(default_file());
        builder = builder.add_source(parse_file(path, &text)?);
    }
    let (variables, ignored) = read_variables(variables)?;
    let environment = Environment::with_prefix("GATEWAY")
        .prefix_separator("_")
        .separator("__")
        .ignore_empty(true)
        .source(Some(variables));
    let merged = builder
        .add_source(environment)
        .build()
        .map_err(|error| ConfigError::Refused { key: "data_dir".to_owned(), detail: error.to_string() })?;
    let config: Config = serde_path_to_error::deserialize(merged).map_err(|error| ConfigError::Refused {
        key: error.path().to_string(),
        detail: describe(error.inner()),
    })?;
    config.check()?;
    Ok(ReadConfig { config, ignored })
}

fn read_file(file: Option<&Path>) -> Result<Option<String>, ConfigError> {
    let path = file.unwrap_or(default_file());
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::NoFile { file: path.to_owned(), detail: unreadable(&error) }),
    }
}

fn parse_file(path: &Path, text: &str) -> Result<File<config::FileSourceString, FileFormat>, ConfigError> {
    let source = File::from_str(text, FileFormat::Toml);
    let content = source
        .collect()
        .map_err(|error| ConfigError::NotToml { file: path.to_owned(), detail: describe(&error) })?;
    let mut found = Vec::new();
    collect_keys(&content, "", &mut found);
    found.sort();
    match found.into_iter().find(|key| !KEYS.contains(&key.as_str())) {
        None => Ok(source),
        Some(key) => {
            let near = keys::closest(&key).map(str::to_owned);
            let hint = near.map_or_else(|| REMOVE.to_owned(), |near| format!(": did you mean {near}?"));
            Err(ConfigError::Unknown { place: format!("{key} in {}", path.display()), hint })
        }
    }
}

/// What to do about a key that is like none that exists.
const REMOVE: &str = ": remove it; 'gateway config check' shows every key";

/// The dotted keys of a table; a value below a known key is the key's own business.
fn collect_keys(table: &Map<String, Value>, prefix: &str, found: &mut Vec<String>) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match &value.kind {
            ValueKind::Table(inner) if !KEYS.contains(&key.as_str()) => collect_keys(inner, &key, found),
            _ => found.push(key),
        }
    }
}

fn read_variables(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<(Map<String, String>, Vec<String>), ConfigError> {
    let (mut kept, mut ignored) = (Map::new(), Vec::new());
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| keys::is_configuration(name)) else { continue };
        let key = keys::key_of(name);
        if !KEYS.contains(&key.as_str()) || keys::variable_of(&key) != name {
            let near = keys::closest(&key).map(keys::variable_of);
            // Orchestrators set variables of this form beside a service named gateway: no start may fail for one.
            if !name.contains("__") {
                let hint = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
                ignored.push(format!("{name}{hint}"));
                continue;
            }
            let hint = near.map_or_else(|| REMOVE.to_owned(), |near| format!(": did you mean {near}?"));
            return Err(ConfigError::Unknown { place: format!("the variable {name}"), hint });
        }
        let value = value
            .into_string()
            .map_err(|_| ConfigError::Refused { key, detail: "it is not UTF-8".to_owned() })?;
        kept.insert(name.to_owned(), value);
    }
    ignored.sort();
    Ok((kept, ignored))
}

/// What is wrong with a value, without the place, which is said already.
fn describe(error: &config::ConfigError) -> String {
    match error {
        config::ConfigError::Type { unexpected, expected, .. } => {
            format!("{} was found where {} belongs", found(&unexpected.to_string()), kind_in_words(expected))
        }
        config::ConfigError::At { error, .. } => describe(error),
        config::ConfigError::FileParse { cause, .. } => not_toml(&cause.to_string()),
        other => other.to_string(),
    }
}

/// A value as it was found; the reader of values tells it with its kind: ``string "soon"``, ``integer `-1` ``.
fn found(unexpected: &str) -> String {
    match unexpected {
        "sequence" => return "a list".to_owned(),
        "map" => return "a table".to_owned(),
        "unit value" => return "nothing".to_owned(),
        _ => {}
    }
    let quoted = unexpected.split_once('"').and_then(|(_, rest)| rest.strip_suffix('"'));
    let plain = unexpected.split_once('`').and_then(|(_, rest)| rest.strip_suffix('`'));
    match (quoted, plain) {
        (Some(text), _) => format!("'{text}'"),
        (None, Some(value)) => value.to_owned(),
        (None, None) => unexpected.to_owned(),
    }
}

/// What belongs there, of what the reader of values calls so.
fn kind_in_words(expected: &str) -> &str {
    match expected {
        "a boolean" => "true or false",
        "a string" => "a text",
        "a sequence" | "an array" => "a list",
        "a map" | "a table" => "a table",
        unsigned if unsigned.contains("unsigned") => "a whole number from 0 on",
        integer if integer.contains("integer") => "a whole number",
        other => other,
    }
}

/// Where a file stops being TOML, and how TOML is written.
fn not_toml(sentence: &str) -> String {
    const REMEDY: &str = "write each key as name = value, texts in quotes, and sections as [name]";
    let place =
        sentence.lines().next().and_then(|line| line.split_once(" at ")).map(|(_, place)| place.trim());
    match place.filter(|place| place.starts_with("line ")) {
        Some(place) => format!("look at {place}: {REMEDY}"),
        None => REMEDY.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LogFormat, ProviderAddress};
    use super::*;
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

    #[test]
    fn every_key_can_be_set_in_the_environment_and_in_the_file() {
        let values = [
            ("data_dir", "/tmp/elsewhere"),
            ("server.public_addr", "127.0.0.1:0"),
            ("server.internal_addr", "[::1]:9"),
            ("server.public_url", "https://gateway.example"),
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
            ("provider.retry_max", "3"),
            ("provider.timeout_s", "7"),
            ("sandbox.addr", "127.0.0.1:0"),
            ("limits.requests_per_s", "0"),
            ("limits.public_connections", "3000"),
            ("limits.internal_connections", "20"),
            ("webhooks.allow_private", "true"),
            ("webhooks.timeout_s", "2"),
            ("webhooks.retry_speed", "100"),
            ("events.bus", "embedded"),
            ("finance.invoicing_url", "https://invoicing.example"),
            ("finance.invoicing_client_id", "finance"),
            ("finance.invoicing_client_secret_file", "/tmp/secret"),
            ("log.format", "json"),
            ("log.filter", "debug"),
        ];
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
            from("", &[("GATEWAY_TEST_POSTGRES", "x"), ("GATEWAY_TOTALS_SAMPLE", "y"), ("PATH", "/")])
                .is_ok()
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
}
