//! Choices of a form.

/// A choice of a list.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) title: String,
    pub(crate) is_chosen: bool,
}

/// Choices of a list; the one that is chosen is marked.
pub(crate) fn choices<'a>(values: impl IntoIterator<Item = (&'a str, String)>, chosen: &str) -> Vec<Choice> {
    let choice = |(value, title): (&str, String)| Choice {
        value: value.to_owned(),
        title,
        is_chosen: value == chosen,
    };
    values.into_iter().map(choice).collect()
}
