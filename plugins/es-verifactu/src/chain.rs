//! How records hold together (order HAC/1177/2024, annex; the agency's document on the fingerprint): each states its own fingerprint
//! and, in `Encadenamiento`, number and fingerprint of the record that its issuer made before.

use crate::EsVerifactu;
use einvoice_es::record::{Cancellation, Record};
use einvoice_plugin::{Chain, Link, Predecessor};
use roxmltree::{Document, Node};

impl Chain for EsVerifactu {
    fn links(message: &str) -> Result<Vec<Link>, String> {
        let document = Document::parse(message).map_err(|error| format!("it is no XML: {error}"))?;
        let records = document.descendants().filter_map(|node| match node.tag_name().name() {
            "RegistroAlta" => Some(registration(node)),
            "RegistroAnulacion" => Some(cancellation(node)),
            _ => None,
        });
        records.collect()
    }
}

fn registration(record: Node<'_, '_>) -> Result<Link, String> {
    let id = child(record, "IDFactura")?;
    let previous = previous(record)?;
    let number = text(id, "NumSerieFactura")?;
    let content = Record {
        issuer: text(id, "IDEmisorFactura")?,
        number,
        issue_date: text(id, "FechaExpedicionFactura")?,
        document_type: text(record, "TipoFactura")?,
        tax: text(record, "CuotaTotal")?,
        total: text(record, "ImporteTotal")?,
        previous: previous.as_ref().map_or("", |previous| &previous.hash),
        generated_at: text(record, "FechaHoraHusoGenRegistro")?,
    };
    link(record, number, content.fingerprint(), previous)
}

fn cancellation(record: Node<'_, '_>) -> Result<Link, String> {
    let id = child(record, "IDFactura")?;
    let previous = previous(record)?;
    let number = text(id, "NumSerieFacturaAnulada")?;
    let content = Cancellation {
        issuer: text(id, "IDEmisorFacturaAnulada")?,
        number,
        issue_date: text(id, "FechaExpedicionFacturaAnulada")?,
        previous: previous.as_ref().map_or("", |previous| &previous.hash),
        generated_at: text(record, "FechaHoraHusoGenRegistro")?,
    };
    link(record, number, content.fingerprint(), previous)
}

fn link(
    record: Node<'_, '_>,
    number: &str,
    computed: String,
    previous: Option<Predecessor>,
) -> Result<Link, String> {
    Ok(Link { number: number.to_owned(), stated: hash(record)?, computed, previous })
}

/// What `Encadenamiento` names; none of a first record (`PrimerRegistro`).
fn previous(record: Node<'_, '_>) -> Result<Option<Predecessor>, String> {
    let chaining = child(record, "Encadenamiento")?;
    let Ok(previous) = child(chaining, "RegistroAnterior") else { return Ok(None) };
    let number = text(previous, "NumSerieFactura")?.to_owned();
    Ok(Some(Predecessor { number, hash: hash(previous)? }))
}

/// As the agency writes it, in upper case.
fn hash(node: Node<'_, '_>) -> Result<String, String> {
    Ok(text(node, "Huella")?.to_uppercase())
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Result<Node<'a, 'input>, String> {
    let found = node.children().find(|child| child.tag_name().name() == name);
    found.ok_or_else(|| format!("{} has no {name}", node.tag_name().name()))
}

fn text<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, String> {
    Ok(child(node, name)?.text().unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The agency's own example: `Huella` of its document on the fingerprint, version 0.1.2.
    const FIRST: &str = "3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60";

    fn record(number: &str, chaining: &str, time: &str, hash: &str) -> String {
        format!(
            r#"<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><l:RegFactuSistemaFacturacion
            xmlns:l="urn:l" xmlns:f="urn:f"><l:RegistroFactura><f:RegistroAlta><f:IDFactura>
            <f:IDEmisorFactura>89890001K</f:IDEmisorFactura><f:NumSerieFactura>{number}</f:NumSerieFactura>
            <f:FechaExpedicionFactura>01-01-2024</f:FechaExpedicionFactura></f:IDFactura><f:TipoFactura>F1</f:TipoFactura>
            <f:CuotaTotal>12.35</f:CuotaTotal><f:ImporteTotal>123.45</f:ImporteTotal>
            <f:Encadenamiento>{chaining}</f:Encadenamiento>
            <f:FechaHoraHusoGenRegistro>{time}</f:FechaHoraHusoGenRegistro><f:Huella>{hash}</f:Huella>
            </f:RegistroAlta></l:RegistroFactura></l:RegFactuSistemaFacturacion></s:Body></s:Envelope>"#
        )
    }

    #[test]
    fn a_first_record_gives_the_fingerprint_of_the_agencys_example() {
        let message = record(
            "12345678/G33",
            "<f:PrimerRegistro>S</f:PrimerRegistro>",
            "2024-01-01T19:20:30+01:00",
            FIRST,
        );
        let first = Link {
            number: "12345678/G33".to_owned(),
            stated: FIRST.to_owned(),
            computed: FIRST.to_owned(),
            previous: None,
        };
        assert_eq!(EsVerifactu::links(&message).unwrap(), [first]);
        let changed = message.replace("123.45", "124.45");
        let link = EsVerifactu::links(&changed).unwrap().remove(0);
        assert_ne!(link.stated, link.computed);
    }

    #[test]
    fn a_record_names_the_one_before_it() {
        let chaining = format!(
            "<f:RegistroAnterior><f:IDEmisorFactura>89890001K</f:IDEmisorFactura><f:NumSerieFactura>12345678/G33</f:NumSerieFactura>\
             <f:FechaExpedicionFactura>01-01-2024</f:FechaExpedicionFactura><f:Huella>{FIRST}</f:Huella></f:RegistroAnterior>"
        );
        let message = record("12345679/G34", &chaining, "2024-01-01T19:20:35+01:00", "other");
        let link = EsVerifactu::links(&message).unwrap().remove(0);
        let previous = Predecessor { number: "12345678/G33".to_owned(), hash: FIRST.to_owned() };
        assert_eq!((link.number.as_str(), link.previous), ("12345679/G34", Some(previous)));
        // The agency's second example.
        assert_eq!(link.computed, "F7B94CFD8924EDFF273501B01EE5153E4CE8F259766F88CF6ACB8935802A2B97");
    }

    #[test]
    fn what_is_no_record_is_told() {
        for (message, refusal) in [
            ("{}", "it is no XML"),
            ("<RegistroAlta/>", "RegistroAlta has no IDFactura"),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "it is no XML"),
        ] {
            let reason = EsVerifactu::links(message).unwrap_err();
            assert!(reason.starts_with(refusal), "{reason}");
        }
        assert_eq!(EsVerifactu::links("<Other/>").unwrap(), []);
    }
}
