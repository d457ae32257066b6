//! The typed fields of one mapping, with a finding for each that cannot be used.

use std::path::Path;

use jiff::Timestamp;

use crate::finding::{Finding, Rule, Severity};
use crate::name::Label;
use crate::node::{Kind, Node};
use crate::source::Format;
use crate::when::{Calendar, Edge};

/// Reads fields of one mapping. [`Fields::bad`] tells at the end whether any could not be used.
pub(crate) struct Fields<'n, 'f> {
    pub(crate) node: &'n Node,
    pub(crate) path: &'n Path,
    pub(crate) rule: Rule,
    /// The id that findings carry.
    pub(crate) edict: Option<String>,
    pub(crate) findings: &'f mut Vec<Finding>,
    pub(crate) bad: bool,
    format: Format,
}

impl<'n, 'f> Fields<'n, 'f> {
    pub(crate) fn new(node: &'n Node, path: &'n Path, rule: Rule, findings: &'f mut Vec<Finding>) -> Self {
        Fields {
            node,
            path,
            rule,
            edict: None,
            findings,
            bad: false,
            format: Format::of(path),
        }
    }

    /// The value of a field; nothing for a null one.
    pub(crate) fn value(&self, name: &str) -> Option<&'n Node> {
        self.node.get(name).filter(|node| !node.is_null())
    }

    /// An error at a node.
    pub(crate) fn error(&mut self, at: &Node, message: String) {
        self.bad = true;
        let rule = self.rule;
        self.push(Severity::Error, rule, at, message);
    }

    /// A warning at a node.
    pub(crate) fn warn(&mut self, rule: Rule, at: &Node, message: String) {
        self.push(Severity::Warning, rule, at, message);
    }

    fn push(&mut self, severity: Severity, rule: Rule, at: &Node, message: String) {
        self.findings.push(Finding {
            severity,
            rule,
            path: self.path.to_owned(),
            line: at.line,
            column: at.column,
            edict: self.edict.clone(),
            message,
        });
    }

    /// A string. A plain `no`, `1.10` or `2025-04-16` is the string that stands there.
    pub(crate) fn string(&mut self, name: &str) -> Option<String> {
        let node = self.value(name)?;
        self.string_of(name, node)
    }

    fn string_of(&mut self, name: &str, node: &Node) -> Option<String> {
        if let Some(tag) = &node.tag {
            self.error(
                node,
                format!("`{name}` has the tag {tag}, which means nothing here; remove the tag"),
            );
            return None;
        }
        // JSON says of what kind a value is; in YAML an unquoted one is the string that stands there.
        let other_kind =
            self.format == Format::Json && matches!(node.kind, Kind::Scalar(_, crate::node::Style::Plain));
        match node.text() {
            Some(text) if other_kind => {
                self.error(
                    node,
                    format!("`{name}` is {text} and must be a string; put it in double quotes"),
                );
                None
            }
            Some(text) => Some(text.to_owned()),
            None => {
                self.error(
                    node,
                    format!(
                        "`{name}` is {} and must be a string; put it in double quotes",
                        node.described()
                    ),
                );
                None
            }
        }
    }

    /// A string that must not be blank.
    pub(crate) fn filled(&mut self, name: &str) -> Option<String> {
        let text = self.string(name)?;
        if text.trim().is_empty() {
            let at = self.node.get(name).unwrap_or(self.node);
            self.error(at, format!("`{name}` is empty; write it, or remove the entry"));
            return None;
        }
        Some(text)
    }

    /// Warns of an unquoted value that every reader of YAML takes for a number or a boolean.
    pub(crate) fn warn_unless_string(&mut self, name: &str) {
        let Some(node) = self.value(name) else { return };
        let Kind::Scalar(text, crate::node::Style::Plain) = &node.kind else {
            return;
        };
        if self.format == Format::Json {
            return;
        }
        let number = text.contains(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok();
        if number || matches!(&**text, "true" | "false" | "True" | "False" | "TRUE" | "FALSE") {
            self.warn(
                Rule::BadField,
                node,
                format!(
                    "`{name}` is {text} without quotes, which other programs take for no string; put it in double quotes"
                ),
            );
        }
    }

    /// A value read from a string by `read`, whose error is a sentence.
    pub(crate) fn parsed<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let node = self.value(name)?;
        let text = self.string_of(name, node)?;
        match read(&text) {
            Ok(value) => Some(value),
            Err(why) => {
                self.error(node, format!("`{name}`: {why}"));
                None
            }
        }
    }

    /// A time.
    pub(crate) fn instant(&mut self, name: &str, calendar: &Calendar<'_>, edge: Edge) -> Option<Timestamp> {
        self.parsed(name, |text| calendar.instant(text, edge))
    }

    /// A list of categories or tags, each once.
    pub(crate) fn labels(&mut self, name: &str) -> Vec<Label> {
        let Some(node) = self.value(name) else {
            return Vec::new();
        };
        let Some(items) = node.items() else {
            self.error(
                node,
                format!(
                    "`{name}` is {} and must be a list; write {name}: [a, b]",
                    node.described()
                ),
            );
            return Vec::new();
        };
        let mut labels = Vec::with_capacity(items.len());
        for item in items {
            if item.is_null() {
                self.error(item, format!("an item of `{name}` is empty; remove it"));
                continue;
            }
            let Some(text) = self.string_of(name, item) else {
                continue;
            };
            match Label::new(&text) {
                Ok(label) if labels.contains(&label) => {}
                Ok(label) => labels.push(label),
                Err(why) => self.error(item, format!("an item of `{name}`: {why}")),
            }
        }
        labels
    }

    /// A whole number that is not negative.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self, name: &str) -> Option<T> {
        let node = self.value(name)?;
        self.number_of(name, node)
    }

    pub(crate) fn number_of<T: TryFrom<u64>>(&mut self, name: &str, node: &Node) -> Option<T> {
        let text = node.text().unwrap_or_default();
        let whole = text.strip_suffix(".0").unwrap_or(text);
        let digits = !whole.is_empty() && whole.bytes().all(|b| b.is_ascii_digit());
        let number = if digits { whole.parse::<u64>().ok() } else { None };
        let number = number.and_then(|n| T::try_from(n).ok());
        if number.is_none() {
            let shown = node
                .text()
                .map_or_else(|| node.described().to_owned(), |text| format!("`{text}`"));
            self.error(
                node,
                format!("`{name}` is {shown} and must be a whole number of 0 or more; correct it"),
            );
        }
        number
    }

    /// Warns of keys that look like a known one and are not.
    pub(crate) fn unknown(&mut self, known: &[&str]) {
        let node = self.node;
        for (key, _) in node.entries().unwrap_or_default() {
            let Some(text) = key.text() else { continue };
            if known.contains(&text) {
                continue;
            }
            if text == "<<" && matches!(key.kind, Kind::Scalar(_, crate::node::Style::Plain)) {
                self.error(
                    key,
                    "merge keys (`<<`) are not read; write the fields out".to_owned(),
                );
                continue;
            }
            let plain = |text: &str| text.replace(['_', '-', ' '], "").to_lowercase();
            let meant = known
                .iter()
                .find(|name| plain(name) == plain(text) || close(&plain(name), &plain(text)));
            if let Some(meant) = meant {
                self.warn(
                    Rule::UnknownKey,
                    key,
                    format!("`{text}` is not a field of the contract and is ignored; if `{meant}` is meant, write that"),
                );
            }
        }
    }
}

/// Whether one letter was left out, added, changed, or two neighbours exchanged. Short words are never close.
fn close(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if short.len() < 4 || long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long.iter()).take_while(|(x, y)| x == y).count();
    let tail = |from_short: usize, from_long: usize| {
        short[from_short.min(short.len())..] == long[from_long.min(long.len())..]
    };
    if short.len() == long.len() {
        let exchanged =
            same + 1 < short.len() && short[same] == long[same + 1] && short[same + 1] == long[same];
        tail(same + 1, same + 1) || exchanged && tail(same + 2, same + 2)
    } else {
        tail(same, same + 1)
    }
}
