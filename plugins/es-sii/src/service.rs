//! The two services that keep these books: the state's for VAT, the Canary Islands' for IGIC.
//!
//! A document all of whose taxes are IGIC goes into the Canarian books; anything else into the state's, where IPSI and
//! IGIC are operations that VAT does not reach.

use einvoice_es::taxes::Category;

/// Who keeps the books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// The state's tax agency (AEAT): VAT.
    State,
    /// The Canarian tax agency (ATC): IGIC.
    Canary,
}

impl Service {
    /// The service for a document of these taxes, by their keys.
    pub fn of<'a>(taxes: impl IntoIterator<Item = &'a str>) -> Self {
        let mut taxes = taxes.into_iter().peekable();
        let of_islands = taxes.peek().is_some() && taxes.all(|tax| tax == Category::Igic.key());
        if of_islands { Self::Canary } else { Self::State }
    }

    /// The tax of its books.
    pub const fn tax(self) -> Category {
        match self {
            Self::State => Category::Vat,
            Self::Canary => Category::Igic,
        }
    }

    /// What the namespaces of its schemas begin with.
    pub const fn namespace(self) -> &'static str {
        match self {
            Self::State => {
                "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/ssii/fact/ws/"
            }
            Self::Canary => {
                "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/ssii/igic/ws/"
            }
        }
    }

    /// `IDVersionSii`.
    pub const fn version(self) -> &'static str {
        match self {
            Self::State => "1.1",
            Self::Canary => "1.0",
        }
    }

    /// The list of taxed rows and one of its rows.
    pub const fn taxed_rows(self) -> [&'static str; 2] {
        match self {
            Self::State => ["DesgloseIVA", "DetalleIVA"],
            Self::Canary => ["DesgloseIGIC", "DetalleIGIC"],
        }
    }

    /// How many taxed rows a breakdown holds.
    pub const fn taxed_rows_max(self) -> usize {
        match self {
            Self::State => 6,
            Self::Canary => 9,
        }
    }

    /// What is outside the scope of the tax by law.
    pub const fn outside_by_law(self) -> &'static str {
        match self {
            Self::State => "ImportePorArticulos7_14_Otros",
            Self::Canary => "ImportePorArticulos9_Otros",
        }
    }

    /// Its code of an exemption that the document names by an article of the VAT law. Article 25, supplies to other member
    /// states, has no counterpart in the islands: [`crate::examine`] refuses it.
    pub fn exemption(self, code: &str) -> &str {
        match (self, code) {
            (Self::Canary, "E6") => "E8",
            _ => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_document_of_nothing_but_igic_goes_to_the_islands() {
        assert_eq!(Service::of(["IGIC", "IGIC"]), Service::Canary);
        for taxes in [&["VAT"][..], &["VAT", "IGIC"], &["IPSI"], &[]] {
            assert_eq!(Service::of(taxes.iter().copied()), Service::State, "{taxes:?}");
        }
    }

    #[test]
    fn another_reason_of_exemption_has_another_code_in_the_islands() {
        assert_eq!([Service::State, Service::Canary].map(|service| service.exemption("E6")), ["E6", "E8"]);
        assert_eq!(Service::Canary.exemption("E1"), "E1");
    }
}
