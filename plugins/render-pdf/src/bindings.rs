//! What `wit-bindgen` makes of `wit/render-v1`: the glue between the renderer and its host.

pub(crate) mod generated {
    wit_bindgen::generate!({
        world: "renderer",
        path: "../../wit/render-v1",
        pub_export_macro: true,
        export_macro_name: "export_renderer",
        // Tests read requests that the gateway made.
        additional_derives: [PartialEq, Eq, serde::Deserialize],
        generate_unused_types: true,
    });
}

pub use generated::einvoicing::render::types::*;
pub use generated::exports::einvoicing::render::render::Guest;

#[cfg(target_family = "wasm")]
pub(crate) use generated::export_renderer;
