//! Which known name somebody probably meant who wrote an unknown one.

/// Longer names are not compared: nothing here is called so, and comparing takes a time that grows with the length.
const NAME_CHARS_MAX: usize = 64;

/// How many letters may differ, be missing, be too many or stand in each other's place, whatever their case.
const fn edits_max(chars: usize) -> usize {
    match chars {
        0..=4 => 1,
        5..=8 => 2,
        _ => 3,
    }
}

/// The known name that is nearest, if one is near.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let chars = name.chars().count();
    if chars > NAME_CHARS_MAX {
        return None;
    }
    let lower = name.to_lowercase();
    let distances =
        known.into_iter().map(|known| (strsim::osa_distance(&lower, &known.to_lowercase()), known));
    distances.filter(|(edits, _)| *edits <= edits_max(chars)).min().map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_near_when_few_letters_differ() {
        let known = ["id", "code", "status", "startDate", "endDate", "workspaceId", "ACTIVE", "INACTIVE"];
        for (name, expected) in [
            ("Id", Some("id")),
            ("ids", Some("id")),
            ("stauts", Some("status")),
            ("StartDat", Some("startDate")),
            ("start_date", Some("startDate")),
            ("workspaceID", Some("workspaceId")),
            ("workspace", Some("workspaceId")),
            ("active", Some("ACTIVE")),
            ("ACTVE", Some("ACTIVE")),
            ("name", None),
            ("x", None),
            ("begin", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
        assert_eq!(nearest(&"a".repeat(65), ["a".repeat(65).as_str()]), None);
    }
}
