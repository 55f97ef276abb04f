//! What goes over the wire in Bizkaia: a message to the issuer's register of economic operations (LROE) with the TicketBAI
//! file inside, as an issued invoice of a software with warrant (chapter 1.1).
//!
//! | issuer | model | says besides |
//! |---|---|---|
//! | organisation | 240 | nothing |
//! | natural person | 140 | which economic activity earns it (`Epigrafe`) |
//!
//! What a person earns is the base of the VAT, and so no amount is stated (`ImporteIngresoIRPF`).
//!
//! Compressed and with a header of HTTP that repeats whose register it is, which the provider sees to.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use einvoice_xml::document;

use super::filed_document::FiledDocument;

/// How a model of the register calls what both models have.
struct Model {
    number: &'static str,
    root: &'static str,
    namespaces: [(&'static str, &'static str); 1],
    invoices: &'static str,
    invoice: &'static str,
}

const OF_ORGANISATIONS: Model = Model {
    number: "240",
    root: "lrpjfecsgap:LROEPJ240FacturasEmitidasConSGAltaPeticion",
    namespaces: [(
        "xmlns:lrpjfecsgap",
        "https://www.batuz.eus/fitxategiak/batuz/LROE/esquemas/LROE_PJ_240_1_1_FacturasEmitidas_ConSG_AltaPeticion_V1_0_2.xsd",
    )],
    invoices: "FacturasEmitidas",
    invoice: "FacturaEmitida",
};

const OF_PERSONS: Model = Model {
    number: "140",
    root: "lrpficfcsgap:LROEPF140IngresosConFacturaConSGAltaPeticion",
    namespaces: [(
        "xmlns:lrpficfcsgap",
        "https://www.batuz.eus/fitxategiak/batuz/LROE/esquemas/LROE_PF_140_1_1_Ingresos_ConfacturaConSG_AltaPeticion_V1_0_2.xsd",
    )],
    invoices: "Ingresos",
    invoice: "Ingreso",
};

/// The message that puts a TicketBAI file into the register.
pub(super) fn message(filed: &FiledDocument, file: &str) -> String {
    let is_of_person = filed.is_of_person();
    let model = if is_of_person { OF_PERSONS } else { OF_ORGANISATIONS };
    document(model.root, &model.namespaces, "", |xml| {
        xml.element("Cabecera", |xml| {
            xml.text("Modelo", model.number);
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
        xml.element(model.invoices, |xml| {
            xml.element(model.invoice, |xml| {
                xml.text("TicketBai", &STANDARD.encode(file));
                if is_of_person {
                    xml.element("Renta", |xml| {
                        xml.element("DetalleRenta", |xml| xml.optional("Epigrafe", filed.activity()));
                    });
                }
            });
        });
    })
}
