use serde_json::Value;

/// How new pieces of a file are written, so that they look like the rest of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style<'a> {
    /// What a line ends with.
    pub(super) end: &'a str,
    /// What one level is set in by.
    pub(super) unit: &'a str,
    /// All on one line.
    pub(super) inline: bool,
    /// A space after colons and commas of one line.
    pub(super) airy: bool,
}

impl Style<'_> {
    /// Writes an item, its first line without indentation, the others set in from `indent`.
    pub(super) fn item(&self, key: Option<&str>, value: &Value, indent: &str) -> String {
        let value = self.value(value, indent);
        match key {
            Some(key) => format!("{}:{}{value}", Value::from(key), self.space()),
            None => value,
        }
    }

    fn space(&self) -> &'static str {
        if self.inline && !self.airy { "" } else { " " }
    }

    fn value(&self, value: &Value, indent: &str) -> String {
        let deeper = format!("{indent}{}", self.unit);
        let (open, items, close) = match value {
            Value::Object(map) if !map.is_empty() => {
                let items = map
                    .iter()
                    .map(|(key, value)| self.item(Some(key), value, &deeper));
                ('{', items.collect::<Vec<_>>(), '}')
            }
            // A list of plain values is short: arguments, mostly.
            Value::Array(list) if list.iter().all(|value| !value.is_object() && !value.is_array()) => {
                let items: Vec<String> = list.iter().map(Value::to_string).collect();
                return format!("[{}]", items.join(&format!(",{}", self.space())));
            }
            Value::Array(list) => {
                let items = list.iter().map(|value| self.item(None, value, &deeper));
                ('[', items.collect(), ']')
            }
            plain => return plain.to_string(),
        };
        if self.inline {
            return format!("{open}{}{close}", items.join(&format!(",{}", self.space())));
        }
        let end = self.end;
        let items = items.join(&format!(",{end}{deeper}"));
        format!("{open}{end}{deeper}{items}{end}{indent}{close}")
    }
}
