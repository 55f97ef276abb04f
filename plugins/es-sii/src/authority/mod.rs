//! The tax agency's books as the sandbox keeps them: every invoice of an issuer once by number and date, duplicates and
//! amendments of invoices it never saw refused. There is no chain and no stamp.

mod rules;

use einvoice_es::stored::{FiledDocument, agency, number};
use einvoice_plugin::{Authority, Fault, Faults, Filing, Outcome, ProviderFault, Submission};
use serde_json::{Value, json};

use crate::EsSii;
use crate::answers::{ANSWERS, DUPLICATE, UNKNOWN};
use crate::codes::{EXT_CORRECTION_TYPE, EXT_DOC_TYPE, EXT_REGIME};
use crate::faults;

impl Authority for EsSii {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = read(document)?;
        Ok(Filing { record_key: filed.key(), chain: filed.issuer })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = read(&submission.document)?;
        let payload = Some(record(&filed, submission.amends.is_some()).to_string());
        let (accepted, code) = match objection(submission, &filed) {
            Some(code) => (false, Some(code)),
            None => (true, submission.forced_code.as_deref()),
        };
        let keep = accepted.then(|| json!({"number": filed.number, "date": filed.day.agency()}).to_string());
        let faults = code.map(complaint).into_iter().collect();
        Ok(Outcome { accepted, stamps: Vec::new(), faults, record: keep, payload })
    }
}

fn read(document: &str) -> Result<FiledDocument, Faults> {
    FiledDocument::read(document).map_err(|why| {
        let message = format!(
            "The sandbox cannot read this as a document of the SII ({why}); send what the plugin made."
        );
        vec![Fault::error(faults::SANDBOX_DOCUMENT, "", message)]
    })
}

/// The code the agency refuses the invoice with. An amendment replaces the invoice under its own key.
fn objection<'a>(submission: &'a Submission, filed: &FiledDocument) -> Option<&'a str> {
    let forced = submission.forced_code.as_deref().filter(|code| !(ANSWERS.accepts)(code));
    if let Some(code) = forced.or_else(|| rules::violation(&filed.invoice)) {
        return Some(code);
    }
    match (submission.amends.as_deref(), &submission.registered) {
        (Some(amended), _) if amended != filed.key() => Some(UNKNOWN),
        (Some(_), _) | (None, None) => None,
        (None, Some(_)) => Some(DUPLICATE),
    }
}

fn complaint(code: &str) -> ProviderFault {
    ProviderFault {
        provider: Some("sii".to_owned()),
        code: Some(code.to_owned()),
        message: Some(ANSWERS.explain(code).to_owned()),
        paths: Vec::new(),
    }
}

/// The record with the elements of the agency's schema, as JSON for people to look at.
fn record(filed: &FiledDocument, amends: bool) -> Value {
    let invoice = &filed.invoice;
    let rows: Vec<_> = invoice
        .rows()
        .map(|row| {
            json!({"Claves": row.ext, "BaseImponible": invoice.stated(&row.base), "TipoImpositivo": row.percent,
                   "CuotaRepercutida": invoice.stated(&row.amount)})
        })
        .collect();
    let referred: Vec<_> = invoice
        .preceding
        .iter()
        .map(|one| {
            json!({"NumSerieFacturaEmisor": number(one.series.as_deref(), &one.code),
                   "FechaExpedicionFacturaEmisor": agency(one.issue_date.as_deref())})
        })
        .collect();
    let recipient = invoice.customer.as_ref().map(|customer| {
        let other = customer.identities.first().map(|identity| {
            json!({"CodigoPais": identity.country, "IDType": identity.ext.values().next(), "ID": identity.code})
        });
        json!({"NombreRazon": customer.name, "NIF": customer.nif(), "IDOtro": other})
    });
    let regime = invoice.rows().find_map(|row| row.ext.get(EXT_REGIME));
    let lines = || invoice.lines.iter().map(|line| line.item.name.as_str()).collect::<Vec<_>>().join(", ");
    let description = invoice.description().map_or_else(lines, str::to_owned);
    json!({"SuministroLRFacturasEmitidas": {
        "Cabecera": {
            "IDVersionSii": "1.1",
            "Titular": {"NombreRazon": invoice.supplier.name, "NIF": filed.issuer},
            "TipoComunicacion": if amends { "A1" } else { "A0" },
        },
        "RegistroLRFacturasEmitidas": {
            "PeriodoLiquidacion": {"Ejercicio": filed.day.to_string().get(..4), "Periodo": filed.day.to_string().get(5..7)},
            "IDFactura": {
                "IDEmisorFactura": {"NIF": filed.issuer},
                "NumSerieFacturaEmisor": filed.number,
                "FechaExpedicionFacturaEmisor": filed.day.agency(),
            },
            "FacturaExpedida": {
                "TipoFactura": invoice.code_of(EXT_DOC_TYPE),
                "TipoRectificativa": invoice.code_of(EXT_CORRECTION_TYPE),
                "FacturasReferidas": referred,
                "FechaOperacion": agency(invoice.op_date.as_deref()),
                "ClaveRegimenEspecialOTrascendencia": regime,
                "ImporteTotal": invoice.stated(&invoice.totals.total_with_tax),
                "DescripcionOperacion": description.chars().take(500).collect::<String>(),
                "Contraparte": recipient,
                "TipoDesglose": rows,
            },
        },
    }})
}

#[cfg(test)]
mod tests;
