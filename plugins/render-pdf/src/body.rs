//! What stands below the title: lines, taxes, totals, notes and the authority's proof.

use crate::bindings::{Document, DocumentKind, Line, TaxRow};
use crate::flow::{FAINT, Flow, INK, LEFT, RIGHT, Role, SOFT, Style, WIDTH};
use crate::fonts::Fonts;
use crate::head::contrasting;
use crate::money::{Currency, Decimal};
use crate::structure::{Kind, NodeId};
use crate::table::{Align, Column, Table, to_points};
use crate::text::Locale;

/// What stands where there is nothing: an empty cell is no cell to those who do not look at it.
const NOTHING: &str = "–";
/// Width of the totals, at the right.
const TOTALS_WIDTH: f32 = 214.0;
/// From the edge of a row to its texts.
const TOTALS_INSET: f32 = 8.0;
const TOTALS_ROW: f32 = 16.0;
const PAYABLE_ROW: f32 = 26.0;

/// How amounts of this document are written.
#[derive(Clone, Copy)]
pub(crate) struct AmountFormat<'a> {
    pub(crate) currency: Currency<'a>,
    pub(crate) locale: Locale,
}

impl AmountFormat<'_> {
    /// With the currency.
    fn money(self, text: &str) -> String {
        Decimal::parse(text).map_or_else(String::new, |amount| self.currency.format(amount, self.locale))
    }

    fn subtracted(self, text: &str) -> String {
        Decimal::parse(text)
            .map_or_else(String::new, |amount| self.currency.format(amount.negated(), self.locale))
    }

    fn unsigned(self, text: &str) -> String {
        Decimal::parse(text)
            .map_or_else(String::new, |amount| self.currency.format(amount.absolute(), self.locale))
    }

    /// Without the currency, which the heading of the column states.
    fn amount(self, text: &str) -> String {
        Decimal::parse(text)
            .map_or_else(String::new, |amount| amount.number(self.currency.decimals, self.locale))
    }

    fn quantity(self, text: &str) -> String {
        Decimal::parse(text).map_or_else(String::new, |amount| amount.number(0, self.locale))
    }
}

/// Draws the body.
pub(crate) fn draw(flow: &mut Flow<'_>, document: &Document, hash: Option<&str>, format: AmountFormat<'_>) {
    let words = format.locale.words();
    if !document.references.is_empty() {
        let text =
            document.references.iter().map(|reference| reference.replace('\n', " ")).collect::<Vec<_>>();
        let text = format!("{}: {}", words.references, text.join(", "));
        flow.paragraph(LEFT, WIDTH, Style::regular(8.5, SOFT), &text, None);
        flow.y += 10.0;
    }
    lines_table(flow.fonts, document, format).draw(flow);
    flow.y += 16.0;
    draw_sums(flow, document, format);
    if !document.notes.is_empty() {
        flow.y += 18.0;
        flow.ensure_room(40.0);
        flow.paragraph(LEFT, WIDTH, Style::bold(7.5, flow.accent), words.notes, None);
        flow.y += 2.0;
        for note in &document.notes {
            flow.paragraph(LEFT, WIDTH, Style::regular(8.5, INK), note, None);
            flow.y += 4.0;
        }
    }
    if let Some(hash) = hash {
        flow.y += 14.0;
        flow.paragraph(LEFT, WIDTH, Style::regular(7.5, SOFT), &format!("{}: {hash}", words.hash), None);
    }
}

fn lines_table(fonts: &Fonts, document: &Document, format: AmountFormat<'_>) -> Table {
    let words = format.locale.words();
    let code = format.currency.code;
    let has_discount = document.lines.iter().any(|line| line.discount.is_some());
    let has_taxes = document.lines.iter().any(|line| !line.taxes.is_empty());
    let column = |heading: &str, align, width_max| Column { heading: heading.to_owned(), align, width_max };
    let mut columns = vec![
        column(words.description, Align::Left, WIDTH),
        column(words.quantity, Align::Right, 66.0),
        column(&format!("{} ({code})", words.unit_price), Align::Right, 82.0),
    ];
    columns.extend(has_discount.then(|| column(&format!("{} ({code})", words.discount), Align::Right, 74.0)));
    columns.extend(has_taxes.then(|| column(words.tax, Align::Left, 74.0)));
    let amount = if document.prices_include_tax { words.amount_with_tax } else { words.amount };
    columns.push(column(&format!("{amount} ({code})"), Align::Right, 86.0));
    let row = |line: &Line| {
        let mut row = vec![
            present(line.description.clone()),
            format.quantity(&line.quantity),
            format.amount(&line.unit_price),
        ];
        let discount =
            || line.discount.as_ref().map_or_else(|| NOTHING.to_owned(), |text| format.amount(text));
        row.extend(has_discount.then(discount));
        let taxes = || line.taxes.iter().map(|tax| fonts.clean(tax)).collect::<Vec<_>>().join("\n");
        row.extend(has_taxes.then(|| present(taxes())));
        row.push(format.amount(&line.total));
        row
    };
    let summary = format!("{}: {}", words.lines, document.lines.len());
    Table { summary, columns, rows: document.lines.iter().map(row).collect(), x: LEFT, width: WIDTH }
}

/// A cell that says something.
fn present(text: String) -> String {
    if text.trim().is_empty() { NOTHING.to_owned() } else { text }
}

fn taxes_table(document: &Document, format: AmountFormat<'_>, width: f32) -> Table {
    let words = format.locale.words();
    let column = |heading: &str, align, width_max| Column { heading: heading.to_owned(), align, width_max };
    let row = |row: &TaxRow, amount: String| {
        vec![present(row.label.replace('\n', " ")), format.money(&row.base), amount]
    };
    let taxes = document.tax_rows.iter().map(|tax| row(tax, format.money(&tax.amount)));
    let retentions = document.retention_rows.iter().map(|tax| row(tax, format.subtracted(&tax.amount)));
    Table {
        summary: words.tax_total.to_owned(),
        columns: vec![
            column(words.tax, Align::Left, width),
            column(words.base, Align::Right, 96.0),
            column(words.amount, Align::Right, 96.0),
        ],
        rows: taxes.chain(retentions).collect(),
        x: LEFT,
        width,
    }
}

/// Taxes at the left and totals at the right, on one page when they can be.
fn draw_sums(flow: &mut Flow<'_>, document: &Document, format: AmountFormat<'_>) {
    let totals = total_rows(document, format);
    let totals_height = to_points(totals.len()) * TOTALS_ROW + PAYABLE_ROW + 4.0;
    let table = taxes_table(document, format, WIDTH - TOTALS_WIDTH - 28.0);
    if table.rows.is_empty() {
        flow.ensure_room(totals_height);
        draw_totals(flow, &totals, document, format);
        return;
    }
    let table_height = table.height(flow.fonts);
    if table_height > 400.0 {
        table.draw(flow);
        flow.y += 14.0;
        flow.ensure_room(totals_height);
        draw_totals(flow, &totals, document, format);
        return;
    }
    flow.ensure_room(table_height.max(totals_height));
    let top = flow.y;
    table.draw(flow);
    let below = flow.y;
    flow.y = top;
    draw_totals(flow, &totals, document, format);
    flow.y = flow.y.max(below);
}

fn total_rows(document: &Document, format: AmountFormat<'_>) -> Vec<(&'static str, String)> {
    let words = format.locale.words();
    let totals = &document.totals;
    let mut rows = vec![
        (words.net, format.money(&totals.net)),
        (words.tax_total, format.money(&totals.tax)),
        (words.gross, format.money(&totals.gross)),
    ];
    rows.extend(totals.retained.as_ref().map(|retained| (words.retained, format.subtracted(retained))));
    rows
}

/// What is to be paid. A credit note asks for no money: whether its figures are positive or, as differences, negative, what it
/// comes to is given back, and the word says so instead of a sign.
fn last_figure(document: &Document, format: AmountFormat<'_>) -> (&'static str, String) {
    let (words, payable) = (format.locale.words(), &document.totals.payable);
    match document.kind {
        DocumentKind::CreditNote => (words.refundable, format.unsigned(payable)),
        DocumentKind::Invoice
        | DocumentKind::SimplifiedInvoice
        | DocumentKind::ReplacementInvoice
        | DocumentKind::DebitNote
        | DocumentKind::Proforma
        | DocumentKind::Receipt => (words.payable, format.money(payable)),
    }
}

fn draw_totals(flow: &mut Flow<'_>, rows: &[(&str, String)], document: &Document, format: AmountFormat<'_>) {
    let x = RIGHT - TOTALS_WIDTH;
    let (name, payable) = last_figure(document, format);
    let table = flow.tree.add(None, Kind::Table { summary: name.to_owned() });
    let body = flow.tree.add(Some(table), Kind::TableBody);
    for (row, amount) in rows {
        let styles = [Style::regular(8.5, SOFT), Style::regular(8.5, INK)];
        draw_total(flow, body, (row, amount), styles, flow.y + 11.0);
        flow.y += TOTALS_ROW;
        flow.fill(x, flow.y - 0.5, TOTALS_WIDTH, 0.5, FAINT, Role::Decoration);
    }
    flow.y += 4.0;
    let accent = flow.accent;
    flow.fill(x, flow.y, TOTALS_WIDTH, PAYABLE_ROW, accent, Role::Decoration);
    let color = contrasting(accent);
    let styles = [Style::bold(10.0, color), Style::bold(12.0, color)];
    draw_total(flow, body, (name, &payable), styles, flow.y + 17.3);
    flow.y += PAYABLE_ROW;
}

/// Name and amount; a long amount shrinks.
fn draw_total(flow: &mut Flow<'_>, body: NodeId, (name, amount): (&str, &str), styles: [Style; 2], y: f32) {
    let row = flow.tree.add(Some(body), Kind::Row);
    let heading = flow.tree.add(Some(row), Kind::RowHeading);
    let cell = flow.tree.add(Some(row), Kind::Cell);
    let [label, value] = styles;
    flow.text(RIGHT - TOTALS_WIDTH + TOTALS_INSET, y, label, name, Role::Part(heading));
    let name_width = flow.fonts.width(label.face, label.size, name);
    let room = TOTALS_WIDTH - 2.0 * TOTALS_INSET - 10.0 - name_width;
    let size = flow.fonts.fitting_size(value.face, value.size, 4.0, amount, room);
    flow.text_right(RIGHT - TOTALS_INSET, y, Style { size, ..value }, amount, Role::Part(cell));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::Totals;

    fn document(kind: DocumentKind, payable: &str) -> Document {
        let figure = || payable.to_owned();
        let totals = Totals {
            net: figure(),
            tax: "0.00".to_owned(),
            gross: figure(),
            retained: None,
            payable: figure(),
        };
        Document {
            kind,
            number: None,
            is_draft: false,
            issue_date: "2026-07-27".to_owned(),
            operation_date: None,
            due_date: None,
            currency: "EUR".to_owned(),
            currency_decimals: 2,
            prices_include_tax: false,
            lines: Vec::new(),
            totals,
            tax_rows: Vec::new(),
            retention_rows: Vec::new(),
            references: Vec::new(),
            notes: Vec::new(),
            ext: Vec::new(),
        }
    }

    #[test]
    fn a_credit_note_says_in_every_language_what_is_given_back_and_asks_for_nothing() {
        let currency = Currency { code: "EUR", decimals: 2 };
        let figure = |locale, kind, payable: &str| {
            let (name, amount) = last_figure(&document(kind, payable), AmountFormat { currency, locale });
            format!("{name}: {}", amount.replace('\u{a0}', " "))
        };
        for (locale, refunded, paid) in [
            (Locale::Es, "Importe a devolver: 259,70 €", "Total a pagar: -259,70 €"),
            (Locale::En, "To be refunded: €259.70", "Amount due: -€259.70"),
            (Locale::It, "Totale da rimborsare: 259,70 €", "Totale da pagare: -259,70 €"),
            (Locale::De, "Erstattungsbetrag: 259,70 €", "Zahlbetrag: -259,70 €"),
            (Locale::Pl, "Do zwrotu: 259,70 €", "Do zapłaty: -259,70 €"),
            (Locale::Fr, "Montant à rembourser: 259,70 €", "Net à payer: -259,70 €"),
            (Locale::Pt, "Valor a devolver: 259,70 €", "Total a pagar: -259,70 €"),
            (Locale::El, "Ποσό προς επιστροφή: 259,70 €", "Πληρωτέο ποσό: -259,70 €"),
        ] {
            for payable in ["259.70", "-259.70"] {
                assert_eq!(figure(locale, DocumentKind::CreditNote, payable), refunded);
            }
            assert_eq!(figure(locale, DocumentKind::Invoice, "-259.70"), paid);
        }
    }
}
