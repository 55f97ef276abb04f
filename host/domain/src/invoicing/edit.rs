//! Edits that finance makes of a document's content: whom it is for, and the transactions it bills.
//!
//! A transaction is a billable entry of a booking; on the document it is a line that keeps the transaction's id.

use super::{Content, LINES_MAX, Line, Recipient};

/// Why an edit was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A line of this transaction exists already.
    #[error("the document bills this transaction already: update it instead")]
    TransactionExists,
    /// No line of this transaction exists.
    #[error("the document does not bill this transaction: add it instead")]
    TransactionUnknown,
    /// No document has more lines.
    #[error("a document has at most {LINES_MAX} lines: bill the transaction with another one")]
    TooManyLines,
}

/// The content for another recipient.
#[must_use]
pub fn set_recipient(mut content: Content, recipient: Recipient) -> Content {
    content.recipient = Some(recipient);
    content
}

/// The content with one more line.
pub fn add_line(mut content: Content, transaction: String, line: Line) -> Result<Content, EditError> {
    if position_of(&content, &transaction).is_some() {
        return Err(EditError::TransactionExists);
    }
    if content.lines.len() >= LINES_MAX {
        return Err(EditError::TooManyLines);
    }
    content.lines.push(Line { transaction_id: Some(transaction), ..line });
    Ok(content)
}

/// The content with another line in the place of the transaction's.
pub fn update_line(mut content: Content, transaction: String, line: Line) -> Result<Content, EditError> {
    let billed = content.lines.iter_mut().find(|line| line.transaction_id.as_ref() == Some(&transaction));
    *billed.ok_or(EditError::TransactionUnknown)? = Line { transaction_id: Some(transaction), ..line };
    Ok(content)
}

/// The content without the transaction's line.
pub fn remove_line(mut content: Content, transaction: &str) -> Result<Content, EditError> {
    let position_of = position_of(&content, transaction).ok_or(EditError::TransactionUnknown)?;
    content.lines.remove(position_of);
    Ok(content)
}

fn position_of(content: &Content, transaction: &str) -> Option<usize> {
    content.lines.iter().position(|line| line.transaction_id.as_deref() == Some(transaction))
}
