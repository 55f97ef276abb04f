//! Pages of lists: which one an address asks for, and the addresses of those before and behind it.

use crate::errors::PageError;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::invoicing::{DocumentFilter, DocumentPageKey, Invoice};
use gateway_finance::DocumentLists;
use gateway_http::query::{self, Params, cursor};
use gateway_presentation::{ListAddress, PageLinks};

/// How many rows an address may pass over.
const SKIP_MAX: i64 = 1_000_000;

/// A page of documents.
#[derive(Debug)]
pub(crate) struct DocumentsPage {
    /// In the order of the list.
    pub(crate) nodes: Vec<Invoice>,
    pub(crate) links: PageLinks,
}

/// Which page of a list of documents is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentsWindow {
    /// Behind the end of another page.
    after: Option<DocumentPageKey>,
    /// Before the beginning of another page, which comes first.
    before: Option<DocumentPageKey>,
    /// How many documents it has at most.
    first: usize,
}

impl DocumentsWindow {
    /// The parameters that [`DocumentsWindow::read`] reads.
    pub(crate) const NAMES: [&str; 3] = ["after", "before", "first"];

    pub(crate) fn read(params: &Params) -> Result<Self, PageError> {
        let key = |name, expected| params.parse(name, expected, query::page_key);
        Ok(Self {
            after: key("after", "use the end of a page")?,
            before: key("before", "use the beginning of a page")?,
            first: params.first()?,
        })
    }

    /// The page. One that is asked for before a place where hardly anything comes before it is the first one, and full.
    pub(crate) async fn page(
        self,
        (lists, acting): (&DocumentLists, &Acting),
        filter: &DocumentFilter,
        list: ListAddress<'_>,
    ) -> Result<DocumentsPage, StoreError> {
        if let Some(before) = self.before {
            let backwards = DocumentFilter { order: filter.order.reversed(), ..filter.clone() };
            let mut found = lists.page(acting, &backwards, Some(before), self.first).await?;
            if found.has_next {
                found.nodes.reverse();
                return Ok(DocumentsPage {
                    links: links(list, &found.nodes, (true, true)),
                    nodes: found.nodes,
                });
            }
        }
        let after = self.after.filter(|_| self.before.is_none());
        let found = lists.page(acting, filter, after, self.first).await?;
        let mut links = links(list, &found.nodes, (after.is_some(), found.has_next));
        if after.is_some() && found.nodes.is_empty() {
            links.first = Some(list.with("", ""));
        }
        Ok(DocumentsPage { links, nodes: found.nodes })
    }
}

fn links(list: ListAddress<'_>, nodes: &[Invoice], (has_before, has_next): (bool, bool)) -> PageLinks {
    let place = |document: &Invoice| cursor((document.created_at, document.id));
    let before = nodes.first().filter(|_| has_before).map(place);
    let after = nodes.last().filter(|_| has_next).map(place);
    PageLinks::by_places(list, before.as_deref(), after.as_deref())
}

/// How many rows an address passes over.
pub(crate) fn skip(params: &Params) -> Result<i64, PageError> {
    let within = |text: &str| text.parse().ok().filter(|skip| (0..=SKIP_MAX).contains(skip));
    Ok(params.parse("skip", "use a number", within)?.unwrap_or_default())
}
