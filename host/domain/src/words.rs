//! Enumerations whose values are words: read and written everywhere by the same text.
//!
//! `strum` knows the texts of variants too; the derives of serde, utoipa and strum would each be told them anew, and an unknown
//! word would not be answered with those that are known.

/// A text is none of the words that are known in its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not known here: use one of {known}")]
pub struct UnknownWord {
    /// What was found, at most its beginning.
    pub text: String,
    /// The words there are, with commas between.
    pub known: String,
}

/// Longest piece of an unknown word that is repeated.
const EXCERPT_CHARS_MAX: usize = 40;

impl UnknownWord {
    /// What is none of the known words; at most its beginning is kept.
    pub fn new<'a>(text: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known = known.collect::<Vec<_>>().join(", ");
        Self { text: text.chars().take(EXCERPT_CHARS_MAX).collect(), known }
    }
}

/// Declares an enumeration by its words. It is read without regard to case and written as declared.
#[macro_export]
macro_rules! words {
    ($(#[doc = $doc:literal])+ $name:ident { $($(#[$about:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$about])* $variant,)+ }

        impl $name {
            /// Every value there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// As written in requests, answers and storage.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(text: &str) -> Result<Self, $crate::UnknownWord> {
                let found = Self::ALL.iter().copied().find(|word| word.as_str().eq_ignore_ascii_case(text));
                found.ok_or_else(|| $crate::UnknownWord::new(text, Self::ALL.iter().map(|word| word.as_str())))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let about = concat!($($doc, "\n"),+).trim_ascii();
                let words = Self::ALL.iter().map(|word| word.as_str());
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some(about))
                    .enum_values(Some(words))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <String as serde::Deserialize>::deserialize(deserializer)?
                    .parse()
                    .map_err(serde::de::Error::custom)
            }
        }
    };
}
