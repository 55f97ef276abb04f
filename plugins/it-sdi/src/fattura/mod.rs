//! The file that goes over the wire: FatturaPA 1.2.3, or its simplified sister.
//!
//! The stored document becomes a [`Fattura`] (`from_document`), which SdI judges and which is written as XML (`ordinary`,
//! `simplified`). The same document under the same progressive number is always the same file.
//!
//! | in the document | in the file |
//! |---|---|
//! | `tax.ext` document type | `TipoDocumento`; TD07, TD08, TD09 become `FatturaElettronicaSemplificata` (FSM10), all others `FatturaElettronica` |
//! | `tax.ext` format | `FormatoTrasmissione` and `versione`: FPA12 for administrations, else FPR12 |
//! | supplier | `CedentePrestatore`; the supplier sends its own files, so it is `IdTrasmittente` too |
//! | inbox `it-sdi-code` | `CodiceDestinatario`; without it 999999 (administrations), XXXXXXX (abroad) or 0000000 |
//! | inbox `it-sdi-pec` | `PECDestinatario`, beside 0000000 only |
//! | tax id of the recipient | `IdFiscaleIVA` |
//! | no tax id, Italy | `CodiceFiscale` of the identity `it-fiscal-code` |
//! | no tax id, abroad | `IdFiscaleIVA` of the country with 0000000: in the Union, or with an identity document; else OO99999999999 |
//! | addresses abroad | `CAP` 00000, no `Provincia` |
//! | `preceding` | `DatiFattureCollegate`; of a simplified document `DatiFatturaRettificata`, which names one only |
//! | lines | `DettaglioLinee`: net prices with eight decimals; a negative quantity becomes a negative price |
//! | lines of a simplified document | `DatiBeniServizi`: with tax, to the cent, so that they add up to the total |
//! | VAT of a line or row | `AliquotaIVA`; 0.00 with `Natura` where there is a reason not to tax |
//! | codes of a row: `it-sdi-vat-liability` | `EsigibilitaIVA`; without it D in the regimes RF16 and RF17, else I |
//! | retained taxes | `DatiRitenuta`, and `Ritenuta` on the lines they are on |
//! | `total_with_tax` | `ImportoTotaleDocumento`: with VAT, before what is withheld |
//! | payment | `DatiPagamento`: `ImportoPagamento` is what is left after it, without VAT of split payment |
//! | notes, payment terms | `Causale`, 200 characters each |
//!
//! Figures of a credit note stay positive. Nothing else of the document has a place in the file.

mod breakdown;
mod from_document;
mod lines;
mod ordinary;
mod simplified;

use einvoice_gobl::decimal::Decimal;

/// Between the series of a document and its code.
pub(crate) const SEPARATOR: char = '-';
/// `FormatoTrasmissione` of a simplified document.
pub const SIMPLIFIED_FORMAT: &str = "FSM10";
/// `FormatoTrasmissione` of a document for an administration.
pub const ADMINISTRATION_FORMAT: &str = "FPA12";
/// `FormatoTrasmissione` of any other document.
pub const PRIVATE_FORMAT: &str = "FPR12";

/// A file with one document.
#[derive(Debug, Clone)]
pub struct Fattura {
    /// `FormatoTrasmissione`.
    pub format: String,
    /// `ProgressivoInvio`.
    pub progressive: String,
    /// `CodiceDestinatario`.
    pub destination: String,
    /// `PECDestinatario`.
    pub certified_mail: Option<String>,
    /// `CedentePrestatore`.
    pub supplier: Supplier,
    /// `CessionarioCommittente`.
    pub customer: Customer,
    /// `TipoDocumento`.
    pub doc_type: String,
    /// `Divisa`.
    pub currency: String,
    /// `Data`.
    pub date: String,
    /// `Numero`.
    pub number: String,
    /// `DatiRitenuta`.
    pub retentions: Vec<Retention>,
    /// `DatiFattureCollegate`.
    pub references: Vec<Reference>,
    /// `ImportoTotaleDocumento`.
    pub total: Decimal,
    /// `Causale`.
    pub remarks: Vec<String>,
    /// `DettaglioLinee`.
    pub lines: Vec<Line>,
    /// `DatiRiepilogo`.
    pub summary: Vec<Summary>,
    /// `DatiPagamento`.
    pub payments: Vec<Payment>,
}

/// `IdFiscaleType`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxId {
    /// `IdPaese`.
    pub country: String,
    /// `IdCodice`.
    pub code: String,
}

/// `IndirizzoType`.
#[derive(Debug, Clone, Default)]
pub struct Address {
    /// `Indirizzo`.
    pub street: String,
    /// `NumeroCivico`.
    pub house_number: Option<String>,
    /// `CAP`.
    pub postcode: String,
    /// `Comune`.
    pub locality: String,
    /// `Provincia`.
    pub province: Option<String>,
    /// `Nazione`.
    pub country: String,
}

/// `CedentePrestatoreType`.
#[derive(Debug, Clone)]
pub struct Supplier {
    /// `IdFiscaleIVA`.
    pub tax_id: TaxId,
    /// `Denominazione`.
    pub name: String,
    /// `RegimeFiscale`.
    pub regime: String,
    /// `Sede`.
    pub address: Address,
    /// `IscrizioneREA`.
    pub registration: Option<Registration>,
    /// `Email`.
    pub email: Option<String>,
}

/// `IscrizioneREAType`.
#[derive(Debug, Clone)]
pub struct Registration {
    /// `Ufficio`.
    pub office: String,
    /// `NumeroREA`.
    pub entry: String,
    /// `CapitaleSociale`.
    pub capital: Option<Decimal>,
}

/// `CessionarioCommittenteType`.
#[derive(Debug, Clone, Default)]
pub struct Customer {
    /// `IdFiscaleIVA`.
    pub tax_id: Option<TaxId>,
    /// `CodiceFiscale`.
    pub fiscal_code: Option<String>,
    /// `Denominazione`.
    pub name: String,
    /// `Sede`.
    pub address: Address,
}

/// `DatiRitenutaType`.
#[derive(Debug, Clone)]
pub struct Retention {
    /// `TipoRitenuta`.
    pub kind: String,
    /// `ImportoRitenuta`.
    pub amount: Decimal,
    /// `AliquotaRitenuta`.
    pub rate: Decimal,
    /// `CausalePagamento`.
    pub reason: String,
}

/// `DatiDocumentiCorrelatiType`.
#[derive(Debug, Clone)]
pub struct Reference {
    /// `IdDocumento`.
    pub number: String,
    /// `Data`.
    pub date: Option<String>,
    /// `ElementiRettificati` of a simplified document.
    pub reason: String,
}

/// `DettaglioLineeType`.
#[derive(Debug, Clone)]
pub struct Line {
    /// `NumeroLinea`.
    pub index: u32,
    /// `Descrizione`.
    pub description: String,
    /// `Quantita`.
    pub quantity: Decimal,
    /// `DataInizioPeriodo` and `DataFinePeriodo`.
    pub period: Option<(String, String)>,
    /// `PrezzoUnitario`.
    pub price: Decimal,
    /// `PrezzoTotale`.
    pub total: Decimal,
    /// `Importo` of a simplified document: with tax.
    pub total_with_tax: Decimal,
    /// `AliquotaIVA`.
    pub rate: Decimal,
    /// Whether `Ritenuta` stands.
    pub is_withheld: bool,
    /// `Natura`.
    pub nature: Option<String>,
}

/// `DatiRiepilogoType`.
#[derive(Debug, Clone)]
pub struct Summary {
    /// `AliquotaIVA`.
    pub rate: Decimal,
    /// `Natura`.
    pub nature: Option<String>,
    /// `ImponibileImporto`.
    pub base: Decimal,
    /// `Imposta`.
    pub tax: Decimal,
    /// `EsigibilitaIVA`.
    pub liability: Option<String>,
    /// `RiferimentoNormativo`.
    pub law: Option<String>,
}

/// `DettaglioPagamentoType`.
#[derive(Debug, Clone)]
pub struct Payment {
    /// `Beneficiario`.
    pub beneficiary: Option<String>,
    /// `ModalitaPagamento`.
    pub means: String,
    /// `DataScadenzaPagamento`.
    pub due_date: Option<String>,
    /// `ImportoPagamento`.
    pub amount: Decimal,
    /// `IBAN`.
    pub iban: Option<String>,
    /// `BIC`.
    pub bic: Option<String>,
}

impl Fattura {
    /// Whether it is a simplified document.
    pub fn is_simplified(&self) -> bool {
        self.format == SIMPLIFIED_FORMAT
    }

    /// The name of the file: the sender's country and tax code, and the progressive number.
    pub fn file_name(&self) -> String {
        let TaxId { country, code } = &self.supplier.tax_id;
        format!("{country}{code}_{}.xml", self.progressive)
    }

    /// The file.
    pub fn xml(&self) -> String {
        if self.is_simplified() { simplified::xml(self) } else { ordinary::xml(self) }
    }
}
