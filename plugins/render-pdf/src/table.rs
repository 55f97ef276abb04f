//! Tables: cells that wrap, rows that break over pages, headings that every page repeats.

use crate::flow::{FAINT, Flow, INK, Role, SOFT, Style};
use crate::fonts::{Face, Fonts};
use crate::structure::{Kind, NodeId};

const SIZE: f32 = 8.5;
/// What a figure may shrink to before it wraps.
const SIZE_MIN: f32 = 5.5;
const LEADING: f32 = 11.5;
const HEADING_SIZE: f32 = 7.5;
const HEADING_LEADING: f32 = 10.0;
/// Above and below the text of a row.
const PADDING: f32 = 4.5;
/// Between columns.
const GAP: f32 = 12.0;

/// Which side the text of a column keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    /// Figures.
    Right,
}

/// A column before its width is known.
pub(crate) struct Column {
    pub(crate) heading: String,
    pub(crate) align: Align,
    /// What it may be at most; the first column gets what the others leave.
    pub(crate) width_max: f32,
}

struct ColumnBox {
    heading: Vec<String>,
    align: Align,
    x: f32,
    width: f32,
}

/// A table whose first column names its rows.
pub(crate) struct Table {
    /// Who does not look at it hears this first.
    pub(crate) summary: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) x: f32,
    pub(crate) width: f32,
}

impl Table {
    /// How high it is when it stands on one page.
    pub(crate) fn height(&self, fonts: &Fonts) -> f32 {
        let columns = self.sized_columns(fonts);
        let rows = self.rows.iter().map(|row| {
            let lines =
                row.iter().zip(&columns).map(|(text, column)| cell(fonts, column, text).0.len()).max();
            to_points(lines.unwrap_or_default()) * LEADING + 2.0 * PADDING
        });
        heading_height(&columns) + rows.sum::<f32>()
    }

    /// Draws it from `y` on, and moves `y` below it.
    pub(crate) fn draw(&self, flow: &mut Flow<'_>) {
        let columns = self.sized_columns(flow.fonts);
        let table = flow.tree.add(None, Kind::Table { summary: flow.fonts.clean(&self.summary) });
        flow.ensure_room(heading_height(&columns) + LEADING + 2.0 * PADDING);
        let head = flow.tree.add(Some(table), Kind::TableHead);
        let row = flow.tree.add(Some(head), Kind::Row);
        let parts: Vec<_> = columns.iter().map(|_| flow.tree.add(Some(row), Kind::ColumnHeading)).collect();
        self.draw_heading(flow, &columns, &parts);
        if self.rows.is_empty() {
            return;
        }
        let body = flow.tree.add(Some(table), Kind::TableBody);
        for row in &self.rows {
            self.draw_row(flow, &columns, row, body);
        }
    }

    /// The columns with their widths: what their texts take, within their bounds.
    fn sized_columns(&self, fonts: &Fonts) -> Vec<ColumnBox> {
        let natural = |index: usize, column: &Column| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            let lines = cells.flat_map(|text| text.split('\n'));
            let widest = lines.map(|line| fonts.width(Face::Regular, SIZE, line)).fold(0.0, f32::max);
            widest.max(fonts.width(Face::Bold, HEADING_SIZE, &column.heading)).min(column.width_max)
        };
        let widths: Vec<f32> =
            self.columns.iter().enumerate().map(|(at, column)| natural(at, column) + 0.1).collect();
        let others: f32 = widths.iter().skip(1).map(|width| width + GAP).sum();
        let mut x = self.x;
        self.columns
            .iter()
            .zip(widths)
            .enumerate()
            .map(|(at, (column, width))| {
                let width = if at == 0 { self.width - others } else { width };
                let heading = fonts.wrap(Face::Bold, HEADING_SIZE, &column.heading, width);
                let placed = ColumnBox { heading, align: column.align, x, width };
                x += width + GAP;
                placed
            })
            .collect()
    }

    /// With `parts` as what the headings are; without any, as what is repeated.
    fn draw_heading(&self, flow: &mut Flow<'_>, columns: &[ColumnBox], parts: &[NodeId]) {
        let style = Style::bold(HEADING_SIZE, flow.accent);
        let height = heading_height(columns);
        for (at, column) in columns.iter().enumerate() {
            let role = parts.get(at).map_or(Role::Header, |part| Role::Part(*part));
            let mut y = flow.y + height - 6.0 - HEADING_LEADING * to_points(column.heading.len() - 1);
            for line in &column.heading {
                draw_line(flow, column, y, style, line, role);
                y += HEADING_LEADING;
            }
        }
        flow.y += height;
        let accent = flow.accent;
        flow.fill(self.x, flow.y - 1.0, self.width, 1.0, accent, Role::Decoration);
    }

    fn draw_row(&self, flow: &mut Flow<'_>, columns: &[ColumnBox], texts: &[String], body: NodeId) {
        let row = flow.tree.add(Some(body), Kind::Row);
        let cells: Vec<_> = columns
            .iter()
            .zip(texts)
            .enumerate()
            .map(|(at, (column, text))| {
                let kind = if at == 0 { Kind::RowHeading } else { Kind::Cell };
                (column, cell(flow.fonts, column, text), flow.tree.add(Some(row), kind))
            })
            .collect();
        let count = cells.iter().map(|(_, (lines, _), _)| lines.len()).max().unwrap_or_default();
        let mut drawn = 0;
        while drawn < count {
            let mut fitting = lines_in(flow.room(), count - drawn);
            // Two lines are the least that is worth beginning a row on a page.
            if fitting < (count - drawn).min(2) {
                flow.break_page();
                self.draw_heading(flow, columns, &[]);
                fitting = lines_in(flow.room(), count - drawn).max(1);
            }
            for (at, (column, (lines, size), part)) in cells.iter().enumerate() {
                let color = if at == 0 { INK } else { SOFT };
                let style = Style::regular(*size, if column.align == Align::Right { INK } else { color });
                let mut y = flow.y + PADDING + SIZE * 0.95;
                for line in lines.iter().skip(drawn).take(fitting) {
                    draw_line(flow, column, y, style, line, Role::Part(*part));
                    y += LEADING;
                }
            }
            flow.y += to_points(fitting) * LEADING + 2.0 * PADDING;
            flow.fill(self.x, flow.y - 0.5, self.width, 0.5, FAINT, Role::Decoration);
            drawn += fitting;
        }
    }
}

fn draw_line(flow: &mut Flow<'_>, column: &ColumnBox, y: f32, style: Style, line: &str, role: Role) {
    match column.align {
        Align::Left => flow.text(column.x, y, style, line, role),
        Align::Right => flow.text_right(column.x + column.width, y, style, line, role),
    }
}

/// The lines of a cell, and their size: figures shrink rather than wrap.
fn cell(fonts: &Fonts, column: &ColumnBox, text: &str) -> (Vec<String>, f32) {
    let size = match column.align {
        Align::Left => SIZE,
        Align::Right => fonts.fitting_size(Face::Regular, SIZE, SIZE_MIN, text, column.width),
    };
    (fonts.wrap(Face::Regular, size, text, column.width + 0.05), size)
}

fn heading_height(columns: &[ColumnBox]) -> f32 {
    let lines = columns.iter().map(|column| column.heading.len()).max().unwrap_or(1);
    to_points(lines) * HEADING_LEADING + 8.0
}

/// How many of `count` lines of a row stand in this height.
fn lines_in(height: f32, count: usize) -> usize {
    let mut filled = 2.0 * PADDING;
    let mut lines = 0;
    while lines < count && filled + LEADING <= height {
        filled += LEADING;
        lines += 1;
    }
    lines
}

/// A count as a factor of lengths. There are never as many lines as to be too many.
pub(crate) fn to_points(count: usize) -> f32 {
    u16::try_from(count).map_or(f32::from(u16::MAX), f32::from)
}
