//! What was typed into a form.

/// Digits behind a comma that may stand for thousands.
const THOUSANDS: usize = 3;

/// A number as most of Europe types it, with a comma before its decimals, as it is computed with. A comma that may stand for
/// thousands stays as it is.
pub fn decimal_point(typed: &str) -> String {
    match typed.trim().split_once(',') {
        Some((whole, decimals)) if !typed.contains('.') && decimals.len() != THOUSANDS => {
            format!("{whole}.{decimals}")
        }
        _ => typed.to_owned(),
    }
}

/// The members of a form.
#[derive(Debug, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// A member as typed, without white space around it; empty when it is not there.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value.trim())
    }

    /// A member with something in it.
    pub fn given(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    /// The same, for forms of the domain.
    pub fn owned(&self, name: &str) -> Option<String> {
        self.given(name).map(str::to_owned)
    }

    /// Every member of this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Whether a box is ticked.
    pub fn is_ticked(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// A member more.
    pub fn push(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }
}

impl From<Vec<(String, String)>> for Fields {
    fn from(members: Vec<(String, String)>) -> Self {
        Self(members)
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Fields {
    fn from(members: [(&str, &str); N]) -> Self {
        Self(members.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_before_decimals_is_a_point_and_one_that_may_group_digits_is_not() {
        for (typed, read) in [
            ("100,00", "100.00"),
            (" 0,5 ", "0.5"),
            ("12.50", "12.50"),
            ("1,000", "1,000"),
            ("1.000,00", "1.000,00"),
        ] {
            assert_eq!(decimal_point(typed), read);
        }
        assert_eq!(decimal_point("1,2,3"), "1,2,3", "which no number is");
    }
}
