//! What `wit-bindgen` makes of `wit/v1.4`, beside that of the SDK, which has the releases up to 1.3.

mod generated {
    einvoice_plugin::wit_bindgen::generate!({
        inline: "package einvoicing:exemptions; world exemptions-only { export einvoicing:regime/exemption-names@1.4.0; }",
        path: ["../../wit/v1", "../../wit/v1.1", "../../wit/v1.2", "../../wit/v1.3", "../../wit/v1.4"],
        pub_export_macro: true,
        export_macro_name: "export_exemption_names",
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
}

pub use generated::exports::einvoicing::regime1_4_0::exemption_names::{
    ExemptionName, Guest as ExemptionNames,
};

#[cfg(target_family = "wasm")]
#[expect(unsafe_code, unreachable_pub, reason = "generated: what the linker makes a component by")]
mod component {
    use super::generated;
    use crate::EsVerifactu;

    generated::export_exemption_names!(EsVerifactu with_types_in generated);
}
