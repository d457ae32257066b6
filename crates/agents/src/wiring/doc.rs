//! A settings file in either syntax.

use std::path::Path;

use serde_json::Value;

use super::WiringError;
use super::agent::Syntax;
use super::facts::{Facts, keys};
use super::json::{Container, Json};
use super::text;
use super::toml::{self, Toml};

/// A parsed settings file.
#[derive(Debug)]
pub(super) enum Doc {
    Json(Json),
    Toml(Toml),
}

impl Doc {
    pub(super) fn read(syntax: Syntax, bytes: &[u8], path: &Path) -> Result<Doc, WiringError> {
        Ok(match syntax {
            Syntax::Json => Doc::Json(Json::read(bytes, path)?),
            Syntax::Toml => Doc::Toml(Toml::read(bytes, path)?),
        })
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Doc::Json(json) => json.bytes(),
            Doc::Toml(toml) => toml.bytes(),
        }
    }

    /// The values, without places and formatting; a blank file holds as much as an empty table.
    pub(super) fn plain(&self) -> Value {
        match self {
            Doc::Json(json) => match &json.root {
                Some(root) => root.plain(),
                None => serde_json::Map::new().into(),
            },
            Doc::Toml(toml) => toml.plain(),
        }
    }

    /// What stands at `table`.`key`, and where. Everything on the way must be a table.
    pub(super) fn entry(&self, table: &[&str], key: &str) -> Result<Option<(Value, usize)>, WiringError> {
        match self {
            Doc::Json(json) => json.entry(table, key),
            Doc::Toml(toml) => {
                let mut path = table.to_vec();
                path.push(key);
                toml.entry(&path)
            }
        }
    }

    /// Line and column of a position.
    pub(super) fn place(&self, at: usize) -> (usize, usize) {
        match self {
            Doc::Json(json) => text::place(&json.text, at),
            Doc::Toml(toml) => text::place(&toml.text, at),
        }
    }

    pub(super) fn put(
        &mut self,
        table: &[&str],
        key: &str,
        value: &Value,
        facts: &mut Facts,
    ) -> Result<(), WiringError> {
        match self {
            Doc::Json(json) => json.put(table, Container::Object, Some(key), value, facts),
            Doc::Toml(toml) => toml.put(table, key, value, facts),
        }
    }

    /// The text of the value at `path`.
    pub(super) fn raw(&self, path: &[&str]) -> Option<String> {
        match self {
            Doc::Json(json) => {
                let node = json.root.as_ref()?.at(path)?;
                json.text.get(node.range.clone()).map(str::to_owned)
            }
            Doc::Toml(toml) => toml.raw(path),
        }
    }

    /// Makes `path` hold `value`; where it holds nothing yet, behind what stands in its table.
    pub(super) fn set(&mut self, path: &[&str], value: &Value) -> Result<(), WiringError> {
        match self {
            Doc::Json(json) => match (
                json.root.as_ref().and_then(|root| root.at(path)),
                path.split_last(),
            ) {
                (None, Some((key, table))) => {
                    let mut ignored = Facts::default();
                    json.put(table, Container::Object, Some(key), value, &mut ignored)
                }
                _ => json.set_raw(path, &value.to_string()),
            },
            Doc::Toml(toml) => toml.set_raw(path, &toml::written(value)),
        }
    }

    /// Puts back what stood at `path`: a raw text, or nothing.
    pub(super) fn restore(&mut self, path: &[&str], raw: Option<&str>) -> Result<(), WiringError> {
        match (self, raw) {
            (Doc::Json(json), Some(raw)) => json.set_raw(path, raw),
            (Doc::Json(json), None) => json.remove(path),
            (Doc::Toml(toml), Some(raw)) => toml.set_raw(path, raw),
            (Doc::Toml(toml), None) => toml.remove_value(path),
        }
    }

    /// Takes `table`.`key` out, and what setup made around it.
    pub(super) fn remove(
        &mut self,
        table: &[&str],
        key: &str,
        facts: Option<&Facts>,
    ) -> Result<(), WiringError> {
        match self {
            Doc::Json(json) => {
                let mut path = keys(table);
                path.push(key.to_owned());
                json.remove(&path)?;
                json.prune(table, facts)
            }
            Doc::Toml(toml) => toml.remove(table, key, facts),
        }
    }
}
