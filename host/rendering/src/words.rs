//! What stands on a document besides what its user and its tax system say, by language, and how dates are written there.

use gateway_domain::invoicing::Period;
use jiff::civil::Date;

/// A language that documents are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Of every locale that is none of the others.
    English,
    /// `es`, whatever the country.
    Spanish,
    /// `it`.
    Italian,
    /// `de`.
    German,
    /// `pl`.
    Polish,
    /// `fr`.
    French,
    /// `pt`.
    Portuguese,
    /// `el`.
    Greek,
}

/// The fixed words of a language.
#[derive(Debug)]
pub(crate) struct Words {
    /// What the tax number of a company of another country is called.
    pub(crate) vat_number: &'static str,
    /// What the number of a person's document is called.
    pub(crate) identity_document: &'static str,
    /// What the surcharge on a tax is called that a retailer pays instead of keeping books (Spanish law 37/1992, article 148).
    pub(crate) surcharge: &'static str,
    /// What a file with the authority's record is.
    pub(crate) record: &'static str,
    /// What stands before the address where anybody verifies the document.
    pub(crate) verification: &'static str,
}

const ENGLISH: Words = Words {
    vat_number: "VAT no.",
    identity_document: "ID",
    surcharge: "Equivalence surcharge",
    record: "the record that the tax authority received",
    verification: "To verify this document",
};

const SPANISH: Words = Words {
    vat_number: "N.º de IVA",
    identity_document: "Documento de identidad",
    surcharge: "Recargo de equivalencia",
    record: "el registro que recibió la administración tributaria",
    verification: "Verificación de este documento",
};

const ITALIAN: Words = Words {
    vat_number: "Partita IVA",
    identity_document: "Documento d'identità",
    surcharge: "Maggiorazione di equivalenza",
    record: "il documento ricevuto dall'amministrazione finanziaria",
    verification: "Verifica di questo documento",
};

const GERMAN: Words = Words {
    vat_number: "USt-IdNr.",
    identity_document: "Ausweis-Nr.",
    surcharge: "Äquivalenzzuschlag",
    record: "der Datensatz, den die Finanzverwaltung erhalten hat",
    verification: "Prüfung dieses Dokuments",
};

const POLISH: Words = Words {
    vat_number: "Nr VAT UE",
    identity_document: "Nr dokumentu tożsamości",
    surcharge: "Dopłata wyrównawcza",
    record: "dokument otrzymany przez administrację skarbową",
    verification: "Weryfikacja tego dokumentu",
};

const FRENCH: Words = Words {
    vat_number: "N° de TVA",
    identity_document: "Pièce d’identité",
    surcharge: "Surtaxe d’équivalence",
    record: "l’enregistrement reçu par l’administration fiscale",
    verification: "Vérification de ce document",
};

const PORTUGUESE: Words = Words {
    vat_number: "N.º de IVA",
    identity_document: "Documento de identificação",
    surcharge: "Sobretaxa de equivalência",
    record: "o registo recebido pela administração fiscal",
    verification: "Verificação deste documento",
};

const GREEK: Words = Words {
    vat_number: "Αριθμός ΦΠΑ",
    identity_document: "Έγγραφο ταυτότητας",
    surcharge: "Τέλος ισοδυναμίας",
    record: "η εγγραφή που έλαβε η φορολογική διοίκηση",
    verification: "Επαλήθευση του παραστατικού",
};

impl Language {
    /// The one of a locale (BCP 47).
    pub fn of(locale: &str) -> Self {
        match locale.split('-').next() {
            Some("es") => Self::Spanish,
            Some("it") => Self::Italian,
            Some("de") => Self::German,
            Some("pl") => Self::Polish,
            Some("fr") => Self::French,
            Some("pt") => Self::Portuguese,
            Some("el") => Self::Greek,
            Some(_) | None => Self::English,
        }
    }

    /// What most people of a country read (ISO 3166-1), where there are words of it.
    pub fn of_country(country: &str) -> Option<Self> {
        match country {
            "ES" => Some(Self::Spanish),
            "IT" => Some(Self::Italian),
            "DE" | "AT" => Some(Self::German),
            "PL" => Some(Self::Polish),
            "FR" | "MC" => Some(Self::French),
            "PT" => Some(Self::Portuguese),
            "GR" | "CY" => Some(Self::Greek),
            "GB" | "IE" | "US" => Some(Self::English),
            _ => None,
        }
    }

    /// Its locale (BCP 47).
    pub const fn locale(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::Italian => "it",
            Self::German => "de",
            Self::Polish => "pl",
            Self::French => "fr",
            Self::Portuguese => "pt",
            Self::Greek => "el",
        }
    }

    pub(crate) const fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Spanish => &SPANISH,
            Self::Italian => &ITALIAN,
            Self::German => &GERMAN,
            Self::Polish => &POLISH,
            Self::French => &FRENCH,
            Self::Portuguese => &PORTUGUESE,
            Self::Greek => &GREEK,
        }
    }

    /// `27/07/2026`, `27 July 2026`, `27.07.2026`: as the renderer writes the other dates.
    pub fn date(self, date: Date) -> String {
        match self {
            Self::English => date.strftime("%-d\u{a0}%B %Y").to_string(),
            Self::Spanish | Self::Italian | Self::French | Self::Portuguese | Self::Greek => {
                date.strftime("%d/%m/%Y").to_string()
            }
            Self::German | Self::Polish => date.strftime("%d.%m.%Y").to_string(),
        }
    }

    /// The days that a line bills.
    pub fn period(self, Period { start, end }: Period) -> String {
        let (first, last) = (self.date(start), self.date(end));
        match self {
            Self::English if start == end => format!("Period: {first}"),
            Self::English => format!("Period: {first} to {last}"),
            Self::Spanish if start == end => format!("Periodo: {first}"),
            Self::Spanish => format!("Periodo: del {first} al {last}"),
            Self::Italian if start == end => format!("Periodo: {first}"),
            Self::Italian => format!("Periodo: dal {first} al {last}"),
            Self::German if start == end => format!("Zeitraum: {first}"),
            Self::German => format!("Zeitraum: {first} bis {last}"),
            Self::Polish if start == end => format!("Okres: {first}"),
            Self::Polish => format!("Okres: od {first} do {last}"),
            Self::French if start == end => format!("Période\u{a0}: {first}"),
            Self::French => format!("Période\u{a0}: du {first} au {last}"),
            Self::Portuguese if start == end => format!("Período: {first}"),
            Self::Portuguese => format!("Período: de {first} a {last}"),
            Self::Greek if start == end => format!("Περίοδος: {first}"),
            Self::Greek => format!("Περίοδος: από {first} έως {last}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JULY: Date = Date::constant(2026, 7, 5);
    const AUGUST: Date = Date::constant(2026, 8, 31);

    #[test]
    fn a_language_without_words_of_its_own_has_the_english_ones() {
        for (locale, language) in [
            ("es", Language::Spanish),
            ("es-ES", Language::Spanish),
            ("en", Language::English),
            ("est", Language::English),
            ("nl", Language::English),
            ("it", Language::Italian),
            ("de", Language::German),
            ("pl", Language::Polish),
            ("fr-FR", Language::French),
            ("pt", Language::Portuguese),
            ("el", Language::Greek),
            ("", Language::English),
        ] {
            assert_eq!(Language::of(locale), language, "{locale}");
        }
    }

    #[test]
    fn a_country_reads_its_language_where_there_are_words_of_it() {
        for country in ["ES", "IT", "DE", "AT", "PL", "FR", "PT", "GR", "CY", "GB", "IE", "US"] {
            let language = Language::of_country(country).unwrap();
            assert_eq!(Language::of(language.locale()), language, "{country}");
        }
        assert_eq!((Language::of_country("BE"), Language::of_country("")), (None, None));
    }

    #[test]
    fn dates_and_periods_are_written_as_the_language_does() {
        let month = Period { start: JULY, end: AUGUST };
        assert_eq!(Language::Spanish.date(JULY), "05/07/2026");
        assert_eq!(Language::English.date(JULY), "5\u{a0}July 2026");
        assert_eq!(Language::Spanish.period(month), "Periodo: del 05/07/2026 al 31/08/2026");
        assert_eq!(Language::English.period(month), "Period: 5\u{a0}July 2026 to 31\u{a0}August 2026");
        assert_eq!(Language::Spanish.period(Period { end: JULY, ..month }), "Periodo: 05/07/2026");
        assert_eq!(Language::English.period(Period { end: JULY, ..month }), "Period: 5\u{a0}July 2026");
        assert_eq!(Language::Italian.period(month), "Periodo: dal 05/07/2026 al 31/08/2026");
        assert_eq!(Language::German.period(month), "Zeitraum: 05.07.2026 bis 31.08.2026");
        assert_eq!(Language::Polish.period(month), "Okres: od 05.07.2026 do 31.08.2026");
        assert_eq!(Language::French.period(month), "Période\u{a0}: du 05/07/2026 au 31/08/2026");
        assert_eq!(Language::Portuguese.period(month), "Período: de 05/07/2026 a 31/08/2026");
        assert_eq!(Language::Greek.period(month), "Περίοδος: από 05/07/2026 έως 31/08/2026");
    }
}
