//! The rows of the tax breakdown: classification, regime, rate and figures.

use einvoice_es::date::Date;
use einvoice_es::identification::Identification;
use einvoice_es::rates::{self, VatPercent};
use einvoice_es::stored::Rate;
use einvoice_es::taxes::Category;
use einvoice_gobl::decimal::Decimal;
use einvoice_plugin::Amount;

use crate::authority::document::Tax;
use crate::authority::figures;
use crate::authority::filed_document::FiledDocument;
use crate::authority::message::percent;
use crate::codes::{EXT_EXEMPT, EXT_OP_CLASS, EXT_REGIME};
use crate::doc_type::DocType;
use crate::regimes;

/// List L8, of VAT and of IGIC.
const REGIMES: [&str; 18] = [
    "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "14", "15", "17", "18", "19", "20",
    "21",
];
const GENERAL: &str = "01";
const SURCHARGE: &str = "18";
/// The only regime that no list of VAT has.
const SIMPLIFIED_OF_IGIC: &str = "21";

/// A row with its figures as the record states them.
struct Row<'a> {
    tax: Tax,
    rate: &'a Rate,
    percent: Option<Decimal>,
    base: Decimal,
    amount: Decimal,
}

/// What a row is about: a class of list L9 or an exemption of list L10.
enum Treatment {
    Taxed,
    ReverseCharge,
    OutsideScope,
    Exempt,
}

pub(super) fn violation(filed: &FiledDocument) -> Option<&'static str> {
    let day = filed.operation_day().unwrap_or(filed.day);
    let identification = filed.recipient();
    let nif = identification.as_ref().and_then(Identification::nif);
    let is_billed_ahead = day > filed.day;
    let document = regimes::Document { doc_type: filed.doc_type(), nif, is_billed_ahead };
    let stated = |figure: &str| figures::read(&filed.stated(figure)).unwrap_or_default();
    filed.invoice.rows_by_category().find_map(|(category, rate)| {
        let row = Row {
            tax: Tax::of(category),
            rate,
            percent: rate.percent.as_deref().and_then(|text| figures::read_percent(percent(text))),
            base: stated(&rate.base),
            amount: stated(&rate.amount),
        };
        row.violation(document, day)
    })
}

impl Row<'_> {
    fn violation(&self, document: regimes::Document<'_>, day: Date) -> Option<&'static str> {
        let treatment = match self.treatment() {
            Ok(treatment) => treatment,
            Err(code) => return Some(code),
        };
        self.regime().or_else(|| self.under_regime(document)).or_else(|| match treatment {
            Treatment::Taxed => self.taxed_violation(day),
            Treatment::ReverseCharge => self.reverse_charge(document.doc_type),
            Treatment::OutsideScope if self.tax == Tax::Vat => self.carries_tax().then_some("1237"),
            Treatment::OutsideScope => self.carries_tax().then_some("1207"),
            Treatment::Exempt => self.exempt(),
        })
    }

    fn treatment(&self) -> Result<Treatment, &'static str> {
        match (self.rate.code_of(EXT_OP_CLASS), self.rate.code_of(EXT_EXEMPT)) {
            (None, None) => Err("1195"),
            (Some(_), Some(_)) => Err("1196"),
            (Some("S1"), None) => Ok(Treatment::Taxed),
            (Some("S2"), None) => Ok(Treatment::ReverseCharge),
            (Some("N1" | "N2"), None) => Ok(Treatment::OutsideScope),
            (Some(_), None) => Err("1181"),
            (None, Some("E1" | "E2" | "E3" | "E4" | "E5" | "E6" | "E7" | "E8")) => Ok(Treatment::Exempt),
            (None, Some(_)) => Err("1182"),
        }
    }

    fn regime(&self) -> Option<&'static str> {
        match (self.tax, self.rate.code_of(EXT_REGIME)) {
            (Tax::Vat | Tax::Igic, None) => Some("1245"),
            (Tax::Vat, Some(SIMPLIFIED_OF_IGIC)) => Some("1246"),
            (Tax::Vat | Tax::Igic, Some(code)) => (!REGIMES.contains(&code)).then_some("1246"),
            (Tax::Ipsi | Tax::Other, Some(_)) => Some("1260"),
            (Tax::Ipsi | Tax::Other, None) => None,
        }
    }

    /// What the regime demands beside what is demanded of every row.
    fn under_regime(&self, document: regimes::Document<'_>) -> Option<&'static str> {
        let category = match self.tax {
            Tax::Vat => Category::Vat,
            Tax::Igic => Category::Igic,
            Tax::Ipsi | Tax::Other => return None,
        };
        let row = regimes::Row {
            regime: self.rate.code_of(EXT_REGIME)?,
            category,
            class: self.rate.code_of(EXT_OP_CLASS),
            exemption: self.rate.code_of(EXT_EXEMPT),
            percent: self.rate.percent.as_deref().and_then(|text| percent(text).parse().ok()),
        };
        regimes::breaches(row, document).first().map(|breach| breach.code)
    }

    fn carries_tax(&self) -> bool {
        self.percent.is_some() || self.amount != Decimal::ZERO || self.rate.surcharge.is_some()
    }

    fn exempt(&self) -> Option<&'static str> {
        let general = self.rate.code_of(EXT_REGIME) == Some(GENERAL);
        let export = matches!(self.rate.code_of(EXT_EXEMPT), Some("E2" | "E3"));
        if self.carries_tax() { Some("1238") } else { (general && export).then_some("1199") }
    }

    fn reverse_charge(&self, doc_type: Option<DocType>) -> Option<&'static str> {
        let nought = |figure: Decimal| figure == Decimal::ZERO;
        if doc_type.is_some_and(DocType::is_simplified) {
            Some("1197")
        } else {
            (!nought(self.amount) || !self.percent.is_none_or(nought)).then_some("1198")
        }
    }

    fn taxed_violation(&self, day: Date) -> Option<&'static str> {
        let Some(percent) = self.percent else { return Some("1208") };
        if figures::have_opposite_signs(self.amount, self.base) {
            return Some("1143");
        }
        if !self.base.percent(percent).is_some_and(|tax| figures::are_close(self.amount, tax)) {
            return Some("1142");
        }
        if self.tax == Tax::Vat { self.vat(day) } else { None }
    }

    /// The rate must have been in use on the day of the operation, and a surcharge belongs to it.
    fn vat(&self, day: Date) -> Option<&'static str> {
        let read = |text: &str| percent(text).parse::<Amount>().ok();
        let rate = self.rate.percent.as_deref().and_then(read)?;
        match rates::vat_percent(rate, day) {
            VatPercent::Unknown => return Some("1124"),
            VatPercent::Temporary(..) => return Some(out_of_date(rate)),
            VatPercent::Accepted => {}
        }
        let of_regime = self.rate.code_of(EXT_REGIME) == Some(SURCHARGE);
        match &self.rate.surcharge {
            None => of_regime.then_some("1280"),
            Some(_) if !of_regime => Some("1279"),
            Some(surcharge) => {
                let percent = read(&surcharge.percent)?;
                let known = rates::vat_surcharges(rate).iter().any(|known| known.same_value(percent));
                (!known).then_some("1127")
            }
        }
    }
}

/// Each temporary rate has its own code.
fn out_of_date(rate: Amount) -> &'static str {
    match rate.canonical(0) {
        Amount { units: 5, scale: 0 } => "1194",
        Amount { units: 2, scale: 0 } => "1235",
        _ => "1236",
    }
}
