//! What `wit-bindgen` makes of `wit/v1` and its minor releases: the glue between a plugin and its host.
//!
//! Authors meet the types through the crate root and never name this module. It is public because the
//! [`export!`](crate::export) macro expands in their crate.

/// The world every plugin lives in. It owns the types.
pub mod regime {
    wit_bindgen::generate!({
        world: "tax-regime",
        path: "../../wit/v1",
        pub_export_macro: true,
        export_macro_name: "export_regime",
        additional_derives: [PartialEq, Eq],
        generate_unused_types: true,
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}

/// The optional `sandbox` interface over the same types. The linker unites both worlds into
/// `tax-regime-with-sandbox`; one `generate!` for each of its interfaces keeps their names apart.
pub mod sandbox {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk; world sandbox-only { export einvoicing:regime/sandbox@1.0.0; }",
        path: "../../wit/v1",
        pub_export_macro: true,
        export_macro_name: "export_sandbox",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
        with: { "einvoicing:regime/types@1.0.0": crate::bindings::regime::einvoicing::regime::types },
    });
}

/// The optional `samples` interface of release 1.1; it shares no type with the release before. Generated names carry the
/// version where two releases of the package are read together.
pub mod samples {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-samples; world samples-only { export einvoicing:regime/samples@1.1.0; }",
        path: ["../../wit/v1", "../../wit/v1.1"],
        pub_export_macro: true,
        export_macro_name: "export_samples",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}

/// The optional `evidence` interface of release 1.2; it shares no type with the releases before.
pub mod evidence {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-evidence; world evidence-only { export einvoicing:regime/evidence@1.2.0; }",
        path: ["../../wit/v1", "../../wit/v1.1", "../../wit/v1.2"],
        pub_export_macro: true,
        export_macro_name: "export_evidence",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}

/// The optional `printing` interface of release 1.3; it shares no type with the releases before.
pub mod printing {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-printing; world printing-only { export einvoicing:regime/printing@1.3.0; }",
        path: ["../../wit/v1", "../../wit/v1.1", "../../wit/v1.2", "../../wit/v1.3"],
        pub_export_macro: true,
        export_macro_name: "export_printing",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}

/// The optional `exemption-names` interface of release 1.4; it shares no type with the releases before.
pub mod exemption_names {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-exemption-names; world exemption-names-only { export einvoicing:regime/exemption-names@1.4.0; }",
        path: ["../../wit/v1", "../../wit/v1.1", "../../wit/v1.2", "../../wit/v1.3", "../../wit/v1.4"],
        pub_export_macro: true,
        export_macro_name: "export_exemption_names",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}

/// The optional `answers` interface of release 1.5 over the same types. Its records of a submission and an outcome are those of
/// `sandbox`, repeated there: the linker unites no world in which one interface imports what another one exports.
pub mod answers {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-answers; world answers-only { export einvoicing:regime/answers@1.5.0; }",
        path: [
            "../../wit/v1",
            "../../wit/v1.1",
            "../../wit/v1.2",
            "../../wit/v1.3",
            "../../wit/v1.4",
            "../../wit/v1.5",
        ],
        pub_export_macro: true,
        export_macro_name: "export_answers",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
        with: { "einvoicing:regime/types@1.0.0": crate::bindings::regime::einvoicing::regime::types },
    });
}

/// The optional `amend` interface of release 1.6 over the same types.
pub mod amend {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-amend; world amend-only { export einvoicing:regime/amend@1.6.0; }",
        path: [
            "../../wit/v1",
            "../../wit/v1.1",
            "../../wit/v1.2",
            "../../wit/v1.3",
            "../../wit/v1.4",
            "../../wit/v1.5",
            "../../wit/v1.6",
        ],
        pub_export_macro: true,
        export_macro_name: "export_amend",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
        with: { "einvoicing:regime/types@1.0.0": crate::bindings::regime::einvoicing::regime::types },
    });
}

/// The optional `deadline` interface of release 1.7 over the same types.
pub mod deadline {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-deadline; world deadline-only { export einvoicing:regime/deadline@1.7.0; }",
        path: [
            "../../wit/v1",
            "../../wit/v1.1",
            "../../wit/v1.2",
            "../../wit/v1.3",
            "../../wit/v1.4",
            "../../wit/v1.5",
            "../../wit/v1.6",
            "../../wit/v1.7",
        ],
        pub_export_macro: true,
        export_macro_name: "export_deadline",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
        with: { "einvoicing:regime/types@1.0.0": crate::bindings::regime::einvoicing::regime::types },
    });
}

/// The optional `rules` interface of release 1.8 over the same types.
pub mod rules {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-rules; world rules-only { export einvoicing:regime/rules@1.8.0; }",
        path: [
            "../../wit/v1",
            "../../wit/v1.1",
            "../../wit/v1.2",
            "../../wit/v1.3",
            "../../wit/v1.4",
            "../../wit/v1.5",
            "../../wit/v1.6",
            "../../wit/v1.7",
            "../../wit/v1.8",
        ],
        pub_export_macro: true,
        export_macro_name: "export_rules",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
        with: { "einvoicing:regime/types@1.0.0": crate::bindings::regime::einvoicing::regime::types },
    });
}

/// The optional `reconcile` interface of release 1.9 over the same types.
pub mod reconcile {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-reconcile; world reconcile-only { export einvoicing:regime/reconcile@1.9.0; }",
        path: [
            "../../wit/v1",
            "../../wit/v1.1",
            "../../wit/v1.2",
            "../../wit/v1.3",
            "../../wit/v1.4",
            "../../wit/v1.5",
            "../../wit/v1.6",
            "../../wit/v1.7",
            "../../wit/v1.8",
            "../../wit/v1.9",
        ],
        pub_export_macro: true,
        export_macro_name: "export_reconcile",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
        with: { "einvoicing:regime/types@1.0.0": crate::bindings::regime::einvoicing::regime::types },
    });
}

/// The optional `sandbox-listing` interface of release 1.9; it shares no type with the others.
pub mod sandbox_listing {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-sandbox-listing; world sandbox-listing-only { export einvoicing:regime/sandbox-listing@1.9.0; }",
        path: [
            "../../wit/v1",
            "../../wit/v1.1",
            "../../wit/v1.2",
            "../../wit/v1.3",
            "../../wit/v1.4",
            "../../wit/v1.5",
            "../../wit/v1.6",
            "../../wit/v1.7",
            "../../wit/v1.8",
            "../../wit/v1.9",
        ],
        pub_export_macro: true,
        export_macro_name: "export_sandbox_listing",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}

/// The optional `chain` interface of release 1.10 over the same types.
pub mod chain {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-chain; world chain-only { export einvoicing:regime/chain@1.10.0; }",
        path: [
            "../../wit/v1",
            "../../wit/v1.1",
            "../../wit/v1.2",
            "../../wit/v1.3",
            "../../wit/v1.4",
            "../../wit/v1.5",
            "../../wit/v1.6",
            "../../wit/v1.7",
            "../../wit/v1.8",
            "../../wit/v1.9",
            "../../wit/v1.10",
        ],
        pub_export_macro: true,
        export_macro_name: "export_chain",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}

/// The optional `remarks` interface of release 1.10 over the same types.
pub mod remarks {
    wit_bindgen::generate!({
        inline: "package einvoicing:sdk-remarks; world remarks-only { export einvoicing:regime/remarks@1.10.0; }",
        path: [
            "../../wit/v1",
            "../../wit/v1.1",
            "../../wit/v1.2",
            "../../wit/v1.3",
            "../../wit/v1.4",
            "../../wit/v1.5",
            "../../wit/v1.6",
            "../../wit/v1.7",
            "../../wit/v1.8",
            "../../wit/v1.9",
            "../../wit/v1.10",
        ],
        pub_export_macro: true,
        export_macro_name: "export_remarks",
        additional_derives: [PartialEq, Eq],
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}
