//! The binary as typed: exit codes, what goes to which output, and what a fresh data directory needs.

#[cfg(test)]
mod cli {
    use serde_json::Value;
    use std::path::Path;
    use std::process::{Command, Output, Stdio};

    struct Ran {
        code: i32,
        out: String,
        err: String,
    }

    impl Ran {
        fn json(&self) -> Value {
            serde_json::from_str(&self.out)
                .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
        }
    }

    fn gateway(folder: &Path, arguments: &[&str]) -> Ran {
        gateway_with_input(folder, arguments, "")
    }

    /// The gateway in a folder, without what the tests' own surroundings configure.
    fn command(folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GATEWAY_")) {
            command.env_remove(name);
        }
        command.args(arguments).current_dir(folder).env("GATEWAY_PLUGINS__DIR", folder.join("no-plugins"));
        command
    }

    fn gateway_with_input(folder: &Path, arguments: &[&str], input: &str) -> Ran {
        let given = folder.join("input");
        std::fs::write(&given, input).unwrap();
        let Output { status, stdout, stderr } = command(folder, arguments)
            .stdin(Stdio::from(std::fs::File::open(given).unwrap()))
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: status.code().unwrap(), out: text(stdout), err: text(stderr) }
    }

    fn create_workspace(folder: &Path) -> Ran {
        let line = "workspace create --name N --legal-name L --tax-id B00000000 --country ES --json";
        gateway(folder, &line.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn a_client_can_be_made_before_anything_was_served() {
        let folder = tempfile::tempdir().unwrap();
        let line = ["client", "create", "--name", "N", "--permission", "*", "--workspace", "*", "--json"];
        let made = gateway(folder.path(), &line);
        assert_eq!((made.code, made.err.as_str()), (0, ""), "{}", made.out);
        assert!(made.json()["client_id"].is_string() && made.json()["client_secret"].is_string());

        let list = gateway(folder.path(), &["client", "list", "--json"]);
        assert_eq!(list.json()["clients"][0]["client_id"], made.json()["client_id"]);
        assert!(!list.out.contains("secret"));
    }

    #[test]
    fn a_client_without_permissions_says_so_on_standard_error() {
        let folder = tempfile::tempdir().unwrap();
        let made = gateway(folder.path(), &["client", "create", "--name", "N", "--json"]);
        assert_eq!((made.code, &made.json()["permissions"]), (0, &serde_json::json!([])));
        assert!(made.err.contains("--permission") && made.err.contains("--workspace"), "{}", made.err);
    }

    #[test]
    fn a_client_of_a_workspace_that_is_not_there_says_so_on_standard_error() {
        let folder = tempfile::tempdir().unwrap();
        let line = "client create --name N --permission * --workspace 77 --json";
        let made = gateway(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(made.code, 0, "{}", made.err);
        assert!(
            made.err.contains("there is no workspace 77") && made.err.lines().count() == 1,
            "{}",
            made.err
        );
    }

    #[test]
    fn a_refused_command_exits_1_and_one_that_makes_no_sense_2() {
        let folder = tempfile::tempdir().unwrap();
        let unknown = "01900000-0000-7000-8000-000000000001";
        for (arguments, code) in [
            (&["client", "disable", unknown][..], 1),
            (&["submission", "show", unknown], 1),
            (&["workspace", "e-invoicing", "show", "--workspace", "7"], 1),
            (&["plugin", "inspect", "nowhere.wasm"], 1),
            (&["client", "disable", "me"], 2),
            (&["workspace", "set", "--workspace", "1"], 2),
            (&["fly"], 2),
            (&["client", "create"], 2),
            (&["client", "create", "--nam", "x"], 2),
            (&["config", "check", "--config", "nowhere.toml"], 2),
            (&["config", "check"], 0),
            (&["--help"], 0),
        ] {
            let ran = gateway(folder.path(), arguments);
            assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.out, ran.err);
            assert_eq!(ran.err.is_empty(), code == 0, "{arguments:?}: {}", ran.err);
            if code != 0 {
                assert!(ran.out.is_empty() && ran.err.lines().count() == 1, "{arguments:?}: {}", ran.err);
            }
        }
    }

    #[test]
    fn sample_data_goes_to_standard_output_too_and_what_is_lost_there_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let sample = gateway(folder.path(), &["import", "--sample", "-"]);
        assert_eq!((sample.code, sample.err.as_str()), (0, ""));
        assert!(sample.out.starts_with("{\"kind\":"), "{}", &sample.out[..200]);
        assert!(!folder.path().join("-").exists());

        let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
        let list = command(folder.path(), &["client", "list"]).stdout(Stdio::from(full)).output().unwrap();
        let stderr = String::from_utf8(list.stderr).unwrap();
        assert_eq!(list.status.code(), Some(1), "{stderr}");
        assert!(stderr.lines().count() == 1 && stderr.contains("could not be written"), "{stderr}");
    }

    #[test]
    fn the_provider_token_comes_from_a_file_or_standard_input_and_is_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(create_workspace(folder.path()).json()["id"], 1);
        let line = "workspace e-invoicing set --workspace 1 --regime es-verifactu \
            --company-id 01900000-0000-7000-8000-000000000001 \
            --workflow-id 01900000-0000-7000-8000-000000000002 --json --token-file -";
        let arguments: Vec<_> = line.split_whitespace().collect();
        let set = gateway_with_input(folder.path(), &arguments, "hunter2\n");
        assert_eq!(set.code, 0, "{}", set.err);
        assert!(set.err.contains("es-verifactu.wasm"), "without the plugin the settings are not checked");
        let show = gateway(folder.path(), &["workspace", "e-invoicing", "show", "--workspace", "1"]);
        assert_eq!(show.code, 0, "{}", show.err);
        assert!(![set.out, set.err, show.out, show.err].concat().contains("hunter2"));

        let empty = gateway_with_input(folder.path(), &arguments, "\n");
        assert_eq!(empty.code, 1, "{}", empty.out);
        let cleared =
            gateway(folder.path(), &["workspace", "e-invoicing", "clear", "--workspace", "1", "--json"]);
        assert_eq!(cleared.json()["cleared"], true);
    }

    #[test]
    fn a_second_workspace_of_one_supplier_says_that_it_numbers_differently() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (create_workspace(folder.path()), create_workspace(folder.path()));
        assert_eq!((first.err.as_str(), &second.json()["id"]), ("", &serde_json::json!(2)));
        assert!(second.err.contains("F2-{year}-{number:06}"), "{}", second.err);
    }

    #[test]
    fn a_rejection_strategy_is_set_without_a_word() {
        let folder = tempfile::tempdir().unwrap();
        create_workspace(folder.path());
        for strategy in ["b", "a"] {
            let line = ["workspace", "set", "--workspace", "1", "--rejection-strategy", strategy];
            let set = gateway(folder.path(), &line);
            assert_eq!((set.code, set.err.as_str()), (0, ""), "{strategy}: {}", set.out);
        }
    }

    #[test]
    fn a_retry_of_nothing_says_where_to_look() {
        let folder = tempfile::tempdir().unwrap();
        let unknown = "01900000-0000-7000-8000-000000000001";
        for (arguments, hint) in [
            (&["submission", "retry", unknown][..], "gateway submission list"),
            (&["submission", "retry", "--all", "--workspace", "99"], "gateway workspace list"),
        ] {
            let ran = gateway(folder.path(), arguments);
            assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{arguments:?}");
            assert!(ran.err.contains(hint), "{arguments:?}: {}", ran.err);
        }
    }

    #[test]
    fn without_auto_migrate_a_fresh_database_asks_for_migrate() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("gateway.toml"), "[database]\nauto_migrate = false\n").unwrap();
        let refused = gateway(folder.path(), &["client", "list"]);
        assert_eq!(refused.code, 1);
        assert!(refused.err.contains("gateway migrate"), "{}", refused.err);
        assert_eq!(gateway(folder.path(), &["migrate"]).code, 0);
        assert_eq!(gateway(folder.path(), &["client", "list"]).code, 0);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_looks_into_the_data_directory_and_the_master_key() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(gateway(folder.path(), &["client", "list"]).code, 0);
        let mode =
            |path: &str| std::fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("data"), mode("data/master.key")), (0o700, 0o600));
    }

    #[test]
    fn an_import_is_told_by_kind_and_a_broken_line_costs_nothing_but_itself() {
        let folder = tempfile::tempdir().unwrap();
        let written = gateway(folder.path(), &["import", "--sample", "sample.ndjson", "--json"]);
        assert_eq!(written.code, 0, "{}", written.err);
        let first = gateway(folder.path(), &["import", "sample.ndjson", "--json"]);
        assert_eq!((first.code, first.err.as_str()), (0, ""), "no progress bar without a terminal");
        assert_eq!(first.json()["kinds"]["unit"]["created"], 300);
        let again = gateway(folder.path(), &["import", "sample.ndjson"]);
        assert_eq!(again.code, 0);
        assert!(again.out.starts_with("KIND"), "{}", again.out);
        assert!(again.out.contains("\nunit           0        0        300        0"), "{}", again.out);

        let lines = "{\"kind\":\"workspace\",\"id\":9,\"name\":\"N\"}\n\nbroken\n\
            {\"kind\":\"amenity\",\"id\":\"00000000-0000-7000-8000-000000000001\",\"name\":\"Sauna\"}\n";
        let piped = gateway_with_input(folder.path(), &["import", "-", "--json"], lines);
        assert_eq!(piped.code, 1);
        assert!(piped.err.starts_with("line 3: the line is no JSON"), "{}", piped.err);
        assert_eq!((&piped.json()["written"], &piped.json()["refused"]), (&Value::from(2), &Value::from(1)));

        let missing = gateway(folder.path(), &["import", "missing.ndjson"]);
        assert_eq!((missing.code, missing.out.as_str()), (1, ""));
        assert!(missing.err.contains("missing.ndjson cannot be read"), "{}", missing.err);
        assert_eq!(gateway(folder.path(), &["import"]).code, 2);
    }
}
