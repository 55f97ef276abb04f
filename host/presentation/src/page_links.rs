//! From a page of a list to the others of it, as addresses: a page keeps them without a script.

use crate::format;

/// Addresses of other pages of a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// The beginning of the list; none: this is it.
    pub first: Option<String>,
    /// The page before this one, where it can be named.
    pub previous: Option<String>,
    /// The page behind this one.
    pub next: Option<String>,
}

/// The address of a list, with what its form says.
#[derive(Debug, Clone, Copy)]
pub struct ListAddress<'a> {
    /// Of the page.
    pub path: &'a str,
    /// What narrows the list; empty: nothing.
    pub query: &'a str,
}

impl ListAddress<'_> {
    /// With another member behind what narrows the list; one without a value is left out.
    pub fn with(self, name: &str, value: &str) -> String {
        let place = format::query([(name, value)]);
        let both = [self.query, place.as_str()].into_iter().filter(|part| !part.is_empty());
        format::with_query(self.path.to_owned(), &both.collect::<Vec<_>>().join("&"))
    }
}

impl PageLinks {
    /// Of a list whose pages are named by the places where they begin or end: `before` is the beginning of this page, where
    /// something comes before it, and `after` its end, where something follows.
    pub fn by_places(list: ListAddress<'_>, before: Option<&str>, after: Option<&str>) -> Self {
        Self {
            first: before.map(|_| list.with("", "")),
            previous: before.map(|place| list.with("before", place)),
            next: after.map(|place| list.with("after", place)),
        }
    }

    /// Of a list whose pages are found by counting: `skip` rows come before this page, which has at most `size`.
    pub fn by_counting(list: ListAddress<'_>, (skip, size): (i64, i64), has_next: bool) -> Self {
        let behind = |rows: i64| match rows {
            ..=0 => list.with("", ""),
            rows => list.with("skip", &rows.to_string()),
        };
        Self {
            first: (skip > 0).then(|| behind(0)),
            previous: (skip > 0).then(|| behind(skip.saturating_sub(size))),
            next: has_next.then(|| behind(skip.saturating_add(size))),
        }
    }

    /// Whether there is a page beside this one.
    pub const fn is_any(&self) -> bool {
        self.first.is_some() || self.next.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(first: &str, previous: &str, next: &str) -> PageLinks {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        PageLinks { first: some(first), previous: some(previous), next: some(next) }
    }

    #[test]
    fn a_page_leads_to_those_before_and_behind_it_and_keeps_what_narrows_the_list() {
        let list = ListAddress { path: "/l", query: "q=a+b" };
        let both = PageLinks::by_places(list, Some("1-a"), Some("2-b"));
        assert_eq!(both, links("/l?q=a+b", "/l?q=a+b&before=1-a", "/l?q=a+b&after=2-b"));
        let only = PageLinks::by_places(ListAddress { query: "", ..list }, None, Some("2-b"));
        assert_eq!(only, links("", "", "/l?after=2-b"));
        assert!(!PageLinks::by_places(list, None, None).is_any());
    }

    #[test]
    fn a_list_that_is_counted_begins_without_a_number() {
        let list = ListAddress { path: "/l", query: "" };
        assert_eq!(PageLinks::by_counting(list, (0, 50), true), links("", "", "/l?skip=50"));
        assert_eq!(PageLinks::by_counting(list, (50, 50), true), links("/l", "/l", "/l?skip=100"));
        assert_eq!(PageLinks::by_counting(list, (120, 50), false), links("/l", "/l?skip=70", ""));
        assert_eq!(PageLinks::by_counting(list, (20, 50), false), links("/l", "/l", ""));
    }
}
