//! The entry of the MCP server in an agent's settings.

use std::path::Path;

use ken_library::AccessLevel;
use serde_json::Value;

use super::agent::{Agent, Start};
use super::command::{self, Programs, Renewal, Served};
use super::doc::Doc;
use super::facts::{Facts, keys};
use super::{Request, State, WiringError};

/// The name of the server in every agent's settings.
const NAME: &str = "ken";

/// What stands under the server's name.
enum Found {
    Missing,
    Entry {
        value: Value,
        words: Vec<String>,
        served: Served,
    },
}

fn find(doc: &Doc, agent: &Agent, programs: Programs<'_>, path: &Path) -> Result<Found, WiringError> {
    let Some((value, at)) = doc.entry(agent.mcp.table, NAME)? else {
        return Ok(Found::Missing);
    };
    let (line, column) = doc.place(at);
    if !value.is_object() {
        return Err(WiringError::Broken {
            path: path.to_owned(),
            line,
            column,
            what: format!("`{}.{NAME}` should be a table", agent.mcp.table.join(".")),
        });
    }
    let words = words(&value, agent.mcp.start);
    match command::served(&words, agent.id, programs) {
        Served::Other => Err(WiringError::Foreign {
            path: path.to_owned(),
            line,
            column,
            what: format!("a server of the name {NAME} stands here that is not this program's"),
            remedy: "rename that entry or take it out".to_owned(),
        }),
        served => Ok(Found::Entry { value, words, served }),
    }
}

/// The words of the command that an entry starts; none where it starts no command.
fn words(entry: &Value, start: Start) -> Vec<String> {
    let texts = |value: Option<&Value>| -> Vec<String> {
        let list = value.and_then(Value::as_array).into_iter().flatten();
        list.map(|word| word.as_str().unwrap_or_default().to_owned())
            .collect()
    };
    match start {
        Start::Split { program, arguments } => match entry.get(program).and_then(Value::as_str) {
            Some(first) => {
                let mut words = vec![first.to_owned()];
                words.extend(texts(entry.get(arguments)));
                words
            }
            None => Vec::new(),
        },
        Start::List { key } => texts(entry.get(key)),
    }
}

/// The words that the entry should start: with the level that was asked for, else the one that stands there.
fn wanted(agent: &Agent, request: &Request, standing: Option<&str>) -> Vec<String> {
    command::serve(&request.program, agent.id, level(request, standing))
}

fn level(request: &Request, standing: Option<&str>) -> Option<AccessLevel> {
    request.access.or_else(|| standing?.parse().ok())
}

/// The keys and values that start `words`.
fn start_keys(start: Start, words: &[String]) -> Vec<(&'static str, Value)> {
    match start {
        Start::Split { program, arguments } => vec![
            (program, words[0].as_str().into()),
            (arguments, words[1..].iter().map(String::as_str).collect()),
        ],
        Start::List { key } => vec![(key, words.iter().map(String::as_str).collect())],
    }
}

fn entry(agent: &Agent, words: &[String]) -> Value {
    let mut map = serde_json::Map::new();
    let constants = |list: &'static [(&'static str, super::agent::Constant)]| {
        list.iter().map(|(key, value)| ((*key).to_owned(), value.value()))
    };
    map.extend(constants(agent.mcp.before));
    map.extend(
        start_keys(agent.mcp.start, words)
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value)),
    );
    map.extend(constants(agent.mcp.after));
    map.into()
}

/// Whether an entry holds a key that setup would not write.
fn has_more(agent: &Agent, value: &Value) -> bool {
    let ours = entry(agent, &["".to_owned(), "".to_owned()]);
    value
        .as_object()
        .is_some_and(|map| map.keys().any(|key| ours.get(key).is_none()))
}

/// Puts the entry in, or makes it start this program. `known` says whether a receipt of the file is at hand.
pub(super) fn wire(
    doc: &mut Doc,
    agent: &Agent,
    request: &Request,
    programs: Programs<'_>,
    path: &Path,
    known: bool,
    facts: &mut Facts,
) -> Result<Option<String>, WiringError> {
    let table = agent.mcp.table;
    match find(doc, agent, programs, path)? {
        Found::Missing => {
            let words = wanted(agent, request, None);
            doc.put(table, NAME, &entry(agent, &words), facts)?;
            Ok(Some("adds the MCP server ken".to_owned()))
        }
        Found::Entry { value, words, served } => {
            let (ours, access) = match served {
                Served::Ours { access } => (true, access),
                Served::Ken { access } => (false, access),
                Served::Other => (false, None),
            };
            let new = wanted(agent, request, access.as_deref());
            let taken_over = !ours || (!known && has_more(agent, &value));
            for (key, wanted) in start_keys(agent.mcp.start, &new) {
                let mut place = table.to_vec();
                place.extend([NAME, key]);
                if taken_over {
                    facts.replaced(keys(&place), doc.raw(&place));
                }
                if value.get(key) != Some(&wanted) {
                    doc.set(&place, &wanted)?;
                }
            }
            Ok((words != new).then(|| {
                if ours {
                    let level = level(request, access.as_deref()).map(|level| level.to_string());
                    Renewal::new(&words[0], access.as_deref(), &request.program, level.as_deref())
                        .says("the MCP server ken")
                } else {
                    "takes over the MCP server ken that is there already; `ken unsetup` puts it back"
                        .to_owned()
                }
            }))
        }
    }
}

/// Takes the entry out, or puts back what stood there before. Another's entry stays.
pub(super) fn strip(
    doc: &mut Doc,
    agent: &Agent,
    programs: Programs<'_>,
    path: &Path,
    facts: Option<&Facts>,
) -> Result<(), WiringError> {
    let table = agent.mcp.table;
    let served = match find(doc, agent, programs, path) {
        Ok(Found::Entry { served, .. }) => served,
        Ok(Found::Missing) => return Ok(()),
        Err(WiringError::Foreign { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut own = keys(table);
    own.push(NAME.to_owned());
    let replaced: Vec<_> = facts
        .into_iter()
        .flat_map(|facts| &facts.replaced)
        .filter(|raw| raw.path.starts_with(&own))
        .collect();
    if !replaced.is_empty() {
        for raw in replaced {
            let place: Vec<&str> = raw.path.iter().map(String::as_str).collect();
            doc.restore(&place, raw.raw.as_deref())?;
        }
        return Ok(());
    }
    match served {
        Served::Ours { .. } => doc.remove(table, NAME, facts),
        _ => Ok(()),
    }
}

/// What state the entry is in.
pub(super) fn look(
    doc: &Doc,
    agent: &Agent,
    request: &Request,
    programs: Programs<'_>,
    path: &Path,
) -> Result<State, WiringError> {
    Ok(match find(doc, agent, programs, path)? {
        Found::Missing => State::Missing,
        Found::Entry { words, served, .. } => {
            let access = match served {
                Served::Ours { access } | Served::Ken { access } => access,
                Served::Other => None,
            };
            let wanted = wanted(agent, request, access.as_deref());
            match words.first() {
                _ if words == wanted => State::Present,
                Some(program) if *program != wanted[0] => State::other_program(program),
                _ => State::Stale("it starts ken with other arguments than `ken setup` writes".to_owned()),
            }
        }
    })
}
