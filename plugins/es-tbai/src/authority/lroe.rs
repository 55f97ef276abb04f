//! What goes over the wire in Bizkaia for an organisation: a message to its register of economic operations (LROE, model 240)
//! with the TicketBAI file inside, as an issued invoice of a software with warrant (chapter 1.1).
//!
//! Compressed and with a header of HTTP that repeats whose register it is, which the provider sees to. Natural persons keep a
//! register of another model (140), whose message says what an invoice means for their income tax: it is not written here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use einvoice_xml::document;

use super::filed_document::FiledDocument;

const NAMESPACE: &str = "https://www.batuz.eus/fitxategiak/batuz/LROE/esquemas/LROE_PJ_240_1_1_FacturasEmitidas_ConSG_AltaPeticion_V1_0_2.xsd";

/// The message that puts a TicketBAI file into the register.
pub(super) fn message(filed: &FiledDocument, file: &str) -> String {
    let namespaces = [("xmlns:lrpjfecsgap", NAMESPACE)];
    document("lrpjfecsgap:LROEPJ240FacturasEmitidasConSGAltaPeticion", &namespaces, "", |xml| {
        xml.element("Cabecera", |xml| {
            xml.text("Modelo", "240");
            xml.text("Capitulo", "1");
            xml.text("Subcapitulo", "1.1");
            // What is new; nothing in this chapter is modified.
            xml.text("Operacion", "A00");
            xml.text("Version", "1.0");
            xml.text("Ejercicio", &format!("{:04}", filed.names.day.year()));
            xml.element("ObligadoTributario", |xml| {
                xml.text("NIF", &filed.names.issuer);
                xml.text("ApellidosNombreRazonSocial", filed.names.invoice.supplier.name.trim());
            });
        });
        xml.element("FacturasEmitidas", |xml| {
            xml.element("FacturaEmitida", |xml| xml.text("TicketBai", &STANDARD.encode(file)));
        });
    })
}
