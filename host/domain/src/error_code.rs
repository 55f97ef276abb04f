//! The codes of everything the gateway refuses: what a program tells apart, while sentences are for people.
//!
//! A code is given once and never changes its meaning. Codes of a plugin's faults are the plugin's own; why a submission
//! waits is an `AlertCode` (`gateway-domain-finance`).

codes! {
    /// Why the gateway refuses something.
    ErrorCode {
        // The request as a whole.
        /// The request cannot be understood as HTTP.
        RequestMalformed = "requestMalformed",
        /// There is nothing at this path.
        PathUnknown = "pathUnknown",
        /// The path does not take this method: the header Allow lists those it takes.
        MethodNotAllowed = "methodNotAllowed",
        /// The request did not arrive, or was not answered, in time: repeat it.
        RequestTimeout = "requestTimeout",
        /// Every place for a connection is taken: connect again after Retry-After.
        TooManyConnections = "tooManyConnections",
        /// The client sends more than its share: wait as long as Retry-After says.
        RateLimited = "rateLimited",
        /// The body is larger than the gateway takes: split it.
        BodyTooLarge = "bodyTooLarge",
        /// The body is empty and has to be there.
        BodyMissing = "bodyMissing",
        /// The body broke off or cannot be read: send it again.
        BodyUnreadable = "bodyUnreadable",
        /// The body is no JSON.
        BodyMalformed = "bodyMalformed",
        /// The body's media type or coding is another than the route takes.
        MediaTypeUnsupported = "mediaTypeUnsupported",
        /// The answer cannot have the form that Accept asks for.
        NotAcceptable = "notAcceptable",
        /// The query string cannot be read.
        QueryMalformed = "queryMalformed",
        /// The query asks for too much at once: ask for smaller pages or fewer fields.
        QueryTooComplex = "queryTooComplex",
        /// The query does not fit the schema.
        QueryInvalid = "queryInvalid",
        /// No query is kept under this hash, or no longer: send its text with the hash.
        PersistedQueryNotFound = "persistedQueryNotFound",
        /// The hash is not that of the query.
        PersistedQueryMismatch = "persistedQueryMismatch",
        /// Who calls is not known: the token or the secret is missing, wrong or expired.
        Unauthenticated = "unauthenticated",
        /// The client lacks the permission that the operation needs.
        PermissionMissing = "permissionMissing",
        /// The Idempotency-Key is no key: use 1 to 255 visible characters.
        IdempotencyKeyInvalid = "idempotencyKeyInvalid",
        /// The Idempotency-Key was used for another request.
        IdempotencyKeyReused = "idempotencyKeyReused",
        /// The same request is being carried out: repeat it in a moment.
        RequestInProgress = "requestInProgress",
        /// The request was begun under this Idempotency-Key before, and its answer is not known: look at what it changed, or take a new key.
        AnswerNotKept = "answerNotKept",
        /// The gateway failed: tell its operator the request id.
        Internal = "internal",
        /// The gateway cannot answer at this moment: repeat the request after Retry-After.
        Unavailable = "unavailable",
        /// The remote invoice data service does not answer: look at the document and try again.
        InvoicingUnavailable = "invoicingUnavailable",
        /// The remote invoice data service gave no usable answer: tell the operator the request id.
        InvoicingProtocol = "invoicingProtocol",
        /// The remote invoice data service refused, without a code that this gateway knows.
        InvoicingRefused = "invoicingRefused",

        // Members of a body, parameters of a query.
        /// The member is needed and is missing or empty.
        Required = "required",
        /// There is no such member or parameter here.
        UnknownMember = "unknownMember",
        /// It is given twice where once is meant.
        GivenTwice = "givenTwice",
        /// It is of another JSON type than it has to be.
        WrongType = "wrongType",
        /// It is not written as its kind of value is: a date, an id, an amount, an address.
        InvalidFormat = "invalidFormat",
        /// It is none of the values that are known here.
        NotOneOf = "notOneOf",
        /// It holds characters that may not stand there, such as control characters.
        InvalidCharacters = "invalidCharacters",
        /// The text is longer than it may be.
        TooLong = "tooLong",
        /// The list or the object has more members than it may have.
        TooMany = "tooMany",
        /// The number or the date lies outside of what is allowed.
        OutOfRange = "outOfRange",
        /// It lies in the future.
        InTheFuture = "inTheFuture",
        /// The end lies before its start.
        EndBeforeStart = "endBeforeStart",
        /// It does not go with what else is given.
        NotTogether = "notTogether",
        /// It is set by the gateway and cannot be changed.
        ReadOnly = "readOnly",
        /// It names something that does not exist, or that the client may not see.
        NotFound = "notFound",
        /// The cursor or the position belongs to no page of this list.
        CursorInvalid = "cursorInvalid",
        /// The same is there already.
        AlreadyExists = "alreadyExists",
        /// Its state does not allow this.
        StateConflict = "stateConflict",
        /// It changed since it was read: read it again and decide anew.
        Stale = "stale",

        // Documents and commands.
        /// The renderer does not take the document: the sentence has its own code.
        RenderingRefused = "renderingRefused",
        /// There is no such document, or it was deleted.
        DocumentGone = "documentGone",
        /// The document waits for the tax authority: wait for its verdict.
        DocumentLockedWhileIssuing = "documentLockedWhileIssuing",
        /// The document is issued and cannot be changed: correct it with a credit note.
        DocumentAlreadyIssued = "documentAlreadyIssued",
        /// The document is not issued: issue it first.
        DocumentNotIssued = "documentNotIssued",
        /// Only a draft takes this.
        DocumentNotADraft = "documentNotADraft",
        /// The document is not at the tax authority: issue it first.
        DocumentNotIssuing = "documentNotIssuing",
        /// The content of the document cannot be changed in its state.
        DocumentLocked = "documentLocked",
        /// The document is in another state than the step needs.
        DocumentWrongState = "documentWrongState",
        /// A document without lines cannot be issued.
        DocumentWithoutLines = "documentWithoutLines",
        /// The document was not converted yet, so there is no structured document to show.
        DocumentNotConverted = "documentNotConverted",
        /// The gateway submits documents itself: retry the submission instead.
        CommandDispatchedInternally = "commandDispatchedInternally",
        /// There is no command of this name.
        CommandUnknown = "commandUnknown",
        /// The form of the command has mistakes, which the errors name.
        CommandInvalid = "commandInvalid",
        /// Another command on the document is on its way: repeat it in a moment.
        CommandInProgress = "commandInProgress",
        /// The tax system's check found faults, which are listed; the document is unchanged and used no number.
        PreflightFailed = "preflightFailed",
        /// No plugin for the tax regime of the workspace is active.
        RegimeNotActive = "regimeNotActive",
        /// The plugin of the tax regime failed on the document: activate a version that does not.
        PluginFailed = "pluginFailed",
        /// The workspace sends nothing to a tax authority: configure it for e-invoicing.
        EInvoicingNotConfigured = "eInvoicingNotConfigured",
        /// A document of this type does not go to the tax authority.
        InvoiceInvalidDocumentType = "invoiceInvalidDocumentType",
        /// The number was given already.
        InvoiceNumberGiven = "invoiceNumberGiven",
        /// The document was never sent under this number.
        InvoiceNumberUnknown = "invoiceNumberUnknown",
        /// The provider holds invoices of this supplier, and the workspace has given no number yet: set its next number first.
        InvoiceNumbersFiledBefore = "invoiceNumbersFiledBefore",
        /// Numbers of the series before this one are missing: import them first, or say that they were never used.
        InvoiceNumberLeavesGap = "invoiceNumberLeavesGap",
        /// The figures that are stated are not what the lines come to.
        TotalsDiffer = "totalsDiffer",
        /// Later numbers of the series were given meanwhile.
        SeriesMovedOn = "seriesMovedOn",
        /// The corrective waits until the document that it corrects is settled.
        CorrectiveBlocked = "correctiveBlocked",
        /// More would be credited than is left of the original.
        CreditExceedsOriginal = "creditExceedsOriginal",
        /// The credit note names no issued invoice of its workspace.
        CreditOriginalInvalid = "creditOriginalInvalid",
        /// The document cannot be credited like this.
        CreditRefused = "creditRefused",
        /// The refund is not possible like this.
        RefundRefused = "refundRefused",
        /// The transaction cannot be added, changed or removed like this.
        TransactionRefused = "transactionRefused",
        /// The document has no record at a tax authority that can be amended, or its tax system takes none again: correct it as the sentence says.
        AmendNotOffered = "amendNotOffered",
        /// The member may not be amended: correct the document as the sentence says.
        AmendPathRefused = "amendPathRefused",
        /// The amendment changes nothing of the document.
        AmendUnchanged = "amendUnchanged",
        /// An amendment of the document is on its way: wait for its verdict.
        AmendUnderWay = "amendUnderWay",
        /// There is no amendment of the document that waits for somebody.
        AmendmentNotWaiting = "amendmentNotWaiting",
        /// The tax authority accepted an earlier number of the document: settle it first.
        AcceptedAfterAll = "acceptedAfterAll",
        /// An earlier attempt of the document is not settled yet.
        EarlierAttemptOpen = "earlierAttemptOpen",
        /// The submission does not wait for anybody, so there is nothing to retry or to settle.
        SubmissionNotWaiting = "submissionNotWaiting",
        /// There is no submission of such a document.
        SubmissionGone = "submissionGone",

        // Workspaces.
        /// It is no number pattern.
        NumberPatternInvalid = "numberPatternInvalid",
        /// Another series of the same supplier has, or had, such numbers: choose another pattern.
        SeriesConflict = "seriesConflict",
        /// The series was started, so its next number cannot be set any more.
        SeriesStarted = "seriesStarted",
        /// The settings do not fit the schema of the tax regime's plugin.
        SettingsInvalid = "settingsInvalid",
        /// No plugin serves the tax regime: use the key of one that is installed, or install its plugin first.
        RegimeUnknown = "regimeUnknown",
        /// The plugin of the tax regime does not take the tax id or the country of the supplier: correct the workspace.
        SupplierRefused = "supplierRefused",
        /// The logo is no PNG that fits on a document: use another picture.
        LogoInvalid = "logoInvalid",
        /// The template does not fit the schema of the renderer.
        TemplateInvalid = "templateInvalid",

        // Webhooks.
        /// Nothing is sent to this address: it is no public address of a web server.
        WebhookUrlRefused = "webhookUrlRefused",
        /// The webhook is disabled: enable it first.
        WebhookDisabled = "webhookDisabled",

        // Plugins.
        /// The file is no plugin that this gateway takes.
        PluginRefused = "pluginRefused",
        /// The plugin is the same as one that is there, or another one has its name and version.
        PluginConflict = "pluginConflict",
        /// The plugin does not do what it says of itself, or answers its own samples otherwise.
        PluginUnusable = "pluginUnusable",

        // Money.
        /// The total is larger than a document may have.
        TotalTooLarge = "totalTooLarge",
        /// Prices that include tax need one tax category for all lines: make one document per category.
        TaxCategoriesMixed = "taxCategoriesMixed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_code_never_changes_its_meaning() {
        let rows: Vec<_> = ErrorCode::ALL.iter().map(|code| format!("{code}: {}", code.meaning())).collect();
        insta::assert_snapshot!(rows.join("\n"));
    }

    #[test]
    fn every_code_has_a_text_of_its_own_and_is_found_by_it() {
        let texts: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::parse(code.as_str()), Some(*code));
        }
    }
}
