//! Complaints about a document, each for the part of its page that shows what is meant.
//!
//! A plugin names a member of the document as the platform knows it, by a JSON Pointer (`wit/v1`): `/recipient/tax_number`. The
//! provider names one of the structured document, by a JSONPath from its envelope: `$.doc.customer.tax_id.code`.

use gateway_domain::fault::Fault;

/// A complaint, and the member that it means.
#[derive(Debug, Clone)]
pub struct FaultRow {
    /// Stable for ever.
    pub code: String,
    /// As the fault has it; empty: it means the whole document.
    pub path: String,
    /// One sentence for a person.
    pub message: String,
    /// Whether it stops the document.
    pub stops: bool,
}

impl From<&Fault> for FaultRow {
    fn from(fault: &Fault) -> Self {
        Self {
            code: fault.code.clone(),
            path: fault.path.clone(),
            message: fault.message.clone(),
            stops: fault.stops(),
        }
    }
}

/// A part of a document's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PagePart {
    Recipient,
    /// Dates, numbers, notes, and the document as a whole.
    Facts,
    /// One of them, from zero.
    Line(usize),
    Lines,
    Totals,
    Payment,
    /// Documents that it refers to.
    Related,
    /// What it has of its workspace: the supplier, and the settings of the tax system.
    Workspace,
    Unknown,
}

impl PagePart {
    /// The part that shows a member, by the names of the platform's document and of the structured one; `lines` is how many lines
    /// the document has.
    fn of(path: &str, lines: usize) -> Self {
        let mut members = path.split(['/', '.', '[', ']']).filter(|member| !member.is_empty()).peekable();
        if members.next_if_eq(&"$").is_some() {
            members.next_if_eq(&"doc");
        }
        match (members.next(), members.next()) {
            (Some("recipient" | "customer"), _) => Self::Recipient,
            (Some("lines"), Some(at)) => {
                at.parse().ok().filter(|at| *at < lines).map_or(Self::Lines, Self::Line)
            }
            (Some("lines"), None) => Self::Lines,
            (Some("totals" | "retentions" | "charges" | "discounts"), _) => Self::Totals,
            (Some("payment"), _) => Self::Payment,
            (Some("referenced_document_ids" | "preceding"), _) => Self::Related,
            (Some("supplier" | "settings"), _) => Self::Workspace,
            (None, _) => Self::Facts,
            (
                Some(
                    "uuid"
                    | "document_type"
                    | "currency"
                    | "booking_id"
                    | "issue_date"
                    | "operation_date"
                    | "prices_include_tax"
                    | "notes"
                    | "ext"
                    | "display_document_number"
                    | "display_invoice_number",
                ),
                _,
            ) => Self::Facts,
            (
                Some(
                    "$regime" | "$addons" | "$tags" | "type" | "series" | "code" | "op_date" | "value_date"
                    | "tax",
                ),
                _,
            ) => Self::Facts,
            (Some(_), _) => Self::Unknown,
        }
    }
}

/// Complaints by the part of the page where they stand.
#[derive(Debug, Default)]
pub struct FaultsByPart {
    /// Of whom it is for.
    pub recipient: Vec<FaultRow>,
    /// Of dates, numbers and notes, and of the document as a whole.
    pub facts: Vec<FaultRow>,
    /// Of each line, in their order.
    pub of_line: Vec<Vec<FaultRow>>,
    /// Of no single line.
    pub lines: Vec<FaultRow>,
    /// Of its figures.
    pub totals: Vec<FaultRow>,
    /// Of when it has to be paid.
    pub payment: Vec<FaultRow>,
    /// Of the documents that it refers to.
    pub related: Vec<FaultRow>,
    /// Of the supplier and the settings of the tax system.
    pub workspace: Vec<FaultRow>,
    /// Of members that the page does not show.
    pub unknown: Vec<FaultRow>,
}

impl FaultsByPart {
    /// `lines` is how many lines the document has.
    pub fn of(faults: &[Fault], lines: usize) -> Self {
        let mut parts = Self { of_line: vec![Vec::new(); lines], ..Self::default() };
        for fault in faults {
            let part = match PagePart::of(&fault.path, lines) {
                PagePart::Recipient => &mut parts.recipient,
                PagePart::Facts => &mut parts.facts,
                PagePart::Line(at) => parts.of_line.get_mut(at).unwrap_or(&mut parts.lines),
                PagePart::Lines => &mut parts.lines,
                PagePart::Totals => &mut parts.totals,
                PagePart::Payment => &mut parts.payment,
                PagePart::Related => &mut parts.related,
                PagePart::Workspace => &mut parts.workspace,
                PagePart::Unknown => &mut parts.unknown,
            };
            part.push(fault.into());
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_that_is_complained_of_has_a_part_of_the_page() {
        for (path, part) in [
            ("", PagePart::Facts),
            ("$", PagePart::Facts),
            ("$.doc", PagePart::Facts),
            ("/issue_date", PagePart::Facts),
            ("/ext/es-tbai", PagePart::Facts),
            ("$.doc.code", PagePart::Facts),
            ("$.doc.$addons[0]", PagePart::Facts),
            ("$.doc.tax.ext", PagePart::Facts),
            ("/recipient", PagePart::Recipient),
            ("/recipient/identity_document/number", PagePart::Recipient),
            ("$.doc.customer.tax_id.code", PagePart::Recipient),
            ("/customer/identities/0/code", PagePart::Recipient),
            ("/lines/1/tax/exemption", PagePart::Line(1)),
            ("$.doc.lines[0].item", PagePart::Line(0)),
            ("/lines", PagePart::Lines),
            ("/lines/2", PagePart::Lines),
            ("/totals/payable", PagePart::Totals),
            ("$.doc.totals.taxes.categories[0]", PagePart::Totals),
            ("/retentions/0/rate", PagePart::Totals),
            ("/payment/due_date", PagePart::Payment),
            ("$.doc.payment.terms", PagePart::Payment),
            ("$.doc.preceding[0].code", PagePart::Related),
            ("/supplier/tax_id", PagePart::Workspace),
            ("$.doc.supplier.addresses[0].code", PagePart::Workspace),
            ("/settings", PagePart::Workspace),
            ("$.doc.delivery.date", PagePart::Unknown),
            ("/recipients", PagePart::Unknown),
        ] {
            assert_eq!(PagePart::of(path, 2), part, "{path}");
        }
    }

    #[test]
    fn no_complaint_is_lost() {
        let paths = ["/lines/0", "/lines/9", "/recipient", "$.doc.payment", "/anything"];
        let parts = FaultsByPart::of(&paths.map(|path| Fault::error("X", path, "wrong")), 1);
        let all =
            [&parts.recipient, &parts.facts, &parts.lines, &parts.totals, &parts.payment, &parts.related];
        let all = all.into_iter().chain([&parts.workspace, &parts.unknown]).chain(&parts.of_line);
        assert_eq!(all.map(Vec::len).sum::<usize>(), paths.len());
        assert_eq!(parts.unknown[0].path, "/anything");
    }
}
