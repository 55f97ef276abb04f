//! The tax rows of a document as the agency sums them up: by what is sold, by treatment, by rate.

use einvoice_es::doc_type::DocType;
use einvoice_es::stored::{FiledDocument, Rate};

use super::cents::Cents;
use crate::codes::{
    EXT_DOC_TYPE, EXT_EXEMPT, EXT_OUTSIDE_SCOPE, EXT_PRODUCT, IDENTITY_TERMS, Product, is_of_goods,
};
use crate::service::Service;

/// What stands under `TipoDesglose`.
#[derive(Debug)]
pub(super) enum Breakdown {
    /// `DesgloseFactura`.
    OfInvoice(Part),
    /// `DesgloseTipoOperacion`, for recipients who are not Spanish.
    ByOperation { services: Part, goods: Part },
}

/// Rows of one sort, those of the same treatment and rate added up.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Base by `CausaExencion`.
    pub(super) exempt: Vec<(String, Cents)>,
    pub(super) taxed: Vec<TaxedRow>,
    /// Outside the scope by law.
    pub(super) outside_by_law: Option<Cents>,
    /// Outside the scope by the place of supply.
    pub(super) outside_by_place: Option<Cents>,
}

/// `DetalleIVA` or `DetalleIGIC`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TaxedRow {
    /// S2: the recipient accounts for the tax.
    pub(super) reverse_charge: bool,
    pub(super) percent: Cents,
    pub(super) base: Cents,
    pub(super) tax: Cents,
    /// Percent and amount of the equivalence surcharge.
    pub(super) surcharge: Option<(Cents, Cents)>,
}

/// What the agency calls a row.
enum Treatment {
    Exempt(String),
    Taxed(TaxedRow),
    OutsideByLaw,
    OutsideByPlace,
}

impl Breakdown {
    /// The breakdown of a document. None when a figure of it is none the agency takes.
    pub(super) fn of(filed: &FiledDocument, service: Service) -> Option<Self> {
        let invoice = &filed.invoice;
        let (mut services, mut goods) = (Part::default(), Part::default());
        let by_operation = is_by_operation(filed);
        for (category, rate) in invoice.rows_by_category() {
            let of_books = category.code == service.tax().key();
            let base = Cents::read(&invoice.stated(&rate.base))?;
            let treatment = Treatment::of(filed, rate, of_books.then_some(service))?;
            let part = if by_operation && is_goods(rate) { &mut goods } else { &mut services };
            part.add(treatment, base);
        }
        Some(if by_operation { Self::ByOperation { services, goods } } else { Self::OfInvoice(services) })
    }

    /// Its parts.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        let (first, second) = match self {
            Self::OfInvoice(part) => (part, None),
            Self::ByOperation { services, goods } => (services, Some(goods)),
        };
        std::iter::once(first).chain(second)
    }

    /// What it comes to, taxes and surcharges included.
    pub(super) fn total(&self) -> Cents {
        self.parts().map(Part::total).fold(Cents::default(), Cents::plus)
    }
}

impl Treatment {
    /// `service` for a row of the tax of its books. Any other tax is one that the tax of the books does not reach.
    fn of(filed: &FiledDocument, rate: &Rate, service: Option<Service>) -> Option<Self> {
        let Some(service) = service else { return Some(Self::OutsideByPlace) };
        if let Some(code) = rate.code_of(EXT_EXEMPT) {
            return Some(Self::Exempt(service.exemption(code).to_owned()));
        }
        match rate.code_of(EXT_OUTSIDE_SCOPE) {
            Some("location") => return Some(Self::OutsideByPlace),
            Some(_) => return Some(Self::OutsideByLaw),
            None => {}
        }
        let percent = |text: &str| Cents::read(text.trim_end_matches('%'));
        let amount = |text: &str| Cents::read(&filed.invoice.stated(text));
        let surcharge = match &rate.surcharge {
            Some(surcharge) => Some((percent(&surcharge.percent)?, amount(&surcharge.amount)?)),
            None => None,
        };
        Some(Self::Taxed(TaxedRow {
            reverse_charge: rate.percent.is_none(),
            percent: percent(rate.percent.as_deref().unwrap_or("0"))?,
            base: amount(&rate.base)?,
            tax: amount(&rate.amount)?,
            surcharge,
        }))
    }
}

impl Part {
    /// Whether nothing of this sort was sold.
    pub(super) fn is_empty(&self) -> bool {
        self.exempt.is_empty()
            && self.taxed.is_empty()
            && self.outside_by_law.is_none()
            && self.outside_by_place.is_none()
    }

    fn total(&self) -> Cents {
        let taxed = self.taxed.iter().map(|row| {
            let surcharge = row.surcharge.map(|(_, amount)| amount).unwrap_or_default();
            row.base.plus(row.tax).plus(surcharge)
        });
        let exempt = self.exempt.iter().map(|(_, base)| *base);
        let outside = self.outside_by_law.into_iter().chain(self.outside_by_place);
        taxed.chain(exempt).chain(outside).fold(Cents::default(), Cents::plus)
    }

    fn add(&mut self, treatment: Treatment, base: Cents) {
        let added = |sum: Option<Cents>| Some(sum.unwrap_or_default().plus(base));
        match treatment {
            Treatment::OutsideByLaw => self.outside_by_law = added(self.outside_by_law),
            Treatment::OutsideByPlace => self.outside_by_place = added(self.outside_by_place),
            Treatment::Exempt(code) => match self.exempt.iter_mut().find(|(known, _)| *known == code) {
                Some((_, sum)) => *sum = sum.plus(base),
                None => self.exempt.push((code, base)),
            },
            Treatment::Taxed(row) => match self.taxed.iter_mut().find(|known| known.is_of_rate(&row)) {
                Some(known) => known.add(&row),
                None => self.taxed.push(row),
            },
        }
    }
}

impl TaxedRow {
    fn is_of_rate(&self, other: &Self) -> bool {
        let percent_of =
            |row: &Self| (row.reverse_charge, row.percent, row.surcharge.map(|(percent, _)| percent));
        percent_of(self) == percent_of(other)
    }

    fn add(&mut self, other: &Self) {
        self.base = self.base.plus(other.base);
        self.tax = self.tax.plus(other.tax);
        if let (Some((_, sum)), Some((_, amount))) = (&mut self.surcharge, other.surcharge) {
            *sum = sum.plus(amount);
        }
    }
}

/// Whether the agency wants goods apart from services (error 2006): not of simplified documents.
pub(super) fn is_by_operation(filed: &FiledDocument) -> bool {
    let simplified =
        filed.invoice.code_of(EXT_DOC_TYPE).and_then(DocType::of_code).is_some_and(DocType::is_simplified);
    let recipient = filed.invoice.customer.as_ref().and_then(|party| IDENTITY_TERMS.identify(party));
    !simplified && recipient.is_some_and(|recipient| recipient.is_of_foreigner())
}

fn is_goods(rate: &Rate) -> bool {
    let product = rate.code_of(EXT_PRODUCT).and_then(Product::of_code);
    is_of_goods(product, rate.surcharge.is_some(), rate.code_of(EXT_EXEMPT))
}
