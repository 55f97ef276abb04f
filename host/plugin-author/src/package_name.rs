//! The name of a new plugin: its key, its package, its folder and, in capitals, the start of its fault codes.

use gateway_domain::regime::RegimeKey;

/// Names that cargo or rustc keep for themselves, and the SDK's own.
const RESERVED_NAMES: [&str; 17] = [
    "test",
    "core",
    "std",
    "alloc",
    "proc-macro",
    "crate",
    "self",
    "super",
    "build",
    "deps",
    "examples",
    "incremental",
    "einvoice-plugin",
    "async",
    "dyn",
    "wit-bindgen",
    "talc",
];

/// A name in kebab case: `es-verifactu`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageName(String);

/// Reads a name as it is typed.
fn parse(text: &str) -> Result<PackageName, String> {
    let kebab = text.parse::<RegimeKey>().is_ok()
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && !text.contains("--");
    if !kebab {
        return Err(format!(
            "'{text}' is no plugin name: use lower-case letters, digits and single hyphens, a letter first, such as \
             es-verifactu"
        ));
    }
    if RESERVED_NAMES.contains(&text) {
        return Err(format!(
            "'{text}' means something else to the compiler: put the country in front, as in es-{text}"
        ));
    }
    Ok(PackageName(text.to_owned()))
}

impl std::str::FromStr for PackageName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text)
    }
}

impl PackageName {
    /// `es-verifactu`.
    pub fn kebab(&self) -> &str {
        &self.0
    }

    /// `es_verifactu`.
    pub fn snake(&self) -> String {
        self.0.replace('-', "_")
    }

    /// `EsVerifactu`.
    pub fn pascal(&self) -> String {
        let word = |word: &str| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        };
        self.0.split('-').map(word).collect()
    }

    /// `ES-VERIFACTU`.
    pub fn capitals(&self) -> String {
        self.0.to_ascii_uppercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_four_spellings() {
        let name = parse("es-2nd-system").unwrap();
        assert_eq!(name.snake(), "es_2nd_system");
        assert_eq!(name.pascal(), "Es2ndSystem");
        assert_eq!(name.capitals(), "ES-2ND-SYSTEM");
    }

    #[test]
    fn what_is_not_kebab_case_or_is_taken_is_refused() {
        for text in
            ["", "Es", "es_verifactu", "-es", "es-", "es--tbai", "2es", "../es", "es/x", "é", "test", "core"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
