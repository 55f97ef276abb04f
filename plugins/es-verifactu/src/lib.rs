//! es-verifactu
use einvoice_plugin::*;
struct Nowhere;
impl Country for Nowhere {
    fn describe() -> Description { Description { key: "nowhere".into(), country: "XX".into(), ..Description::new(Rounding::Precise) } }
    fn check(_: &Invoice, _: &Context) -> Vec<Fault> { Vec::new() }
    fn convert(invoice: &Invoice, _: &Context) -> Result<Document, Faults> { Ok(Document::json(serde_json::json!({"a": invoice.totals.gross.to_string()}).to_string(), invoice.totals.payable)) }
    fn map_identity(_: &Recipient) -> Result<Identity, Faults> { Err(vec![]) }
    fn interpret(_: &ProviderResult) -> Result<Verdict, Faults> { Ok(Verdict::Undecided("Nowhere has no authority.".into())) }
}
impl Authority for Nowhere {
    fn file(_: &str) -> Result<Filing, Faults> { Err(vec![]) }
    fn submit(_: &Submission) -> Result<Outcome, Faults> { Err(vec![]) }
}
einvoice_plugin::export!(Nowhere with sandbox);
