//! What was typed into a form.

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
