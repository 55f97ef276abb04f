//! The registration record as it would go to the agency (`RegistroAlta`), for people to look at.

use std::fmt::Write as _;

use einvoice_es::date::Date;
use einvoice_es::record::Record;
use einvoice_es::text::DESCRIPTION_CHARS_MAX;

use super::document::{Category, Party, Rate};
use super::{Filed, Remembered};

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
        let operation = invoice.op_date.as_deref().and_then(|date| date.parse().ok()).map(Date::agency);
        xml.optional("FechaOperacion", operation.as_deref());
        xml.text("DescripcionOperacion", &description(filed));
        if let Some(customer) = &invoice.customer {
            xml.element("Destinatarios", |xml| recipient(xml, customer));
        }
        xml.element("Desglose", |xml| {
            for category in invoice.totals.taxes.categories.iter().filter(|category| !category.retained) {
                for rate in &category.rates {
                    xml.element("DetalleDesglose", |xml| breakdown(xml, category, rate));
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

fn breakdown(xml: &mut Writer, category: &Category, rate: &Rate) {
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
        xml.text("TipoImpositivo", number(rate.percent.as_deref().unwrap_or("0")));
    }
    xml.text("BaseImponibleOimporteNoSujeto", &rate.base);
    if charged {
        xml.text("CuotaRepercutida", &rate.amount);
    }
    if let Some(surcharge) = &rate.surcharge {
        xml.text("TipoRecargoEquivalencia", number(&surcharge.percent));
        xml.text("CuotaRecargoEquivalencia", &surcharge.amount);
    }
}

fn number(percent: &str) -> &str {
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
