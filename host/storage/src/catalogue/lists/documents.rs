//! Lists of documents: of the invoice data service in this process, and of finance's copies.

use super::{CataloguedList, DAY, Indexes, Reads, SAMPLE, by_query, recently};
use crate::finance::finance_documents;
use crate::invoicing::match_count::MatchCount;
use crate::invoicing::search_matches::SearchMatches;
use crate::invoicing::{invoice_lists, invoices};
use gateway_database::lists::ListQuery;
use gateway_database::value::Id;
use gateway_domain::ids::BookingId;
use gateway_domain::invoicing::{
    DocumentFilter, DocumentKind, DocumentOrder, GrossRange, IssuePeriod, RecipientSearch, Status,
};

/// What answers a page of copies that nothing narrows.
const PAGE: (Indexes, Indexes) = (&["finance_document_last"], &["finance_document_page"]);

fn document(
    filter: &'static str,
    reads: Reads,
    indexes: (Indexes, Indexes),
    request: DocumentFilter,
) -> CataloguedList {
    document_matching(filter, reads, indexes, request, SearchMatches::default())
}

fn document_matching(
    filter: &'static str,
    reads: Reads,
    indexes: (Indexes, Indexes),
    request: DocumentFilter,
    matches: SearchMatches,
) -> CataloguedList {
    let table = invoice_lists::table(request.order);
    by_query(("documents", filter), reads, indexes, table, move |visible| {
        Some(invoice_lists::query(&request, visible, &matches))
    })
}

fn copy(
    filter: &'static str,
    reads: Reads,
    indexes: (Indexes, Indexes),
    request: DocumentFilter,
) -> CataloguedList {
    copy_matching(filter, reads, indexes, request, SearchMatches::default())
}

fn copy_matching(
    filter: &'static str,
    reads: Reads,
    indexes: (Indexes, Indexes),
    request: DocumentFilter,
    matches: SearchMatches,
) -> CataloguedList {
    let table = finance_documents::table(request.order);
    by_query(("copies of documents", filter), reads, indexes, table, move |visible| {
        Some(finance_documents::query(&request, visible, &matches))
    })
}

/// What answers a page of one kind.
const KIND: (Indexes, Indexes) = (&["invoice_kind_of_workspace"], &["invoice_kind"]);
const KIND_OF_COPY: (Indexes, Indexes) =
    (&["finance_document_kind_of_workspace"], &["finance_document_kind"]);

/// What answers a page of what the authority accepted with errors.
const WITH_ERRORS: (Indexes, Indexes) =
    (&["invoice_with_errors_of_workspace", "invoice_with_errors"], &["invoice_with_errors"]);
const COPY_WITH_ERRORS: (Indexes, Indexes) = (
    &["finance_document_with_errors_of_workspace", "finance_document_with_errors"],
    &["finance_document_with_errors"],
);

/// Of both: the kind, the issue date, the gross and the recipient.
pub(super) fn by_content() -> Vec<CataloguedList> {
    let none = || DocumentFilter::default();
    let kind = || DocumentFilter { document_type: Some(DocumentKind::CreditNote), ..none() };
    let issued = || {
        let issued = IssuePeriod { from: Some(DAY), to: Some(DAY) };
        DocumentFilter { issued, ..none() }
    };
    let gross = || {
        let hundred = "100.00".parse().ok();
        DocumentFilter { gross: GrossRange { from: hundred, to: hundred }, ..none() }
    };
    let recipient = || DocumentFilter { recipient: RecipientSearch::parse("roe777"), ..none() };
    let with_errors = || DocumentFilter { accepted_with_errors: true, ..none() };
    let newest = |filter| DocumentFilter { order: DocumentOrder::NewestFirst, ..filter };
    let keys: Indexes = &["invoice_pkey", "sqlite_autoindex_invoice_1"];
    let keys_of_copies: Indexes = &["finance_document_pkey", "sqlite_autoindex_finance_document_1"];
    vec![
        document("kind", Reads::Page, KIND, kind()),
        document("kind, newest first", Reads::Page, KIND, newest(kind())),
        document(
            "issued",
            Reads::UpToAll,
            (
                &["invoice_issue_date_of_workspace", "invoice_page"],
                &["invoice_issue_date", "invoice_page_of_all"],
            ),
            issued(),
        ),
        document(
            "gross",
            Reads::UpToAll,
            (&["invoice_gross_of_workspace", "invoice_page"], &["invoice_gross", "invoice_page_of_all"]),
            gross(),
        ),
        document("accepted with errors", Reads::Page, WITH_ERRORS, with_errors()),
        document("accepted with errors, newest first", Reads::Page, WITH_ERRORS, newest(with_errors())),
        document("recipient", Reads::Matching, (keys, keys), recipient()),
        document("recipient, newest first", Reads::Matching, (keys, keys), newest(recipient())),
        document_matching(
            "recipient of many",
            Reads::UpToAll,
            (&["invoice_page"], &["invoice_page_of_all"]),
            recipient(),
            many(),
        ),
        copy("kind", Reads::Page, KIND_OF_COPY, kind()),
        copy(
            "issued",
            Reads::UpToAll,
            (
                &["finance_document_issue_date_of_workspace", "finance_document_last"],
                &["finance_document_issue_date", "finance_document_page"],
            ),
            issued(),
        ),
        copy(
            "gross",
            Reads::UpToAll,
            (
                &["finance_document_gross_of_workspace", "finance_document_last"],
                &["finance_document_gross", "finance_document_page"],
            ),
            gross(),
        ),
        copy("accepted with errors", Reads::Page, COPY_WITH_ERRORS, with_errors()),
        copy("recipient", Reads::Matching, (keys_of_copies, keys_of_copies), recipient()),
        copy_matching("recipient of many", Reads::UpToAll, PAGE, recipient(), many()),
    ]
}

/// Both, the newest first: the same indexes, read from their end.
pub(super) fn newest_first() -> Vec<CataloguedList> {
    let newest =
        |status| DocumentFilter { status, order: DocumentOrder::NewestFirst, ..DocumentFilter::default() };
    let rejected = || newest(Some(Status::Rejected));
    vec![
        document("newest first", Reads::Page, (&["invoice_page"], &["invoice_page_of_all"]), newest(None)),
        document(
            "status, newest first",
            Reads::Page,
            (&["invoice_status_of_workspace"], &["invoice_status"]),
            rejected(),
        ),
        copy("newest first", Reads::Page, PAGE, newest(None)),
        copy(
            "status, newest first",
            Reads::Page,
            (&["finance_document_status_of_workspace"], &["finance_document_status"]),
            rejected(),
        ),
    ]
}

/// Those of the invoice data service in this process.
pub(super) fn local() -> Vec<CataloguedList> {
    let all = DocumentFilter {
        status: Some(Status::Draft),
        booking: Some(BookingId(SAMPLE)),
        number: Some("F-7".to_owned()),
        updated_after: Some(recently()),
        ..DocumentFilter::default()
    };
    let none = || DocumentFilter::default();
    vec![
        document("", Reads::Page, (&["invoice_page"], &["invoice_page_of_all"]), none()),
        document(
            "status",
            Reads::Page,
            (&["invoice_status_of_workspace"], &["invoice_status"]),
            DocumentFilter { status: Some(Status::Rejected), ..none() },
        ),
        document(
            "booking",
            Reads::Matching,
            (&["invoice_booking"], &["invoice_booking"]),
            DocumentFilter { booking: all.booking, ..none() },
        ),
        document(
            "number",
            Reads::Matching,
            (
                &["invoice_workspace_id_number_key", "sqlite_autoindex_invoice_2", "invoice_numbered"],
                &["invoice_numbered"],
            ),
            DocumentFilter { number: all.number.clone(), ..none() },
        ),
        document(
            "updated_after",
            Reads::UpToAll,
            (&["invoice_changes", "invoice_page"], &["invoice_changes_of_all", "invoice_page_of_all"]),
            DocumentFilter { updated_after: all.updated_after, ..none() },
        ),
        document(
            "all of these",
            Reads::Matching,
            (
                &["invoice_booking", "invoice_workspace_id_number_key", "invoice_numbered"],
                &["invoice_booking", "invoice_numbered"],
            ),
            all,
        ),
        by_query(
            ("documents", "ids"),
            Reads::Matching,
            (
                &["invoice_pkey", "sqlite_autoindex_invoice_1"],
                &["invoice_pkey", "sqlite_autoindex_invoice_1"],
            ),
            invoices::TABLE,
            |visible| {
                Some(ListQuery {
                    ids: Some(vec![Id(SAMPLE)]),
                    ..invoice_lists::query(&DocumentFilter::default(), visible, &SearchMatches::default())
                })
            },
        ),
    ]
}

/// Of texts that many documents match.
fn many() -> SearchMatches {
    SearchMatches { number_prefix: MatchCount::Many, recipient: vec![MatchCount::Many] }
}

/// Of both: the beginning of a number, where few begin so and where many do.
pub(super) fn by_number_prefix() -> Vec<CataloguedList> {
    let beginning =
        |text: &str| DocumentFilter { number_prefix: Some(text.to_owned()), ..DocumentFilter::default() };
    vec![
        document(
            "number_prefix",
            Reads::Matching,
            (&["invoice_number_prefix", "invoice_numbered"], &["invoice_number_prefix", "invoice_numbered"]),
            beginning("F-7777"),
        ),
        document_matching(
            "number_prefix of many",
            Reads::UpToAll,
            (&["invoice_page"], &["invoice_page_of_all"]),
            beginning("F-"),
            many(),
        ),
        copy(
            "number_prefix",
            Reads::Matching,
            (
                &["finance_document_number_prefix", "finance_document_number"],
                &["finance_document_number_prefix", "finance_document_number"],
            ),
            beginning("F-7777"),
        ),
        copy_matching("number_prefix of many", Reads::UpToAll, PAGE, beginning("F-"), many()),
    ]
}

/// Finance's copies.
pub(super) fn copies() -> Vec<CataloguedList> {
    let all = DocumentFilter {
        status: Some(Status::Rejected),
        booking: Some(BookingId(SAMPLE)),
        number: Some("F-7".to_owned()),
        updated_after: Some(recently()),
        ..DocumentFilter::default()
    };
    let none = || DocumentFilter::default();
    let keys: Indexes = &["finance_document_pkey", "sqlite_autoindex_finance_document_1"];
    vec![
        copy("", Reads::Page, PAGE, none()),
        copy(
            "status",
            Reads::Page,
            (&["finance_document_status_of_workspace"], &["finance_document_status"]),
            DocumentFilter { status: all.status, ..none() },
        ),
        copy(
            "booking",
            Reads::Matching,
            (&["finance_document_booking"], &["finance_document_booking"]),
            DocumentFilter { booking: all.booking, ..none() },
        ),
        copy(
            "number",
            Reads::Matching,
            (&["finance_document_number"], &["finance_document_number"]),
            DocumentFilter { number: all.number.clone(), ..none() },
        ),
        copy(
            "updated_after",
            Reads::UpToAll,
            (
                &["finance_document_changes", "finance_document_last"],
                &["finance_document_changes", "finance_document_page"],
            ),
            DocumentFilter { updated_after: all.updated_after, ..none() },
        ),
        copy(
            "all of these",
            Reads::Matching,
            (
                &["finance_document_booking", "finance_document_number"],
                &["finance_document_booking", "finance_document_number"],
            ),
            all,
        ),
        by_query(
            ("copies of documents", "ids"),
            Reads::Matching,
            (keys, keys),
            finance_documents::TABLE,
            |visible| {
                Some(ListQuery {
                    ids: Some(vec![Id(SAMPLE)]),
                    ..finance_documents::query(&DocumentFilter::default(), visible, &SearchMatches::default())
                })
            },
        ),
    ]
}
