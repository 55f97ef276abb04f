//! The agency's own list of the records that it holds of an issuer: the operation `ConsultaFactuSistemaFacturacion` of its service
//! (`SistemaFacturacion.wsdl`, SOAP 1.1), asked by the issuer.
//!
//! | module | does |
//! |---|---|
//! | `parts` | how a period is cut into what the agency can be asked for |
//! | `question` | the question (`ConsultaLR.xsd`) |
//! | `answer` | what its answer lists (`RespuestaConsultaLR.xsd`), or why it lists nothing |
//!
//! The certificate with which the agency is called is that of the issuer, or of whoever represents it; the gateway's operator sets it.

mod answer;
mod parts;
mod question;

use einvoice_es::date::Date;
use einvoice_es::nif::Nif;
use einvoice_plugin::{
    Context, ListingAnswer, ListingPage, ListingProblem, ListingQuery, ListingRequest, Reconcile,
};
use parts::Part;

use crate::EsVerifactu;

/// Where a page begins: in which part of the period, and behind which record of it (`ClavePaginacion`). Written as `2`, or as
/// `2|20-11-2026|F-2026-000017`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Cursor {
    part: usize,
    behind: Option<Behind>,
}

/// The last record of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Behind {
    /// `DD-MM-YYYY`.
    date: String,
    number: String,
}

impl Cursor {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '|');
        let part = parts.next()?.parse().ok()?;
        let behind = match (parts.next(), parts.next()) {
            (Some(date), Some(number)) => Some(Behind { date: date.to_owned(), number: number.to_owned() }),
            (None, None) => None,
            _ => return None,
        };
        Some(Self { part, behind })
    }

    fn written(&self) -> String {
        match &self.behind {
            Some(behind) => format!("{}|{}|{}", self.part, behind.date, behind.number),
            None => self.part.to_string(),
        }
    }
}

/// What a query asks for, in the agency's terms.
struct Listing {
    issuer: String,
    name: String,
    parts: Vec<Part>,
    cursor: Cursor,
}

impl Listing {
    fn of(query: &ListingQuery, context: &Context) -> Result<Self, ListingProblem> {
        let day = |text: &str| {
            text.parse::<Date>()
                .map_err(|_| ListingProblem::lasting(format!("'{text}' is no day; ask again.")))
        };
        let (from, until) = (day(&query.period.from)?, day(&query.period.until)?);
        let issuer = Nif::parse(&context.supplier.tax_id).map_err(|_| {
            ListingProblem::lasting(
                "The workspace's tax id is no Spanish NIF; correct it with 'gateway workspace set'.",
            )
        })?;
        let cursor = query.after.as_deref().map_or_else(|| Some(Cursor::default()), Cursor::read);
        let cursor = cursor.ok_or_else(|| {
            ListingProblem::lasting(
                "The place in the agency's list cannot be read; begin another comparison.",
            )
        })?;
        Ok(Self {
            issuer: issuer.as_str().to_owned(),
            name: context.supplier.legal_name.trim().to_owned(),
            parts: parts::parts(from, until),
            cursor,
        })
    }

    fn part(&self) -> Result<&Part, ListingProblem> {
        let none = || ListingProblem::lasting("The period has no days; give it a 'from' before its 'to'.");
        self.parts.get(self.cursor.part).ok_or_else(none)
    }

    /// Where the page behind this one begins, whose last record is `behind` where its part has more.
    fn next(&self, behind: Option<Behind>) -> Option<Cursor> {
        if behind.is_some() {
            return Some(Cursor { part: self.cursor.part, behind });
        }
        let part = self.cursor.part.saturating_add(1);
        (part < self.parts.len()).then_some(Cursor { part, behind: None })
    }
}

impl Reconcile for EsVerifactu {
    fn question(query: &ListingQuery, context: &Context) -> Result<ListingRequest, ListingProblem> {
        let listing = Listing::of(query, context)?;
        let body = question::question(&listing, listing.part()?);
        Ok(ListingRequest::post("text/xml; charset=utf-8", body).header("soapaction", "\"\""))
    }

    fn read_answer(
        query: &ListingQuery,
        context: &Context,
        answer: &ListingAnswer,
    ) -> Result<ListingPage, ListingProblem> {
        let listing = Listing::of(query, context)?;
        let (records, behind) = answer::read(answer, &listing.issuer)?;
        Ok(ListingPage { records, next: listing.next(behind).map(|cursor| cursor.written()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        let behind = Behind { date: "20-11-2026".to_owned(), number: "F|2026|1".to_owned() };
        for cursor in
            [Cursor::default(), Cursor { part: 7, behind: None }, Cursor { part: 2, behind: Some(behind) }]
        {
            assert_eq!(Cursor::read(&cursor.written()), Some(cursor));
        }
        for text in ["", "x", "1|20-11-2026", "-1", "|"] {
            assert_eq!(Cursor::read(text), None, "{text}");
        }
    }
}
