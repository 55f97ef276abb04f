//! A plugin of a release that no gateway knows yet: it uses what release 1.1 added, and exports one interface more.

#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "generated glue")]

use hostile_plugin::Hostile;

einvoice_plugin::export!(Hostile with sandbox, samples);

/// What a later minor release may add.
mod tomorrow {
    einvoice_plugin::wit_bindgen::generate!({
        inline: "
            package einvoicing:regime@1.99.0;
            interface tomorrow { forecast: func() -> string; }
            world later { export tomorrow; }
        ",
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });

    struct Tomorrow;

    impl exports::einvoicing::regime::tomorrow::Guest for Tomorrow {
        fn forecast() -> String {
            "sunny".to_owned()
        }
    }

    export!(Tomorrow);
}
