//! What may be amended, out of the guest's own account of it, and what an amendment is made of.

use super::{ask, wit_amend as wit};
use crate::defect::{Failure, unusable};
use gateway_domain::regime::{AmendDescription, PathPattern, RegimeAmendment};

/// Patterns of one plugin.
const PATHS_MAX: usize = 100;

pub(super) fn description(description: wit::Description) -> Result<AmendDescription, Failure> {
    let wit::Description { allowed_paths } = description;
    if allowed_paths.len() > PATHS_MAX {
        return Err(Failure::Oversize("too many paths that may be amended", PATHS_MAX));
    }
    let pattern = |text: String| {
        PathPattern::try_from(text).map_err(|error| unusable(format!("what may be amended, and {error}")))
    };
    let allowed_paths = allowed_paths.into_iter().map(pattern).collect::<Result<_, _>>()?;
    Ok(AmendDescription { allowed_paths })
}

pub(super) fn amendment(amendment: &RegimeAmendment) -> Result<wit::Amendment, Failure> {
    let RegimeAmendment { accepted, amended } = amendment;
    Ok(wit::Amendment { accepted: ask::invoice(accepted)?, amended: ask::invoice(amended)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(paths: &[&str]) -> Result<AmendDescription, Failure> {
        description(wit::Description { allowed_paths: paths.iter().map(|path| (*path).to_owned()).collect() })
    }

    #[test]
    fn paths_that_may_be_amended_are_bounded_patterns() {
        assert!(read(&["/notes", "/lines/*/description"]).is_ok());
        assert!(read(&vec!["/notes"; PATHS_MAX]).is_ok());
        assert!(matches!(read(&vec!["/notes"; PATHS_MAX + 1]), Err(Failure::Oversize(..))));
        assert!(matches!(read(&["notes"]), Err(Failure::Unusable(_))));
    }
}
