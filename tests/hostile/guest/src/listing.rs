//! An authority's own list that misbehaves on demand: the first word of the query's cursor says how the question does, that of the
//! answer's body how its reading does.

use crate::{Hostile, misbehave, word};
use einvoice_plugin::{
    Context, FiledRecord, ListedRecord, ListingAnswer, ListingPage, ListingProblem, ListingQuery,
    ListingQuestion, ListingRequest, Reconcile, RecordState, SandboxListing,
};

impl Reconcile for Hostile {
    fn question(query: &ListingQuery, context: &Context) -> Result<ListingRequest, ListingProblem> {
        let behaviour = word(query.after.as_deref().unwrap_or_default());
        misbehave(behaviour);
        let target = format!(
            "?from={}&until={}&of={}",
            query.period.from, query.period.until, context.supplier.tax_id
        );
        let sound = ListingRequest::get(target);
        match behaviour {
            "TARGET" => Ok(ListingRequest { target: "//elsewhere.example/".into(), ..sound }),
            "CREDENTIALS" => Ok(sound.header("authorization", "Bearer stolen")),
            "PROBLEM" => Err(ListingProblem::temporary("As told; ask later.")),
            _ => Ok(sound),
        }
    }

    fn read_answer(
        _: &ListingQuery,
        _: &Context,
        answer: &ListingAnswer,
    ) -> Result<ListingPage, ListingProblem> {
        let text = String::from_utf8_lossy(&answer.body);
        let behaviour = word(&text);
        misbehave(behaviour);
        let record = |number: &str, day: &str| ListedRecord {
            number: number.to_owned(),
            issue_date: day.to_owned(),
            state: RecordState::Accepted,
            total: None,
            fingerprint: None,
        };
        let page = |records: Vec<ListedRecord>| Ok(ListingPage { records, next: None });
        match behaviour {
            "MANY" => page(vec![record("F-1", "2026-11-20"); 20_001]),
            "DAY" => page(vec![record("F-1", "soon")]),
            "NUMBER" => page(vec![record("", "2026-11-20")]),
            "CURSOR" => Ok(ListingPage { records: Vec::new(), next: Some("x".repeat(1_001)) }),
            "SILENT" => Err(ListingProblem::lasting(" ")),
            _ => page(text.lines().map(|number| record(number, "2026-11-20")).collect()),
        }
    }
}

impl SandboxListing for Hostile {
    fn listing(question: &ListingQuestion, filed: &[FiledRecord]) -> Vec<u8> {
        let behaviour = String::from_utf8_lossy(&question.body).into_owned();
        misbehave(word(&behaviour));
        filed.iter().map(|filed| filed.record.as_str()).collect::<Vec<_>>().join("\n").into_bytes()
    }
}
