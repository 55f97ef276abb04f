//! SdI's receipts as it sends them: MessaggiTypes 1.1 about files for administrations, MessaggiFatturaTypes 1.0 about all others.
//!
//! | receipt | for administrations | for others |
//! |---|---|---|
//! | RC | `RicevutaConsegna` | `RicevutaConsegna` |
//! | MC | `NotificaMancataConsegna` | `RicevutaImpossibilitaRecapito` |
//! | NS | `NotificaScarto` | `RicevutaScarto` |
//! | NE, DT, AT | `NotificaEsito`, `NotificaDecorrenzaTermini`, `AttestazioneTrasmissioneFattura` | the same, where a tester wants them |
//!
//! A receipt is called like the file that it is about, with its own letters and a progressive number of three digits behind.
//! SdI signs each; nobody here has its key, so that the signature holds no value and says so in the name of its key.

use einvoice_eu::register::hexadecimal;
use einvoice_plugin::{Answer, Outcome, ProviderFault, Stamp};
use einvoice_xml::Writer;
use sha2::{Digest, Sha256};

use super::{STAMP_FILE, STAMP_ID};
use crate::fattura::{ADMINISTRATION_FORMAT, Fattura};

/// Of the messages about files for administrations.
const ADMINISTRATION: &str = "http://www.fatturapa.gov.it/sdi/messaggi/v1.0";
/// Of the messages about all other files.
const PRIVATE: &str = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fattura/messaggi/v1.0";
const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";
/// The error of a file that does not fit: what is said where a tester's code is none of SdI's five characters.
const UNFIT: &str = "00200";
/// Most errors of a list.
const ERRORS_MAX: usize = 200;
/// Most characters of a description.
const DESCRIPTION_CHARS_MAX: usize = 255;

/// A receipt, by the letters in the name of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Receipt {
    Delivered,
    Undelivered,
    Discarded,
    Outcome(&'static str),
    Expired,
    Attested,
}

impl Receipt {
    const fn letters(self) -> &'static str {
        match self {
            Self::Delivered => "RC",
            Self::Undelivered => "MC",
            Self::Discarded => "NS",
            Self::Outcome(_) => "NE",
            Self::Expired => "DT",
            Self::Attested => "AT",
        }
    }

    /// The root element, about a file for an administration or another one.
    const fn root(self, to_administration: bool) -> &'static str {
        match self {
            Self::Delivered => "RicevutaConsegna",
            Self::Undelivered if to_administration => "NotificaMancataConsegna",
            Self::Undelivered => "RicevutaImpossibilitaRecapito",
            Self::Discarded if to_administration => "NotificaScarto",
            Self::Discarded => "RicevutaScarto",
            Self::Outcome(_) => "NotificaEsito",
            Self::Expired => "NotificaDecorrenzaTermini",
            Self::Attested => "AttestazioneTrasmissioneFattura",
        }
    }

    /// Whether messages about all files have it, or those for administrations alone.
    const fn is_of_all(self) -> bool {
        matches!(self, Self::Delivered | Self::Undelivered | Self::Discarded)
    }
}

/// Every receipt about a file, in the order of their arrival.
pub(super) fn of(fattura: &Fattura, stamps: &[Stamp], now: &str, outcome: &Outcome) -> Vec<Answer> {
    let value = |name: &str| {
        let found = stamps.iter().find(|stamp| stamp.provider == name);
        found.map_or("", |stamp| stamp.value.as_str())
    };
    let file = File {
        fattura,
        identifier: value(STAMP_ID),
        name: value(STAMP_FILE),
        now,
        hash: hexadecimal(&Sha256::digest(outcome.payload.as_deref().unwrap_or_default())),
        faults: &outcome.faults,
    };
    receipts(outcome).iter().zip(1..).map(|(receipt, ordinal)| file.answer(*receipt, ordinal)).collect()
}

fn receipts(outcome: &Outcome) -> &'static [Receipt] {
    use Receipt as R;
    let code = outcome.faults.first().and_then(|fault| fault.code.as_deref());
    match code {
        Some("EC02") => &[R::Delivered, R::Outcome("EC02")],
        _ if !outcome.accepted => &[R::Discarded],
        Some("MC") => &[R::Undelivered],
        Some("AT") => &[R::Undelivered, R::Attested],
        Some("DT") => &[R::Delivered, R::Expired],
        Some("NE" | "EC01") => &[R::Delivered, R::Outcome("EC01")],
        Some(_) | None => &[R::Delivered],
    }
}

/// A file that SdI took or discarded.
struct File<'a> {
    fattura: &'a Fattura,
    /// `IdentificativoSdI`.
    identifier: &'a str,
    name: &'a str,
    now: &'a str,
    /// SHA-256 of the file, hexadecimal.
    hash: String,
    faults: &'a [ProviderFault],
}

impl File<'_> {
    fn answer(&self, receipt: Receipt, ordinal: u8) -> Answer {
        let stem = self.name.strip_suffix(".xml").unwrap_or(self.name);
        let name = format!("{stem}_{}_{ordinal:03}.xml", receipt.letters());
        let to_administration = self.fattura.format == ADMINISTRATION_FORMAT || !receipt.is_of_all();
        let namespace = if to_administration { ADMINISTRATION } else { PRIVATE };
        let root = format!("types:{}", receipt.root(to_administration));
        let attributes = [("xmlns:types", namespace), ("xmlns:ds", SIGNATURE), ("versione", "1.0")];
        let body = einvoice_xml::document(&root, &attributes, "", |xml| {
            self.write(xml, receipt, ordinal, to_administration);
            signature(xml);
        });
        Answer::xml(name, body)
    }

    /// Everything but the signature, in the order of the schema, which is the same for both sorts of files.
    fn write(&self, xml: &mut Writer, receipt: Receipt, ordinal: u8, to_administration: bool) {
        xml.text("IdentificativoSdI", self.identifier);
        if receipt == Receipt::Expired {
            self.reference(xml);
        }
        xml.text("NomeFile", self.name);
        if !to_administration {
            xml.text("Hash", &self.hash);
        }
        match receipt {
            Receipt::Delivered => {
                xml.text("DataOraRicezione", self.now);
                xml.text("DataOraConsegna", self.now);
                self.recipient(xml);
            }
            Receipt::Undelivered => {
                xml.text("DataOraRicezione", self.now);
                if !to_administration {
                    xml.text("DataMessaADisposizione", self.now.get(..10).unwrap_or_default());
                }
                xml.text("Descrizione", &description(self.faults.first()).0);
            }
            Receipt::Discarded => {
                xml.text("DataOraRicezione", self.now);
                xml.element("ListaErrori", |xml| {
                    self.faults
                        .iter()
                        .take(ERRORS_MAX)
                        .for_each(|fault| error(xml, fault, to_administration));
                });
            }
            Receipt::Outcome(code) => {
                xml.element_with("EsitoCommittente", &[("versione", "1.0")], |xml| {
                    xml.text("IdentificativoSdI", self.identifier);
                    self.reference(xml);
                    xml.text("Esito", code);
                    xml.text("Descrizione", &description(self.faults.first()).0);
                });
            }
            Receipt::Expired => xml.text("Descrizione", &description(self.faults.first()).0),
            Receipt::Attested => {
                xml.text("DataOraRicezione", self.now);
                self.recipient(xml);
            }
        }
        xml.text("MessageId", &format!("{}{ordinal:02}", self.identifier));
        if receipt == Receipt::Attested {
            xml.text("HashFileOriginale", &self.hash);
        }
    }

    fn recipient(&self, xml: &mut Writer) {
        xml.element("Destinatario", |xml| {
            xml.text("Codice", &self.fattura.destination);
            xml.text("Descrizione", &self.fattura.customer.name);
        });
    }

    fn reference(&self, xml: &mut Writer) {
        xml.element("RiferimentoFattura", |xml| {
            xml.text("NumeroFattura", &self.fattura.number);
            xml.text("AnnoFattura", self.fattura.date.get(..4).unwrap_or_default());
        });
    }
}

fn error(xml: &mut Writer, fault: &ProviderFault, to_administration: bool) {
    let code = fault.code.as_deref().filter(|code| code.chars().count() == UNFIT.len()).unwrap_or(UNFIT);
    let (what, remedy) = description(Some(fault));
    xml.element("Errore", |xml| {
        xml.text("Codice", code);
        xml.text("Descrizione", &what);
        if !to_administration {
            xml.text("Suggerimento", &remedy);
        }
    });
}

/// What is wrong, and what to do next.
fn description(fault: Option<&ProviderFault>) -> (String, String) {
    let message = fault.and_then(|fault| fault.message.as_deref()).unwrap_or_default();
    let (what, remedy) = message.split_once("; ").unwrap_or((message.trim_end_matches('.'), ""));
    let short = |text: &str| text.chars().take(DESCRIPTION_CHARS_MAX).collect();
    (short(what), short(remedy))
}

/// In the shape that the schema demands, without a value.
fn signature(xml: &mut Writer) {
    let algorithm = |xml: &mut Writer, name: &str, algorithm: &str| {
        xml.text_with(name, &[("Algorithm", algorithm)], "");
    };
    xml.element("ds:Signature", |xml| {
        xml.element("ds:SignedInfo", |xml| {
            algorithm(xml, "ds:CanonicalizationMethod", "http://www.w3.org/TR/2001/REC-xml-c14n-20010315");
            algorithm(xml, "ds:SignatureMethod", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
            xml.element_with("ds:Reference", &[("URI", "")], |xml| {
                algorithm(xml, "ds:DigestMethod", "http://www.w3.org/2001/04/xmlenc#sha256");
                xml.text("ds:DigestValue", "");
            });
        });
        xml.text("ds:SignatureValue", "");
        xml.element("ds:KeyInfo", |xml| xml.text("ds:KeyName", "not signed: the sandbox has no key of SdI"));
    });
}
