//! `TipoDesglose`: what is taxed at which rates, what is exempt and why, what is not subject and why.
//!
//! Recipients abroad get a breakdown by goods and services, all others one for the whole invoice. Rows that say the same
//! are one row.

use einvoice_es::stored::Rate;
use einvoice_gobl::decimal::Decimal;
use einvoice_xml::Writer;

use super::figures;
use super::filed_document::FiledDocument;
use crate::codes::{EXT_EXEMPTION, EXT_PRODUCT, EXT_REGIME, Product};

/// Causes for which something is not subject to the province's tax (list L13).
const NOT_SUBJECT: [&str; 4] = ["OT", "RL", "VT", "IE"];
/// Causes of exemption (list L10).
const EXEMPT: [&str; 6] = ["E1", "E2", "E3", "E4", "E5", "E6"];
/// The recipient accounts for the tax (list L11).
const REVERSE_CHARGE: &str = "S2";

/// The regime of suppliers who are in the equivalence surcharge's, or who charge it.
const SURCHARGE_REGIME: &str = "51";
/// The simplified regime.
const SIMPLIFIED_REGIME: &str = "52";

/// Where a row belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class<'a> {
    /// Taxed: `S1` or `S2`.
    Taxed(&'static str),
    /// For this cause.
    Exempt(&'a str),
    /// For this cause.
    NotSubject(&'a str),
}

impl<'a> Class<'a> {
    /// None when the schema has no such cause.
    pub(super) fn of(rate: &'a Rate) -> Option<Self> {
        match rate.code_of(EXT_EXEMPTION) {
            None => Some(Self::Taxed("S1")),
            Some(REVERSE_CHARGE) => Some(Self::Taxed(REVERSE_CHARGE)),
            Some(cause) if EXEMPT.contains(&cause) => Some(Self::Exempt(cause)),
            Some(cause) if NOT_SUBJECT.contains(&cause) => Some(Self::NotSubject(cause)),
            Some(_) => None,
        }
    }
}

/// The breakdown of a document.
pub(super) fn breakdown(xml: &mut Writer, filed: &FiledDocument) {
    xml.element("TipoDesglose", |xml| {
        if !filed.is_to_foreigner() {
            let rows = filed.names.invoice.rows();
            return xml.element("DesgloseFactura", |xml| part(xml, filed, &rows.collect::<Vec<_>>()));
        }
        xml.element("DesgloseTipoOperacion", |xml| {
            let (goods, services): (Vec<_>, Vec<_>) =
                filed.names.invoice.rows().partition(|rate| is_goods(rate));
            xml.unless_empty("PrestacionServicios", |xml| part(xml, filed, &services));
            xml.unless_empty("Entrega", |xml| part(xml, filed, &goods));
        });
    });
}

fn is_goods(rate: &Rate) -> bool {
    rate.code_of(EXT_PRODUCT).and_then(Product::of_code).is_some_and(|product| product != Product::Services)
}

fn part(xml: &mut Writer, filed: &FiledDocument, rows: &[&Rate]) {
    xml.unless_empty("Sujeta", |xml| {
        xml.unless_empty("Exenta", |xml| {
            let exempt = |class| if let Class::Exempt(cause) = class { Some(cause) } else { None };
            for (cause, base) in causes(filed, rows, exempt) {
                xml.element("DetalleExenta", |xml| {
                    xml.text("CausaExencion", cause);
                    xml.text("BaseImponible", &base.amount());
                });
            }
        });
        xml.unless_empty("NoExenta", |xml| {
            for kind in ["S1", REVERSE_CHARGE] {
                taxed(xml, kind, &taxed_rows(filed, rows, kind));
            }
        });
    });
    xml.unless_empty("NoSujeta", |xml| {
        let outside = |class| if let Class::NotSubject(cause) = class { Some(cause) } else { None };
        for (cause, base) in causes(filed, rows, outside) {
            xml.element("DetalleNoSujeta", |xml| {
                xml.text("Causa", cause);
                xml.text("Importe", &base.amount());
            });
        }
    });
}

/// What comes together under each cause, in order of appearance.
fn causes<'a>(
    filed: &FiledDocument,
    rows: &[&'a Rate],
    cause_of: impl Fn(Class<'a>) -> Option<&'a str>,
) -> Vec<(&'a str, Decimal)> {
    let mut sums: Vec<(&str, Decimal)> = Vec::new();
    for rate in rows {
        let Some(cause) = Class::of(rate).and_then(&cause_of) else { continue };
        let base = filed.figure(&rate.base).unwrap_or_default();
        match sums.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, sum)) => *sum = sum.plus(base),
            None => sums.push((cause, base)),
        }
    }
    sums
}

/// `DetalleIVA`.
#[derive(Debug)]
struct TaxedRow {
    percent: Decimal,
    surcharge_percent: Option<Decimal>,
    /// Sold by somebody in the equivalence surcharge's or the simplified regime.
    in_special_regime: bool,
    base: Decimal,
    amount: Decimal,
    surcharge: Decimal,
}

impl TaxedRow {
    fn of(filed: &FiledDocument, rate: &Rate) -> Self {
        let percent = |text: &str| figures::read_percent(text).unwrap_or_default();
        let figure = |text: &str| filed.figure(text).unwrap_or_default();
        Self {
            percent: rate.percent.as_deref().map(percent).unwrap_or_default(),
            surcharge_percent: rate.surcharge.as_ref().map(|surcharge| percent(&surcharge.percent)),
            in_special_regime: is_in_special_regime(rate),
            base: figure(&rate.base),
            amount: figure(&rate.amount),
            surcharge: rate.surcharge.as_ref().map(|surcharge| figure(&surcharge.amount)).unwrap_or_default(),
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.percent == other.percent
            && self.surcharge_percent == other.surcharge_percent
            && self.in_special_regime == other.in_special_regime
    }
}

/// Regime 51 with a surcharge is that of the recipient, who pays it.
fn is_in_special_regime(rate: &Rate) -> bool {
    let regime = rate.code_of(EXT_REGIME);
    regime == Some(SIMPLIFIED_REGIME)
        || (regime == Some(SURCHARGE_REGIME) && rate.surcharge.is_none())
        || rate.code_of(EXT_PRODUCT) == Some(Product::Resale.code())
}

fn taxed_rows(filed: &FiledDocument, rows: &[&Rate], kind: &str) -> Vec<TaxedRow> {
    let mut sums: Vec<TaxedRow> = Vec::new();
    for rate in rows.iter().filter(|rate| matches!(Class::of(rate), Some(Class::Taxed(of)) if of == kind)) {
        let row = TaxedRow::of(filed, rate);
        match sums.iter_mut().find(|known| known.says_the_same(&row)) {
            Some(sum) => {
                sum.base = sum.base.plus(row.base);
                sum.amount = sum.amount.plus(row.amount);
                sum.surcharge = sum.surcharge.plus(row.surcharge);
            }
            None => sums.push(row),
        }
    }
    sums
}

fn taxed(xml: &mut Writer, kind: &str, rows: &[TaxedRow]) {
    if rows.is_empty() {
        return;
    }
    xml.element("DetalleNoExenta", |xml| {
        xml.text("TipoNoExenta", kind);
        xml.element("DesgloseIVA", |xml| {
            for row in rows {
                xml.element("DetalleIVA", |xml| {
                    xml.text("BaseImponible", &row.base.amount());
                    xml.text("TipoImpositivo", &row.percent.amount());
                    xml.text("CuotaImpuesto", &row.amount.amount());
                    if let Some(percent) = row.surcharge_percent {
                        xml.text("TipoRecargoEquivalencia", &percent.amount());
                        xml.text("CuotaRecargoEquivalencia", &row.surcharge.amount());
                    }
                    let special = row.in_special_regime.then_some("S");
                    xml.optional("OperacionEnRecargoDeEquivalenciaORegimenSimplificado", special);
                });
            }
        });
    });
}
