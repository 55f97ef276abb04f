//! Tables: as wide as their cells where a program reads them, laid out to its width on a terminal.
//!
//! A list that is wider than the terminal first wraps its texts, then moves what is rarely read (ids, remarks) to a line of its
//! own below each row, and at last becomes a block of names and values for each row. An id is never broken.

use super::Text;
use super::screen::{HEADING, Screen, style_of_state};
use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};
use gateway_domain::printable;

/// Between two columns.
const GAP: u16 = 2;
/// Before what stands below its row.
const INDENT: &str = "  ";
/// The least width of a text that is wrapped; more where a word is longer.
const TEXT_MIN: u16 = 12;
/// The longest word that is kept whole in a column.
const WORD_MAX: u16 = 24;
/// The names of facts that are states.
const STATES: [&str; 2] = ["state", "outcome"];
/// Stands between the rows of a grid until they are taken apart; no cell has one.
const ROW_END: char = '\0';

/// What a column of a list holds: where it stands on a terminal, and whether its cells may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Looked for first, so it comes first.
    Number,
    State,
    Value,
    /// Wrapped.
    Text,
    /// Words between commas; wrapped.
    List,
    /// Below the row where there is no room.
    Remark,
    /// The same, and last.
    Id,
}

/// A column of a list.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    name: &'static str,
    kind: Kind,
    /// Characters of a cell at most, where it is not wrapped.
    chars_max: usize,
}

impl Column {
    /// The number of a document: the first column on a terminal.
    pub const fn number(name: &'static str) -> Self {
        Self::of(name, Kind::Number)
    }

    /// A state, in its colour.
    pub const fn state(name: &'static str) -> Self {
        Self::of(name, Kind::State)
    }

    /// Something short that is not broken.
    pub const fn value(name: &'static str) -> Self {
        Self::of(name, Kind::Value)
    }

    /// Something that is wrapped between its words.
    pub const fn text(name: &'static str) -> Self {
        Self::of(name, Kind::Text)
    }

    /// Words with commas between them, wrapped behind a comma.
    pub const fn list(name: &'static str) -> Self {
        Self::of(name, Kind::List)
    }

    /// Something that is not broken, and stands below its row where there is no room. A terminal shows the column only where
    /// there is something in it.
    pub const fn remark(name: &'static str) -> Self {
        Self::of(name, Kind::Remark)
    }

    /// The same, behind everything else on a terminal.
    pub const fn id(name: &'static str) -> Self {
        Self::of(name, Kind::Id)
    }

    /// The same, and what a program reads has at most so many characters of it.
    #[must_use]
    pub const fn cut(self, chars_max: usize) -> Self {
        Self { chars_max, ..self }
    }

    const fn of(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, chars_max: usize::MAX }
    }

    const fn is_wrapped(self) -> bool {
        matches!(self.kind, Kind::Text | Kind::List)
    }

    /// A cell as a terminal shows it.
    fn displayed(self, cell: &str) -> String {
        let cell = printable(cell, super::PRINTED_CONTROLS).into_owned();
        if self.kind == Kind::List { cell.replace(',', ", ") } else { cell }
    }

    /// Texts and values stay in the order in which they are given.
    const fn rank(self) -> Kind {
        match self.kind {
            Kind::State | Kind::Value | Kind::Text | Kind::List => Kind::Value,
            kind => kind,
        }
    }
}

/// A list, with a first row that names the columns.
pub fn listing<const COLUMNS: usize>(
    columns: [Column; COLUMNS],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Text {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    if let Some(screen) = Screen::of(&std::io::stdout()) {
        return Text(Grid::of(&columns, &rows).on(screen));
    }
    let heading = columns.iter().map(|column| column.name.to_owned()).collect();
    let rows = rows.iter().map(|row| {
        let cells = row.iter().zip(&columns);
        cells.map(|(cell, column)| shorten(cell, column.chars_max)).collect()
    });
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    Text::from(plain(&rows).trim_fmt())
}

/// At most so many characters of a text.
fn shorten(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let start: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", start.trim_end())
}

/// Rows without names of columns; the last column is wrapped.
pub fn table(rows: &[Vec<String>]) -> Text {
    match Screen::of(&std::io::stdout()) {
        Some(screen) => Text(facts(rows, None, screen).join("\n")),
        None => Text::from(plain(rows).trim_fmt()),
    }
}

/// Columns as wide as their widest cell.
fn plain(rows: &[Vec<String>]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).add_rows(rows);
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, GAP));
    });
    table
}

/// Rows of which each is wrapped on its own, in its last cell and between words alone: an address is longer than a line, and
/// can be copied as a whole.
fn facts(rows: &[Vec<String>], name_style: Option<Style>, screen: Screen) -> Vec<String> {
    let printed = |cell: &String| printable(cell, super::PRINTED_CONTROLS).into_owned();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(printed).collect()).collect();
    let mut widths = plain(&rows).column_max_content_widths();
    widths.pop();
    for width in &mut widths {
        *width = width.saturating_add(GAP);
    }
    let names_width = widths.iter().copied().fold(0, u16::saturating_add);
    let room = screen.width.saturating_sub(names_width).max(TEXT_MIN);
    let lines = rows.iter().flat_map(|row| {
        let longest = row.last().map_or(0, |text| longest_word(text));
        let mut table = plain(std::slice::from_ref(row));
        let widths = widths.iter().copied().chain([room.max(longest).saturating_add(GAP)]);
        table.set_constraints(widths.map(|width| ColumnConstraint::Absolute(Width::Fixed(width))));
        let mut styles = vec![name_style];
        if let [name, state] = row.as_slice()
            && STATES.iter().any(|of| name.eq_ignore_ascii_case(of))
        {
            styles.push(style_of_state(state));
        }
        let mut lines = table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        if let Some(first) = lines.first_mut() {
            *first = paint_cells(first, row.iter().zip(styles), screen);
        }
        lines
    });
    lines.collect()
}

fn longest_word(text: &str) -> u16 {
    let longest = text.split_whitespace().map(|word| word.chars().count()).max();
    longest.and_then(|longest| longest.try_into().ok()).unwrap_or_default()
}

/// A line with its first cells in their styles. It has them in this order, each in one piece.
fn paint_cells<'c>(
    line: &str,
    cells: impl Iterator<Item = (&'c String, Option<Style>)>,
    screen: Screen,
) -> String {
    let (mut done, mut rest) = (String::new(), line);
    for (cell, style) in cells {
        let Some((before, after)) = rest.split_once(cell.as_str()) else { break };
        done.push_str(before);
        match style.filter(|_| !cell.is_empty()) {
            Some(style) => done.push_str(&screen.paint(cell, style)),
            None => done.push_str(cell),
        }
        rest = after;
    }
    done + rest
}

/// A column with its cells, of which the first is its name.
struct GridColumn {
    definition: Column,
    cells: Vec<String>,
    /// Of the widest cell.
    width: u16,
}

impl GridColumn {
    fn of(definition: Column, cells: impl Iterator<Item = String>) -> Self {
        let cells: Vec<String> = std::iter::once(definition.name.to_owned()).chain(cells).collect();
        let rows: Vec<Vec<String>> = cells.iter().map(|cell| vec![cell.clone()]).collect();
        let width = plain(&rows).column_max_content_widths().first().copied().unwrap_or_default();
        Self { definition, cells, width }
    }

    /// The least that it can be read in.
    fn width_min(&self) -> u16 {
        if !self.definition.is_wrapped() {
            return self.width;
        }
        let longest = self.cells.iter().map(|cell| longest_word(cell)).max().unwrap_or_default();
        self.width.min(longest.clamp(TEXT_MIN, WORD_MAX))
    }

    /// A cell, filled up to the width of the column.
    fn pad(&self, row: usize) -> String {
        let cell = self.cells.get(row).map(String::as_str).unwrap_or_default();
        format!("{cell:width$}", width = usize::from(self.width.saturating_add(GAP)))
    }
}

/// A list in the order of columns that a terminal shows.
struct Grid {
    columns: Vec<GridColumn>,
    /// Where those begin that can stand below their rows.
    foot: usize,
}

impl Grid {
    fn of(columns: &[Column], rows: &[Vec<String>]) -> Self {
        let grid_columns = columns.iter().enumerate().map(|(at, column)| {
            let cells =
                rows.iter().map(|row| row.get(at).map(|cell| column.displayed(cell)).unwrap_or_default());
            GridColumn::of(*column, cells)
        });
        let has_content = |column: &GridColumn| {
            column.definition.kind != Kind::Remark || column.cells.iter().skip(1).any(|cell| !cell.is_empty())
        };
        let mut columns: Vec<GridColumn> = grid_columns.filter(has_content).collect();
        columns.sort_by_key(|column| column.definition.rank());
        let foot = columns.partition_point(|column| column.definition.rank() < Kind::Remark);
        Self { columns, foot }
    }

    fn on(&self, screen: Screen) -> String {
        let fits = |columns: &[GridColumn], before: usize| {
            let widths: usize =
                columns.iter().map(|column| usize::from(column.width_min().saturating_add(GAP))).sum();
            before + widths <= usize::from(screen.width.saturating_add(GAP))
        };
        let (body, foot) = self.columns.split_at_checked(self.foot).unwrap_or_default();
        let lines = if fits(&self.columns, 0) {
            rows(&self.columns, &[], screen)
        } else if fits(body, 0) && fits(foot, INDENT.len()) {
            rows(body, foot, screen)
        } else {
            self.blocks(screen)
        };
        lines.join("\n")
    }

    /// A block of names and values for each row.
    fn blocks(&self, screen: Screen) -> Vec<String> {
        let count = self.columns.first().map_or(1, |column| column.cells.len());
        let mut lines = Vec::new();
        for row in 1..count {
            if row > 1 {
                lines.push(String::new());
            }
            let known = self.columns.iter().filter_map(|column| {
                let cell = column.cells.get(row).filter(|cell| !cell.is_empty())?;
                Some(vec![column.definition.name.to_owned(), cell.clone()])
            });
            lines.extend(facts(&known.collect::<Vec<_>>(), Some(HEADING), screen));
        }
        lines
    }
}

/// Rows side by side, with a line of the `foot` below each.
fn rows(body: &[GridColumn], foot: &[GridColumn], screen: Screen) -> Vec<String> {
    let mut lines = Vec::new();
    for (row, mut block) in wrap(body, screen.width).into_iter().enumerate() {
        if let Some(first) = block.first_mut()
            && row > 0
        {
            *first = paint_cells(first, cells_up_to_state(body, row), screen);
        }
        if !foot.is_empty() {
            let cells: String = foot.iter().map(|column| column.pad(row)).collect();
            block.push(format!("{INDENT}{}", cells.trim_end()));
        }
        let is_heading = row == 0;
        lines.extend(block.into_iter().map(
            |line| {
                if is_heading { screen.paint(&line, HEADING) } else { line }
            },
        ));
    }
    lines
}

/// Cells before a state, none of which is broken, and the state with its style.
fn cells_up_to_state(columns: &[GridColumn], row: usize) -> impl Iterator<Item = (&String, Option<Style>)> {
    let until =
        columns.iter().position(|column| column.definition.kind == Kind::State).map_or(0, |at| at + 1);
    let is_sound = !columns.iter().take(until).any(|column| column.definition.is_wrapped());
    columns.iter().take(if is_sound { until } else { 0 }).filter_map(move |column| {
        let cell = column.cells.get(row)?;
        let style = (column.definition.kind == Kind::State).then(|| style_of_state(cell)).flatten();
        Some((cell, style))
    })
}

/// The lines of each row, heading first.
fn wrap(columns: &[GridColumn], width: u16) -> Vec<Vec<String>> {
    let count = columns.first().map_or(0, |column| column.cells.len());
    let cells = |row: usize| columns.iter().filter_map(|column| column.cells.get(row).cloned()).collect();
    let mut table = plain(&(0..count).map(cells).collect::<Vec<Vec<String>>>());
    table.load_style(TableStyle::new().row_separator(LineStyle::none().fill(ROW_END)));
    // The gap behind the last column is not seen.
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.saturating_add(GAP));
    table.set_constraints(columns.iter().map(|column| {
        if column.definition.is_wrapped() {
            ColumnConstraint::LowerBoundary(Width::Fixed(column.width_min().saturating_add(GAP)))
        } else {
            ColumnConstraint::ContentWidth
        }
    }));
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    let rows = lines.split(|line| line.starts_with(ROW_END));
    rows.map(<[String]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 5] = [
        Column::id("DOCUMENT"),
        Column::state("STATE"),
        Column::number("NUMBER"),
        Column::value("TOTAL"),
        Column::text("RECIPIENT"),
    ];

    fn cells<const CELLS: usize>(cells: [&str; CELLS]) -> Vec<String> {
        cells.map(str::to_owned).to_vec()
    }

    fn invoices() -> Vec<Vec<String>> {
        let id = "0197f4f2-0000-7000-8000-00000000000";
        vec![
            cells([&format!("{id}1"), "issued", "F-2026-000001", "1234.50 EUR", "Żółć, Wäscherei and sons"]),
            cells([&format!("{id}2"), "draft", "", "5.00 EUR", "issued \u{1b}[31m"]),
        ]
    }

    fn laid_out(columns: &[Column], rows: &[Vec<String>], width: u16) -> String {
        Grid::of(columns, rows).on(Screen { width, has_colours: false })
    }

    #[test]
    fn a_table_lines_up() {
        let rows = [cells(["ID", "NAME"]), cells(["1", "Änne"]), cells(["100", "B"])];
        assert_eq!(plain(&rows).trim_fmt(), "ID   NAME\n1    Änne\n100  B");
    }

    #[test]
    fn a_long_name_is_cut_at_a_character() {
        assert_eq!(shorten("Jane Roe", 8), "Jane Roe");
        assert_eq!(shorten("Żółć and sons", 6), "Żółć…");
    }

    #[test]
    fn a_list_that_fits_is_one_line_a_row_with_the_number_first_and_the_id_last() {
        let expected = "\
NUMBER         STATE   TOTAL        RECIPIENT                 DOCUMENT
F-2026-000001  issued  1234.50 EUR  Żółć, Wäscherei and sons  0197f4f2-0000-7000-8000-000000000001
               draft   5.00 EUR     issued \\u{1b}[31m         0197f4f2-0000-7000-8000-000000000002";
        assert_eq!(laid_out(&COLUMNS, &invoices(), 98), expected);
        let narrower = laid_out(&COLUMNS, &invoices(), 90);
        assert!(narrower.lines().all(|line| line.chars().count() <= 90), "{narrower}");
        assert!(narrower.contains("Żółć,"), "texts are wrapped first: {narrower}");
        assert_eq!(narrower.lines().count(), 5, "{narrower}");
    }

    #[test]
    fn in_80_columns_the_id_stands_whole_below_its_row() {
        let expected = "\
NUMBER         STATE   TOTAL        RECIPIENT
  DOCUMENT
F-2026-000001  issued  1234.50 EUR  Żółć, Wäscherei and sons
  0197f4f2-0000-7000-8000-000000000001
               draft   5.00 EUR     issued \\u{1b}[31m
  0197f4f2-0000-7000-8000-000000000002";
        assert_eq!(laid_out(&COLUMNS, &invoices(), 80), expected);
    }

    #[test]
    fn where_not_even_that_fits_a_row_is_names_and_values() {
        let expected = "\
NUMBER     F-2026-000001
STATE      issued
TOTAL      1234.50 EUR
RECIPIENT  Żółć, Wäscherei and
           sons
DOCUMENT   0197f4f2-0000-7000-8000-000000000001";
        assert_eq!(laid_out(&COLUMNS, &invoices()[..1], 30), expected);
    }

    #[test]
    fn headings_and_states_are_coloured_and_nothing_else_is() {
        let list = Grid::of(&COLUMNS, &invoices()).on(Screen { width: 80, has_colours: true });
        let lines: Vec<&str> = list.lines().collect();
        assert!(
            lines[0].starts_with("\u{1b}[1mNUMBER") && lines[0].ends_with("RECIPIENT\u{1b}[0m"),
            "{list:?}"
        );
        assert_eq!(
            lines[2],
            "F-2026-000001  \u{1b}[32missued\u{1b}[0m  1234.50 EUR  Żółć, Wäscherei and sons"
        );
        assert_eq!(lines[4], "               \u{1b}[2mdraft\u{1b}[0m   5.00 EUR     issued \\u{1b}[31m");
    }

    #[test]
    fn a_fact_is_wrapped_between_words_alone() {
        let screen = Screen { width: 30, has_colours: true };
        let address = "https://authority.example/qr?nif=B98602642&number=F-1";
        let rows = [
            cells(["state", "rejected"]),
            cells(["rejected", "the recipient is unknown to the census"]),
            cells(["QR code", address]),
        ];
        let expected = [
            "state     \u{1b}[31mrejected\u{1b}[0m",
            "rejected  the recipient is",
            "          unknown to the",
            "          census",
            &format!("QR code   {address}"),
        ];
        assert_eq!(facts(&rows, None, screen), expected);
    }

    #[test]
    fn a_list_of_words_is_wrapped_behind_a_comma() {
        let columns = [Column::id("CLIENT_ID"), Column::list("PERMISSIONS"), Column::remark("NOTE")];
        let rows = [cells(["1", "invoicing.rpc,finance.rpc,admin", ""])];
        let expected = "\
PERMISSIONS     CLIENT_ID
invoicing.rpc,  1
finance.rpc,
admin";
        assert_eq!(laid_out(&columns, &rows, 25), expected);
    }
}
