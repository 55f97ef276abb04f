//! What operators watch a gateway with: metrics, the rules and charts made of them, and the runbook.

use gateway_tests::{Collector, Engine, Options, World};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Series of a gateway that has done everything once, at most: they must not grow with documents or clients.
const SERIES_MAX: usize = 2_500;

/// What a Prometheus adds by itself.
const OF_PROMETHEUS: [&str; 1] = ["up"];

fn ops(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/gateway/ops");
    fs::read_to_string(folder.join(file)).unwrap()
}

/// The names of metrics in an expression: words that no function, label or keyword is.
fn metric_names(expression: &str) -> BTreeSet<String> {
    const WORDS: [&str; 20] = [
        "sum",
        "by",
        "max",
        "min",
        "rate",
        "increase",
        "topk",
        "histogram_quantile",
        "on",
        "le",
        "instance",
        "status",
        "route",
        "code",
        "kind",
        "plugin",
        "outcome",
        "function",
        "consumer",
        "state",
    ];
    let mut names = BTreeSet::new();
    // Neither the labels of a selector, nor texts and ranges.
    let mut bare = String::new();
    let mut depth = 0_u32;
    for character in expression.chars() {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            other if depth == 0 => bare.push(other),
            _ => bare.push(' '),
        }
    }
    for word in bare.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        let is_name = word.contains('_') && word.chars().next().is_some_and(char::is_alphabetic);
        let is_label = [
            "db_client_connection_state",
            "db_operation_name",
            "http_response_status_code",
            "graphql_operation_name",
        ]
        .contains(&word);
        if OF_PROMETHEUS.contains(&word) || is_name && !WORDS.contains(&word) && !is_label {
            names.insert(word.to_owned());
        }
    }
    names
}

/// What the metrics announce: `name`, and what Prometheus reads of a histogram.
fn announced(metrics: &str) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = OF_PROMETHEUS.map(str::to_owned).into();
    for line in metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        names.insert(name.to_owned());
        if kind == "histogram" {
            names.extend(["bucket", "count", "sum"].map(|part| format!("{name}_{part}")));
        }
    }
    names
}

#[tokio::test]
async fn every_metric_of_the_rules_and_the_dashboard_is_there_and_their_number_is_bounded() {
    let collector = Collector::start().await;
    let options = Options::sandbox().variable("GATEWAY_TELEMETRY__OTLP_ENDPOINT", &collector.url());
    let world = World::with(Engine::Sqlite, options).await;
    for _ in 0..3 {
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
    }
    let public = world.gateway.public().with_token(world.api.token());
    public.post("/v1", &serde_json::json!({"query": "query Named { __typename }"})).await.expect(200);
    let metrics = world.gateway.internal().get("/metrics").await.text;
    let there = announced(&metrics);

    let rules = ops("alerts.yml");
    let expressions = rules.lines().filter_map(|line| line.trim().strip_prefix("expr: "));
    let mut used: BTreeSet<String> = expressions.flat_map(metric_names).collect();
    let dashboard: Value = serde_json::from_str(&ops("dashboard.json")).unwrap();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            used.extend(metric_names(target["expr"].as_str().unwrap()));
        }
    }
    assert!(used.len() > 25, "{used:?}");
    let missing: Vec<_> = used.difference(&there).collect();
    assert!(missing.is_empty(), "no metric: {missing:?}");

    let series = metrics.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count();
    println!("{} metrics, {series} series", there.len());
    assert!(series < SERIES_MAX, "{series} series");
}

#[test]
fn every_alert_has_its_section_in_the_runbook_and_no_section_is_left() {
    let (rules, runbook) = (ops("alerts.yml"), ops("RUNBOOK.md"));
    let alerts: BTreeSet<_> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    let sections: BTreeSet<_> = runbook.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(alerts, sections);
    for alert in alerts {
        assert!(rules.contains(&format!("runbook: RUNBOOK.md#{}", alert.to_lowercase())), "{alert}");
    }
}

#[test]
fn every_alert_is_tried_with_what_it_is_about_and_on_a_gateway_that_is_well() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = fs::read_to_string(folder.join("clients/prometheus/alerts_test.yml")).unwrap();
    let (_, well) = tests.rsplit_once("  - interval:").unwrap();
    assert!(
        well.contains("expr: ALERTS\n") && well.contains("exp_samples: []"),
        "the last test is of one that is well"
    );
    let series: BTreeSet<_> =
        well.lines().filter_map(|line| line.trim().strip_prefix("- series: ")).collect();
    let rules = ops("alerts.yml");
    for rule in rules.split("- alert: ").skip(1) {
        let (alert, rule) = rule.split_once('\n').unwrap();
        assert!(tests.contains(&format!("labels: '{{alertname=\"{alert}\"}}'")), "{alert} is never fired");
        let expression = rule.lines().find_map(|line| line.trim().strip_prefix("expr: ")).unwrap();
        for metric in metric_names(expression) {
            let is_there = series.iter().any(|series| series.starts_with(&format!("'{metric}{{")));
            assert!(is_there, "{alert}: a gateway that is well says nothing of {metric}");
        }
    }
}

#[tokio::test]
async fn every_command_of_the_runbook_is_a_command() {
    let gateway = gateway_tests::Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let runbook = ops("RUNBOOK.md");
    let commands: BTreeSet<Vec<&str>> = runbook
        .split('`')
        .filter_map(|code| code.strip_prefix("gateway "))
        .map(|command| {
            let is_word = |word: &&str| {
                word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
            };
            command.split_whitespace().take_while(is_word).collect()
        })
        .collect();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let help = [command.as_slice(), &["--help"]].concat();
        gateway.cli(&help).await.succeeded();
    }
}
