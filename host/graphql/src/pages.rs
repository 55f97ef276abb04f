//! Pages: cursors, their bounds, and the connection type that every list answers with.

use crate::costs;
use crate::errors::Refusal;
use async_graphql::resolver_utils::ContainerType;
use async_graphql::{Context, Object, OutputType, SimpleObject, TypeName};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway_domain::ErrorCode;
use gateway_domain_lists::{Keyed, PAGE_MAX, Page, PageKey, PageRequest, Stamped};
use gateway_graphql_compliance::eager::Eager;
use jiff::Timestamp;
use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
use uuid::Uuid;

/// So many bytes of a cursor say when the row was made; an id follows.
const TIME_BYTES: usize = 16;

/// Reads `first` and `after` of a list; an empty cursor is none, and one of another list is refused.
pub(crate) fn page_request(
    list: &str,
    first: Option<i32>,
    after: Option<&str>,
) -> Result<PageRequest, Refusal> {
    let first = match first {
        None => PAGE_MAX,
        Some(number) => match usize::try_from(number) {
            Ok(number) if number >= 1 => number.min(PAGE_MAX),
            _ => return Err(Refusal::input("first", ErrorCode::OutOfRange, "ask for 1 to 25 nodes")),
        },
    };
    let after = after
        .filter(|text| !text.is_empty())
        .map(|text| {
            decode(list, text).ok_or_else(|| {
                Refusal::input(
                    "after",
                    ErrorCode::CursorInvalid,
                    "is no cursor of this list: use the endCursor of one of its pages",
                )
            })
        })
        .transpose()?;
    Ok(PageRequest { first, after })
}

/// Clients take cursors as they are: what is in them may change.
pub(crate) fn cursor(list: &str, (at, id): PageKey) -> String {
    let mut bytes = at.as_nanosecond().to_be_bytes().to_vec();
    bytes.extend_from_slice(id.as_bytes());
    bytes.extend_from_slice(list.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

fn decode(list: &str, text: &str) -> Option<PageKey> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (at, rest) = bytes.split_at_checked(TIME_BYTES)?;
    let (id, of) = rest.split_at_checked(size_of::<Uuid>())?;
    if of != list.as_bytes() {
        return None;
    }
    let at = Timestamp::from_nanosecond(i128::from_be_bytes(at.try_into().ok()?)).ok()?;
    Some((at, Uuid::from_slice(id).ok()?))
}

/// Where a page stands in its list.
#[derive(Debug, Clone, SimpleObject)]
#[graphql(shareable)]
pub(crate) struct PageInfo {
    /// Whether another page follows.
    has_next_page: bool,
    /// What to send as `after` for the page that follows; null for an empty page.
    end_cursor: Option<String>,
}

/// A node with its place in the list.
#[derive(Debug)]
pub(crate) struct Edge<T> {
    cursor: String,
    node: Arc<T>,
}

impl<T: OutputType> TypeName for Edge<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Edge", <T as OutputType>::type_name()).into()
    }
}

/// A node with its place in the list.
#[Object(name_type)]
impl<T: ContainerType> Edge<T> {
    /// Its place: what to send as `after` to continue behind it.
    async fn cursor(&self) -> &str {
        &self.cursor
    }

    /// The node.
    async fn node(&self) -> Eager<&T> {
        Eager(&self.node)
    }
}

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Connection<T> {
    list: Cow<'static, str>,
    nodes: Vec<(PageKey, Arc<T>)>,
    has_next: bool,
    total: Option<i64>,
}

impl<T> Connection<T> {
    /// A page; `total` is there if it was counted.
    pub(crate) fn new(
        list: impl Into<Cow<'static, str>>,
        nodes: impl IntoIterator<Item = (PageKey, T)>,
        has_next: bool,
        total: Option<i64>,
    ) -> Self {
        let nodes = nodes.into_iter().map(|(key, node)| (key, Arc::new(node))).collect();
        Self { list: list.into(), nodes, has_next, total }
    }
}

impl<T: OutputType> TypeName for Connection<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Connection", <T as OutputType>::type_name()).into()
    }
}

/// A page of a list.
#[Object(name_type)]
impl<T: ContainerType> Connection<T> {
    /// The nodes of this page, in the order of the list: the oldest first unless it says otherwise.
    async fn nodes(&self) -> Vec<Eager<&T>> {
        self.nodes.iter().map(|(_, node)| Eager(&**node)).collect()
    }

    /// The same nodes, each with its place in the list.
    async fn edges(&self) -> Vec<Eager<Edge<T>>> {
        let edge = |(key, node): &(PageKey, Arc<T>)| Edge {
            cursor: cursor(&self.list, *key),
            node: Arc::clone(node),
        };
        self.nodes.iter().map(edge).map(Eager).collect()
    }

    /// How many nodes all pages have together; counted only when it is selected.
    async fn total_count(&self) -> Option<i64> {
        self.total
    }

    /// Where this page stands.
    async fn page_info(&self) -> Eager<PageInfo> {
        let end = self.nodes.last().map(|(key, _)| cursor(&self.list, *key));
        Eager(PageInfo { has_next_page: self.has_next, end_cursor: end })
    }
}

/// What the selection of a list asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListSelection {
    /// Anything but the count.
    pub(crate) page: bool,
    /// Whether `totalCount` is among it.
    pub(crate) total: bool,
}

/// Looks ahead, so that nothing is read that nobody selected.
pub(crate) fn list_selection(ctx: &Context<'_>) -> ListSelection {
    let ahead = ctx.look_ahead();
    let any = |names: &[&str]| names.iter().any(|name| ahead.field(name).exists());
    ListSelection { page: any(&["nodes", "edges", "pageInfo"]), total: any(&["totalCount"]) }
}

/// Reads what is selected of a list: the page, the count, or both.
pub(crate) async fn read_connection<T, N, E>(
    ctx: &Context<'_>,
    list: &'static str,
    page: impl Future<Output = Result<Page<T>, E>>,
    count: impl Future<Output = Result<i64, E>>,
    node: impl Fn(Stamped<T>) -> N,
) -> Result<Connection<N>, Refusal>
where
    T: Keyed,
    E: std::error::Error + Send + Sync + 'static,
{
    let selection = list_selection(ctx);
    let total = if selection.total { Some(count.await.map_err(Refusal::internal)?) } else { None };
    if !selection.page {
        return Ok(Connection::new(list, [], false, total));
    }
    let page = page.await.map_err(Refusal::internal)?;
    let nodes = page.nodes.into_iter().map(|found| (found.page_key(), node(found)));
    Ok(Connection::new(list, nodes, page.has_next, total))
}

/// What a list costs: as much as a page of it.
pub(crate) fn page_cost(first: Option<i32>, each: usize) -> usize {
    let nodes = first.and_then(|first| usize::try_from(first).ok()).unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
    costs::list(nodes, each)
}

/// What a list without pages costs: as much as a page, for nobody knows how long it is before it is read.
pub(crate) const fn unpaged_list_cost(each: usize) -> usize {
    costs::list(PAGE_MAX, each)
}

/// The same for one that has a handful by its nature: the rate plans of a unit, the tax rates of a document.
pub(crate) const fn short_list_cost(each: usize) -> usize {
    costs::list(4, each)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: PageKey = (Timestamp::UNIX_EPOCH, Uuid::from_u128(7));

    #[test]
    fn a_cursor_belongs_to_one_list() {
        let text = cursor("units", KEY);
        assert_eq!(
            page_request("units", Some(3), Some(&text)).unwrap(),
            PageRequest { first: 3, after: Some(KEY) }
        );
        assert!(page_request("bookings", None, Some(&text)).is_err());
        assert_eq!(
            page_request("units", None, Some("")).unwrap(),
            page_request("units", None, None).unwrap()
        );
        for foreign in ["x", "eyJhIjoxfQ", &text[1..], &format!("{text}AA")] {
            assert!(page_request("units", None, Some(foreign)).is_err(), "{foreign}");
        }
        let late = (Timestamp::MAX, Uuid::max());
        assert_eq!(decode("units", &cursor("units", late)), Some(late));
    }

    #[test]
    fn a_page_has_1_to_25_nodes() {
        assert_eq!(page_request("units", None, None).unwrap().first, 25);
        assert_eq!(page_request("units", Some(1000), None).unwrap().first, 25);
        assert_eq!(page_request("units", Some(1), None).unwrap().first, 1);
        assert!(page_request("units", Some(0), None).is_err());
        assert!(page_request("units", Some(-1), None).is_err());
    }

    #[test]
    fn a_list_costs_its_page_times_its_nodes() {
        let of = |nodes| costs::list(nodes, 4);
        assert_eq!(
            (page_cost(None, 4), page_cost(Some(2), 4), page_cost(Some(0), 4), page_cost(Some(99), 4)),
            (of(25), of(2), of(1), of(25))
        );
    }
}
