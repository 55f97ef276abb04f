//! The authority's own list of the records that it holds.

use crate::{
    Context, FiledRecord, ListingAnswer, ListingHeader, ListingMethod, ListingPage, ListingProblem,
    ListingQuery, ListingQuestion, ListingRequest,
};

/// How the authority is asked for its own list, and what its answer lists: a gateway of release 1.9 compares the records with its
/// documents. The plugin writes the question and reads the bytes of the answer; the gateway fetches. A system whose authority lists
/// nothing does without it.
///
/// ```
/// use einvoice_plugin::{
///     Context, ListedRecord, ListingAnswer, ListingPage, ListingProblem, ListingQuery, ListingRequest, Reconcile, RecordState,
/// };
/// struct Nowhere;
/// impl Reconcile for Nowhere {
///     fn question(query: &ListingQuery, context: &Context) -> Result<ListingRequest, ListingProblem> {
///         let (from, until) = (&query.period.from, &query.period.until);
///         let page = query.after.as_deref().unwrap_or("1");
///         Ok(ListingRequest::get(format!("/records/{}?from={from}&until={until}&page={page}", context.supplier.tax_id)))
///     }
///     /// One record a line: `F-2026-000001;2026-11-20;12.34`; a last line `next;2` names the page behind.
///     fn read_answer(_: &ListingQuery, _: &Context, answer: &ListingAnswer) -> Result<ListingPage, ListingProblem> {
///         let text = std::str::from_utf8(&answer.body).ok().filter(|_| answer.status == 200);
///         let text = text.ok_or_else(|| ListingProblem::of_status(answer.status, "the register"))?;
///         let mut page = ListingPage { records: Vec::new(), next: None };
///         for line in text.lines() {
///             match line.split(';').collect::<Vec<_>>()[..] {
///                 ["next", place] => page.next = Some(place.to_owned()),
///                 [number, date, total] => page.records.push(ListedRecord {
///                     number: number.to_owned(),
///                     issue_date: date.to_owned(),
///                     state: RecordState::Accepted,
///                     total: total.parse().ok(),
///                     fingerprint: None,
///                 }),
///                 _ => return Err(ListingProblem::lasting("The register's list has a line of another form; look for a newer plugin.")),
///             }
///         }
///         Ok(page)
///     }
/// }
/// let answer = ListingAnswer { status: 200, body: b"F-1;2026-11-20;12.34\nnext;2".to_vec() };
/// # use einvoice_plugin::{ListingPeriod, Supplier};
/// # let supplier = Supplier { legal_name: "One".into(), tax_id: "XX1".into(), country: "XX".into(), address: None, email: None, ext: vec![] };
/// # let context = Context { today: "2026-11-21".into(), now: "2026-11-21T00:00:00Z".into(), settings: "{}".into(), supplier, company_id: "".into(), ext: vec![] };
/// # let query = ListingQuery { period: ListingPeriod { from: "2026-11-01".into(), until: "2026-11-30".into() }, after: None };
/// let page = Nowhere::read_answer(&query, &context, &answer).unwrap();
/// assert_eq!((page.records[0].number.as_str(), page.next.as_deref()), ("F-1", Some("2")));
/// assert_eq!(Nowhere::question(&query, &context).unwrap().target, "/records/XX1?from=2026-11-01&until=2026-11-30&page=1");
/// ```
pub trait Reconcile {
    /// What the authority is asked for a page. `query.after` is what [`read_answer`](Self::read_answer) made of the page before; how a
    /// period is cut into what the authority knows (months, days, pages) is the plugin's business.
    ///
    /// # Errors
    /// Why there is no question: what the workspace lacks.
    fn question(query: &ListingQuery, context: &Context) -> Result<ListingRequest, ListingProblem>;

    /// What the answer to that question lists. It comes as it came over the wire: whatever it holds is no reason to panic.
    ///
    /// # Errors
    /// Why it lists nothing: in the authority's words where it has any.
    fn read_answer(
        query: &ListingQuery,
        context: &Context,
        answer: &ListingAnswer,
    ) -> Result<ListingPage, ListingProblem>;
}

/// The authority's own list as the sandbox provider plays it, beside [`Authority`](crate::Authority) and [`Reconcile`].
pub trait SandboxListing {
    /// What the authority answers, with the status 200. `filed` holds documents of every supplier of the system, the oldest first.
    fn listing(question: &ListingQuestion, filed: &[FiledRecord]) -> Vec<u8>;
}

impl ListingRequest {
    /// A GET of what stands behind the address that the operator set; `target` begins with `/` or `?`, or is empty.
    pub fn get(target: impl Into<String>) -> Self {
        Self {
            method: ListingMethod::Get,
            target: target.into(),
            content_type: None,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// A POST to the address that the operator set.
    pub fn post(content_type: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self {
            method: ListingMethod::Post,
            target: String::new(),
            content_type: Some(content_type.into()),
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// With a header; `name` in lower case.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push(ListingHeader { name: name.into(), value: value.into() });
        self
    }
}

impl ListingProblem {
    /// Asking again is of no use.
    pub fn lasting(message: impl Into<String>) -> Self {
        Self { message: message.into(), temporary: false }
    }

    /// The same question may be answered later.
    pub fn temporary(message: impl Into<String>) -> Self {
        Self { message: message.into(), temporary: true }
    }

    /// An answer that says nothing but its status: an error of the server may pass.
    pub fn of_status(status: u16, authority: &str) -> Self {
        let message = format!(
            "{authority} answered with the status {status}; look at the address and the certificate that are set for it."
        );
        Self { message, temporary: status >= 500 }
    }
}
