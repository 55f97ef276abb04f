//! The question: `ConsultaFactuSistemaFacturacion` in a SOAP envelope. The order of the elements is that of `ConsultaLR.xsd`.

use einvoice_xml::document;

use super::Listing;
use super::parts::Part;
use crate::schemas::{NAMESPACE, SOAP};

pub(super) fn question(listing: &Listing, part: &Part) -> String {
    let (query, information) =
        (format!("{NAMESPACE}ConsultaLR.xsd"), format!("{NAMESPACE}SuministroInformacion.xsd"));
    let namespaces =
        [("xmlns:env", SOAP), ("xmlns:con", query.as_str()), ("xmlns:sum", information.as_str())];
    document("env:Envelope", &namespaces, "sum", |xml| {
        xml.text("env:Header", "");
        xml.element("env:Body", |xml| {
            xml.element("con:ConsultaFactuSistemaFacturacion", |xml| {
                xml.element("con:Cabecera", |xml| {
                    xml.text("IDVersion", "1.0");
                    xml.element("ObligadoEmision", |xml| {
                        xml.text("NombreRazon", &listing.name);
                        xml.text("NIF", &listing.issuer);
                    });
                });
                xml.element("con:FiltroConsulta", |xml| {
                    xml.element("con:PeriodoImputacion", |xml| {
                        xml.text("Ejercicio", &format!("{:04}", part.year));
                        xml.text("Periodo", &format!("{:02}", part.month));
                    });
                    xml.element("con:FechaExpedicionFactura", |xml| {
                        xml.element("RangoFechaExpedicion", |xml| {
                            xml.text("Desde", &part.from.agency());
                            xml.text("Hasta", &part.until.agency());
                        });
                    });
                    if let Some(behind) = &listing.cursor.behind {
                        xml.element("con:ClavePaginacion", |xml| {
                            xml.text("IDEmisorFactura", &listing.issuer);
                            xml.text("NumSerieFactura", &behind.number);
                            xml.text("FechaExpedicionFactura", &behind.date);
                        });
                    }
                });
                // Both make the answer longer and say nothing that is compared.
                xml.element("con:DatosAdicionalesRespuesta", |xml| {
                    xml.text("con:MostrarNombreRazonEmisor", "N");
                    xml.text("con:MostrarSistemaInformatico", "N");
                });
            });
        });
    })
}
