//! The registration record as it would go to the agency (`RegistroAlta`), for people to look at.

use std::fmt::Write as _;

use einvoice_es::date::Date;
use einvoice_es::record::Record;
use einvoice_es::text::DESCRIPTION_CHARS_MAX;

use super::document::{Category, Invoice, Party, Rate};
use super::{Filed, Remembered, number, stated};
use crate::doc_type::DocType;

/// Writes nested elements with escaped text.
#[derive(Default)]
struct Writer {
    xml: String,
    depth: usize,
}

impl Writer {
    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.xml.push_str("  ");
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        self.indent();
        // Writing to a string cannot fail.
        let _ = write!(self.xml, "<{name}>");
        for character in text.chars() {
            match character {
                '&' => self.xml.push_str("&amp;"),
                '<' => self.xml.push_str("&lt;"),
                '>' => self.xml.push_str("&gt;"),
                other => self.xml.push(other),
            }
        }
        let _ = writeln!(self.xml, "</{name}>");
    }

    fn optional(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    fn element(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.indent();
        let _ = writeln!(self.xml, "<{name}>");
        self.depth += 1;
        content(self);
        self.depth -= 1;
        self.indent();
        let _ = writeln!(self.xml, "</{name}>");
    }
}

/// The record with its place in the chain. An amendment (`Subsanacion`) replaces an accepted record.
pub(super) fn registration(
    filed: &Filed,
    record: &Record<'_>,
    previous: Option<&Remembered>,
    huella: &str,
    amends: bool,
) -> String {
    let invoice = &filed.invoice;
    let mut writer = Writer::default();
    writer.element("RegistroAlta", |xml| {
        xml.text("IDVersion", "1.0");
        xml.element("IDFactura", |xml| {
            xml.text("IDEmisorFactura", record.issuer);
            xml.text("NumSerieFactura", record.number);
            xml.text("FechaExpedicionFactura", record.issue_date);
        });
        xml.text("NombreRazonEmisor", &invoice.supplier.name);
        xml.optional("Subsanacion", amends.then_some("S"));
        xml.text("TipoFactura", record.document_type);
        let doc_type = DocType::of_code(record.document_type);
        xml.optional("TipoRectificativa", invoice.tax.ext.correction_type.as_deref());
        if doc_type.is_some_and(DocType::is_correction) {
            references(xml, "FacturasRectificadas", "IDFacturaRectificada", filed);
        } else if doc_type == Some(DocType::F3) {
            references(xml, "FacturasSustituidas", "IDFacturaSustituida", filed);
        }
        let operation = invoice.op_date.as_deref().and_then(|date| date.parse().ok()).map(Date::agency);
        xml.optional("FechaOperacion", operation.as_deref());
        xml.text("DescripcionOperacion", &description(filed));
        if doc_type.is_some_and(DocType::is_simplified) {
            let nobody = invoice.customer.is_none();
            xml.text("FacturaSinIdentifDestinatarioArt61d", if nobody { "S" } else { "N" });
        }
        if let Some(customer) = invoice.customer.as_ref().filter(|customer| customer.is_identified()) {
            xml.element("Destinatarios", |xml| recipient(xml, customer));
        }
        xml.element("Desglose", |xml| {
            for category in invoice.totals.taxes.categories.iter().filter(|category| !category.retained) {
                for rate in &category.rates {
                    xml.element("DetalleDesglose", |xml| breakdown(xml, invoice, category, rate));
                }
            }
        });
        xml.text("CuotaTotal", record.tax);
        xml.text("ImporteTotal", record.total);
        xml.element("Encadenamiento", |xml| chain(xml, previous));
        xml.text("FechaHoraHusoGenRegistro", record.made_at);
        xml.text("TipoHuella", "01");
        xml.text("Huella", huella);
    });
    writer.xml
}

/// The documents that this one corrects or replaces; all of the same issuer.
fn references(xml: &mut Writer, list: &str, row: &str, filed: &Filed) {
    if filed.invoice.preceding.is_empty() {
        return;
    }
    xml.element(list, |xml| {
        for reference in &filed.invoice.preceding {
            xml.element(row, |xml| {
                xml.text("IDEmisorFactura", &filed.issuer);
                xml.text("NumSerieFactura", &number(reference.series.as_deref(), &reference.code));
                let day = reference.issue_date.parse().map(Date::agency);
                xml.text("FechaExpedicionFactura", day.as_deref().unwrap_or(&reference.issue_date));
            });
        }
    });
}

/// The general note, else the names of the lines.
fn description(filed: &Filed) -> String {
    let invoice = &filed.invoice;
    let text = match invoice.notes.first() {
        Some(note) => note.text.clone(),
        None => invoice.lines.iter().map(|line| line.item.name.as_str()).collect::<Vec<_>>().join(", "),
    };
    text.chars().take(DESCRIPTION_CHARS_MAX).collect()
}

fn recipient(xml: &mut Writer, customer: &Party) {
    xml.element("IDDestinatario", |xml| {
        xml.text("NombreRazon", &customer.name);
        if let Some(nif) = customer.nif() {
            xml.text("NIF", nif);
        } else if let Some(identity) = customer.identities.first() {
            xml.element("IDOtro", |xml| {
                xml.optional("CodigoPais", identity.country.as_deref());
                xml.optional("IDType", identity.ext.identity_type.as_deref());
                xml.text("ID", &identity.code);
            });
        }
    });
}

fn breakdown(xml: &mut Writer, invoice: &Invoice, category: &Category, rate: &Rate) {
    let tax = match category.code.as_str() {
        "VAT" => "01",
        "IPSI" => "02",
        "IGIC" => "03",
        _ => "05",
    };
    xml.text("Impuesto", tax);
    xml.optional("ClaveRegimen", rate.ext.regime.as_deref());
    xml.optional("CalificacionOperacion", rate.ext.op_class.as_deref());
    xml.optional("OperacionExenta", rate.ext.exempt.as_deref());
    let charged = matches!(rate.ext.op_class.as_deref(), Some("S1" | "S2"));
    if charged {
        xml.text("TipoImpositivo", percent(rate.percent.as_deref().unwrap_or("0")));
    }
    xml.text("BaseImponibleOimporteNoSujeto", &stated(invoice, &rate.base));
    if charged {
        xml.text("CuotaRepercutida", &stated(invoice, &rate.amount));
    }
    if let Some(surcharge) = &rate.surcharge {
        xml.text("TipoRecargoEquivalencia", percent(&surcharge.percent));
        xml.text("CuotaRecargoEquivalencia", &stated(invoice, &surcharge.amount));
    }
}

fn percent(percent: &str) -> &str {
    percent.trim_end_matches('%')
}

fn chain(xml: &mut Writer, previous: Option<&Remembered>) {
    let Some(previous) = previous else { return xml.text("PrimerRegistro", "S") };
    xml.element("RegistroAnterior", |xml| {
        xml.text("IDEmisorFactura", &previous.issuer);
        xml.text("NumSerieFactura", &previous.number);
        xml.text("FechaExpedicionFactura", &previous.date);
        xml.text("Huella", &previous.huella);
    });
}
