//! TOML, read with places and edited at them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml_edit::{Document, Item, Table, TableLike};

use super::WiringError;
use super::facts::{Facts, keys};
use super::text::{self, Text, append, cut, line_end, line_start};

/// A TOML file that parsed.
#[derive(Debug)]
pub(super) struct Toml {
    path: PathBuf,
    marked: bool,
    pub(super) text: String,
    document: Document<String>,
}

impl Toml {
    pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Toml, WiringError> {
        let Text { marked, body } = Text::read(bytes, path)?;
        Ok(Toml {
            path: path.to_owned(),
            marked,
            document: parse(&body, path)?,
            text: body,
        })
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        Text {
            marked: self.marked,
            body: self.text.clone(),
        }
        .bytes()
    }

    fn change(&mut self, text: String) -> Result<(), WiringError> {
        self.document = parse(&text, &self.path)?;
        self.text = text;
        Ok(())
    }

    /// The whole file as plain values.
    pub(super) fn plain(&self) -> Value {
        plain(self.document.as_item())
    }

    /// What stands at `path`, with its place. Everything on the way must be a table.
    pub(super) fn entry(&self, path: &[&str]) -> Result<Option<(Value, usize)>, WiringError> {
        Ok(self.find(path)?.map(|(item, at)| (plain(item), at)))
    }

    fn find(&self, path: &[&str]) -> Result<Option<(&Item, usize)>, WiringError> {
        let mut item = self.document.as_item();
        let mut at = 0;
        for (depth, key) in path.iter().enumerate() {
            let Some(table) = item.as_table_like() else {
                let name = path[..depth].join(".");
                let what = format!("`{name}` should be a table and is {}", item.type_name());
                return Err(text::broken(&self.path, &self.text, at, what));
            };
            let Some((key, next)) = table.get_key_value(key) else {
                return Ok(None);
            };
            at = key.span().or_else(|| next.span()).map_or(at, |span| span.start);
            item = next;
        }
        Ok(Some((item, at)))
    }

    /// Puts a table of values at `table`.`key`: as a table with a header of its own at the end of the file, or inside
    /// an inline table.
    pub(super) fn put(
        &mut self,
        table: &[&str],
        key: &str,
        value: &Value,
        facts: &mut Facts,
    ) -> Result<(), WiringError> {
        let parent = self.find(table)?;
        if let Some((item, at)) = parent {
            if let Some(inline) = item.as_inline_table() {
                let items = inline_items(inline);
                let range = inline.span().unwrap_or(at..at);
                let text = insert_inline(&self.text, range, &items, &inline_entry(key, value), facts, table);
                return self.change(text);
            }
            if !item.is_table() {
                let what = format!(
                    "`{}` should be a table and is {}",
                    table.join("."),
                    item.type_name()
                );
                return Err(text::broken(&self.path, &self.text, at, what));
            }
        }
        let mut block = format!("[{}.{}]", header(table), header(&[key]));
        for (name, value) in value.as_object().into_iter().flatten() {
            block.push_str(&format!("\n{} = {}", header(&[name]), written(value)));
        }
        self.change(append(&self.text, &block))
    }

    /// The text of the value at `path`.
    pub(super) fn raw(&self, path: &[&str]) -> Option<String> {
        let span = self.find(path).ok()??.0.span()?;
        self.text.get(span).map(str::to_owned)
    }

    /// Puts `raw` in place of the value at `path`, or behind the other values of its table where there is none.
    pub(super) fn set_raw(&mut self, path: &[&str], raw: &str) -> Result<(), WiringError> {
        let found = self.find(path)?.and_then(|(item, _)| item.span());
        if let Some(span) = found {
            let mut text = self.text.clone();
            text.replace_range(span, raw);
            return self.change(text);
        }
        let Some((key, parent)) = path.split_last() else {
            return Ok(());
        };
        let Some((item, at)) = self.find(parent)? else {
            return Ok(());
        };
        let entry = format!("{} = {raw}", header(&[key]));
        if let Some(inline) = item.as_inline_table() {
            let range = inline.span().unwrap_or(at..at);
            let items = inline_items(inline);
            let mut ignored = Facts::default();
            let text = insert_inline(&self.text, range, &items, &entry, &mut ignored, parent);
            return self.change(text);
        }
        let end = item
            .as_table()
            .map_or(at, |table| end_of_table(table).unwrap_or(at));
        let line = self.text[end..]
            .find(['\r', '\n'])
            .map_or(self.text.len(), |newline| end + newline);
        let mut text = self.text.clone();
        text.insert_str(line, &format!("{}{entry}", line_end(&self.text)));
        self.change(text)
    }

    /// Takes the value at `path` out, a line of its own.
    pub(super) fn remove_value(&mut self, path: &[&str]) -> Result<(), WiringError> {
        let Some((key, parent)) = path.split_last() else {
            return Ok(());
        };
        if let Some((item, at)) = self.find(parent)?
            && let Some(inline) = item.as_inline_table()
        {
            let range = inline.span().unwrap_or(at..at);
            let items = inline_items(inline);
            let text = remove_inline(&self.text, range, &items, key);
            return self.change(text);
        }
        let Some((item, at)) = self.find(path)? else {
            return Ok(());
        };
        let end = item.span().map_or(at, |span| span.end);
        let lines = whole_lines(&self.text, at..end);
        // From the line end before it on: the line may be the last one, without a line end.
        let start = self.text[..lines.start]
            .strip_suffix('\n')
            .map_or(0, |before| before.strip_suffix('\r').unwrap_or(before).len());
        let mut text = self.text.clone();
        text.replace_range(start..lines.end, "");
        self.change(text)
    }

    /// Takes the table at `table`.`key` out, with the tables below it.
    pub(super) fn remove(
        &mut self,
        table: &[&str],
        key: &str,
        facts: Option<&Facts>,
    ) -> Result<(), WiringError> {
        let parent = self.find(table)?;
        if let Some((item, at)) = parent
            && let Some(inline) = item.as_inline_table()
        {
            let range = inline.span().unwrap_or(at..at);
            let mut text = remove_inline(&self.text, range.clone(), &inline_items(inline), key);
            if inline.len() == 1
                && let Some(inner) = facts.and_then(|facts| facts.inner_of(&keys(table)))
            {
                let close = range.end - (self.text.len() - text.len()) - 1;
                text.replace_range(range.start + 1..close, inner);
            }
            return self.change(text);
        }
        let mut path = table.to_vec();
        path.push(key);
        let Some((item, at)) = self.find(&path)? else {
            return Ok(());
        };
        let mut regions = Vec::new();
        match item {
            Item::Table(table) => collect(table, &mut regions),
            other => regions.extend(other.span().map(|span| at.min(span.start)..span.end)),
        }
        let mut regions: Vec<(Range<usize>, bool)> = regions
            .into_iter()
            .map(|region| {
                let lines = whole_lines(&self.text, region);
                let headed = self.text[lines.clone()].trim_start().starts_with('[');
                (lines, headed)
            })
            .collect();
        regions.sort_by_key(|(lines, _)| lines.start);
        let mut text = self.text.clone();
        for (lines, headed) in regions.into_iter().rev() {
            if headed {
                let end = line_end(&text[lines.start..]);
                text = cut(&text, lines, end);
            } else {
                let rest = &text[lines.end..];
                let end = rest
                    .strip_prefix("\r\n")
                    .or_else(|| rest.strip_prefix('\n'))
                    .unwrap_or(rest);
                let end = text.len() - end.len();
                text.replace_range(lines.start..end, "");
            }
        }
        self.change(text)
    }
}

fn parse(text: &str, path: &Path) -> Result<Document<String>, WiringError> {
    Document::parse(text.to_owned()).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let said = error
            .message()
            .trim()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        text::broken(path, text, at, format!("this is not TOML ({said})"))
    })
}

/// A header's or key's name as TOML writes it.
fn header(path: &[impl AsRef<str>]) -> String {
    let names: Vec<String> = path
        .iter()
        .map(|key| toml_edit::Key::new(key.as_ref()).to_string())
        .collect();
    names.join(".")
}

/// A plain value as TOML writes it.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let items: Vec<String> = map.iter().map(|(key, value)| inline_entry(key, value)).collect();
            if items.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", items.join(", "))
            }
        }
        other => other.to_string(),
    }
}

fn inline_entry(key: &str, value: &Value) -> String {
    format!("{} = {}", header(&[key]), written(value))
}

fn plain(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return plain_table(table);
    }
    match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| plain_table(table)).collect(),
        Item::Value(value) => plain_value(value),
        _ => Value::Null,
    }
}

fn plain_table(table: &dyn TableLike) -> Value {
    let pairs = table.iter().map(|(key, item)| (key.to_owned(), plain(item)));
    Value::from(serde_json::Map::from_iter(pairs))
}

fn plain_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(truth) => (*truth.value()).into(),
        toml_edit::Value::Array(list) => list.iter().map(plain_value).collect(),
        toml_edit::Value::InlineTable(table) => plain_table(table),
        // A float or a date, as it is written.
        other => other.to_string().trim().into(),
    }
}

/// The values of a table that stand below its own header, dotted ones included, and the tables with headers below it.
fn collect(table: &Table, regions: &mut Vec<Range<usize>>) {
    let headed = !table.is_implicit() && !table.is_dotted();
    if headed && let Some(span) = table.span() {
        let end = end_of_table(table).unwrap_or(span.end).max(span.end);
        regions.push(span.start..end);
    }
    for (key, item) in table.get_values_and_tables() {
        match item {
            Item::Table(inner)
                // Dotted values of a headed table are in its region already.
                if !(headed && inner.is_dotted()) => {
                    collect(inner, regions);
                }
            Item::ArrayOfTables(tables) => tables.iter().for_each(|inner| collect(inner, regions)),
            Item::Value(value) if !headed => {
                let start = key.and_then(toml_edit::Key::span).or_else(|| value.span());
                if let (Some(start), Some(end)) = (start, value.span()) {
                    regions.push(start.start..end.end);
                }
            }
            _ => {}
        }
    }
}

/// Keys with their items, for walking a table.
trait Walk {
    fn get_values_and_tables(&self) -> Vec<(Option<&toml_edit::Key>, &Item)>;
}

impl Walk for Table {
    fn get_values_and_tables(&self) -> Vec<(Option<&toml_edit::Key>, &Item)> {
        self.iter().map(|(key, item)| (self.key(key), item)).collect()
    }
}

/// Where the last value below a table's own header ends.
fn end_of_table(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(inner) if inner.is_dotted() => end_of_table(inner),
        _ => None,
    });
    let header = (!table.is_implicit() && !table.is_dotted())
        .then(|| table.span().map(|span| span.end))
        .flatten();
    ends.chain(header).max()
}

/// The lines that a range touches, without the last line end.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |newline| range.end + newline);
    let end = if text[..end].ends_with('\r') && end < text.len() {
        end - 1
    } else {
        end
    };
    line_start(text, range.start)..end
}

/// The items of an inline table: their keys, and where they begin and end.
fn inline_items(table: &toml_edit::InlineTable) -> Vec<(String, Range<usize>)> {
    fn end(value: &toml_edit::Value) -> usize {
        match value {
            toml_edit::Value::InlineTable(table) if table.is_dotted() => {
                table.iter().map(|(_, value)| end(value)).max().unwrap_or(0)
            }
            value => value.span().map_or(0, |span| span.end),
        }
    }
    let mut items: Vec<(String, Range<usize>)> = Vec::new();
    for (key, value) in table.iter() {
        let start = table
            .key(key)
            .and_then(toml_edit::Key::span)
            .map_or(0, |span| span.start);
        items.push((key.to_owned(), start..end(value)));
    }
    items.sort_by_key(|(_, range)| range.start);
    items
}

fn insert_inline(
    text: &str,
    table: Range<usize>,
    items: &[(String, Range<usize>)],
    entry: &str,
    facts: &mut Facts,
    path: &[&str],
) -> String {
    let last = items.iter().map(|(_, range)| range.end).max();
    match last {
        Some(last) => match comma_after(text, last) {
            Some(comma) => format!("{} {entry},{}", &text[..=comma], &text[comma + 1..]),
            None => format!("{}, {entry}{}", &text[..last], &text[last..]),
        },
        None => {
            let inner = table.start + 1..table.end - 1;
            facts.emptied(keys(path), &text[inner.clone()]);
            format!("{} {entry} {}", &text[..inner.start], &text[inner.end..])
        }
    }
}

fn remove_inline(text: &str, table: Range<usize>, items: &[(String, Range<usize>)], key: &str) -> String {
    let Some(index) = items.iter().position(|(name, _)| name == key) else {
        return text.to_owned();
    };
    let item = &items[index].1;
    let open = table.start + 1;
    let start = open + text[open..item.start].trim_end().len();
    let comma = comma_after(text, item.end);
    let mut before = text[..start].to_owned();
    if comma.is_none()
        && index > 0
        && let Some(comma) = comma_after(text, items[index - 1].1.end)
    {
        before.replace_range(comma..=comma, "");
    }
    let after = match comma {
        Some(comma) => format!("{}{}", &text[item.end..comma], &text[comma + 1..]),
        None => text[item.end..].to_owned(),
    };
    if items.len() == 1 && comma.is_none() {
        return format!("{before}{}", after.trim_start());
    }
    format!("{before}{after}")
}

fn comma_after(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let next = at + (rest.len() - rest.trim_start().len());
    (text.as_bytes().get(next) == Some(&b',')).then_some(next)
}
