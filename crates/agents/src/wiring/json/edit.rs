use serde_json::Value;

use super::render::Style;
use super::{Json, Kind, Node};
use crate::wiring::WiringError;
use crate::wiring::facts::{Facts, keys};
use crate::wiring::text::{indent_at, line_end, opens_line};

/// What a container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wiring) enum Container {
    Object,
    Array,
}

impl Json {
    /// Puts an item at the end of the container at `path`, which is made where it is missing, with its parents.
    ///
    /// # Errors
    /// [`WiringError::Broken`] where something other than a container of that kind stands on the way.
    pub(in crate::wiring) fn put(
        &mut self,
        path: &[&str],
        container: Container,
        key: Option<&str>,
        value: &Value,
        facts: &mut Facts,
    ) -> Result<(), WiringError> {
        let found = self.deepest(path, container)?;
        let missing = &path[found.min(path.len())..];
        let Some(root) = self.root.clone() else {
            let value = nested(path, container, key, value);
            let end = line_end(&self.text);
            let style = Style {
                end,
                unit: "  ",
                inline: false,
                airy: true,
            };
            for depth in 1..=path.len() {
                facts.made(keys(&path[..depth]));
            }
            let item = style.item(None, &value, "");
            if self.comments.is_empty() {
                if facts.existed {
                    facts.blank = Some(self.text.clone());
                }
                self.text = format!("{item}{end}");
            } else {
                facts.made(Vec::new());
                self.text = behind_remarks(&self.text, &item, end);
            }
            return self.parse();
        };
        for depth in found + 1..=path.len() {
            facts.made(keys(&path[..depth]));
        }
        let parent = &path[..found];
        let node = root.at(parent).cloned().unwrap_or(root);
        match missing.split_first() {
            Some((first, rest)) => {
                let value = nested(rest, container, key, value);
                self.insert(&node, parent, Some(first), &value, facts)
            }
            None => self.insert(&node, parent, key, value, facts),
        }
    }

    /// How many keys of `path` lead to something. Everything on the way must be a table, the last of the kind asked.
    pub(super) fn deepest(&self, path: &[&str], container: Container) -> Result<usize, WiringError> {
        let Some(mut node) = self.root.as_ref() else {
            return Ok(0);
        };
        let wanted = |depth: usize| {
            if depth == path.len() {
                container
            } else {
                Container::Object
            }
        };
        for depth in 0..=path.len() {
            let fits = match &node.kind {
                Kind::Object(_) => wanted(depth) == Container::Object,
                Kind::Array(_) => wanted(depth) == Container::Array,
                _ => false,
            };
            if !fits {
                let what = match wanted(depth) {
                    Container::Object => "a table",
                    Container::Array => "a list",
                };
                let name = match depth {
                    0 => "the file".to_owned(),
                    _ => format!("`{}`", path[..depth].join(".")),
                };
                return Err(self.broken(
                    node.range.start,
                    format!("{name} should be {what} and is {}", node.what()),
                ));
            }
            match path.get(depth).and_then(|key| node.get(key)) {
                Some(next) => node = next,
                None => return Ok(depth),
            }
        }
        Ok(path.len())
    }

    fn insert(
        &mut self,
        container: &Node,
        path: &[&str],
        key: Option<&str>,
        value: &Value,
        facts: &mut Facts,
    ) -> Result<(), WiringError> {
        let text = &self.text;
        let style = self.style();
        let items = container.items();
        let changed = if let Some(last) = items.last() {
            let comma = self.comma_after(last.end);
            let anchor = comma.map_or(last.end, |comma| comma + 1);
            let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
            if opens_line(text, last.start) {
                let indent = indent_at(text, last.start);
                let place = self.end_of_remarks(anchor);
                let item = style.item(key, value, indent);
                let (end, kept) = (style.end, &text[last.end..place]);
                format!(
                    "{}{before}{kept}{end}{indent}{item}{after}{}",
                    &text[..last.end],
                    &text[place..]
                )
            } else {
                let airy = match &items[..] {
                    [.., one, other] => text[one.end..other.start].ends_with(char::is_whitespace),
                    _ => style.airy || text[container.range.start + 1..].starts_with(char::is_whitespace),
                };
                let style = Style {
                    inline: true,
                    airy,
                    ..style
                };
                let space = if airy { " " } else { "" };
                let item = style.item(key, value, "");
                format!(
                    "{}{before}{}{space}{item}{after}{}",
                    &text[..last.end],
                    &text[last.end..anchor],
                    &text[anchor..]
                )
            }
        } else {
            let (open, close) = (container.range.start + 1, container.range.end - 1);
            let remark = self
                .comments
                .iter()
                .rev()
                .find(|c| open <= c.start && c.end <= close);
            let place = remark.map_or(open, |comment| comment.end);
            let rest = &text[place..close];
            let outer = indent_at(text, container.range.start).to_owned();
            let indent = format!("{outer}{}", style.unit);
            let end = style.end;
            if rest.contains(['\n', '\r']) {
                if remark.is_none() {
                    facts.emptied(keys(path), rest);
                }
                let item = style.item(key, value, &indent);
                format!("{}{end}{indent}{item}{}", &text[..place], &text[place..])
            } else if remark.is_some() {
                let style = Style {
                    inline: true,
                    ..style
                };
                let item = style.item(key, value, "");
                format!("{} {item}{}", &text[..place], &text[place..])
            } else {
                facts.emptied(keys(path), rest);
                let item = if style.inline {
                    style.item(key, value, "")
                } else {
                    format!("{end}{indent}{}{end}{outer}", style.item(key, value, &indent))
                };
                format!("{}{item}{}", &text[..place], &text[close..])
            }
        };
        self.text = changed;
        self.parse()
    }

    /// Puts `raw` in place of the value at `path`.
    pub(in crate::wiring) fn set_raw(
        &mut self,
        path: &[impl AsRef<str>],
        raw: &str,
    ) -> Result<(), WiringError> {
        if let Some(range) = self
            .root
            .as_ref()
            .and_then(|root| root.at(path))
            .map(|node| node.range.clone())
        {
            self.text.replace_range(range, raw);
        }
        self.parse()
    }

    /// Puts `raw` in place of the bytes at `range`.
    pub(in crate::wiring) fn replace(
        &mut self,
        range: std::ops::Range<usize>,
        raw: &str,
    ) -> Result<(), WiringError> {
        self.text.replace_range(range, raw);
        self.parse()
    }

    /// Takes the property at `path` out.
    pub(in crate::wiring) fn remove(&mut self, path: &[impl AsRef<str>]) -> Result<(), WiringError> {
        let Some((last, parent)) = path.split_last() else {
            return Ok(());
        };
        let node = self.root.as_ref().and_then(|root| root.at(parent));
        let Some(Kind::Object(properties)) = node.map(|node| &node.kind) else {
            return Ok(());
        };
        match properties
            .iter()
            .position(|property| property.key == last.as_ref())
        {
            Some(index) => self.remove_item(parent, index),
            None => Ok(()),
        }
    }

    /// Takes the item with this index out of the container at `path`, with its comma and the white space before it.
    pub(in crate::wiring) fn remove_item(
        &mut self,
        path: &[impl AsRef<str>],
        index: usize,
    ) -> Result<(), WiringError> {
        let Some(container) = self.root.as_ref().and_then(|root| root.at(path)) else {
            return Ok(());
        };
        self.text = self.without_item(container, index);
        self.parse()
    }

    /// The same for an element of a list that stands in no named place: `list` is the list's own node.
    pub(in crate::wiring) fn remove_element(&mut self, list: &Node, index: usize) -> Result<(), WiringError> {
        self.text = self.without_item(list, index);
        self.parse()
    }

    fn without_item(&self, container: &Node, index: usize) -> String {
        let text = &self.text;
        let items = container.items();
        let Some(item) = items.get(index) else {
            return text.clone();
        };
        let comma = self.comma_after(item.end);
        let after = match comma {
            Some(comma) => format!("{}{}", &text[item.end..comma], &text[comma + 1..]),
            None => text[item.end..].to_owned(),
        };
        let mut start = self.blank_before(item.start, container.range.start + 1);
        // A line comment before it goes on to the next line end: one must be left.
        let ends_comment = self
            .comments
            .iter()
            .any(|comment| comment.end == start && text[comment.start..].starts_with("//"));
        if ends_comment && !after.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
            let blank = &text[start..item.start];
            start += blank
                .find('\n')
                .or_else(|| blank.find('\r'))
                .map_or(0, |end| end + 1);
        }
        let mut left = String::with_capacity(text.len());
        match (comma, index.checked_sub(1).map(|before| items[before].end)) {
            // The last one without a comma after it: the one before it loses its comma.
            (None, Some(before)) => match self.comma_after(before) {
                Some(comma) => {
                    left.push_str(&text[..comma]);
                    left.push_str(text.get(comma + 1..start).unwrap_or_default());
                }
                None => left.push_str(&text[..start]),
            },
            _ => left.push_str(&text[..start]),
        }
        left.push_str(&after);
        left
    }

    /// After something was taken out of the container at `path`: takes out the containers that are empty now and were
    /// made by setup, and gives those that were empty before their white space back. Without facts, an empty
    /// container counts as made.
    pub(in crate::wiring) fn prune(
        &mut self,
        path: &[impl AsRef<str>],
        facts: Option<&Facts>,
    ) -> Result<(), WiringError> {
        let path = keys(path);
        for depth in (0..=path.len()).rev() {
            let here = &path[..depth];
            let Some(node) = self.root.as_ref().and_then(|root| root.at(here)) else {
                continue;
            };
            let inner = node.range.start + 1..node.range.end.saturating_sub(1);
            if !node.is_empty() || !self.text[inner.clone()].trim().is_empty() {
                return Ok(());
            }
            let known = facts.and_then(|facts| facts.inner_of(here)).map(str::to_owned);
            let made = facts.is_none_or(|facts| facts.made.iter().any(|path| path == here));
            if let Some(white) = known {
                self.text.replace_range(inner, &white);
                return self.parse();
            }
            if depth > 0 && made {
                self.remove(here)?;
                continue;
            }
            let remarked = !self.comments.is_empty();
            if depth == 0
                && !remarked
                && let Some(blank) = facts.and_then(|facts| facts.blank.clone())
            {
                self.text = blank;
                return self.parse();
            }
            if depth == 0
                && remarked
                && made
                && let Some(remarks) = before_object(&self.text, &node.range)
            {
                self.text = remarks;
                return self.parse();
            }
            self.text.replace_range(inner, "");
            return self.parse();
        }
        Ok(())
    }

    /// How this file is written.
    fn style(&self) -> Style<'_> {
        let text = &self.text;
        let end = line_end(text);
        let first = self
            .root
            .as_ref()
            .and_then(|root| root.items().into_iter().next());
        match first {
            Some(first) if opens_line(text, first.start) => {
                let indent = indent_at(text, first.start);
                Style {
                    end,
                    unit: if indent.is_empty() { "  " } else { indent },
                    inline: false,
                    airy: true,
                }
            }
            Some(first) => Style {
                end,
                unit: "  ",
                inline: true,
                airy: text[first.clone()].contains(": "),
            },
            None => Style {
                end,
                unit: "  ",
                inline: false,
                airy: true,
            },
        }
    }

    /// The comma that follows an item, behind white space and comments.
    pub(super) fn comma_after(&self, at: usize) -> Option<usize> {
        let next = self.skip(at);
        (self.text.as_bytes().get(next) == Some(&b',')).then_some(next)
    }

    /// The first byte from `at` on that is neither white space nor in a comment.
    fn skip(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.text[at..];
            let next = at + (rest.len() - rest.trim_start().len());
            match self.comment_at(next) {
                Some(end) => at = end,
                None => return next,
            }
        }
    }

    fn comment_at(&self, at: usize) -> Option<usize> {
        let index = self
            .comments
            .binary_search_by_key(&at, |comment| comment.start)
            .ok()?;
        Some(self.comments[index].end)
    }

    /// Where the comments end that follow `at` on the same line.
    fn end_of_remarks(&self, at: usize) -> usize {
        let mut end = at;
        loop {
            let rest = &self.text[end..];
            let next = end + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
            match self.comment_at(next) {
                Some(after) if !self.text[next..after].contains(['\n', '\r']) => end = after,
                _ => return end,
            }
        }
    }

    /// Where the white space before `at` begins: behind a token, a comment, or the bracket at `limit`.
    fn blank_before(&self, at: usize, limit: usize) -> usize {
        let start = limit + self.text[limit..at].trim_end().len();
        // A line comment may end in white space, which is the comment's own.
        let comment = self
            .comments
            .iter()
            .rev()
            .find(|comment| comment.start < at && comment.end <= at);
        comment.map_or(start, |comment| start.max(comment.end))
    }
}

/// A file of nothing but remarks, with an object behind them: an empty line between, and no line end behind it. Where
/// the remarks end without one, two empty lines and a line end. That is how [`before_object`] knows what was there; few
/// people write so.
fn behind_remarks(remarks: &str, object: &str, end: &str) -> String {
    if remarks.ends_with('\n') {
        format!("{remarks}{end}{object}")
    } else {
        format!("{remarks}{end}{end}{end}{object}{end}")
    }
}

/// The remarks that [`behind_remarks`] put an object behind; `None` for an object that somebody else wrote.
fn before_object(text: &str, object: &std::ops::Range<usize>) -> Option<String> {
    let (before, after) = (&text[..object.start], &text[object.end..]);
    // A remark that was put before them since may end its line in another way.
    [line_end(before), "\r\n", "\n"].into_iter().find_map(|end| {
        let remarks = before.strip_suffix(end)?;
        if after.is_empty() {
            return remarks.ends_with('\n').then(|| remarks.to_owned());
        }
        let remarks = remarks.strip_suffix(end)?.strip_suffix(end)?;
        (after == end && !remarks.ends_with('\n')).then(|| remarks.to_owned())
    })
}

/// A value in the tables that lead to it.
fn nested(path: &[&str], container: Container, key: Option<&str>, value: &Value) -> Value {
    let table = |key: &str, value: Value| Value::from(serde_json::Map::from_iter([(key.to_owned(), value)]));
    let innermost = match (container, key) {
        (Container::Object, Some(key)) => table(key, value.clone()),
        _ => Value::from(vec![value.clone()]),
    };
    path.iter().rev().fold(innermost, |value, key| table(key, value))
}
