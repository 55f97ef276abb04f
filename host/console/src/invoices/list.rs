//! Documents, searched and narrowed; an address keeps all of it, so that it can be kept as a link.

use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::pages::DocumentsWindow;
use crate::session::Viewer;
use crate::workspaces::{names, workspace_choices};
use askama::Template;
use axum::extract::State;
use gateway_domain::invoicing::{DocumentFilter, DocumentKind, DocumentOrder, RecipientSearch, Status};
use gateway_domain_lists::PageRequest;
use gateway_domain_platform::bookings::BookingFilter;
use gateway_finance::DocumentLists;
use gateway_http::Params;
use gateway_http::documents_query::DocumentsQuery;
use gateway_platform::Bookings;
use gateway_presentation::{
    Choice, DocumentRow, InvalidMembers, ListAddress, PageLinks, choices, decimal_point, format,
};
use gateway_workspaces::Workspaces;

const LIST: &str = "/console/invoices";

#[derive(Template)]
#[template(path = "invoices.html")]
struct ListPage {
    layout: Layout,
    rows: Vec<DocumentRow>,
    /// What was typed, by the names of the form.
    search: String,
    statuses: Vec<Choice>,
    kinds: Vec<Choice>,
    workspaces: Vec<Choice>,
    acceptances: Vec<Choice>,
    orders: Vec<Choice>,
    issued_from: String,
    issued_to: String,
    gross_from: String,
    gross_to: String,
    problem: Option<String>,
    invalid: InvalidMembers,
    /// Everything but the page, for links.
    query: String,
    pages: PageLinks,
    is_narrowed: bool,
}

/// The names of the form.
const NAMES: [&str; 10] = [
    "q",
    "status",
    "document_type",
    "workspace_id",
    "issued_from",
    "issued_to",
    "gross_from",
    "gross_to",
    "accepted_with_errors",
    "sort",
];

/// What a list is asked for, from its address. What is typed into the one field for searching is a whole number or else its
/// beginning, a booking's id or its confirmation code, or words of a recipient: the first of these that finds a document.
pub(super) async fn query(
    (lists, bookings): (&DocumentLists, &Bookings),
    viewer: &Viewer,
    params: &Params,
) -> Result<DocumentsQuery, PageError> {
    let rest = params
        .clone()
        .without("q")
        .without("before")
        .with("gross_from", decimal_point)
        .with("gross_to", decimal_point);
    let mut query = DocumentsQuery::read(&rest)?;
    if rest.text("sort").is_none() {
        query.filter.order = DocumentOrder::NewestFirst;
    }
    let Some(search) = params.text("q").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    else {
        return Ok(query);
    };
    query.filter = match search.parse() {
        Ok(id) => DocumentFilter { booking: Some(id), ..query.filter },
        Err(_) => searched((lists, bookings), viewer, &search, query.filter).await?,
    };
    Ok(query)
}

/// A filter narrowed by what was typed.
async fn searched(
    (lists, bookings): (&DocumentLists, &Bookings),
    viewer: &Viewer,
    search: &str,
    filter: DocumentFilter,
) -> Result<DocumentFilter, PageError> {
    let acting = viewer.acting();
    let whole = DocumentFilter { number: Some(search.to_owned()), ..filter.clone() };
    // What has no digit would begin every number of a series, or none.
    let beginning = search.bytes().any(|byte| byte.is_ascii_digit()).then(|| search.to_owned());
    let beginning = beginning.map(|prefix| DocumentFilter { number_prefix: Some(prefix), ..filter.clone() });
    for by_number in [Some(whole), beginning].into_iter().flatten() {
        if !lists.page(&acting, &by_number, None, 1).await?.nodes.is_empty() {
            return Ok(by_number);
        }
    }
    let with_code = BookingFilter {
        workspace: filter.workspace,
        confirmation_code: Some(search.to_owned()),
        ..BookingFilter::default()
    };
    let found = bookings.bookings(&acting, &with_code, PageRequest::default()).await?;
    // Channels give codes of their own, so that two bookings may have the same: the last one is meant.
    if let Some(booking) = found.nodes.last() {
        return Ok(DocumentFilter { booking: Some(booking.id), ..filter });
    }
    let words = RecipientSearch::parse(search).ok_or_else(|| {
        let sentence =
            "search for a number or its beginning, a booking's id or code, or words of a recipient's name";
        PageError::about("q", sentence)
    })?;
    Ok(DocumentFilter { recipient: Some(words), ..filter })
}

/// Documents, the newest first.
pub(crate) async fn show(
    viewer: Viewer,
    State(lists): State<DocumentLists>,
    State(bookings): State<Bookings>,
    State(workspaces): State<Workspaces>,
    params: Params,
) -> PageResult {
    let known = names(&workspaces, &viewer).await?;
    // A control character is no text of a page.
    let typed = |name| params.text(name).unwrap_or_default().replace(char::is_control, "");
    let members: Vec<_> = NAMES.iter().map(|name| (*name, typed(name))).collect();
    let pairs = || members.iter().map(|(name, value)| (*name, value.as_str()));
    let (narrowed, first) = (format::query(pairs()), typed("first"));
    let sized = format::query(pairs().chain([("first", first.as_str())]));
    let acting = viewer.acting();
    let requested = async {
        let place = DocumentsWindow::read(&params)?;
        let filter = query((&lists, &bookings), &viewer, &params).await?.filter;
        let list = ListAddress { path: LIST, query: &sized };
        Ok::<_, PageError>(place.page((&lists, &acting), &filter, list).await?)
    };
    let (found, error) = match requested.await {
        Ok(found) => (Some(found), None),
        Err(error) if error.is_about_the_form() => (None, Some(error)),
        Err(error) => return Err(error),
    };
    let (nodes, pages) = found.map(|found| (found.nodes, found.links)).unwrap_or_default();
    let every = |title: &str| ("", title.to_owned());
    let statuses = Status::ALL.iter().map(|status| (status.as_str(), format::title(status.as_str())));
    let kinds = DocumentKind::ALL.iter().map(|kind| (kind.as_str(), format::title(kind.as_str())));
    let acceptances = [("", "Any way".to_owned()), ("true", "With errors".to_owned())];
    let orders = [("", "Newest first".to_owned()), ("created", "Oldest first".to_owned())];
    page(&ListPage {
        layout: Layout::new(&viewer, Section::Invoices, "Invoices"),
        rows: nodes.iter().map(|node| DocumentRow::of(node, &known)).collect(),
        search: typed("q"),
        statuses: choices([every("Any state")].into_iter().chain(statuses), &typed("status")),
        kinds: choices([every("Any kind")].into_iter().chain(kinds), &typed("document_type")),
        workspaces: workspace_choices(&known, &typed("workspace_id")),
        acceptances: choices(acceptances, &typed("accepted_with_errors")),
        orders: choices(orders, &typed("sort")),
        issued_from: typed("issued_from"),
        issued_to: typed("issued_to"),
        gross_from: typed("gross_from"),
        gross_to: typed("gross_to"),
        invalid: PageError::sentences_and_members(error.as_ref()).1,
        problem: error.map(|error| error.sentences.join("; ")),
        is_narrowed: !narrowed.is_empty(),
        query: narrowed,
        pages,
    })
}
