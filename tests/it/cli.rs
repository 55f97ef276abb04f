//! The command line as scripts use it: JSON, exit codes, one sentence on standard error.

use gateway_tests::{
    COMPANY, Engine, Gateway, Options, PROVIDER_TOKEN, Terminal, WORKFLOW, World, built_plugins, on_both,
    plugins_folder,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[tokio::test]
async fn clients_are_created_listed_and_disabled() {
    on_both(|engine| async move {
        let gateway = Gateway::prepared(engine, Options::default()).await;
        let create = [
            "client",
            "create",
            "--name",
            "ERP",
            "--permission",
            "invoicing.rpc",
            "--permission",
            "finance.rpc",
            "--workspace",
            "1",
            "--json",
        ];
        let made = gateway.cli(&create).await.json();
        assert_eq!(
            (&made["name"], &made["permissions"], &made["workspaces"]),
            (&json!("ERP"), &json!(["invoicing.rpc", "finance.rpc"]), &json!([1]))
        );
        assert!(made["client_secret"].as_str().unwrap().len() >= 43, "256 bits: {made}");
        let id = made["client_id"].as_str().unwrap();
        let list = gateway.cli(&["client", "list", "--json"]).await.json();
        let listed = &list["clients"][0];
        assert_eq!((&listed["client_id"], &listed["disabled"]), (&json!(id), &json!(false)), "{list}");
        assert!(listed.get("client_secret").is_none(), "{list}");
        gateway.cli(&["client", "disable", id]).await.succeeded();
        let list = gateway.cli(&["client", "list", "--json"]).await.json();
        assert_eq!(list["clients"][0]["disabled"], json!(true), "{list}");
    })
    .await;
}

#[tokio::test]
async fn the_audit_trail_names_who_typed_a_command() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let (gateway, api) = (&world.gateway, &world.api);
        let create = ["client", "create", "--name", "ERP", "--permission", "finance.rpc", "--json"];
        let made = gateway.cli_with(&create, &[("SUDO_USER", "ben")], "").await.json();
        let id = made["client_id"].as_str().unwrap();
        let as_ana = ["--as", "ana@example.org", "client", "set", id, "--permission", "invoicing.rpc"];
        gateway.cli_with(&as_ana, &[("SUDO_USER", "ben")], "").await.succeeded();
        // Nobody that a name in the trail could stand for: the user of the system is named.
        gateway.cli_with(&["client", "disable", id], &[("SUDO_USER", "no/name")], "").await.succeeded();

        let trail = api.get(&format!("/admin/audit?subject=client:{id}")).await.expect(200);
        let entries: Vec<_> = trail["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| (entry["action"].as_str().unwrap(), entry["actor"].as_str().unwrap()))
            .collect();
        let [disabled, set, created] = entries[..] else { panic!("{trail}") };
        assert_eq!(
            (set, created),
            (("client.set", "operator:ana@example.org"), ("client.create", "operator:ben"))
        );
        let (action, user) = disabled;
        assert!(
            action == "client.disable" && user.starts_with("operator:") && user != "operator:ben",
            "{trail}"
        );
        let refused = gateway.cli(&["--as", "two words", "client", "list"]).await;
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains("the name of an operator has 1 to 64 letters"), "{refused:?}");
    })
    .await;
}

#[tokio::test]
async fn workspaces_are_created_changed_and_configured_without_ever_showing_a_token() {
    on_both(|engine| async move {
        let gateway = Gateway::prepared(engine, Options::default()).await;
        let create = [
            "workspace",
            "create",
            "--name",
            "Flats",
            "--legal-name",
            "Flats S.L.",
            "--tax-id",
            "B98602642",
            "--country",
            "ES",
            "--time-zone",
            "Europe/Madrid",
            "--street",
            "Calle 1",
            "--locality",
            "Valencia",
            "--postcode",
            "46001",
            "--email",
            "flats@example.com",
            "--json",
        ];
        let made = gateway.cli(&create).await.json();
        assert_eq!((&made["id"], &made["name"]), (&json!(1), &json!("Flats")), "{made}");
        assert_eq!(made["email"], "flats@example.com");
        let set =
            ["workspace", "set", "--workspace", "1", "--rejection-strategy", "a", "--next-number", "10"];
        gateway.cli(&set).await.succeeded();
        let token = gateway.folder().join("token");
        std::fs::write(&token, format!("{PROVIDER_TOKEN}\n")).unwrap();
        let show = ["workspace", "e-invoicing", "show", "--workspace", "1", "--json"];
        assert_eq!(gateway.cli(&show).await.code, 1, "not configured yet");
        let set = [
            "workspace",
            "e-invoicing",
            "set",
            "--workspace",
            "1",
            "--regime",
            "es-verifactu",
            "--company-id",
            COMPANY,
            "--workflow-id",
            WORKFLOW,
            "--token-file",
            token.to_str().unwrap(),
            "--json",
        ];
        let set = gateway.cli(&set).await;
        let view = gateway.cli(&show).await;
        for ran in [&set, &view] {
            assert!(!format!("{}{}", ran.succeeded().stdout, ran.stderr).contains(PROVIDER_TOKEN), "{ran:?}");
        }
        let view = view.json();
        assert_eq!(
            (&view["regime"], &view["company_id"], &view["workflow_id"]),
            (&json!("es-verifactu"), &json!(COMPANY), &json!(WORKFLOW)),
            "{view}"
        );
        gateway.cli(&["workspace", "e-invoicing", "clear", "--workspace", "1"]).await.succeeded();
        assert_eq!(gateway.cli(&show).await.code, 1);
    })
    .await;
}

#[tokio::test]
async fn a_refusal_is_one_sentence_and_exit_code_1() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let workspace = |tax_id: &'static str, country: &'static str, zone: &'static str| {
        vec![
            "workspace",
            "create",
            "--name",
            "N",
            "--legal-name",
            "L",
            "--tax-id",
            tax_id,
            "--country",
            country,
            "--time-zone",
            zone,
        ]
    };
    let configure = |regime: &'static str, token: &'static str| {
        vec![
            "workspace",
            "e-invoicing",
            "set",
            "--workspace",
            "1",
            "--regime",
            regime,
            "--company-id",
            COMPANY,
            "--workflow-id",
            WORKFLOW,
            "--token-file",
            token,
        ]
    };
    gateway.cli(&workspace("B98602642", "ES", "Europe/Madrid")).await.succeeded();
    let nobody = "0193a1b2-0000-7000-8000-000000000000";
    for arguments in [
        workspace("B98602642", "Spain", "Europe/Madrid"),
        workspace("B98602642", "ES", "Europe/Nowhere"),
        workspace("", "ES", "Europe/Madrid"),
        configure("es-verifactu", "/nowhere/token"),
        vec!["client", "disable", nobody],
        vec!["client", "rotate-secret", nobody],
        vec!["workspace", "set", "--workspace", "99", "--next-number", "2"],
        vec!["workspace", "set", "--workspace", "1", "--next-number", "0"],
        vec!["workspace", "e-invoicing", "show", "--workspace", "99"],
        vec!["submission", "show", nobody],
        vec!["submission", "retry", nobody],
        vec!["plugin", "inspect", "/nowhere.wasm"],
    ] {
        let ran = gateway.cli(&arguments).await;
        assert_eq!(ran.code, 1, "{arguments:?}: {ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.trim().lines().count() == 1, "{arguments:?}: {ran:?}");
    }
    let empty = gateway.cli_with(&configure("es-verifactu", "-"), &[], " \n").await;
    assert_eq!((empty.code, empty.stderr.trim().lines().count()), (1, 1), "an empty token: {empty:?}");
}

#[tokio::test]
async fn settings_are_checked_against_the_plugin() {
    let world = World::start(Engine::Sqlite).await;
    let file = world.gateway.folder().join("settings.json");
    let arguments = [
        "workspace",
        "e-invoicing",
        "set",
        "--workspace",
        "1",
        "--regime",
        "es-verifactu",
        "--company-id",
        COMPANY,
        "--workflow-id",
        WORKFLOW,
        "--token-file",
        "-",
        "--settings",
        file.to_str().unwrap(),
    ];
    for settings in [r#"{"surprise": 1}"#, r#"{"refuse_warnings": "yes"}"#, "[]", "{", ""] {
        std::fs::write(&file, settings).unwrap();
        let ran = world.gateway.cli_with(&arguments, &[], PROVIDER_TOKEN).await;
        assert_eq!((ran.code, ran.stderr.trim().lines().count()), (1, 1), "{settings}: {ran:?}");
        assert!(!ran.stderr.contains(PROVIDER_TOKEN));
    }
    std::fs::write(&file, r#"{"refuse_warnings": true}"#).unwrap();
    world.gateway.cli_with(&arguments, &[], PROVIDER_TOKEN).await.succeeded();
}

#[tokio::test]
async fn misuse_is_exit_code_2() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    for arguments in [
        &[][..],
        &["fly"],
        &["client"],
        &["client", "create"],
        &["client", "create", "--name", "x", "--permission", "everything"],
        &["client", "create", "--name", "x", "--workspace", "one"],
        &["client", "disable", "me"],
        &["workspace", "set", "--workspace", "1"],
        &["workspace", "set", "--workspace", "x", "--next-number", "1"],
        &["workspace", "create", "--name", "x"],
        &["submission", "show"],
        &["sandbox", "--webhook-url", "ftp://127.0.0.1/x"],
        &["serve", "--colour"],
    ] {
        let ran = gateway.cli(arguments).await;
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{arguments:?}: {ran:?}");
    }
    for arguments in [&["--help"][..], &["--version"], &["client", "create", "--help"]] {
        assert_eq!(gateway.cli(arguments).await.code, 0, "{arguments:?}");
    }
}

#[tokio::test]
async fn a_command_about_documents_makes_no_database() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let data = gateway.folder().join("elsewhere");
    let folder = data.display().to_string();
    let database = format!("sqlite:{folder}/gateway.db");
    let there = [("GATEWAY_DATA_DIR", folder.as_str()), ("GATEWAY_DATABASE__URL", database.as_str())];
    for command in ["invoice list", "invoice show F-1", "invoice pdf F-1"] {
        let arguments: Vec<_> = command.split(' ').collect();
        let ran = gateway.cli_with(&arguments, &there, "").await;
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        assert!(
            ran.stderr.contains("there is no database") && ran.stderr.contains("GATEWAY_DATA_DIR"),
            "{ran:?}"
        );
        assert!(!data.exists(), "{command}");
    }
    gateway.cli_with(&["migrate"], &there, "").await.succeeded();
    gateway.cli_with(&["invoice", "list"], &there, "").await.succeeded();
}

#[tokio::test]
async fn a_plugin_tells_what_it_is() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let file = plugins_folder().join("es-verifactu.wasm");
    let description = gateway.cli(&["plugin", "inspect", file.to_str().unwrap(), "--json"]).await.json();
    for name in ["key", "country", "tax_system", "version", "wit", "imports", "size", "sha256", "signature"] {
        assert!(description.as_object().unwrap().contains_key(name), "{name}: {description}");
    }
    assert_eq!(
        (&description["key"], &description["country"], &description["imports"]),
        (&json!("es-verifactu"), &json!("ES"), &json!([]))
    );
    assert_eq!(description["size"], json!(std::fs::metadata(&file).unwrap().len()));
    assert_eq!(description["signature"], Value::Null, "unsigned");
}

#[tokio::test]
async fn every_plugin_of_the_house_imports_nothing_and_plays_its_authority() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let mut keys = Vec::new();
    let files = std::fs::read_dir(built_plugins()).unwrap().map(|entry| entry.unwrap().path());
    // Renderers are in a folder beside them.
    for file in files.filter(|path| path.is_file()) {
        let description = gateway.cli(&["plugin", "inspect", file.to_str().unwrap(), "--json"]).await.json();
        assert_eq!(description["imports"], json!([]), "{description}");
        let exports = description["exports"].to_string();
        assert!(exports.contains("/regime@1.") && exports.contains("/sandbox@1."), "{description}");
        let key = description["key"].as_str().unwrap().to_owned();
        assert_eq!(
            file.file_stem().unwrap().to_str(),
            Some(key.as_str()),
            "a file is named after its regime"
        );
        keys.push(key);
    }
    assert!(keys.len() > 5, "{keys:?}");
}

#[tokio::test]
async fn a_pipe_in_place_of_a_plugin_file_does_not_block() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let pipe = gateway.folder().join("pipe.wasm");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let ran = gateway.cli(&["plugin", "inspect", "pipe.wasm"]).await;
    let refused = "error: the plugin pipe.wasm is refused: it cannot be read (it is no file): check that the file exists \
                   and that its permissions allow it\n";
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "", refused));
}

#[tokio::test]
async fn an_import_names_what_is_wrong_and_leaves_the_terminal_alone() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let lines = [
        r#"{"kind":"workspace","id":9,"name":"N"}"#,
        r#"{"kind":"am\u001b[31menity","id":"00000000-0000-7000-8000-000000000001","name":"Sauna"}"#,
        r#"{"kind":"amenity","id":"00000000-0000-7000-8000-000000000001","name":"Sauna","\u001b[2J":1}"#,
        r#"{"kind":"amenity","id":"00000000-0000-7000-8000-000000000002","name":"Sauna","name":"Pool"}"#,
    ];
    std::fs::write(gateway.folder().join("\u{1b}[31m.ndjson"), lines.join("\n")).unwrap();
    let ran = gateway.cli(&["import", "\u{1b}[31m.ndjson", "--json"]).await;
    let said = "line 2: kind: 'am\\u{1b}[31menity' is not known here: use one of workspace, building, unit_type, amenity, \
                unit, product_group, product, rate_plan, tariff, booking, conversation, message, team, user, task, issued_document\n\
                line 4: name: is given twice: give it once\n\
                note: no amenity has a member '\\u{1b}[2J': it was passed over\n\
                error: 2 lines were passed over, everything else is stored: mend them and import the file again\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (1, said), "{}", ran.stdout);
    let missing = gateway.cli(&["import", "no\u{1b}[31m.ndjson"]).await;
    assert!(missing.stderr.starts_with("error: no\\u{1b}[31m.ndjson cannot be read"), "{missing:?}");
    let again = gateway.cli(&["import", "\u{1b}[31m.ndjson"]).await;
    assert!(!again.stdout.contains('\u{1b}') && !again.stderr.contains('\u{1b}'), "{again:?}");
}

#[tokio::test]
async fn commands_take_effect_beside_a_running_server() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        // A client works at the next request.
        let api = world.as_client(&["invoicing.rpc"], &["*"]).await;
        api.get("/invoicing/rpc/documents").await.expect(200);
        // Configuration works within two seconds.
        world.configure(world.workspace, &[]).await;
        let configured = Instant::now();
        let uuid = loop {
            let began = Instant::now();
            let uuid = world.issue(&world.document()).await;
            if world.read(&uuid).await["send_to_tax_authority"] == json!(true) {
                break uuid;
            }
            assert!(began.duration_since(configured) < Duration::from_secs(2));
        };
        world.until(&uuid, "issued").await;
    })
    .await;
}

/// What a command writes on a terminal of 80 columns, and elsewhere. `script` (util-linux) is the terminal.
const TERMINAL: &str = r#"
unset NO_COLOR
export TERM=xterm-256color
on_terminal() { echo "== $1"; script -qec "stty cols 80 rows 24; $2" /dev/null; }
on_terminal coloured 'gateway invoice list'
on_terminal plain 'NO_COLOR=1 gateway invoice list'
on_terminal dumb 'TERM=dumb gateway invoice list'
on_terminal json 'gateway invoice list --json'
on_terminal refused "gateway invoice show $NOBODY" || true
echo '== piped'
gateway invoice list | cat
gateway invoice show "$NOBODY" 2>&1 | cat
"#;

#[tokio::test]
async fn a_list_fits_the_terminal_and_colours_its_states_where_they_are_wanted() {
    let world = World::unconfigured(Engine::Sqlite, Options::default()).await;
    let name = "Establecimientos Hosteleros y Turísticos de la Costa Blanca, Sociedad Limitada";
    let mut made = Vec::new();
    for calls in [&[][..], &["issue"], &["issuing"], &["issuing", "reject"]] {
        let uuid = world.draft(&world.document().named(name)).await;
        for call in calls {
            world.rpc(&uuid, call).await.expect(200);
        }
        made.push(uuid);
    }
    let terminal = Terminal::open();
    let given = format!(
        "export GATEWAY_DATA_DIR='{}' NOBODY={}\n",
        world.gateway.folder().display(),
        gateway_tests::fresh_uuid()
    );
    let session = terminal.run(&format!("{given}{TERMINAL}")).await;
    let output = session.output.replace('\r', "");
    let part = |name: &str| {
        let (_, rest) =
            output.split_once(&format!("== {name}\n")).unwrap_or_else(|| panic!("{name}: {output}"));
        rest.split("\n== ").next().unwrap().trim_end().to_owned()
    };
    let (coloured, plain) = (part("coloured"), part("plain"));
    for state in ["\u{1b}[2mdraft", "\u{1b}[32missued", "\u{1b}[33missuing", "\u{1b}[31mrejected"] {
        assert!(coloured.contains(&format!("{state}\u{1b}[0m")), "{state}: {coloured:?}");
    }
    assert!(coloured.starts_with("\u{1b}[1mNUMBER "), "{coloured:?}");
    assert!(
        part("refused").starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m there is no document"),
        "{output:?}"
    );
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
    for uuid in &made {
        assert!(plain.lines().any(|line| line.trim() == uuid), "whole, below its row: {plain}");
    }
    assert!(plain.contains("Blanca, Sociedad") && plain.contains("Limitada"), "names are wrapped: {plain}");
    assert_eq!(part("dumb"), plain);
    let piped = part("piped");
    assert!(piped.starts_with("DOCUMENT ") && piped.contains("\nerror: there is no document"), "{piped}");
    for text in [plain, piped, part("json")] {
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}
