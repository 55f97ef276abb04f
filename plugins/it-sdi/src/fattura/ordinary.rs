//! `FatturaElettronica`, the elements in the order of `Schema_VFPR12_v1.2.3.xsd`.

use einvoice_xml::{Writer, document};

use super::{Address, Customer, Fattura, Line, Payment, Registration, Summary, Supplier, TaxId};
use einvoice_gobl::decimal::Decimal;

const NAMESPACE: &str = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2";

pub(super) fn xml(fattura: &Fattura) -> String {
    let attributes = [("xmlns:p", NAMESPACE), ("versione", fattura.format.as_str())];
    document("p:FatturaElettronica", &attributes, "", |xml| {
        xml.element("FatturaElettronicaHeader", |xml| {
            transmission(xml, fattura);
            xml.element("CedentePrestatore", |xml| supplier(xml, &fattura.supplier));
            xml.element("CessionarioCommittente", |xml| customer(xml, &fattura.customer));
        });
        xml.element("FatturaElettronicaBody", |xml| {
            xml.element("DatiGenerali", |xml| general(xml, fattura));
            xml.element("DatiBeniServizi", |xml| {
                fattura.lines.iter().for_each(|one| xml.element("DettaglioLinee", |xml| line(xml, one)));
                fattura.summary.iter().for_each(|row| xml.element("DatiRiepilogo", |xml| summary(xml, row)));
            });
            xml.unless_empty("DatiPagamento", |xml| payments(xml, &fattura.payments));
        });
    })
}

/// `DatiTrasmissione`. The supplier sends its own files.
pub(super) fn transmission(xml: &mut Writer, fattura: &Fattura) {
    xml.element("DatiTrasmissione", |xml| {
        xml.element("IdTrasmittente", |xml| tax_id(xml, &fattura.supplier.tax_id));
        xml.text("ProgressivoInvio", &fattura.progressive);
        xml.text("FormatoTrasmissione", &fattura.format);
        xml.text("CodiceDestinatario", &fattura.destination);
        xml.optional("PECDestinatario", fattura.certified_mail.as_deref());
    });
}

pub(super) fn tax_id(xml: &mut Writer, tax_id: &TaxId) {
    xml.text("IdPaese", &tax_id.country);
    xml.text("IdCodice", &tax_id.code);
}

pub(super) fn address(xml: &mut Writer, address: &Address) {
    xml.text("Indirizzo", &address.street);
    xml.optional("NumeroCivico", address.house_number.as_deref());
    xml.text("CAP", &address.postcode);
    xml.text("Comune", &address.locality);
    xml.optional("Provincia", address.province.as_deref());
    xml.text("Nazione", &address.country);
}

/// `IscrizioneREA`. Nothing says of the workspace that it is being wound up.
pub(super) fn registration(xml: &mut Writer, registration: Option<&Registration>) {
    let Some(registration) = registration else { return };
    xml.element("IscrizioneREA", |xml| {
        xml.text("Ufficio", &registration.office);
        xml.text("NumeroREA", &registration.entry);
        xml.optional("CapitaleSociale", registration.capital.map(Decimal::amount).as_deref());
        xml.text("StatoLiquidazione", "LN");
    });
}

fn supplier(xml: &mut Writer, supplier: &Supplier) {
    xml.element("DatiAnagrafici", |xml| {
        xml.element("IdFiscaleIVA", |xml| tax_id(xml, &supplier.tax_id));
        xml.element("Anagrafica", |xml| xml.text("Denominazione", &supplier.name));
        xml.text("RegimeFiscale", &supplier.regime);
    });
    xml.element("Sede", |xml| address(xml, &supplier.address));
    registration(xml, supplier.registration.as_ref());
    xml.unless_empty("Contatti", |xml| xml.optional("Email", supplier.email.as_deref()));
}

fn customer(xml: &mut Writer, customer: &Customer) {
    xml.element("DatiAnagrafici", |xml| {
        if let Some(id) = &customer.tax_id {
            xml.element("IdFiscaleIVA", |xml| tax_id(xml, id));
        }
        xml.optional("CodiceFiscale", customer.fiscal_code.as_deref());
        xml.element("Anagrafica", |xml| xml.text("Denominazione", &customer.name));
    });
    xml.element("Sede", |xml| address(xml, &customer.address));
}

fn general(xml: &mut Writer, fattura: &Fattura) {
    xml.element("DatiGeneraliDocumento", |xml| {
        xml.text("TipoDocumento", &fattura.doc_type);
        xml.text("Divisa", &fattura.currency);
        xml.text("Data", &fattura.date);
        xml.text("Numero", &fattura.number);
        for retention in &fattura.retentions {
            xml.element("DatiRitenuta", |xml| {
                xml.text("TipoRitenuta", &retention.kind);
                xml.text("ImportoRitenuta", &retention.amount.amount());
                xml.text("AliquotaRitenuta", &retention.rate.precise());
                xml.text("CausalePagamento", &retention.reason);
            });
        }
        xml.text("ImportoTotaleDocumento", &fattura.total.amount());
        fattura.remarks.iter().for_each(|remark| xml.text("Causale", remark));
    });
    for reference in &fattura.references {
        xml.element("DatiFattureCollegate", |xml| {
            xml.text("IdDocumento", &reference.number);
            xml.optional("Data", reference.date.as_deref());
        });
    }
}

fn line(xml: &mut Writer, line: &Line) {
    xml.text("NumeroLinea", &line.index.to_string());
    xml.text("Descrizione", &line.description);
    xml.text("Quantita", &line.quantity.precise());
    if let Some((start, end)) = &line.period {
        xml.text("DataInizioPeriodo", start);
        xml.text("DataFinePeriodo", end);
    }
    xml.text("PrezzoUnitario", &line.price.precise());
    xml.text("PrezzoTotale", &line.total.precise());
    xml.text("AliquotaIVA", &line.rate.precise());
    xml.optional("Ritenuta", line.is_withheld.then_some("SI"));
    xml.optional("Natura", line.nature.as_deref());
}

fn summary(xml: &mut Writer, row: &Summary) {
    xml.text("AliquotaIVA", &row.rate.precise());
    xml.optional("Natura", row.nature.as_deref());
    xml.text("ImponibileImporto", &row.base.amount());
    xml.text("Imposta", &row.tax.amount());
    xml.optional("EsigibilitaIVA", row.liability.as_deref());
    xml.optional("RiferimentoNormativo", row.law.as_deref());
}

/// All at once (TP02), or in instalments (TP01).
fn payments(xml: &mut Writer, payments: &[Payment]) {
    if payments.is_empty() {
        return;
    }
    xml.text("CondizioniPagamento", if payments.len() == 1 { "TP02" } else { "TP01" });
    for payment in payments {
        xml.element("DettaglioPagamento", |xml| {
            xml.optional("Beneficiario", payment.beneficiary.as_deref());
            xml.text("ModalitaPagamento", &payment.means);
            xml.optional("DataScadenzaPagamento", payment.due_date.as_deref());
            xml.text("ImportoPagamento", &payment.amount.amount());
            xml.optional("IBAN", payment.iban.as_deref());
            xml.optional("BIC", payment.bic.as_deref());
        });
    }
}
