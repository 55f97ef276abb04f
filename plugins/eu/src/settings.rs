//! A workspace's settings from JSON.

pub use einvoice_es::settings::parse;

/// A member of the description's `settings-schema`: text of 1 to `chars_max` characters.
#[macro_export]
macro_rules! text_schema {
    ($title:literal, $chars_max:literal) => {
        concat!(
            r#"{"type":"string","minLength":1,"maxLength":"#,
            $chars_max,
            r#","title":""#,
            $title,
            r#""}"#
        )
    };
}
