//! What `gateway plugin new` writes: files of this tree, as they are compiled and tested here.

/// Files of this tree, by their path in a new plugin.
macro_rules! embedded {
    ($($path:literal = $source:literal,)*) => {
        [$(($path, include_str!(concat!("../../../", $source))),)*]
    };
}

/// The template, as it is compiled and tested in this tree; names are replaced.
pub(crate) const TEMPLATE: [(&str, &str); 17] = embedded![
    "Cargo.toml" = "host/plugin-author/src/template/Cargo.toml",
    "rust-toolchain.toml" = "rust-toolchain.toml",
    ".cargo/config.toml" = "host/plugin-author/src/template/cargo-config.toml",
    ".gitignore" = "host/plugin-author/src/template/gitignore",
    "README.md" = "host/plugin-author/src/template/README.md",
    "src/lib.rs" = "plugins/template/src/lib.rs",
    "src/authority.rs" = "plugins/template/src/authority.rs",
    "src/check.rs" = "plugins/template/src/check.rs",
    "src/convert.rs" = "plugins/template/src/convert.rs",
    "src/evidence.rs" = "plugins/template/src/evidence.rs",
    "src/format.rs" = "plugins/template/src/format.rs",
    "src/interpret.rs" = "plugins/template/src/interpret.rs",
    "golden/context.json" = "plugins/template/golden/context.json",
    "golden/cases/person.json" = "plugins/template/golden/cases/person.json",
    "golden/cases/company.json" = "plugins/template/golden/cases/company.json",
    "golden/cases/credit_note.json" = "plugins/template/golden/cases/credit_note.json",
    "golden/cases/refused_company_without_tax_number.json" =
        "plugins/template/golden/cases/refused_company_without_tax_number.json",
];

/// What the golden cases become; names are replaced.
pub(crate) const EXPECTED: [(&str, &str); 4] = embedded![
    "golden/expected/person.json" = "plugins/template/golden/expected/person.json",
    "golden/expected/company.json" = "plugins/template/golden/expected/company.json",
    "golden/expected/credit_note.json" = "plugins/template/golden/expected/credit_note.json",
    "golden/expected/refused_company_without_tax_number.json" =
        "plugins/template/golden/expected/refused_company_without_tax_number.json",
];

/// SDK and contract, in the layout of this tree, so that the paths in the SDK hold.
pub(crate) const VENDORED: [(&str, &str); 30] = embedded![
    "vendor/plugins/sdk/Cargo.toml" = "host/plugin-author/src/template/sdk.toml",
    "vendor/plugins/sdk/src/allocator.rs" = "plugins/sdk/src/allocator.rs",
    "vendor/plugins/sdk/src/amend.rs" = "plugins/sdk/src/amend.rs",
    "vendor/plugins/sdk/src/amount.rs" = "plugins/sdk/src/amount.rs",
    "vendor/plugins/sdk/src/bindings.rs" = "plugins/sdk/src/bindings.rs",
    "vendor/plugins/sdk/src/build.rs" = "plugins/sdk/src/build.rs",
    "vendor/plugins/sdk/src/chain.rs" = "plugins/sdk/src/chain.rs",
    "vendor/plugins/sdk/src/deadline.rs" = "plugins/sdk/src/deadline.rs",
    "vendor/plugins/sdk/src/glue.rs" = "plugins/sdk/src/glue.rs",
    "vendor/plugins/sdk/src/harness/evidence.rs" = "plugins/sdk/src/harness/evidence.rs",
    "vendor/plugins/sdk/src/harness/figures.rs" = "plugins/sdk/src/harness/figures.rs",
    "vendor/plugins/sdk/src/harness/mod.rs" = "plugins/sdk/src/harness/mod.rs",
    "vendor/plugins/sdk/src/harness/printing.rs" = "plugins/sdk/src/harness/printing.rs",
    "vendor/plugins/sdk/src/lib.rs" = "plugins/sdk/src/lib.rs",
    "vendor/plugins/sdk/src/panic_text.rs" = "plugins/sdk/src/panic_text.rs",
    "vendor/plugins/sdk/src/reconcile.rs" = "plugins/sdk/src/reconcile.rs",
    "vendor/plugins/sdk/src/remarks.rs" = "plugins/sdk/src/remarks.rs",
    "vendor/plugins/sdk/src/rules.rs" = "plugins/sdk/src/rules.rs",
    "vendor/wit/v1/regime.wit" = "wit/v1/regime.wit",
    "vendor/wit/v1.1/samples.wit" = "wit/v1.1/samples.wit",
    "vendor/wit/v1.2/evidence.wit" = "wit/v1.2/evidence.wit",
    "vendor/wit/v1.3/printing.wit" = "wit/v1.3/printing.wit",
    "vendor/wit/v1.4/exemptions.wit" = "wit/v1.4/exemptions.wit",
    "vendor/wit/v1.5/answers.wit" = "wit/v1.5/answers.wit",
    "vendor/wit/v1.6/amend.wit" = "wit/v1.6/amend.wit",
    "vendor/wit/v1.7/deadline.wit" = "wit/v1.7/deadline.wit",
    "vendor/wit/v1.8/rules.wit" = "wit/v1.8/rules.wit",
    "vendor/wit/v1.9/reconcile.wit" = "wit/v1.9/reconcile.wit",
    "vendor/wit/v1.10/chain.wit" = "wit/v1.10/chain.wit",
    "vendor/wit/v1.10/remarks.wit" = "wit/v1.10/remarks.wit",
];

/// The example in Python, under the author's name.
pub(crate) const PYTHON: [(&str, &str); 5] = embedded![
    "README.md" = "host/plugin-author/src/template/python/README.md",
    ".gitignore" = "host/plugin-author/src/template/gitignore-scripts",
    "app.py" = "plugins/examples/python/app.py",
    "build.sh" = "plugins/examples/python/build.sh",
    "requirements.txt" = "plugins/examples/python/requirements.txt",
];

/// The example in JavaScript, under the author's name.
pub(crate) const JAVASCRIPT: [(&str, &str); 7] = embedded![
    "README.md" = "host/plugin-author/src/template/javascript/README.md",
    ".gitignore" = "host/plugin-author/src/template/gitignore-scripts",
    ".npmrc" = "plugins/examples/javascript/.npmrc",
    "build.sh" = "plugins/examples/javascript/build.sh",
    "package-lock.json" = "plugins/examples/javascript/package-lock.json",
    "package.json" = "plugins/examples/javascript/package.json",
    "plugin.js" = "plugins/examples/javascript/plugin.js",
];

/// The golden cases of both examples.
pub(crate) const EXAMPLE_CASES: [(&str, &str); 15] = embedded![
    "golden/context.json" = "plugins/examples/golden/context.json",
    "golden/cases/company.json" = "plugins/examples/golden/cases/company.json",
    "golden/cases/credit_note.json" = "plugins/examples/golden/cases/credit_note.json",
    "golden/cases/person.json" = "plugins/examples/golden/cases/person.json",
    "golden/cases/refused_company_without_tax_number.json" =
        "plugins/examples/golden/cases/refused_company_without_tax_number.json",
    "golden/expected/company.json" = "plugins/examples/golden/expected/company.json",
    "golden/expected/credit_note.json" = "plugins/examples/golden/expected/credit_note.json",
    "golden/expected/person.json" = "plugins/examples/golden/expected/person.json",
    "golden/expected/refused_company_without_tax_number.json" =
        "plugins/examples/golden/expected/refused_company_without_tax_number.json",
    "golden/reports/accepted.json" = "plugins/examples/golden/reports/accepted.json",
    "golden/reports/rejected.json" = "plugins/examples/golden/reports/rejected.json",
    "golden/reports/undecided.json" = "plugins/examples/golden/reports/undecided.json",
    "golden/verdicts/accepted.json" = "plugins/examples/golden/verdicts/accepted.json",
    "golden/verdicts/rejected.json" = "plugins/examples/golden/verdicts/rejected.json",
    "golden/verdicts/undecided.json" = "plugins/examples/golden/verdicts/undecided.json",
];

/// The contract, where the examples' tools look for it.
pub(crate) const CONTRACT: [(&str, &str); 1] = embedded!["wit/regime.wit" = "wit/v1/regime.wit",];
