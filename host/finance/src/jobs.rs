//! The jobs that finance queues. How each is run is where its work is: `submission/steps`, and `invoice_data/remote`.

use gateway_domain::ids::InvoiceId;

/// Moves the submission of a document until it has to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SubmitDocument(pub(crate) InvoiceId);

/// Asks how the attempts of a document ended that count no more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchAttempts(pub(crate) InvoiceId);

/// Goes on with the intent of a document, which a request or a process left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResumeIntent(pub(crate) InvoiceId);
