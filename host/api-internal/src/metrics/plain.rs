//! The text format that Prometheus read before OpenMetrics, version 0.0.4, for those who do not ask for the other one.

use std::collections::HashMap;
use std::fmt::Write;

/// The same figures in the older format: counters and infos are named as their rows are, and nothing marks the end.
pub(super) fn plain(open: &str) -> String {
    let kinds: HashMap<&str, &str> =
        open.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' ')).collect();
    let named = |name: &str| match kinds.get(name) {
        Some(&"counter") => format!("{name}_total"),
        Some(&"info") => format!("{name}_info"),
        _ => name.to_owned(),
    };
    let mut text = String::with_capacity(open.len());
    for line in open.lines() {
        let said = |what: &str| line.strip_prefix(what)?.split_once(' ');
        // Writing into a string does not fail.
        let _ = if let Some((name, help)) = said("# HELP ") {
            writeln!(text, "# HELP {} {help}", named(name))
        } else if let Some((name, kind)) = said("# TYPE ") {
            let kind = match kind {
                "info" | "stateset" => "gauge",
                "unknown" => "untyped",
                other => other,
            };
            writeln!(text, "# TYPE {} {kind}", named(name))
        } else if line.starts_with("# UNIT ") || line == "# EOF" {
            Ok(())
        } else {
            writeln!(text, "{}", without_exemplar(line))
        };
    }
    text
}

/// The older format knows no exemplars, which only buckets have: `name_bucket{le="1.0"} 5 # {trace_id="…"} 0.7`.
fn without_exemplar(line: &str) -> &str {
    let is_bucket = line.split_once('{').is_some_and(|(name, _)| name.ends_with("_bucket"));
    match line.rsplit_once(" # {") {
        Some((row, _)) if is_bucket => row,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_infos_are_named_as_their_rows_are() {
        let open = "# HELP build What is running.\n# TYPE build info\nbuild_info{version=\"1\"} 1\n\
            # HELP lost Lost.\n# TYPE lost counter\n# UNIT lost seconds\nlost_total 3\n\
            # HELP age Age.\n# TYPE age gauge\nage 0.5\n# EOF\n";
        let expected = "# HELP build_info What is running.\n# TYPE build_info gauge\nbuild_info{version=\"1\"} 1\n\
            # HELP lost_total Lost.\n# TYPE lost_total counter\nlost_total 3\n\
            # HELP age Age.\n# TYPE age gauge\nage 0.5\n";
        assert_eq!(plain(open), expected);
    }

    #[test]
    fn exemplars_are_left_out() {
        let open = "# TYPE took histogram\ntook_bucket{le=\"0.1\"} 5 # {trace_id=\"4bf9\"} 0.07\ntook_sum 1\n# EOF\n";
        assert_eq!(plain(open), "# TYPE took histogram\ntook_bucket{le=\"0.1\"} 5\ntook_sum 1\n");
    }
}
