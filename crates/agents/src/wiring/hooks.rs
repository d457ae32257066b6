//! The hooks in an agent's settings: always JSON, one list an event.

use std::path::Path;

use serde_json::Value;

use crate::HookEvent;

use super::agent::{Agent, Hooks};
use super::command::{self, OurHook, Programs, Renewal};
use super::facts::{Facts, keys};
use super::json::{Container, Json, Kind, Node};
use super::{Request, State, WiringError};

/// How long an agent waits for a hook, in seconds. A hook gives up by itself long before.
const SECONDS: i64 = 3;

/// One of our commands in a file.
#[derive(Debug)]
struct Ours {
    /// The index in the event's list.
    index: usize,
    /// The index in the group, for a grouped dialect.
    inner: Option<usize>,
    /// How many commands the group holds.
    beside: usize,
    /// What its command lines start.
    starts: Vec<OurHook>,
    /// Its command lines with their keys.
    lines: Vec<(&'static str, String)>,
}

fn event_path<'a>(hooks: &Hooks, word: &'a str) -> Vec<&'a str>
where
    'static: 'a,
{
    let mut path: Vec<&str> = hooks.table.to_vec();
    path.push(word);
    path
}

/// Our commands in the list at `path`: those that are all as setup writes them for the event, but for the program's path
/// and the access level. What a person wrote or gave a key of its own is the person's.
fn ours(json: &Json, hooks: &Hooks, path: &[&str], agent: &Agent, programs: Programs<'_>) -> Vec<Ours> {
    let Some(list) = json.root.as_ref().and_then(|root| root.at(path)) else {
        return Vec::new();
    };
    let event = path
        .last()
        .and_then(|here| hooks.events.iter().find(|(_, word)| word == here));
    let Some((event, _)) = event else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (index, element) in list.elements().iter().enumerate() {
        // A group with a matcher or any other key is a person's.
        let bare = matches!(&element.kind, Kind::Object(properties) if properties.len() == 1);
        let group = if hooks.grouped && bare {
            element.get("hooks")
        } else {
            None
        };
        let candidates: Vec<(Option<usize>, &Node)> = match group {
            Some(group) => group
                .elements()
                .iter()
                .enumerate()
                .map(|(inner, node)| (Some(inner), node))
                .collect(),
            None if hooks.grouped => Vec::new(),
            None => vec![(None, element)],
        };
        let beside = candidates.len();
        for (inner, node) in candidates {
            let lines: Vec<_> = hooks
                .commands
                .iter()
                .filter_map(|key| Some((*key, node.get(key)?.text()?.to_owned())))
                .collect();
            let starts: Vec<OurHook> = lines
                .iter()
                .filter_map(|(_, line)| command::our_hook(line, *event, agent.id, programs))
                .collect();
            let whole = lines
                .first()
                .is_some_and(|(_, line)| node.plain() == command(hooks, line));
            if whole && !starts.is_empty() {
                found.push(Ours {
                    index,
                    inner,
                    beside,
                    starts,
                    lines,
                });
            }
        }
    }
    found
}

/// A hook's table.
fn command(hooks: &Hooks, line: &str) -> Value {
    let mut command = serde_json::Map::new();
    command.extend(
        hooks
            .before
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.value())),
    );
    for key in hooks.commands {
        command.insert((*key).to_owned(), line.into());
    }
    if let Some((key, units)) = hooks.timeout {
        command.insert(key.to_owned(), (SECONDS * units).into());
    }
    command.into()
}

/// What is put into an event's list.
fn element(hooks: &Hooks, line: &str) -> Value {
    let command = command(hooks, line);
    if hooks.grouped {
        serde_json::json!({ "hooks": [command] })
    } else {
        command
    }
}

/// The access level that hooks name: the one that was asked for, else the one that stands there, so that a level that
/// was given once is not loosened by silence.
fn level(
    json: &Json,
    agent: &Agent,
    hooks: &Hooks,
    request: &Request,
    programs: Programs<'_>,
) -> Option<String> {
    let standing = || {
        hooks
            .events
            .iter()
            .flat_map(|(_, word)| ours(json, hooks, &event_path(hooks, word), agent, programs))
            .flat_map(|ours| ours.starts)
            .find_map(|start| start.access)
    };
    request.access.map(|level| level.to_string()).or_else(standing)
}

/// Puts the hooks in, and makes those that are there start this program.
pub(super) fn wire(
    json: &mut Json,
    agent: &Agent,
    hooks: &Hooks,
    request: &Request,
    programs: Programs<'_>,
    facts: &mut Facts,
) -> Result<Option<String>, WiringError> {
    // What is done, and to the hooks of which events.
    let mut done: Vec<(Option<Renewal>, Vec<&str>)> = Vec::new();
    let mut note = |what: Option<Renewal>, word| match done.iter_mut().find(|(known, _)| *known == what) {
        Some((_, words)) if words.last() == Some(&word) => {}
        Some((_, words)) => words.push(word),
        None => done.push((what, vec![word])),
    };
    for (key, value) in hooks.root {
        if json.entry(&[], key)?.is_none() {
            json.put(&[], Container::Object, Some(key), &value.value(), facts)?;
            facts.made(keys(&[key]));
        }
    }
    let level = level(json, agent, hooks, request, programs);
    for (event, word) in hooks.events {
        let path = event_path(hooks, word);
        let there = ours(json, hooks, &path, agent, programs);
        let wanted = command::hook(&request.program, *event, agent.id, level.as_deref());
        match there.first() {
            None => {
                json.put(&path, Container::Array, None, &element(hooks, &wanted), facts)?;
                note(None, *word);
            }
            Some(ours) => {
                for (key, line) in &ours.lines {
                    if *line != wanted {
                        let list = json.root.as_ref().and_then(|root| root.at(&path));
                        let range = list
                            .and_then(|list| command_of(list, ours))
                            .and_then(|node| node.get(key))
                            .map(|node| node.range.clone());
                        if let Some(range) = range {
                            json.replace(range, &Value::from(wanted.as_str()).to_string())?;
                            note(Some(renewal(ours, request, level.as_deref())), *word);
                        }
                    }
                }
            }
        }
    }
    let says: Vec<String> = done
        .into_iter()
        .map(|(what, words)| match what {
            None => format!("adds hooks for {}", words.join(", ")),
            Some(renewal) => renewal.says(&format!("the hooks for {}", words.join(", "))),
        })
        .collect();
    Ok((!says.is_empty()).then(|| says.join(" and ")))
}

/// What writing a hook's command line anew changes.
fn renewal(ours: &Ours, request: &Request, level: Option<&str>) -> Renewal {
    let other = |start: &&OurHook| Path::new(&start.program) != request.program;
    match ours.starts.iter().find(other).or_else(|| ours.starts.first()) {
        Some(start) => Renewal::new(&start.program, start.access.as_deref(), &request.program, level),
        None => Renewal::default(),
    }
}

fn command_of<'a>(list: &'a Node, ours: &Ours) -> Option<&'a Node> {
    let element = list.elements().get(ours.index)?;
    match ours.inner {
        Some(inner) => element.get("hooks")?.elements().get(inner),
        None => Some(element),
    }
}

/// Takes our hooks out, under whatever event they stand.
pub(super) fn strip(
    json: &mut Json,
    agent: &Agent,
    hooks: &Hooks,
    programs: Programs<'_>,
    facts: Option<&Facts>,
) -> Result<(), WiringError> {
    let words: Vec<String> = match json
        .root
        .as_ref()
        .and_then(|root| root.at(hooks.table))
        .map(|node| &node.kind)
    {
        Some(Kind::Object(properties)) => properties.iter().map(|property| property.key.clone()).collect(),
        _ => Vec::new(),
    };
    let mut any = false;
    // From the last one back: as they were put in, the other way round.
    for word in words.iter().rev() {
        let path = event_path(hooks, word);
        let found = ours(json, hooks, &path, agent, programs);
        for ours in found.iter().rev() {
            let Some(list) = json.root.as_ref().and_then(|root| root.at(&path)).cloned() else {
                continue;
            };
            any = true;
            match ours.inner {
                Some(inner) if ours.beside > 1 => {
                    if let Some(group) = list
                        .elements()
                        .get(ours.index)
                        .and_then(|element| element.get("hooks"))
                    {
                        json.remove_element(group, inner)?;
                    }
                }
                _ => json.remove_element(&list, ours.index)?,
            }
        }
        if !found.is_empty() {
            json.prune(&path, facts)?;
        }
    }
    if any {
        strip_root(json, hooks, facts)?;
    }
    Ok(())
}

/// Takes the keys beside the hooks out that only were there for them.
fn strip_root(json: &mut Json, hooks: &Hooks, facts: Option<&Facts>) -> Result<(), WiringError> {
    let Some(Kind::Object(properties)) = json.root.as_ref().map(|root| &root.kind) else {
        return Ok(());
    };
    let ours = |key: &str| hooks.root.iter().any(|(name, _)| *name == key);
    let needed = hooks
        .table
        .first()
        .is_some_and(|first| properties.iter().any(|p| p.key == *first));
    let alone = properties.iter().all(|property| ours(&property.key));
    if needed || hooks.root.is_empty() {
        return Ok(());
    }
    for (key, _) in hooks.root.iter().rev() {
        let made = match facts {
            Some(facts) => facts.made.contains(&keys(&[key])),
            None => alone,
        };
        if made {
            json.remove(&[key])?;
            json.prune(&[] as &[&str], facts)?;
        }
    }
    Ok(())
}

/// What state each hook is in.
pub(super) fn look(
    json: &Json,
    agent: &Agent,
    hooks: &Hooks,
    request: &Request,
    programs: Programs<'_>,
) -> Result<Vec<(HookEvent, State)>, WiringError> {
    let mut states = Vec::new();
    let level = level(json, agent, hooks, request, programs);
    for (event, word) in hooks.events {
        let path = event_path(hooks, word);
        json.entry(&path[..path.len() - 1], word)?;
        let wanted = command::hook(&request.program, *event, agent.id, level.as_deref());
        let state = match ours(json, hooks, &path, agent, programs).first() {
            None => State::Missing,
            Some(ours) if ours.lines.iter().all(|(_, line)| *line == wanted) => State::Present,
            Some(ours) => match ours
                .starts
                .iter()
                .find(|start| Path::new(&start.program) != request.program)
            {
                Some(start) => State::other_program(&start.program),
                None => State::Stale("it runs ken with other arguments than `ken setup` writes".to_owned()),
            },
        };
        states.push((*event, state));
    }
    Ok(states)
}
