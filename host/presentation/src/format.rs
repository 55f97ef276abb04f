//! How figures, times and names are shown.

use gateway_domain::access::Actor;
use gateway_domain::ids::ClientId;
use gateway_domain::invoicing::{Address, Invoice};
use gateway_domain::money::Amount;
use gateway_domain_finance::BreakerState;
use jiff::{SignedDuration, Timestamp, Unit};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use url::form_urlencoded::Serializer;

/// Nothing is there.
pub const NONE: &str = "–";

/// To the second, UTC.
pub fn time(at: Timestamp) -> String {
    at.round(Unit::Second).unwrap_or(at).strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// The same, where there may be none.
pub fn time_or_none(at: Option<Timestamp>) -> String {
    at.map_or_else(|| NONE.to_owned(), time)
}

/// A span as people say it: `3 min`, `2 d`.
pub fn span(span: SignedDuration) -> String {
    let seconds = span.as_secs().max(0);
    match seconds {
        0..60 if span.as_millis() < 1_000 => format!("{} ms", span.as_millis().max(0)),
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// An amount with its currency.
pub fn money(amount: Amount, currency: &str) -> String {
    format!("{amount} {currency}")
}

/// The number of a document; a draft has none.
pub fn number(document: &Invoice) -> String {
    document.state.number().map_or_else(|| "draft".to_owned(), |number| number.0.clone())
}

/// An address on one line.
pub fn address(address: Option<&Address>) -> String {
    let Some(address) = address else { return NONE.to_owned() };
    let Address { street, locality, region, postcode, country } = address;
    let parts = [street, postcode, locality, region, country];
    let given: Vec<_> = parts.into_iter().flatten().map(String::as_str).collect();
    if given.is_empty() { NONE.to_owned() } else { given.join(", ") }
}

/// `credit_note` as a title: `Credit note`.
pub fn title(word: &str) -> String {
    let text = word.replace('_', " ");
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect())
}

/// Who did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorName {
    /// Somebody in the house, or for whom a client acted; empty where a client acted for itself.
    pub name: String,
    /// The client, if it was one.
    pub client: Option<ActorClient>,
}

/// The client that did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorClient {
    /// Its id, which is that of its page.
    pub id: String,
    /// How it is called; none for whoever may not know.
    pub name: Option<String>,
}

/// Who did something, and through which client; `clients` says how those are called that may be named.
pub fn actor(actor: &Actor, clients: &BTreeMap<ClientId, String>) -> ActorName {
    let client = actor.client();
    let is_client_itself = client.is_some_and(|client| actor.name() == client.to_string());
    ActorName {
        name: if is_client_itself { String::new() } else { actor.name().to_owned() },
        client: client
            .map(|client| ActorClient { id: client.to_string(), name: clients.get(&client).cloned() }),
    }
}

/// So many of something: `1 document`, `2 documents`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let word = if number == N::from(1_u8) { one } else { many };
    format!("{number} {word}")
}

/// How the provider is, by what becomes of calls to it.
pub const fn provider(breaker: BreakerState) -> &'static str {
    match breaker {
        BreakerState::Closed => "reachable",
        BreakerState::HalfOpen => "being tried",
        BreakerState::Open => "held back",
    }
}

/// A query string of these members; those without a value are left out.
pub fn query<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(members.into_iter().filter(|(_, value)| !value.is_empty()));
    query.finish()
}

/// An address with a query string, which may be empty.
pub fn with_query(path: String, query: &str) -> String {
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

/// Bytes as people say them.
pub fn size(bytes: i64) -> String {
    match bytes {
        ..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{} KiB", bytes / 1_024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

/// A word of a contract, as JSON writes it.
pub fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_in_the_unit_that_fits() {
        let of = |milliseconds| span(SignedDuration::from_millis(milliseconds));
        assert_eq!(of(-5), "0 ms");
        assert_eq!(of(250), "250 ms");
        assert_eq!(of(59_999), "59 s");
        assert_eq!(of(3_599_000), "59 min");
        assert_eq!(of(7_200_000), "2 h");
        assert_eq!(of(172_800_000), "2 d");
    }

    #[test]
    fn words_become_titles_and_members_a_query() {
        assert_eq!(title("credit_note"), "Credit note");
        assert_eq!(title(""), "");
        assert_eq!(query([("a", "1 & 2"), ("b", ""), ("c", "ä")]), "a=1+%26+2&c=%C3%A4");
        assert_eq!(size(12), "12 B");
        assert_eq!(size(20_480), "20 KiB");
    }

    #[test]
    fn one_is_counted_in_the_singular() {
        assert_eq!(count(0_usize, "document", "documents"), "0 documents");
        assert_eq!(count(1_i64, "document", "documents"), "1 document");
        assert_eq!(count(2_u64, "document", "documents"), "2 documents");
    }

    #[test]
    fn a_client_is_called_by_its_name_where_it_may_be_known() {
        let id: ClientId = "0197f4f2-0000-7000-8000-0000000000d1".parse().unwrap();
        let known = BTreeMap::from([(id, "integrator".to_owned())]);
        let client =
            |name: Option<&str>| Some(ActorClient { id: id.to_string(), name: name.map(str::to_owned) });
        let itself = actor(&Actor::of_client(id, None), &known);
        assert_eq!(itself, ActorName { name: String::new(), client: client(Some("integrator")) });
        let for_somebody = actor(&Actor::of_client(id, Some("jane")), &BTreeMap::new());
        assert_eq!(for_somebody, ActorName { name: "jane".to_owned(), client: client(None) });
        let operator = actor(&Actor::operator(), &known);
        assert_eq!(operator, ActorName { name: "operator".to_owned(), client: None });
    }
}
