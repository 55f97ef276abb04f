//! The structure of the document, in reading order: headings, paragraphs and tables, for those who do not look at it.

use krilla::geom::Rect;
use krilla::tagging::{
    BBox, Identifier, Node as KrillaNode, TableHeaderScope, Tag, TagGroup, TagKind, TagTree,
};
use std::num::NonZeroU16;

/// What a part of the document is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Heading {
        level: NonZeroU16,
        title: String,
    },
    Section,
    Paragraph,
    Figure {
        alternative: String,
        page: usize,
        bounds: Rect,
    },
    Table {
        summary: String,
    },
    TableHead,
    TableBody,
    Row,
    /// It heads its column.
    ColumnHeading,
    /// It heads its row.
    RowHeading,
    Cell,
}

/// A part of the document, by its position in the [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeId(usize);

struct Part {
    kind: Kind,
    children: Vec<NodeId>,
    /// What is drawn of it, in the order in which it is drawn.
    content: Vec<Identifier>,
}

/// Every part of the document.
#[derive(Default)]
pub(crate) struct Tree {
    parts: Vec<Part>,
    roots: Vec<NodeId>,
}

impl Tree {
    /// Adds a part behind the others of `parent`, or of the document.
    pub(crate) fn add(&mut self, parent: Option<NodeId>, kind: Kind) -> NodeId {
        let id = NodeId(self.parts.len());
        self.parts.push(Part { kind, children: Vec::new(), content: Vec::new() });
        match parent.and_then(|parent| self.parts.get_mut(parent.0)) {
            Some(parent) => parent.children.push(id),
            None => self.roots.push(id),
        }
        id
    }

    /// Says of what was drawn that it belongs to a part.
    pub(crate) fn push_content(&mut self, id: NodeId, content: Identifier) {
        if let Some(part) = self.parts.get_mut(id.0) {
            part.content.push(content);
        }
    }

    /// The tree as it goes into the file.
    pub(crate) fn into_tags(self, language: &str) -> TagTree {
        let mut tags = TagTree::new().with_lang(Some(language.to_owned()));
        for root in &self.roots {
            if let Some(group) = self.group(*root) {
                tags.push(group);
            }
        }
        tags
    }

    fn group(&self, id: NodeId) -> Option<TagGroup> {
        let part = self.parts.get(id.0)?;
        let mut children: Vec<KrillaNode> =
            part.content.iter().map(|content| KrillaNode::Leaf(*content)).collect();
        children.extend(part.children.iter().filter_map(|child| self.group(*child)).map(KrillaNode::Group));
        Some(TagGroup::with_children(tag(&part.kind), children))
    }
}

fn tag(kind: &Kind) -> TagKind {
    match kind {
        Kind::Heading { level, title } => Tag::Hn(*level, Some(title.clone())).into(),
        Kind::Section => Tag::Section.into(),
        Kind::Paragraph => Tag::P.into(),
        Kind::Figure { alternative, page, bounds } => {
            Tag::Figure(Some(alternative.clone())).with_bbox(Some(BBox::new(*page, *bounds))).into()
        }
        Kind::Table { summary } => Tag::Table.with_summary(Some(summary.clone())).into(),
        Kind::TableHead => Tag::THead.into(),
        Kind::TableBody => Tag::TBody.into(),
        Kind::Row => Tag::TR.into(),
        Kind::ColumnHeading => Tag::TH(TableHeaderScope::Column).into(),
        Kind::RowHeading => Tag::TH(TableHeaderScope::Row).into(),
        Kind::Cell => Tag::TD.into(),
    }
}
