//! The messages of an invoice's life cycle: CDAR (D22B) from the platform to the supplier, one for each state.
//!
//! | state | comes from | message |
//! |---|---|---|
//! | deposited (200), sent, received, made available, rejected (213), wrong address (221), inadmissible (501) | a platform | transmission (305) |
//! | processed (204), approved, disputed (207), suspended, refused (210), paid (211) | the recipient | treatment (23) |
//!
//! An invoice that a platform took is deposited first, whatever comes next. What the supplier itself says, that something is complete
//! (209) or the payment is there (212), is no message to it. Each of them passes the rules of France (BR-FR-CDV).
//! A rejection has a status for each rule that the invoice breaks.

use einvoice_en16931::Invoice;
use einvoice_en16931::model::Party;
use einvoice_gobl::clock::central_europe;
use einvoice_plugin::{Answer, Outcome, ProviderFault};
use einvoice_xml::{Writer, document};

const NAMESPACES: [(&str, &str); 4] = [
    ("xmlns:rsm", "urn:un:unece:uncefact:data:standard:CrossDomainAcknowledgementAndResponse:100"),
    ("xmlns:ram", "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"),
    ("xmlns:udt", "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"),
    ("xmlns:qdt", "urn:un:unece:uncefact:data:standard:QualifiedDataType:100"),
];
/// Of exchanges between platforms.
const GUIDELINE: &str = "urn.cpro.gouv.fr:1p0:CDV:invoice";
/// UNTDID 1001 of a message about the transmission, and of one about the treatment.
const TRANSMISSION: &str = "305";
const TREATMENT: &str = "23";

/// A state of an invoice.
struct State {
    /// MDT-105.
    code: &'static str,
    /// MDT-106.
    label: &'static str,
    /// MDT-88: UNTDID 4405, where the examples of the specification have one.
    status: Option<&'static str>,
    /// Whether the recipient says it, not a platform.
    of_recipient: bool,
    /// MDT-113 of one that has to have a reason, where nobody gave another.
    reason: Option<&'static str>,
}

const fn state(
    code: &'static str,
    label: &'static str,
    status: Option<&'static str>,
    of_recipient: bool,
    reason: Option<&'static str>,
) -> State {
    State { code, label, status, of_recipient, reason }
}

const DEPOSITED: State = state("200", "Déposée", Some("10"), false, None);
const REFUSED: State = state("210", "Refusée", None, true, Some("NON_CONFORME"));
const REJECTED: State = state("213", "Rejetée", None, false, Some("REJ_SEMAN"));
const INADMISSIBLE: State = state("501", "Irrecevable", None, false, Some("IRR_SYNTAX"));

/// What may follow on a deposited invoice.
const LATER: [State; 9] = [
    state("201", "Émise", None, false, None),
    state("202", "Reçue", Some("43"), false, None),
    state("203", "Mise_à_disposition", Some("48"), false, None),
    state("204", "Prise_en_charge", Some("45"), true, None),
    state("205", "Approuvée", Some("1"), true, None),
    state("206", "Approuvée_partiellement", None, true, Some("AUTRE")),
    state("207", "En_litige", Some("46"), true, Some("AUTRE")),
    state("208", "Suspendue", None, true, Some("JUSTIF_ABS")),
    state("211", "Paiement_transmis", Some("47"), true, None),
];
const WRONG_ADDRESS: State = state("221", "Erreur_routage", None, false, Some("ROUTAGE_ERR"));

/// Reasons for which a recipient refuses an invoice (BR-FR-CDV-CL-09).
const OF_RECIPIENT: [&str; 10] = [
    "TX_TVA_ERR",
    "MONTANTTOTAL_ERR",
    "CALCUL_ERR",
    "NON_CONFORME",
    "DOUBLON",
    "DEST_ERR",
    "TRANSAC_INC",
    "EMMET_INC",
    "DOUBLE_FACT",
    "CMD_ERR",
];

/// Every message about an invoice, in the order of their arrival.
pub(super) fn messages(invoice: &Invoice, now: &str, outcome: &Outcome) -> Vec<Answer> {
    let code = outcome.faults.first().and_then(|fault| fault.code.as_deref()).unwrap_or_default();
    let message = |state: &State, reason| message(invoice, now, state, reason, &outcome.faults);
    if outcome.accepted {
        let not_sent = Some(code).filter(|code| *code == "NON_TRANSMISE");
        let later = LATER.iter().chain([&WRONG_ADDRESS]).find(|state| state.code == code);
        let later = later.map(|state| message(state, state.reason));
        return [message(&DEPOSITED, not_sent)].into_iter().chain(later).collect();
    }
    let given = |state: &State| if state.code == code { state.reason } else { Some(code) };
    match code {
        "210" => vec![message(&DEPOSITED, None), message(&REFUSED, given(&REFUSED))],
        reason if OF_RECIPIENT.contains(&reason) => {
            vec![message(&DEPOSITED, None), message(&REFUSED, Some(reason))]
        }
        reason if reason == "501" || reason.starts_with("IRR_") => {
            vec![message(&INADMISSIBLE, given(&INADMISSIBLE))]
        }
        reason if reason.starts_with("REJ_") || matches!(reason, "DEST_INC" | "ADR_ERR") => {
            vec![message(&REJECTED, Some(reason))]
        }
        // A rule of the format, or a reason that is of neither list.
        _ => vec![message(&REJECTED, REJECTED.reason)],
    }
}

fn message(
    invoice: &Invoice,
    now: &str,
    state: &State,
    reason: Option<&str>,
    faults: &[ProviderFault],
) -> Answer {
    let instant = digits(&central_europe(now).map_or_else(String::new, |local| local.to_string()), 14);
    let issued = digits(&invoice.issue_date, 8);
    let body = document("rsm:CrossDomainAcknowledgementAndResponse", &NAMESPACES, "ram", |xml| {
        xml.element("rsm:ExchangedDocumentContext", |xml| {
            xml.element("BusinessProcessSpecifiedDocumentContextParameter", |xml| {
                xml.text("ID", "REGULATED");
            });
            xml.element("GuidelineSpecifiedDocumentContextParameter", |xml| xml.text("ID", GUIDELINE));
        });
        xml.element("rsm:ExchangedDocument", |xml| {
            let (number, code, kind) = (&invoice.number, state.code, &invoice.type_code);
            xml.text("ID", &format!("{number}_{code}_{instant}#{kind}_{issued}"));
            moment(xml, "IssueDateTime", &instant);
            xml.element("SenderTradeParty", |xml| xml.text("RoleCode", "WK"));
            xml.element("IssuerTradeParty", |xml| {
                if state.of_recipient {
                    party(xml, &invoice.buyer, "BY");
                } else {
                    xml.text("RoleCode", "WK");
                }
            });
            xml.element("RecipientTradeParty", |xml| {
                party(xml, &invoice.seller, "SE");
                if let Some(endpoint) = &invoice.seller.endpoint {
                    xml.element("URIUniversalCommunication", |xml| {
                        xml.text_with("URIID", &[("schemeID", &endpoint.scheme)], &endpoint.id);
                    });
                }
            });
        });
        xml.element("rsm:AcknowledgementDocument", |xml| {
            xml.element("MultipleReferencesIndicator", |xml| xml.text("udt:Indicator", "false"));
            xml.text("TypeCode", if state.of_recipient { TREATMENT } else { TRANSMISSION });
            moment(xml, "IssueDateTime", &instant);
            xml.element("ReferenceReferencedDocument", |xml| {
                xml.text("IssuerAssignedID", &invoice.number);
                xml.optional("StatusCode", state.status);
                xml.text("TypeCode", &invoice.type_code);
                moment(xml, "ReceiptDateTime", &instant);
                xml.element("FormattedIssueDateTime", |xml| {
                    xml.text_with("qdt:DateTimeString", &[("format", "102")], &issued);
                });
                xml.text("ProcessConditionCode", state.code);
                xml.text("ProcessCondition", state.label);
                xml.element("IssuerTradeParty", |xml| global_id(xml, &invoice.seller));
                if let Some(reason) = reason {
                    statuses(xml, reason, faults);
                }
            });
        });
    });
    Answer::xml(format!("CDV-{}.xml", state.code), body)
}

/// One status for each fault, and one where there is none.
fn statuses(xml: &mut Writer, reason: &str, faults: &[ProviderFault]) {
    for at in 0..faults.len().max(1) {
        xml.element("SpecifiedDocumentStatus", |xml| {
            xml.text("ReasonCode", reason);
            xml.optional("Reason", faults.get(at).and_then(|fault| fault.message.as_deref()));
            xml.text("SequenceNumeric", &(at + 1).to_string());
        });
    }
}

fn party(xml: &mut Writer, party: &Party, role: &str) {
    global_id(xml, party);
    xml.text("Name", &party.name);
    xml.text("RoleCode", role);
}

/// What the party is registered under, else its electronic address: companies of other countries have no SIREN.
fn global_id(xml: &mut Writer, party: &Party) {
    let registered = party.legal_id.as_ref().map(|legal| (&legal.scheme, &legal.id));
    let reached = || party.endpoint.as_ref().map(|endpoint| (&endpoint.scheme, &endpoint.id));
    if let Some((scheme, id)) = registered.or_else(reached) {
        xml.text_with("GlobalID", &[("schemeID", scheme)], id);
    }
}

fn moment(xml: &mut Writer, name: &str, instant: &str) {
    xml.element(name, |xml| xml.text_with("udt:DateTimeString", &[("format", "204")], instant));
}

/// The first digits of a date or an instant: `20261120093000`.
fn digits(text: &str, count: usize) -> String {
    text.chars().filter(char::is_ascii_digit).take(count).collect()
}
