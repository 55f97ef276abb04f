//! A document as a client sends it, and as another service shows it: checked before it becomes one of ours.

mod body;
mod form;
mod issued;
mod tax_check;

pub use body::{NotADocument, invoice_from_body};
pub use form::{
    AddressForm, CompanyForm, DocumentForm, ExtForm, IdentityForm, IndividualForm, LineForm, PaymentForm,
    PeriodForm, RecipientForm, RetentionForm, TaxForm, is_email,
};
pub use issued::IssuedDocumentForm;
pub use tax_check::TaxCheck;
