//! What may be amended, out of the guest's own account of it, and what an amendment is made of.

use super::{Exports, ask, wit_amend as wit, wit_remarks};
use crate::defect::{Failure, unusable};
use crate::guest::Guest;
use gateway_domain::regime::{AmendDemand, AmendDescription, PathPattern, RegimeAmendment};
use std::collections::BTreeSet;
use wasmtime::Store;

/// Patterns of one plugin.
const PATHS_MAX: usize = 100;
/// Demands of one plugin.
const DEMANDS_MAX: usize = 300;
/// Longest code of a remark, and longest sentence about one, characters.
const CODE_MAX: usize = 64;
const SUMMARY_MAX: usize = 300;

impl Exports {
    /// None at all, without a store, when the component does not export the optional interface.
    pub(super) async fn demands(
        &self,
        store: impl FnOnce() -> Store<Guest>,
    ) -> Result<Vec<wit_remarks::Demand>, Failure> {
        let Some(exported) = &self.remarks else { return Ok(Vec::new()) };
        let mut store = store();
        let instance = self.pre.instantiate_async(&mut store).await?;
        let guest = exported.load(&mut store, &instance)?;
        Ok(guest.call_demands(&mut store).await?)
    }
}

pub(super) fn description(
    description: wit::Description,
    demands: Vec<wit_remarks::Demand>,
) -> Result<AmendDescription, Failure> {
    let wit::Description { allowed_paths } = description;
    if allowed_paths.len() > PATHS_MAX {
        return Err(Failure::Oversize("too many paths that may be amended", PATHS_MAX));
    }
    let pattern = |text: String| {
        PathPattern::try_from(text).map_err(|error| unusable(format!("what may be amended, and {error}")))
    };
    let allowed_paths = allowed_paths.into_iter().map(pattern).collect::<Result<_, _>>()?;
    Ok(AmendDescription { allowed_paths, demands: read_demands(demands)? })
}

fn read_demands(demands: Vec<wit_remarks::Demand>) -> Result<Vec<AmendDemand>, Failure> {
    if demands.len() > DEMANDS_MAX {
        return Err(Failure::Oversize("too many demands of amendments", DEMANDS_MAX));
    }
    let mut codes = BTreeSet::new();
    for demand in &demands {
        let is_within = |text: &str, max| !text.trim().is_empty() && text.chars().count() <= max;
        if !is_within(&demand.code, CODE_MAX) || !is_within(&demand.summary, SUMMARY_MAX) {
            return Err(unusable(format!(
                "a demand of an amendment has to have a code of 1 to {CODE_MAX} characters and a sentence of 1 to {SUMMARY_MAX}"
            )));
        }
        if !codes.insert(&demand.code) {
            return Err(unusable(format!(
                "there are two demands of amendments for the code '{}'",
                demand.code
            )));
        }
    }
    let demand = |demand: wit_remarks::Demand| {
        let wit_remarks::Demand { code, within_days, summary } = demand;
        AmendDemand { code, within_days, summary }
    };
    Ok(demands.into_iter().map(demand).collect())
}

pub(super) fn amendment(amendment: &RegimeAmendment) -> Result<wit::Amendment, Failure> {
    let RegimeAmendment { accepted, amended } = amendment;
    Ok(wit::Amendment { accepted: ask::invoice(accepted)?, amended: ask::invoice(amended)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(paths: &[&str]) -> Result<AmendDescription, Failure> {
        let allowed_paths = paths.iter().map(|path| (*path).to_owned()).collect();
        description(wit::Description { allowed_paths }, Vec::new())
    }

    #[test]
    fn paths_that_may_be_amended_are_bounded_patterns() {
        assert!(read(&["/notes", "/lines/*/description"]).is_ok());
        assert!(read(&vec!["/notes"; PATHS_MAX]).is_ok());
        assert!(matches!(read(&vec!["/notes"; PATHS_MAX + 1]), Err(Failure::Oversize(..))));
        assert!(matches!(read(&["notes"]), Err(Failure::Unusable(_))));
    }

    fn demand(code: &str) -> wit_remarks::Demand {
        let summary = "The recipient's number (act 1/2026).".to_owned();
        wit_remarks::Demand { code: code.to_owned(), within_days: Some(4), summary }
    }

    #[test]
    fn demands_are_bounded_and_each_is_for_a_code_of_its_own() {
        let codes = |count: usize| (0..count).map(|code| demand(&code.to_string())).collect::<Vec<_>>();
        let read = read_demands(codes(DEMANDS_MAX)).unwrap();
        assert_eq!((read.len(), read[7].code.as_str(), read[7].within_days), (DEMANDS_MAX, "7", Some(4)));
        assert!(matches!(read_demands(codes(DEMANDS_MAX + 1)), Err(Failure::Oversize(..))));
        for wrong in [vec![demand("2001"), demand("2001")], vec![demand(" ")], vec![demand(&"1".repeat(65))]]
        {
            assert!(matches!(read_demands(wrong), Err(Failure::Unusable(_))));
        }
    }
}
