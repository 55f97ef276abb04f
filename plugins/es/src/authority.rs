//! The tax agency's error codes in words for people.
//!
//! The wording is ours. What a code does is its [`Effect`].

/// What a code does to the records it complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The whole message is refused: the agency looked at no record in it (4xxx, 35xx).
    RefusesMessage,
    /// This record is refused, others in the same message are not (1xxx, 3xxx).
    RefusesRecord,
    /// The record is accepted; its errors should be amended (2xxx).
    AcceptsWithErrors,
}

/// Codes in ascending order, with what the agency objects to.
const MEANINGS: &[(&str, &str)] = &[
    ("1100", "A field of the record has a wrong value or type."),
    ("1101", "The country code is wrong."),
    ("1102", "The type of the identity document is wrong."),
    ("1103", "The identity number is wrong; an EU VAT number must be registered in VIES."),
    ("1104", "The invoice number is wrong."),
    ("1105", "The issue date is wrong."),
    ("1106", "The document type is not one the agency knows."),
    ("1107", "The type of correction is wrong."),
    ("1108", "The issuer's NIF differs from the one of the reporting taxpayer."),
    ("1109", "A NIF is not in the agency's census."),
    ("1110", "The NIF is not in the agency's census; check it together with the name."),
    ("1111", "The country of the identity document is missing; only EU VAT numbers may go without."),
    ("1112", "The issue date lies in the future."),
    ("1114", "A corrective invoice needs the type of correction."),
    ("1115", "Only a corrective invoice may carry a type of correction."),
    ("1116", "Only a replacement invoice (F3) may list replaced invoices."),
    ("1117", "Only a corrective invoice may list corrected invoices."),
    ("1118", "A correction by substitution needs the amounts it replaces."),
    ("1119", "Only a correction by substitution may carry replaced amounts."),
    ("1121", "The identity number is not in the agency's census."),
    ("1122", "The country does not match the first two letters of the identity number."),
    ("1123", "The NIF is malformed."),
    ("1124", "The tax rate is not one the agency accepts."),
    ("1125", "The operation date is too late."),
    (
        "1126",
        "A Spanish recipient can only be identified by NIF, by passport or as not registered in the census.",
    ),
    ("1127", "The equivalence surcharge is not one the agency accepts."),
    ("1130", "The invoice number contains characters the agency refuses."),
    ("1131", "Identification as not registered in the census needs the NIF of a natural person."),
    ("1133", "The issue date is more than twenty years ago."),
    ("1134", "The operation date is more than twenty years ago."),
    ("1138", "The mark for large amounts must be set for totals of 100,000,000 and more."),
    ("1139", "The mark for large amounts must not be set for totals below 100,000,000."),
    ("1140", "The tax and its base at cost must have the same sign."),
    ("1142", "The tax does not match base and rate."),
    ("1143", "The tax and its base must have the same sign."),
    ("1144", "The tax does not match base at cost and rate."),
    ("1145", "A date is malformed."),
    (
        "1146",
        "The issue date lies before the operation date, which only works contracts and continuing supplies allow.",
    ),
    ("1147", "Certified works (regime 14) need an operation date after the issue date."),
    ("1148", "Certified works (regime 14) go on invoices (F1) and their corrections only."),
    ("1149", "Certified works (regime 14) go to public bodies only, whose NIF begins with P, Q, S or V."),
    ("1150", "A simplified invoice above 3,000 EUR needs an authorisation."),
    ("1151", "The mark for invoices issued by others must say third party or recipient."),
    ("1152", "The issue date lies before 28 October 2024, the first day the system takes."),
    ("1153", "A record that was rejected before must be sent as a correction."),
    ("1156", "The document type does not go together with an EU VAT number."),
    ("1161", "A record marked as rejected before must also be marked as a correction."),
    ("1173", "Only works contracts and continuing supplies may have a future operation date."),
    ("1181", "The classification of the operation is wrong."),
    ("1182", "The reason for the exemption is wrong."),
    ("1183", "This document type cannot be marked as a simplified invoice with recipient."),
    ("1185", "Only a simplified invoice may go without identifying the recipient."),
    ("1188", "The third party's NIF must differ from the issuer's."),
    ("1189", "This document type needs a recipient."),
    ("1190", "A simplified invoice must not name a recipient."),
    ("1191", "This correction needs a recipient with NIF or one not registered in the census."),
    (
        "1192",
        "This correction needs a recipient with NIF, EU VAT number or one not registered in the census.",
    ),
    ("1193", "The recipient's NIF must be known to the agency and differ from the issuer's."),
    ("1194", "The tax rate was not in force on the date of the operation."),
    ("1195", "A row of the breakdown has neither a classification nor an exemption."),
    ("1196", "A row of the breakdown has both a classification and an exemption."),
    ("1197", "Reverse charge does not go together with this document type."),
    ("1198", "Reverse charge needs a rate and a tax of zero."),
    ("1199", "The general regime does not allow exports as exemption."),
    ("1200", "The regime of used goods (03) is for what is taxed only."),
    ("1201", "The regime of investment gold (04) is for reverse charge and exemptions only."),
    (
        "1202",
        "The regime of groups of entities (06) needs a base at cost and no simplified or replacement invoice.",
    ),
    ("1203", "The cash basis (regime 07) is for what is taxed, or exempt inside the country."),
    (
        "1205",
        "Collections for third parties (regime 10) are outside the scope (N1), on an invoice (F1) to a recipient with NIF.",
    ),
    ("1206", "Rent of business premises (regime 11) has a rate of 21 %."),
    ("1207", "Only taxed operations may carry a tax amount."),
    ("1208", "A taxed operation needs rate and tax."),
    ("1210", "The total does not match the breakdown."),
    ("1216", "The total tax does not match the breakdown."),
    ("1232", "The identity type is not allowed for a recipient in Spain."),
    ("1233", "The identity type is not allowed for a recipient in Spain."),
    ("1234", "The identity type is not allowed for a recipient in Spain."),
    ("1235", "The tax rate was not in force on the date of the operation."),
    ("1236", "The tax rate was not in force on the date of the operation."),
    ("1237", "An operation outside the scope of VAT must not carry rate, tax or surcharge."),
    ("1238", "An exempt operation must not carry rate, tax or surcharge."),
    ("1239", "The recipient block is wrong."),
    ("1245", "VAT and IGIC need a regime code."),
    ("1246", "The regime code is wrong."),
    ("1252", "What another territory taxes (regime 08) is outside the scope by the place of supply (N2)."),
    ("1254", "A VAT number of Northern Ireland is not valid before 2021."),
    ("1255", "A VAT number of Great Britain is not valid after the United Kingdom left the EU."),
    ("1257", "Only groups, IPSI and other taxes may carry a base at cost."),
    ("1260", "Only VAT and IGIC may carry a regime code."),
    ("1262", "The fingerprint has a wrong length."),
    ("1263", "The type of the fingerprint is wrong."),
    ("1269", "The reference to the previous record is wrong."),
    ("1278", "The previous record's fingerprint equals this record's."),
    ("1279", "Equivalence surcharges belong to their own regime."),
    ("1280", "The equivalence surcharge regime needs surcharges."),
    ("1282", "A natural person needs a name beside the NIF."),
    ("1283", "A natural person needs a name beside the NIF."),
    ("1286", "The regime of exports (02) is for exemptions only."),
    ("1293", "What IPSI is charged on (regime 20 of IGIC) is outside the scope by the place of supply (N2)."),
    ("2000", "The agency computed another fingerprint."),
    ("2001", "The recipient's NIF is not in the agency's census."),
    ("2002", "The previous record's fingerprint has a wrong length."),
    ("2003", "The previous record's fingerprint has wrong characters."),
    ("2004", "The record's time differs from the agency's by more than four minutes."),
    ("2005", "The total does not match the breakdown."),
    ("2006", "The total tax does not match the breakdown."),
    ("2007", "The record claims to be the first, but the agency knows earlier ones."),
    ("2008", "The previous record's fingerprint equals this record's."),
    ("3000", "The agency already has an invoice of this issuer with the same number and date."),
    ("3001", "The record was cancelled before."),
    (
        "3002",
        "The agency has no such record: an accepted invoice cannot be changed; issue a credit note (R4) and then a new \
         invoice (F1).",
    ),
    ("3003", "The sender may not change this record."),
    ("3004", "The record was made in the agency's web form and cannot be changed here."),
    ("3500", "The agency had a technical problem with the integrity of its data."),
    ("3501", "The agency had a technical problem with its database."),
    ("3503", "The invoice does not belong to the registered holder."),
    ("4102", "A mandatory field is missing in the message to the agency."),
    ("4103", "The agency could not read the message."),
    ("4104", "The agency does not know the issuer's NIF together with this name."),
    ("4105", "The agency does not know the representative's NIF."),
    ("4106", "A date in the message is malformed."),
    ("4107", "A NIF in the message is not in the agency's census."),
    ("4109", "A NIF in the message is malformed."),
    ("4112", "The certificate's holder may not report for this issuer."),
    ("4113", "The message has too many records in one block."),
    ("4114", "The message has too many invoices; the limit is 1000."),
    ("4115", "The issuer's NIF is wrong."),
    ("4116", "The issuer's NIF is malformed."),
    ("4117", "The representative's NIF is malformed."),
    ("4119", "The message has characters that are not UTF-8."),
    ("4120", "The last day of VERI*FACTU must be 31 December of this year or the last."),
    ("4123", "The representative's NIF is not in the agency's census."),
    ("4124", "The representative's name is not in the agency's census."),
    ("4126", "Fields of an official request are only for systems without VERI*FACTU."),
    ("4127", "Fields of an official request are only for systems without VERI*FACTU."),
    ("4128", "Fields of an official request are only for systems without VERI*FACTU."),
    ("4129", "Fields of an official request are only for systems without VERI*FACTU."),
    ("4130", "Fields of an official request are only for systems without VERI*FACTU."),
    ("4131", "Fields of an official request are only for systems without VERI*FACTU."),
    ("4134", "The agency's service is not active."),
    ("4136", "The invoice record is missing or misplaced."),
    ("4137", "The cancellation record is missing or misplaced."),
    ("4138", "The message is empty."),
    ("4139", "The agency's service is not open for production."),
];

/// What the agency objects to, in one sentence. None for a code it has not documented.
pub fn meaning(code: &str) -> Option<&'static str> {
    let at = MEANINGS.binary_search_by(|(known, _)| (*known).cmp(code)).ok()?;
    MEANINGS.get(at).map(|(_, meaning)| *meaning)
}

/// [`meaning`], or a sentence that holds for any code.
pub fn explain(code: &str) -> &'static str {
    let accepted = "The tax agency accepted the invoice with a remark.";
    let refused = "The tax agency refused the invoice.";
    meaning(code).unwrap_or(if accepts(code) { accepted } else { refused })
}

/// Whether a text has the form of the agency's codes: four digits.
pub fn is_code(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The codes of the agency's list, in ascending order.
pub fn codes() -> impl Iterator<Item = &'static str> {
    MEANINGS.iter().map(|(code, _)| *code)
}

/// What a code does. One that the agency has not documented refuses the record.
pub fn effect(code: &str) -> Effect {
    match code.as_bytes() {
        [b'2', _, _, _] if is_code(code) => Effect::AcceptsWithErrors,
        [b'4', ..] | [b'3', b'5', ..] if is_code(code) => Effect::RefusesMessage,
        _ => Effect::RefusesRecord,
    }
}

/// Whether the agency accepted the record despite this code (2000 to 2999).
pub fn accepts(code: &str) -> bool {
    effect(code) == Effect::AcceptsWithErrors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_so_every_code_is_found() {
        assert!(MEANINGS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(MEANINGS.iter().all(|(code, text)| is_code(code) && meaning(code) == Some(*text)));
    }

    #[test]
    fn every_meaning_is_a_sentence() {
        for (code, text) in MEANINGS {
            assert!(text.ends_with('.') && text.starts_with(char::is_uppercase), "{code}: {text}");
        }
    }

    #[test]
    fn only_codes_from_2000_on_accept() {
        assert!(accepts("2001") && accepts("2999"));
        assert!(!accepts("3002") && !accepts("200") && !accepts("2abc"));
        assert_eq!(explain("1999"), "The tax agency refused the invoice.");
        assert_eq!(explain("2999"), "The tax agency accepted the invoice with a remark.");
    }

    #[test]
    fn every_code_of_the_agencys_list_is_known_with_its_effect() {
        let Some(folder) = std::env::var_os("AEAT_XSD") else {
            eprintln!("did not run: AEAT_XSD names no folder with the agency's list of codes");
            return;
        };
        let list = std::fs::read_to_string(std::path::Path::new(&folder).join("../errors.tsv")).unwrap();
        let mut listed = Vec::new();
        for row in list.lines().skip(1) {
            let (codes, rest) = row.split_once('\t').unwrap();
            let (named, _) = rest.split_once('\t').unwrap();
            let expected = match named {
                "reject-submission" => Effect::RefusesMessage,
                "reject-record" => Effect::RefusesRecord,
                "accept-with-errors" => Effect::AcceptsWithErrors,
                other => panic!("{other}"),
            };
            for code in expanded(codes) {
                assert!(meaning(&code).is_some(), "{code} has no meaning");
                assert_eq!(effect(&code), expected, "{code}");
                listed.push(code);
            }
        }
        for (code, _) in MEANINGS {
            let is_known = UNLISTED.contains(code) || listed.iter().any(|known| known == code);
            assert!(is_known, "{code} is not in the list");
        }
    }

    /// Codes of the agency's own `errores.properties` that the list leaves out.
    const UNLISTED: [&str; 13] = [
        "1134", "1147", "1148", "1149", "1200", "1201", "1202", "1203", "1205", "1206", "1252", "1286",
        "1293",
    ];

    /// `4126-4131` and `1138/1139` stand for several codes.
    fn expanded(codes: &str) -> Vec<String> {
        match codes.split_once('-') {
            Some((first, last)) => {
                let (first, last): (u32, u32) = (first.parse().unwrap(), last.parse().unwrap());
                (first..=last).map(|code| code.to_string()).collect()
            }
            None => codes.split('/').map(str::to_owned).collect(),
        }
    }

    #[test]
    fn the_first_digits_tell_the_effect() {
        let effects = ["4102", "3500", "3503", "1110", "3000", "2004", "9999", "abc"].map(effect);
        let (message, record) = (Effect::RefusesMessage, Effect::RefusesRecord);
        let accepted = Effect::AcceptsWithErrors;
        assert_eq!(effects, [message, message, message, record, record, accepted, record, record]);
    }
}
