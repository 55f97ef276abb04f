//! Choices of a form.

/// A choice of a list.
#[derive(Debug)]
pub struct Choice {
    /// What is sent.
    pub value: String,
    /// What people read.
    pub title: String,
    /// Whether it is the one that holds now.
    pub is_chosen: bool,
}

/// Choices of a list; the one that is chosen is marked.
pub fn choices<'a>(values: impl IntoIterator<Item = (&'a str, String)>, chosen: &str) -> Vec<Choice> {
    let choice = |(value, title): (&str, String)| Choice {
        value: value.to_owned(),
        title,
        is_chosen: value == chosen,
    };
    values.into_iter().map(choice).collect()
}
