//! The authority's own list: what a plugin asks, what it reads in the answer, and how it plays the authority.

use super::wit_reconcile as wit;
use super::{Exports, RECONCILE, answer, ask, exported, wit_listing};
use crate::defect::{Failure, unusable};
use crate::guest::Guest;
use gateway_domain::regime::RegimeContext;
use gateway_domain_reconciliation::{
    FiledRecord, ListedRecord, ListingAnswer, ListingMethod, ListingPage, ListingProblem, ListingQuery,
    ListingQuestion, ListingRequest, RECORDS_MAX, RecordState,
};
use jiff::civil::Date;
use wasmtime::Store;
use wasmtime::component::{ComponentExportIndex, InstancePre};

/// Characters of the sentence that says why there is no page.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// Where the functions are, and the types of all of them.
#[derive(Clone)]
pub(super) struct Functions {
    pub(super) indices: wit::GuestIndices,
    question: ComponentExportIndex,
    read_answer: ComponentExportIndex,
}

impl Functions {
    pub(super) fn of(pre: &InstancePre<Guest>) -> Option<Self> {
        let indices = wit::GuestIndices::new(pre).ok()?;
        let function = exported(pre.component(), RECONCILE)?;
        Some(Self { indices, question: function("question")?, read_answer: function("read-answer")? })
    }
}

impl Exports {
    pub(crate) const fn has_reconcile(&self) -> bool {
        self.reconcile.is_some()
    }

    pub(crate) const fn has_sandbox_listing(&self) -> bool {
        self.sandbox_listing.is_some()
    }

    pub(crate) async fn listing_question(
        &self,
        store: Store<Guest>,
        query: &ListingQuery,
        context: &RegimeContext,
    ) -> Result<Result<ListingRequest, ListingProblem>, Failure> {
        let functions = self.reconcile.as_ref().ok_or(Failure::NotOffered)?;
        let (query, context) = (wit_query(query), ask::context(context));
        let made: Result<wit::Request, wit::Problem> =
            self.call(store, &functions.question, (&query, &context)).await?;
        Ok(match made {
            Ok(made) => Ok(request(made)?),
            Err(refused) => Err(problem(refused)?),
        })
    }

    pub(crate) async fn listing_page(
        &self,
        store: Store<Guest>,
        (query, context): (&ListingQuery, &RegimeContext),
        answered: &ListingAnswer,
    ) -> Result<Result<ListingPage, ListingProblem>, Failure> {
        let functions = self.reconcile.as_ref().ok_or(Failure::NotOffered)?;
        let (query, context) = (wit_query(query), ask::context(context));
        let answered = wit::Answer { status: answered.status, body: answered.body.clone() };
        let read: Result<wit::Page, wit::Problem> =
            self.call(store, &functions.read_answer, (&query, &context, &answered)).await?;
        Ok(match read {
            Ok(read) => Ok(page(read)?),
            Err(refused) => Err(problem(refused)?),
        })
    }

    pub(crate) async fn sandbox_listing(
        &self,
        store: Store<Guest>,
        question: &ListingQuestion,
        filed: &[FiledRecord],
    ) -> Result<Vec<u8>, Failure> {
        let (_, function) = self.sandbox_listing.as_ref().ok_or(Failure::NotOffered)?;
        let question = wit_listing::Question { target: question.target.clone(), body: question.body.clone() };
        let filed: Vec<_> = filed
            .iter()
            .map(|filed| wit_listing::Filed {
                document: filed.document.clone(),
                record: filed.record.clone(),
            })
            .collect();
        Ok(self.call(store, function, (&question, &filed)).await?)
    }
}

fn wit_query(query: &ListingQuery) -> wit::Query {
    let period = wit::Period { from: query.from.to_string(), until: query.until.to_string() };
    wit::Query { period, after: query.after.clone() }
}

fn request(made: wit::Request) -> Result<ListingRequest, Failure> {
    let method = match made.method {
        wit::Method::Get => ListingMethod::Get,
        wit::Method::Post => ListingMethod::Post,
    };
    let headers = made.headers.into_iter().map(|header| (header.name, header.value)).collect();
    let wit::Request { target, content_type, body, .. } = made;
    let request = ListingRequest { method, target, content_type, headers, body };
    request.checked().map_err(|error| unusable(error.to_string()))
}

fn page(read: wit::Page) -> Result<ListingPage, Failure> {
    if read.records.len() > RECORDS_MAX {
        return Err(Failure::Oversize("too many records of one page", RECORDS_MAX));
    }
    if read.next.as_ref().is_some_and(|next| !ListingPage::is_cursor(next)) {
        return Err(unusable("a place behind a page that is empty or longer than 1000 characters"));
    }
    let records = read.records.into_iter().map(record).collect::<Result<_, _>>()?;
    Ok(ListingPage { records, next: read.next })
}

fn record(listed: wit::ListedRecord) -> Result<ListedRecord, Failure> {
    let state = match listed.state {
        wit::State::Accepted => RecordState::Accepted,
        wit::State::AcceptedWithErrors => RecordState::AcceptedWithErrors,
        wit::State::Cancelled => RecordState::Cancelled,
    };
    let issue_date: Date = listed.issue_date.parse().map_err(|_| {
        let quoted: String = listed.issue_date.chars().take(40).collect();
        unusable(format!("a record with the date '{}', which is none", quoted.escape_debug()))
    })?;
    let total = listed.total.map(answer::amount).transpose()?;
    let wit::ListedRecord { number, fingerprint, .. } = listed;
    let record = ListedRecord { number, issue_date, state, total, fingerprint };
    if record.is_bounded() {
        Ok(record)
    } else {
        Err(unusable("a record whose number or fingerprint is empty, too long or has control characters"))
    }
}

fn problem(refused: wit::Problem) -> Result<ListingProblem, Failure> {
    let wit::Problem { message, temporary } = refused;
    let message: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if message.trim().is_empty() {
        return Err(unusable("no page of the authority's list, and no reason"));
    }
    let message = message.chars().take(MESSAGE_CHARS_MAX).collect();
    Ok(ListingProblem { message, temporary })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(number: &str, day: &str) -> wit::ListedRecord {
        wit::ListedRecord {
            number: number.to_owned(),
            issue_date: day.to_owned(),
            state: wit::State::Accepted,
            total: None,
            fingerprint: None,
        }
    }

    fn read(records: Vec<wit::ListedRecord>, next: Option<&str>) -> Result<ListingPage, Failure> {
        page(wit::Page { records, next: next.map(str::to_owned) })
    }

    #[test]
    fn a_page_is_read_as_it_stands() {
        let page = read(vec![listed("F-1", "2026-11-20")], Some("2|F-1")).unwrap();
        let [ListedRecord { number, issue_date, .. }] = &page.records[..] else { panic!("{page:?}") };
        assert_eq!((number.as_str(), issue_date.to_string().as_str()), ("F-1", "2026-11-20"));
        assert_eq!(page.next.as_deref(), Some("2|F-1"));
    }

    #[test]
    fn a_page_is_bounded_and_its_records_have_days_and_numbers() {
        let many = vec![listed("F-1", "2026-11-20"); RECORDS_MAX + 1];
        assert!(matches!(read(many, None), Err(Failure::Oversize(..))));
        let endless = "x".repeat(1_001);
        for (wrong, next) in [
            (listed("", "2026-11-20"), None),
            (listed(&"F".repeat(201), "2026-11-20"), None),
            (listed("F\n1", "2026-11-20"), None),
            (listed("F-1", "20-11-2026"), None),
            (listed("F-1", "2026-11-20"), Some("")),
            (listed("F-1", "2026-11-20"), Some(endless.as_str())),
        ] {
            assert!(matches!(read(vec![wrong], next), Err(Failure::Unusable(_))));
        }
    }

    #[test]
    fn why_there_is_no_page_is_one_bounded_line() {
        let read = |message: &str| problem(wit::Problem { message: message.to_owned(), temporary: true });
        assert_eq!(read("a\nb").unwrap().message, "a b");
        assert_eq!(read(&"x".repeat(2_000)).unwrap().message.len(), MESSAGE_CHARS_MAX);
        assert!(read(" \n").is_err());
    }
}
