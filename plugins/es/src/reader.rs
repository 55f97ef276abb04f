//! How a stand-in authority reads and writes what it is handed, and what it says when it cannot.

use einvoice_plugin::{Fault, Faults};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A plugin's words and code for what its authority cannot read.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// The code of the fault.
    pub code: &'static str,
    /// What it should have been, with its article: `a TicketBAI document`.
    pub document: &'static str,
}

impl Reader {
    /// The fault for a text of which `why` tells what is wrong.
    pub fn unreadable(self, why: &str) -> Faults {
        let message =
            format!("The sandbox cannot read this as {} ({why}); send what the plugin made.", self.document);
        vec![Fault::error(self.code, "", message)]
    }

    /// The record that the authority kept of an earlier document, if it did.
    pub fn record<T: DeserializeOwned>(self, record: Option<&str>) -> Result<Option<T>, Faults> {
        let fault = |error: serde_json::Error| self.unreadable(&format!("the previous record: {error}"));
        record.map(serde_json::from_str).transpose().map_err(fault)
    }

    /// A record or an answer as JSON.
    pub fn written(self, answer: &impl Serialize) -> Result<String, Faults> {
        serde_json::to_string(answer).map_err(|error| self.unreadable(&error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named() {
        let reader = Reader { code: "X-1", document: "a document of X" };
        let faults = reader.record::<u8>(Some("{}")).unwrap_err();
        let [fault] = faults.as_slice() else { panic!("{faults:?}") };
        assert_eq!(fault.code, "X-1");
        assert!(
            fault
                .message
                .starts_with("The sandbox cannot read this as a document of X (the previous record: "),
            "{}",
            fault.message
        );
    }
}
