//! The recipient's electronic address as a structured document has it.

use super::identifier::Participant;
use serde::Deserialize;

/// What is read of a structured document.
#[derive(Deserialize)]
struct Structured {
    customer: Option<Customer>,
}

#[derive(Deserialize)]
struct Customer {
    #[serde(default)]
    inboxes: Vec<Inbox>,
}

/// `org.Inbox`.
#[derive(Deserialize)]
struct Inbox {
    #[serde(default)]
    scheme: String,
    #[serde(default)]
    code: String,
}

/// The participant that a structured document (JSON) is addressed to: the first inbox of the customer that has a scheme of the list EAS.
/// None where it has no such inbox, as one for electronic mail.
pub fn recipient_address(structured: &str) -> Option<Participant> {
    // Whatever else it is, it is addressed to nobody.
    let document: Structured = serde_json::from_str(structured).ok()?;
    let inboxes = document.customer?.inboxes;
    inboxes.iter().find_map(|inbox| Participant::new(&inbox.scheme, inbox.code.trim()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn address(document: &Value) -> Option<String> {
        recipient_address(&document.to_string()).map(|participant| participant.value().to_owned())
    }

    #[test]
    fn the_inbox_of_the_customer_is_the_address() {
        let inboxes = json!([{"email": "a@b.eu"}, {"scheme": "0088", "code": "5790000435968"}]);
        let supplier = json!({"inboxes": [{"scheme": "9920", "code": "ESB17002288"}]});
        let document = json!({"supplier": supplier, "customer": {"name": "Client", "inboxes": inboxes}});
        assert_eq!(address(&document).as_deref(), Some("0088:5790000435968"));
    }

    #[test]
    fn a_document_without_one_is_addressed_to_nobody() {
        for document in [
            json!({}),
            json!({"customer": null}),
            json!({"customer": {"name": "Client"}}),
            json!({"customer": {"inboxes": [{"email": "a@b.eu"}]}}),
            json!({"customer": {"inboxes": [{"key": "peppol", "code": "1"}]}}),
            json!({"customer": "Client"}),
            json!([]),
        ] {
            assert_eq!(address(&document), None, "{document}");
        }
        assert_eq!(recipient_address("{"), None);
    }
}
