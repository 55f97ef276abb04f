//! `FatturaElettronicaSemplificata`, the elements in the order of `Schema_VFSM10_v1.0.2.xsd`.
//!
//! It has no place for retained taxes, payment and notes.

use einvoice_xml::{Writer, document};

use super::ordinary::{address, registration, tax_id, transmission};
use super::{Fattura, Line, Summary, Supplier};

const NAMESPACE: &str = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0";
/// What was corrected where the document does not say.
const NO_REASON: &str = "Rettifica";

pub(super) fn xml(fattura: &Fattura) -> String {
    let attributes = [("xmlns:p", NAMESPACE), ("versione", fattura.format.as_str())];
    document("p:FatturaElettronicaSemplificata", &attributes, "", |xml| {
        xml.element("FatturaElettronicaHeader", |xml| {
            transmission(xml, fattura);
            xml.element("CedentePrestatore", |xml| supplier(xml, &fattura.supplier));
            xml.element("CessionarioCommittente", |xml| customer(xml, fattura));
        });
        xml.element("FatturaElettronicaBody", |xml| {
            xml.element("DatiGenerali", |xml| general(xml, fattura));
            for one in &fattura.lines {
                xml.element("DatiBeniServizi", |xml| line(xml, one, &fattura.summary));
            }
        });
    })
}

fn supplier(xml: &mut Writer, supplier: &Supplier) {
    xml.element("IdFiscaleIVA", |xml| tax_id(xml, &supplier.tax_id));
    xml.text("Denominazione", &supplier.name);
    xml.element("Sede", |xml| address(xml, &supplier.address));
    registration(xml, supplier.registration.as_ref());
    xml.text("RegimeFiscale", &supplier.regime);
}

fn customer(xml: &mut Writer, fattura: &Fattura) {
    let customer = &fattura.customer;
    xml.element("IdentificativiFiscali", |xml| {
        if let Some(id) = &customer.tax_id {
            xml.element("IdFiscaleIVA", |xml| tax_id(xml, id));
        }
        xml.optional("CodiceFiscale", customer.fiscal_code.as_deref());
    });
    xml.element("AltriDatiIdentificativi", |xml| {
        xml.text("Denominazione", &customer.name);
        xml.element("Sede", |xml| address(xml, &customer.address));
    });
}

fn general(xml: &mut Writer, fattura: &Fattura) {
    xml.element("DatiGeneraliDocumento", |xml| {
        xml.text("TipoDocumento", &fattura.doc_type);
        xml.text("Divisa", &fattura.currency);
        xml.text("Data", &fattura.date);
        xml.text("Numero", &fattura.number);
    });
    let Some((first, others)) = fattura.references.split_first() else { return };
    xml.element("DatiFatturaRettificata", |xml| {
        xml.text("NumeroFR", &first.number);
        xml.text("DataFR", first.date.as_deref().unwrap_or_default());
        let reason = if first.reason.is_empty() { NO_REASON } else { &first.reason };
        let mut elements = vec![reason.to_owned()];
        elements.extend(
            others
                .iter()
                .map(|other| format!("{} del {}", other.number, other.date.as_deref().unwrap_or_default())),
        );
        let elements = elements.join("; ");
        xml.text("ElementiRettificati", &elements.chars().take(1000).collect::<String>());
    });
}

fn line(xml: &mut Writer, line: &Line, summary: &[Summary]) {
    xml.text("Descrizione", &line.description);
    xml.text("Importo", &line.total_with_tax.amount());
    xml.element("DatiIVA", |xml| xml.text("Aliquota", &line.rate.precise()));
    xml.optional("Natura", line.nature.as_deref());
    let row = summary.iter().find(|row| row.rate == line.rate && row.nature == line.nature);
    xml.optional("RiferimentoNormativo", row.and_then(|row| row.law.as_deref()));
}
