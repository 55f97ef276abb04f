//! KSeF's receipt for an invoice that it gave a number: UPO, schema v4-3.
//!
//! KSeF signs each; nobody here has its key, and the schema asks for no signature. It fixes the name of who receives to that of the
//! production environment, so that stands here too.
//!
//! An invoice that arrives after the day of its issue (`P_1`) was issued offline, whether or not its sender says so: KSeF compares
//! the days ("Automatyczne określanie trybu wysyłki offline"), and notes it here.

use einvoice_eu::register::hexadecimal;
use einvoice_gobl::clock::today;
use einvoice_plugin::{Answer, Outcome};
use einvoice_xml::document;
use sha2::{Digest, Sha256};

use super::document::FiledDocument;
use super::{STAMP_DATE, STAMP_NUMBER};
use crate::qr::base64_url;

const NAMESPACE: &str = "http://upo.schematy.mf.gov.pl/KSeF/v4-3";
/// Of an interactive session, and of a token, in reference numbers.
const SESSION: &str = "SO";
const TOKEN: &str = "EC";

/// The receipt; none of an invoice without number.
pub(super) fn receipt(filed: &FiledDocument, outcome: &Outcome) -> Option<Answer> {
    let stamp = |provider: &str| {
        let found = outcome.stamps.iter().find(|stamp| stamp.provider == provider);
        found.map(|stamp| stamp.value.as_str())
    };
    let (number, received) = (stamp(STAMP_NUMBER)?, stamp(STAMP_DATE)?);
    let digest: [u8; 32] = Sha256::digest(outcome.payload.as_deref()?).into();
    let day = number.split('-').nth(1)?;
    let body = document("Potwierdzenie", &[("xmlns", NAMESPACE)], "", |xml| {
        xml.text("NazwaPodmiotuPrzyjmujacego", "Ministerstwo Finansów");
        xml.text("NumerReferencyjnySesji", &reference(day, SESSION, &digest));
        xml.element("Uwierzytelnienie", |xml| {
            xml.element("IdKontekstu", |xml| xml.text("Nip", &filed.nip));
            xml.text("NumerReferencyjnyTokenaKSeF", &reference(day, TOKEN, &Sha256::digest(&filed.nip)));
        });
        xml.text("NazwaStrukturyLogicznej", "Schemat_FA(3)_v1-0E.xsd");
        xml.text("KodFormularza", "FA (3)");
        xml.element("Dokument", |xml| {
            xml.text("NipSprzedawcy", &filed.nip);
            xml.text("NumerKSeFDokumentu", number);
            xml.text("NumerFaktury", &filed.number);
            xml.text("DataWystawieniaFaktury", &filed.issued.to_string());
            xml.text("DataPrzeslaniaDokumentu", received);
            xml.text("DataNadaniaNumeruKSeF", received);
            // The same digest as in QR code I, in the usual alphabet.
            xml.text(
                "SkrotDokumentu",
                &format!("{}=", base64_url(&digest).replace('-', "+").replace('_', "/")),
            );
            let is_late = filed.is_offline() || today(received).is_some_and(|day| filed.issued < day);
            xml.text("TrybWysylki", if is_late { "Offline" } else { "Online" });
        });
    });
    Some(Answer::xml(format!("UPO-{number}.xml"), body))
}

/// A reference number: day, kind, and 22 hexadecimal digits, drawn from what it is of.
fn reference(day: &str, kind: &str, digest: &[u8]) -> String {
    let digits = hexadecimal(digest).to_uppercase();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{day}-{kind}-{}-{}-{}", part(0, 10), part(10, 20), part(20, 22))
}
