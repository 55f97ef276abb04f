//! The commands of the finance service and the states that take them (specification, Rules 1 to 3).

use gateway_domain::ErrorCode;
use gateway_domain::invoicing::Status;
use gateway_domain::regime::RegimeDocumentKind;

/// A command on a document.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::EnumString,
)]
#[strum(serialize_all = "snake_case")]
pub enum Command {
    /// Makes a draft final, or sends it to the tax authority; resubmits a rejected document.
    Issue,
    /// Makes a credit note for an issued document.
    Credit,
    /// Records money returned.
    Refund,
    /// Cancels an issued document with a full credit note.
    Reverse,
    /// Deletes a draft.
    Delete,
    /// Changes whom the document is for.
    UpdateRecipient,
    /// Adds a line.
    AddTransaction,
    /// Removes a line.
    RemoveTransaction,
    /// Changes a line.
    UpdateTransaction,
    /// Dispatched by the gateway itself; refused from outside.
    SendToTaxAuthority,
    /// By hand: the authority accepted, under the present number or an earlier one.
    MarkAsAcceptedByTaxAuthority,
    /// By hand: the authority refused, or holds nothing under an earlier number.
    MarkAsRejectedByTaxAuthority,
    /// Files the record of an issued document again under its number.
    Amend,
    /// Gives the amendment up that waits for somebody.
    #[strum(serialize = "withdraw-amendment")]
    WithdrawAmendment,
}

impl Command {
    /// Every command.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in paths.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    /// Whether a document that waits for the tax authority takes it: only the two verdicts.
    pub const fn allowed_while_issuing(self) -> bool {
        match self {
            Self::MarkAsAcceptedByTaxAuthority | Self::MarkAsRejectedByTaxAuthority => true,
            Self::Issue
            | Self::Credit
            | Self::Refund
            | Self::Reverse
            | Self::Delete
            | Self::UpdateRecipient
            | Self::AddTransaction
            | Self::RemoveTransaction
            | Self::UpdateTransaction
            | Self::SendToTaxAuthority
            | Self::Amend
            | Self::WithdrawAmendment => false,
        }
    }
}

/// Why a document does not take a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// It waits for the tax authority.
    LockedWhileIssuing,
    /// It is final already.
    AlreadyIssued,
    /// It is not final yet.
    NotIssued,
    /// It is no draft.
    NotADraft,
    /// It is not at the tax authority.
    NotIssuing,
    /// The gateway does this itself.
    DispatchedInternally,
}

impl Refusal {
    /// For programs; [`Self::message`] tells people.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::LockedWhileIssuing => ErrorCode::DocumentLockedWhileIssuing,
            Self::AlreadyIssued => ErrorCode::DocumentAlreadyIssued,
            Self::NotIssued => ErrorCode::DocumentNotIssued,
            Self::NotADraft => ErrorCode::DocumentNotADraft,
            Self::NotIssuing => ErrorCode::DocumentNotIssuing,
            Self::DispatchedInternally => ErrorCode::CommandDispatchedInternally,
        }
    }

    /// One sentence with what to do next.
    pub const fn message(self) -> &'static str {
        match self {
            Self::LockedWhileIssuing => "the document waits for the tax authority: wait for its verdict",
            Self::AlreadyIssued => {
                "the document is issued and cannot be changed: correct it with a credit note"
            }
            Self::NotIssued => "the document is not issued: issue it first",
            Self::NotADraft => "only a draft takes this command",
            Self::NotIssuing => "the document is not at the tax authority: issue it first",
            Self::DispatchedInternally => {
                "the gateway submits documents itself: retry the submission instead of sending this command"
            }
        }
    }
}

/// Whether a document in `status` takes `command`; the whole table is a snapshot test.
pub const fn refusal(status: Status, command: Command) -> Option<Refusal> {
    use Command as C;
    match status {
        Status::Issuing => {
            if command.allowed_while_issuing() {
                None
            } else {
                Some(Refusal::LockedWhileIssuing)
            }
        }
        Status::Draft => match command {
            C::Issue
            | C::Delete
            | C::UpdateRecipient
            | C::AddTransaction
            | C::RemoveTransaction
            | C::UpdateTransaction => None,
            C::Credit | C::Refund | C::Reverse | C::Amend | C::WithdrawAmendment => Some(Refusal::NotIssued),
            C::SendToTaxAuthority => Some(Refusal::DispatchedInternally),
            C::MarkAsAcceptedByTaxAuthority | C::MarkAsRejectedByTaxAuthority => Some(Refusal::NotIssuing),
        },
        Status::Issued => match command {
            C::Credit | C::Refund | C::Reverse | C::Amend | C::WithdrawAmendment => None,
            C::Issue
            | C::Delete
            | C::UpdateRecipient
            | C::AddTransaction
            | C::RemoveTransaction
            | C::UpdateTransaction => Some(Refusal::AlreadyIssued),
            C::SendToTaxAuthority => Some(Refusal::DispatchedInternally),
            C::MarkAsAcceptedByTaxAuthority | C::MarkAsRejectedByTaxAuthority => Some(Refusal::NotIssuing),
        },
        Status::Rejected => match command {
            // A rejected document is edited in place and resubmitted; it is never deleted (Rules 2).
            C::Issue
            | C::UpdateRecipient
            | C::AddTransaction
            | C::RemoveTransaction
            | C::UpdateTransaction => None,
            C::Delete => Some(Refusal::NotADraft),
            C::Credit | C::Refund | C::Reverse | C::Amend | C::WithdrawAmendment => Some(Refusal::NotIssued),
            C::SendToTaxAuthority => Some(Refusal::DispatchedInternally),
            C::MarkAsAcceptedByTaxAuthority => Some(Refusal::NotIssuing),
            // The reject RPC is idempotent, and so is the command behind it.
            C::MarkAsRejectedByTaxAuthority => None,
        },
    }
}

/// Which way a document is issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Draft to issued, nobody is told.
    Standard,
    /// Through the tax authority.
    TaxAuthority,
}

/// Which way a document goes. `taken` are the kinds that the workspace's tax regime takes; none when the workspace
/// sends nothing to a tax authority. An invoice of a configured workspace never takes the standard way: when its
/// regime is away or refuses it, it waits or is refused.
pub fn eligibility(kind: Option<RegimeDocumentKind>, taken: Option<&[RegimeDocumentKind]>) -> Route {
    match (kind, taken) {
        (None, _) | (_, None) => Route::Standard,
        (Some(RegimeDocumentKind::CreditNote | RegimeDocumentKind::DebitNote), Some(taken)) => {
            if kind.is_some_and(|kind| taken.contains(&kind)) { Route::TaxAuthority } else { Route::Standard }
        }
        (
            Some(
                RegimeDocumentKind::Invoice
                | RegimeDocumentKind::SimplifiedInvoice
                | RegimeDocumentKind::ReplacementInvoice,
            ),
            Some(_),
        ) => Route::TaxAuthority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_by_command_table_is_the_one_of_the_specification() {
        let mut table = String::new();
        for &command in Command::ALL {
            let cells: Vec<_> = Status::ALL
                .iter()
                .map(|status| refusal(*status, command).map_or("yes", |refusal| refusal.code().as_str()))
                .map(|cell| format!("{cell:28}"))
                .collect();
            table.push_str(format!("{:34}{}", command.as_str(), cells.concat()).trim_end());
            table.push('\n');
        }
        insta::assert_snapshot!(table);
    }

    #[test]
    fn while_issuing_only_the_two_verdicts_are_taken() {
        for &command in Command::ALL {
            let verdict = command.as_str().starts_with("mark_as_");
            assert_eq!(refusal(Status::Issuing, command).is_none(), verdict, "{command:?}");
        }
    }

    #[test]
    fn every_command_is_found_by_its_name() {
        for &command in Command::ALL {
            assert_eq!(Command::parse(command.as_str()), Some(command));
        }
        assert_eq!(Command::parse("Issue"), None);
    }

    #[test]
    fn invoices_of_a_configured_workspace_go_to_the_tax_authority_and_credit_notes_where_they_are_taken() {
        use RegimeDocumentKind as K;
        for kind in [None, Some(K::Invoice), Some(K::SimplifiedInvoice), Some(K::CreditNote)] {
            assert_eq!(eligibility(kind, None), Route::Standard);
        }
        assert_eq!(eligibility(Some(K::Invoice), Some(&[])), Route::TaxAuthority);
        assert_eq!(eligibility(Some(K::SimplifiedInvoice), Some(&[K::Invoice])), Route::TaxAuthority);
        assert_eq!(eligibility(Some(K::CreditNote), Some(&[K::Invoice])), Route::Standard);
        assert_eq!(eligibility(Some(K::CreditNote), Some(&[K::CreditNote])), Route::TaxAuthority);
        assert_eq!(eligibility(None, Some(&[K::CreditNote])), Route::Standard);
    }
}
