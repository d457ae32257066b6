//! The tree that both readers (YAML and JSON) give: values with their exact place in the text.
//!
//! Scalars keep their text and their style, not a guessed type: `1.10`, `no` and `2025-04-16` are what stands in the
//! file, and a field that wants a string gets that string.

/// Values in one file, at most.
pub(crate) const MAX_NODES: usize = 2_000_000;

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Without quotes. In JSON: a number, `true`, `false` or `null`.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// A literal (`|`) or folded (`>`) block.
    Block,
}

/// A value of the file and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// First byte of the value itself (for a block scalar: of its first line; for a block collection: of its first
    /// entry).
    pub(crate) start: usize,
    /// First byte after the value's content. Comments and line breaks that follow are outside.
    pub(crate) end: usize,
    /// First byte of its anchor or tag where it has one, else `start`.
    pub(crate) first: usize,
    /// Line, counted from 1.
    pub(crate) line: u32,
    /// Column in characters, counted from 1.
    pub(crate) column: u32,
    /// The value.
    pub(crate) kind: Kind,
    /// It bears an anchor, so that an alias elsewhere may depend on it.
    pub(crate) anchored: bool,
    /// It stands here through an alias: its children's places are those of the anchored value.
    pub(crate) alias: bool,
    /// A tag that this reader gives no meaning.
    pub(crate) tag: Option<Box<str>>,
}

/// What a [`Node`] is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// A string, number, boolean or null.
    Scalar(Box<str>, Style),
    /// A list.
    Sequence {
        /// Its items, in order.
        items: Vec<Node>,
        /// Written in brackets.
        flow: bool,
    },
    /// A mapping.
    Mapping {
        /// Its entries, in order; no scalar key twice.
        entries: Vec<(Node, Node)>,
        /// Written in braces.
        flow: bool,
    },
}

impl Node {
    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(text, _) => Some(text),
            _ => None,
        }
    }

    /// Whether this is YAML's (or JSON's) null, written or left out.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(text, Style::Plain)
            if matches!(&**text, "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Whether a null was left out (`key:` and nothing).
    pub(crate) fn is_absent(&self) -> bool {
        self.start == self.end && self.is_null()
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Sequence { items, .. } => Some(items),
            _ => None,
        }
    }

    /// The entries of a mapping.
    pub(crate) fn entries(&self) -> Option<&[(Node, Node)]> {
        match &self.kind {
            Kind::Mapping { entries, .. } => Some(entries),
            _ => None,
        }
    }

    /// The entry of a mapping under a scalar key.
    pub(crate) fn entry(&self, key: &str) -> Option<&(Node, Node)> {
        self.entries()?.iter().find(|(k, _)| k.text() == Some(key))
    }

    /// The value of a mapping under a scalar key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Whether a list or mapping is written in brackets or braces.
    pub(crate) fn is_flow(&self) -> bool {
        matches!(
            self.kind,
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. }
        )
    }

    /// What it is, in a word that fits "expected a string, found ...".
    pub(crate) fn described(&self) -> &'static str {
        match &self.kind {
            Kind::Sequence { .. } => "a list",
            Kind::Mapping { .. } => "a mapping",
            Kind::Scalar(..) if self.is_null() => "nothing",
            Kind::Scalar(_, Style::Plain) => "a plain value",
            Kind::Scalar(..) => "a string",
        }
    }
}

/// Why a text is not one document that can be read. The whole file is put aside for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// Line, counted from 1.
    pub(crate) line: u32,
    /// Column in characters, counted from 1.
    pub(crate) column: u32,
    /// What is wrong, as a clause.
    pub(crate) why: String,
    /// What to do, as a clause.
    pub(crate) remedy: String,
}

impl Unreadable {
    /// The usual way to make one.
    pub(crate) fn new(line: u32, column: u32, why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Unreadable {
            line,
            column,
            why: why.into(),
            remedy: remedy.into(),
        }
    }
}

/// Refuses a mapping that has a scalar key twice.
pub(crate) fn refuse_duplicates(entries: &[(Node, Node)]) -> Result<(), Unreadable> {
    let twice = |earlier: &Node, later: &Node| {
        // Two branches that each add an edict after the same one: git folds what is equal in both.
        let remedy = match later.text() {
            Some("id" | "text" | "category" | "created" | "updated") => {
                "keep one of the two, or begin the second with `- ` where a merge has folded two edicts into one"
            }
            _ => "keep one of the two",
        };
        Unreadable::new(
            later.line,
            later.column,
            format!(
                "the key `{}` stands twice, first on line {}",
                later.text().unwrap_or_default(),
                earlier.line
            ),
            remedy,
        )
    };
    if entries.len() <= 16 {
        for (at, (later, _)) in entries.iter().enumerate() {
            let Some(text) = later.text() else { continue };
            if let Some((earlier, _)) = entries[..at].iter().find(|(k, _)| k.text() == Some(text)) {
                return Err(twice(earlier, later));
            }
        }
        return Ok(());
    }
    let mut seen = std::collections::HashMap::with_capacity(entries.len());
    for (later, _) in entries {
        let Some(text) = later.text() else { continue };
        if let Some(earlier) = seen.insert(text, later) {
            return Err(twice(earlier, later));
        }
    }
    Ok(())
}
