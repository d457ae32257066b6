//! Whether an agent reads the file that its wiring stands in: one that takes no comments drops the whole file over one.

use std::path::Path;

use super::agent::{Agent, Elsewhere, Hooks, Reads, Strict, Syntax};
use super::doc::Doc;
use super::json::{Json, Kind, Looser, Node};
use super::part::Part;
use super::plan::{follow, read};
use super::{Request, text};

/// What makes an agent read nothing in a file: where it stands, what the agent does not take, and the remedy.
type Obstacle = (usize, String, &'static str);

/// Why the agent whose part this is reads nothing in a file of these bytes, as a sentence with its place and remedy;
/// `None` where it does. A file that holds nothing is no case: what setup writes into it is read.
pub(super) fn unread(part: Part, bytes: &[u8], path: &Path) -> Option<String> {
    let (agent, reads, hooks): (&Agent, Reads, Option<&Hooks>) = match part {
        Part::Server(agent) if agent.mcp.syntax == Syntax::Json => (agent, agent.mcp.reads, None),
        Part::Hooks(agent) => (agent, agent.hooks.as_ref()?.reads, agent.hooks.as_ref()),
        Part::Server(_) | Part::Block => return None,
    };
    let json = Json::read(bytes, path).ok()?;
    let root = json.root.as_ref()?;
    let (at, what, remedy) = not_taken(&json, reads)
        .or_else(|| refused(&json, reads))
        .or_else(|| hooks.and_then(|hooks| misshapen(root, hooks)))?;
    let (line, column) = text::place(&json.text, at);
    Some(format!(
        "{}:{line}:{column}: {} {what} here, so nothing in this file is in effect; {remedy}",
        path.display(),
        agent.title
    ))
}

/// What stands there that this agent does not take beside JSON.
fn not_taken(json: &Json, reads: Reads) -> Option<Obstacle> {
    if json.marked && !reads.byte_order_mark {
        let what = "does not read a byte order mark".to_owned();
        return Some((0, what, "save the file without it"));
    }
    let (at, looser) = json.looser().into_iter().find(|(_, looser)| match looser {
        Looser::Comment => !reads.comments,
        Looser::TrailingComma => !reads.trailing_commas,
    })?;
    Some(match looser {
        Looser::Comment => (at, "does not read comments".to_owned(), "take them out"),
        Looser::TrailingComma => {
            let what = "does not read a comma behind the last item".to_owned();
            (at, what, "take it out")
        }
    })
}

/// What a reader of nothing but JSON refuses where the one here is more patient, such as a bare tab in a text.
fn refused(json: &Json, reads: Reads) -> Option<Obstacle> {
    if reads.comments || reads.trailing_commas {
        return None;
    }
    let error = serde_json::from_str::<serde::de::IgnoredAny>(&json.text).err()?;
    let lines = json.text.split_inclusive('\n');
    let line: usize = lines.take(error.line().saturating_sub(1)).map(str::len).sum();
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    let what = format!("reads no such JSON ({said})");
    Some((line + error.column().saturating_sub(1), what, "repair it"))
}

/// What an agent that knows one shape only would not have in a file of hooks.
fn misshapen(root: &Node, hooks: &Hooks) -> Option<Obstacle> {
    let Strict { root: keys, events } = hooks.strict?;
    if let Kind::Object(properties) = &root.kind
        && let Some(other) = properties
            .iter()
            .find(|property| !keys.contains(&property.key.as_str()))
    {
        let what = format!("takes no key `{}`", other.key);
        return Some((other.key_range.start, what, "take it out"));
    }
    let Some(Kind::Object(table)) = root.at(hooks.table).map(|node| &node.kind) else {
        return None;
    };
    let known = |word: &str| events.contains(&word) || hooks.events.iter().any(|(_, event)| *event == word);
    table
        .iter()
        .filter(|property| known(&property.key))
        .find_map(|property| misshapen_event(&property.key, &property.value, hooks))
}

/// What is wrong with an event's list, where its shape is.
fn misshapen_event(word: &str, list: &Node, hooks: &Hooks) -> Option<Obstacle> {
    let wrong = |node: &Node, wanted: &str| {
        let what = format!("reads only {wanted} (in `{word}`) and no {}", bare(node));
        Some((node.range.start, what, "repair it"))
    };
    let Kind::Array(elements) = &list.kind else {
        return wrong(list, "a list");
    };
    for element in elements {
        if !matches!(element.kind, Kind::Object(_)) {
            return wrong(element, "tables");
        }
        if !hooks.grouped {
            continue;
        }
        match element.get("hooks").map(|group| (group, &group.kind)) {
            None => {}
            Some((_, Kind::Array(commands))) => {
                if let Some(other) = commands
                    .iter()
                    .find(|command| !matches!(command.kind, Kind::Object(_)))
                {
                    return wrong(other, "tables");
                }
            }
            Some((group, _)) => return wrong(group, "a list"),
        }
    }
    None
}

/// The word for what a node is, without its article.
fn bare(node: &Node) -> &'static str {
    node.what().trim_start_matches("a ")
}

/// That hooks of the person's own stand in another file that the agent reads as well, as a sentence with its place.
pub(super) fn hooks_elsewhere(agent: &Agent, request: &Request) -> Option<String> {
    let Elsewhere {
        file,
        syntax,
        table,
        sentence,
    } = agent.hooks.as_ref()?.elsewhere.as_ref()?;
    let path = file.of(request.scope)?.path(&request.paths, request.root())?;
    // A file that cannot be read is told of by those who write it.
    let bytes = read(&follow(&path).ok()?).ok()??;
    let doc = Doc::read(*syntax, &bytes, &path).ok()?;
    let (key, parents) = table.split_last()?;
    let (events, _) = doc.entry(parents, key).ok()??;
    // Events have lists; under other keys the agent itself keeps what it remembers of hooks.
    let (event, _) = events
        .as_object()?
        .iter()
        .find(|(_, list)| list.as_array().is_some_and(|list| !list.is_empty()))?;
    let (_, at) = doc.entry(table, event).ok()??;
    let (line, column) = doc.place(at);
    Some(format!("{}:{line}:{column}: {sentence}", path.display()))
}
