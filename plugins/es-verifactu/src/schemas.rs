//! Names and words of the agency's schemas that its messages and its list of records share.

/// What the namespaces of the agency's schemas begin with.
pub(crate) const NAMESPACE: &str = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/";
/// Of the envelope (SOAP 1.1).
pub(crate) const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";

/// How the agency's state of a record is written in answers to questions, and in those to messages.
pub(crate) const ACCEPTED: [&str; 2] = ["Correcto", "Correcta"];
pub(crate) const ACCEPTED_WITH_ERRORS: [&str; 2] = ["AceptadoConErrores", "AceptadaConErrores"];
pub(crate) const CANCELLED: [&str; 2] = ["Anulado", "Anulada"];
