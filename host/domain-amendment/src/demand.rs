//! Which remarks of an authority want the accepted record amended, and by when.

use gateway_domain::invoicing::Acceptance;
use gateway_domain::regime::AmendDescription;
use jiff::ToSpan as _;
use jiff::civil::Date;
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// A remark that the tax authority accepted the document with, and that wants it amended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DemandedAmendment {
    /// The code of the remark.
    #[schema(examples("2001"))]
    pub code: String,
    /// What is to be amended, and where that is said.
    pub summary: String,
    /// The last day for it, where the workspace is; null where the law names none.
    #[schema(required, value_type = Option<String>, format = Date, examples("2026-11-24"))]
    pub amend_by: Option<Date>,
}

impl fmt::Display for DemandedAmendment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, summary, amend_by } = self;
        match amend_by {
            Some(day) => write!(f, "The remark {code} wants an amendment by {day}: {summary}"),
            None => write!(f, "The remark {code} wants an amendment: {summary}"),
        }
    }
}

/// The remarks of an acceptance that want an amendment, in the order of the remarks, each code once. `accepted_on` is the day of the
/// acceptance where the workspace is.
pub fn demanded_amendments(
    acceptance: &Acceptance,
    description: &AmendDescription,
    accepted_on: Date,
) -> Vec<DemandedAmendment> {
    let mut found: Vec<DemandedAmendment> = Vec::new();
    for remark in &acceptance.warnings {
        let mut demands = description.demands.iter();
        let Some(demand) = demands.find(|demand| demand.code == remark.code) else { continue };
        if found.iter().all(|one| one.code != demand.code) {
            let amend_by = demand.within_days.map(|days| accepted_on.saturating_add(i32::from(days).days()));
            found.push(DemandedAmendment {
                code: demand.code.clone(),
                summary: demand.summary.clone(),
                amend_by,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::regime::{AmendDemand, Remark};
    use jiff::Timestamp;
    use jiff::civil::date;

    #[test]
    fn a_remark_wants_an_amendment_where_the_plugin_says_so_and_within_its_days() {
        let demand = |code: &str, within_days| AmendDemand {
            code: code.to_owned(),
            within_days,
            summary: "The recipient's number (act 1/2026).".to_owned(),
        };
        let description = AmendDescription {
            allowed_paths: Vec::new(),
            demands: vec![demand("2001", Some(4)), demand("2005", None)],
        };
        let remark = |code: &str| Remark { code: code.to_owned(), message: "Not there.".to_owned() };
        let acceptance = Acceptance {
            qr_url: None,
            tax_system_hash: None,
            accepted_at: Timestamp::UNIX_EPOCH,
            warnings: ["2005", "2004", "2001", "2005"].map(remark).to_vec(),
            sandbox: false,
        };
        let found = demanded_amendments(&acceptance, &description, date(2026, 12, 29));
        let sentence =
            "The remark 2001 wants an amendment by 2027-01-02: The recipient's number (act 1/2026).";
        assert_eq!(found[1].to_string(), sentence);
        let found: Vec<_> = found.iter().map(|one| (one.code.as_str(), one.amend_by)).collect();
        assert_eq!(found, [("2005", None), ("2001", Some(date(2027, 1, 2)))]);
    }
}
