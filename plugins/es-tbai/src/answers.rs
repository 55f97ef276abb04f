//! How the three treasuries answer.
//!
//! Araba and Gipuzkoa have codes of three digits, Bizkaia codes such as `B4_2000003`. The wording is ours.

use einvoice_es::interpret::Answers;

/// The stamp that carries the TicketBAI identifier.
pub const STAMP_CODE: &str = "tbai-code";
/// The stamp that carries the address where anybody verifies the invoice.
pub const STAMP_QR: &str = "tbai-qr";

/// How the treasuries answer.
pub const ANSWERS: Answers = Answers {
    authority: "TicketBAI",
    names: &["ticketbai", "tbai", "es-tbai"],
    qr: Some(STAMP_QR),
    hash: Some(STAMP_CODE),
    is_code,
    accepts,
    meaning,
};

/// Araba and Gipuzkoa: the invoice is received, but its chain is wrong.
pub(crate) const CHAIN: &str = "009";
/// Araba and Gipuzkoa: the invoice is received, but its data contradict what the treasury knows. Some of their answers
/// mean the chain by this.
const DATA: &str = "010";

/// Araba and Gipuzkoa: an invoice of this number and date is there already.
pub(crate) const DUPLICATE: &str = "005";
/// The same in Bizkaia.
pub(crate) const BIZKAIA_DUPLICATE: &str = "B4_2000003";
/// The same in Bizkaia, of a message that was taken before.
pub(crate) const BIZKAIA_REGISTERED: &str = "B4_1000005";
/// Araba and Gipuzkoa: something mandatory is missing.
pub(crate) const FIELD_MISSING: &str = "004";
/// The same in Bizkaia.
pub(crate) const BIZKAIA_FIELD_MISSING: &str = "B4_2000000";

/// Codes with what the treasury objects to.
const MEANINGS: &[(&str, &str)] = &[
    ("001", "The certificate of the sender is wrong; correct it at the provider."),
    ("002", "The record does not fit the treasury's schema; report it to the operator of the plugin."),
    ("003", "The invoice has no lines; add them."),
    (FIELD_MISSING, "A mandatory field is missing; complete the document."),
    (
        DUPLICATE,
        "The treasury already has an invoice with this number and date; issue it under another number.",
    ),
    ("006", "The service of the treasury is not available; retry later."),
    ("007", "The certificate of the sender is not valid; correct it at the provider."),
    ("008", "The signature of the record is wrong; sign it again at the provider."),
    (
        CHAIN,
        "The invoice is received, but the one before it in the chain is wrong or missing; have the provider send what \
         is missing.",
    ),
    (
        DATA,
        "The invoice is received, but its data contradict what the treasury knows; have the provider correct what it \
         sent.",
    ),
    ("011", "The data contradict a rule of the treasury; correct the document."),
    ("012", "The licence of the software is not valid in this province; ask the provider."),
    ("013", "The device that signs is not registered; register it at the treasury."),
    ("015", "The certificate of the sender has expired; renew it at the provider."),
    ("016", "The certificate that signs has expired; renew it at the provider."),
    ("017", "The message is too long; split the invoice."),
    ("018", "The treasury does not know the invoice; send it first."),
    ("019", "The invoice is cancelled already; issue a new one."),
    (
        "B4_1000001",
        "The message does not fit the treasury's schema; report it to the operator of the plugin.",
    ),
    ("B4_1000002", "The treasury refused every record of the message; correct what is said of each of them."),
    ("B4_1000003", "The treasury could not unpack the message; have the provider send it again."),
    ("B4_1000004", "The treasury has a technical problem; retry later."),
    (
        BIZKAIA_REGISTERED,
        "The treasury already has an invoice with this number and date; issue it under another number.",
    ),
    (
        "B4_1000006",
        "The register is not the one of this sort of taxpayer; check the workspace's tax id at the provider.",
    ),
    ("B4_1000021", "The year of the register is not the one of the invoice; check the issue date."),
    (
        "B4_1000022",
        "The message names another taxpayer than its sender; check the workspace's tax id at the provider.",
    ),
    (
        "B4_1000026",
        "The message is for another chapter of the register; report it to the operator of the plugin.",
    ),
    (
        "B4_1000030",
        "The message names the taxpayer otherwise than its sender; check the workspace's legal name.",
    ),
    (BIZKAIA_FIELD_MISSING, "A mandatory field is missing; complete the document."),
    ("B4_2000001", "The record does not fit the treasury's schema; report it to the operator of the plugin."),
    (
        "B4_2000002",
        "The issuer is not the taxpayer of the register; check the workspace's tax id at the provider.",
    ),
    (
        BIZKAIA_DUPLICATE,
        "The treasury already has an invoice with this number and date; issue it under another number.",
    ),
    ("B4_2000004", "The treasury has no such invoice to cancel; send it first."),
    ("B4_2000006", "The invoice is cancelled already; issue a new one."),
    ("B4_2000008", "The issue date lies in the future; use today's date."),
    ("B4_2000011", "The recipient's tax id is malformed; correct it."),
    ("B4_2000012", "The country of the recipient's identity document is missing; add it."),
    ("B4_2000013", "The recipient's tax id and its country do not fit together; correct one of them."),
    ("B4_2000016", "An invoice that corrects nothing names an invoice it corrects; leave the reference out."),
    ("B4_2000030", "Nothing in the invoice is taxed or exempt; check its lines."),
    ("B4_2000038", "The breakdown says neither goods nor services; check the lines."),
    ("B4_2000045", "The correction names no invoice that it corrects; refer to it."),
    ("B4_2000060", "The invoice before it in the chain is wrong or missing; sign it again at the provider."),
    ("B4_2000061", "The invoice before it in the chain is wrong or missing; sign it again at the provider."),
    ("B4_2000063", "The licence of the software is not registered; ask the provider."),
    ("B4_2000064", "The licence of the software is of another developer; ask the provider."),
    ("B4_2000065", "The licence of the software is of another developer; ask the provider."),
    ("B4_2000066", "The licence is of another software; ask the provider."),
    ("B4_2000070", "The signature or its certificate is wrong; sign it again at the provider."),
    ("B4_2000116", "The register has no such economic activity; correct the workspace's activity."),
];

fn is_code(code: &str) -> bool {
    let digits =
        |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(code, 3)
        || ["B4_", "N3_"].iter().any(|start| code.strip_prefix(start).is_some_and(|rest| digits(rest, 7)))
}

fn accepts(code: &str) -> bool {
    code == CHAIN || code == DATA
}

/// Every code that means something here.
pub fn codes() -> impl Iterator<Item = &'static str> {
    MEANINGS.iter().map(|(code, _)| *code)
}

fn meaning(code: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_es::interpret::interpret;
    use einvoice_plugin::{ProviderFault, ProviderResult, Stamp, Verdict};

    fn report(succeeded: bool, code: Option<&str>, stamped: bool) -> ProviderResult {
        let faults = code.map(|code| ProviderFault {
            provider: Some("ticketbai".to_owned()),
            code: Some(code.to_owned()),
            message: Some("Ez da posible".to_owned()),
            paths: Vec::new(),
        });
        let stamp =
            |provider: &str, value: &str| Stamp { provider: provider.to_owned(), value: value.to_owned() };
        let stamps =
            vec![stamp(STAMP_CODE, "TBAI-B98602642-201126-x-001"), stamp(STAMP_QR, "https://qr.example/")];
        ProviderResult {
            succeeded,
            faults: faults.into_iter().collect(),
            stamps: if stamped { stamps } else { Vec::new() },
            job: "{}".to_owned(),
            entry: "{}".to_owned(),
        }
    }

    #[test]
    fn both_stamps_prove_the_acceptance() {
        let Verdict::Accepted(acceptance) = interpret(&ANSWERS, &report(true, None, true)) else { panic!() };
        assert_eq!(acceptance.qr_url.as_deref(), Some("https://qr.example/"));
        assert_eq!(acceptance.tax_system_hash.as_deref(), Some("TBAI-B98602642-201126-x-001"));
        assert!(matches!(interpret(&ANSWERS, &report(true, None, false)), Verdict::Undecided(_)));
    }

    #[test]
    fn a_code_of_a_treasury_rejects_in_our_words_or_in_its_own() {
        for (code, reason) in [
            (
                "B4_2000003",
                "The treasury already has an invoice with this number and date; issue it under another number. (TicketBAI B4_2000003)",
            ),
            ("B4_2999999", "The tax agency refused the invoice. Ez da posible (TicketBAI B4_2999999)"),
            ("GOBL-ES-TBAI-BILL-INVOICE-07", "Ez da posible (GOBL-ES-TBAI-BILL-INVOICE-07)"),
        ] {
            let Verdict::Rejected(rejection) = interpret(&ANSWERS, &report(false, Some(code), true)) else {
                panic!()
            };
            assert_eq!((rejection.code.as_deref(), rejection.reason.as_str()), (Some(code), reason));
        }
    }

    #[test]
    fn a_wrong_chain_is_a_remark() {
        for code in [CHAIN, DATA] {
            let Verdict::Accepted(acceptance) = interpret(&ANSWERS, &report(true, Some(code), true)) else {
                panic!("{code}")
            };
            assert_eq!(acceptance.warnings[0].code, code);
        }
    }

    #[test]
    fn every_meaning_is_one_sentence_that_says_what_to_do() {
        for (code, text) in MEANINGS {
            let is_one_sentence = text.ends_with('.') && !text.contains(". ");
            assert!(is_one_sentence && text.contains("; "), "{code}: {text}");
        }
    }

    #[test]
    fn the_codes_are_unique() {
        let mut codes: Vec<_> = MEANINGS.iter().map(|(code, _)| *code).collect();
        assert!(codes.iter().all(|code| is_code(code)));
        codes.dedup();
        assert_eq!(codes.len(), MEANINGS.len());
    }
}
