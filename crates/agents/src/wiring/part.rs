//! What setup puts into a file: the server's entry, the hooks, the block of instructions.

use std::path::{Path, PathBuf};

use ken_files::read_bounded;

use super::agent::{Agent, Place, Syntax};
use super::command::Programs;
use super::doc::Doc;
use super::facts::Facts;
use super::json::Json;
use super::receipt::Receipt;
use super::text::{Text, lines_outside_code};
use super::{Request, Scope, State, WiringError, block, hooks, server};

/// The largest file of instructions that is searched for the block and for files that it reads in.
const INSTRUCTIONS_LIMIT: u64 = 1024 * 1024;

/// One of the things that setup puts into a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Server(&'static Agent),
    Hooks(&'static Agent),
    /// The block is the same for all agents: a file that several read holds it once.
    Block,
}

impl Part {
    pub(super) fn same(&self, other: &Part) -> bool {
        match (self, other) {
            (Part::Server(one), Part::Server(two)) | (Part::Hooks(one), Part::Hooks(two)) => one.id == two.id,
            (Part::Block, Part::Block) => true,
            _ => false,
        }
    }

    /// Whose part it is, as receipts write it.
    pub(super) fn owner(self) -> &'static str {
        match self {
            Part::Server(agent) | Part::Hooks(agent) => agent.id,
            Part::Block => "instructions",
        }
    }

    /// The bytes with this part in them, and what that does, when it does something.
    pub(super) fn wire(
        self,
        bytes: &[u8],
        path: &Path,
        request: &Request,
        receipt: Option<&Receipt>,
        facts: &mut Facts,
    ) -> Result<(Vec<u8>, Option<String>), WiringError> {
        let programs = programs(request, receipt);
        match self {
            Part::Server(agent) => {
                let mut doc = Doc::read(agent.mcp.syntax, bytes, path)?;
                let says = server::wire(&mut doc, agent, request, programs, path, receipt.is_some(), facts)?;
                Ok((doc.bytes(), says))
            }
            Part::Hooks(agent) => {
                let mut json = Json::read(bytes, path)?;
                let says = match &agent.hooks {
                    Some(dialect) => hooks::wire(&mut json, agent, dialect, request, programs, facts)?,
                    None => None,
                };
                Ok((json.bytes(), says))
            }
            Part::Block => {
                let mut text = Text::read(bytes, path)?;
                let before = block::find(&text.body, path)?;
                text.body = block::with_block(&text.body, path)?;
                let says = match before {
                    None => Some("adds five lines that say what ken is and when to ask it"),
                    Some(found) if !found.current => Some("renews the lines about ken"),
                    Some(_) => None,
                };
                Ok((text.bytes(), says.map(str::to_owned)))
            }
        }
    }

    /// The bytes without this part.
    pub(super) fn strip(
        self,
        bytes: &[u8],
        path: &Path,
        request: &Request,
        receipt: Option<&Receipt>,
        facts: Option<&Facts>,
    ) -> Result<Vec<u8>, WiringError> {
        let programs = programs(request, receipt);
        match self {
            Part::Server(agent) => {
                let mut doc = Doc::read(agent.mcp.syntax, bytes, path)?;
                server::strip(&mut doc, agent, programs, path, facts)?;
                Ok(doc.bytes())
            }
            Part::Hooks(agent) => {
                let mut json = Json::read(bytes, path)?;
                if let Some(dialect) = &agent.hooks {
                    hooks::strip(&mut json, agent, dialect, programs, facts)?;
                }
                Ok(json.bytes())
            }
            Part::Block => {
                let mut text = Text::read(bytes, path)?;
                text.body = block::without_block(&text.body, path)?;
                Ok(text.bytes())
            }
        }
    }

    /// Whether two contents hold the same beside formatting.
    pub(super) fn same_values(self, one: &[u8], other: &[u8], path: &Path) -> Result<bool, WiringError> {
        let syntax = match self {
            Part::Server(agent) => agent.mcp.syntax,
            Part::Hooks(_) => Syntax::Json,
            Part::Block => return Ok(one == other),
        };
        Ok(Doc::read(syntax, one, path)?.plain() == Doc::read(syntax, other, path)?.plain())
    }

    /// Whether a content that is left when all is taken out is that of a file that setup made.
    pub(super) fn is_nothing(self, bytes: &[u8], facts: Option<&Facts>) -> bool {
        let text = String::from_utf8_lossy(bytes);
        let object = match self {
            Part::Server(agent) => agent.mcp.syntax == Syntax::Json,
            Part::Hooks(_) => true,
            Part::Block => false,
        };
        match facts {
            Some(facts) if facts.existed => false,
            Some(_) => text.trim().is_empty() || (object && text.trim() == "{}"),
            // A file that setup makes ends with a line end; one that is `{}` and no more was there before.
            None => text.is_empty() || (object && text.trim_end() == "{}" && text.ends_with('\n')),
        }
    }

    /// How the part stands in a file of these bytes.
    pub(super) fn look(
        self,
        bytes: &[u8],
        path: &Path,
        request: &Request,
        receipt: Option<&Receipt>,
    ) -> Vec<(&'static str, State)> {
        let programs = programs(request, receipt);
        let broken = |error: WiringError| State::Broken(error.as_found());
        match self {
            Part::Server(agent) => {
                let state = Doc::read(agent.mcp.syntax, bytes, path)
                    .and_then(|doc| server::look(&doc, agent, request, programs, path));
                vec![("mcp", state.unwrap_or_else(broken))]
            }
            Part::Hooks(agent) => {
                let Some(dialect) = &agent.hooks else {
                    return Vec::new();
                };
                let states = Json::read(bytes, path)
                    .and_then(|json| hooks::look(&json, agent, dialect, request, programs));
                match states {
                    Ok(states) => states
                        .into_iter()
                        .map(|(event, state)| (event.as_str(), state))
                        .collect(),
                    Err(error) => {
                        let state = broken(error);
                        dialect
                            .events
                            .iter()
                            .map(|(event, _)| (event.as_str(), state.clone()))
                            .collect()
                    }
                }
            }
            Part::Block => {
                let found = Text::read(bytes, path).and_then(|text| block::find(&text.body, path));
                let state = match found {
                    Ok(None) => State::Missing,
                    Ok(Some(found)) if found.current => State::Present,
                    Ok(Some(_)) => State::Stale("its text is an older one".to_owned()),
                    Err(error) => broken(error),
                };
                vec![("instructions", state)]
            }
        }
    }
}

/// The programs whose entries in a file are ours: this one, and those that the file's receipt names.
fn programs<'a>(request: &'a Request, receipt: Option<&'a Receipt>) -> Programs<'a> {
    Programs::new(
        &request.program,
        receipt.map_or(&[], |receipt| receipt.programs.as_slice()),
    )
}

/// An agent's parts and the files they go into.
pub(super) fn parts(agent: &'static Agent, request: &Request) -> Vec<(Part, PathBuf)> {
    let path = |place: Option<Place>| place.and_then(|place| place.path(&request.paths, request.root()));
    let mut parts = Vec::new();
    if let Some(file) = path(agent.mcp.file.of(request.scope)) {
        parts.push((Part::Server(agent), file));
    }
    if let Some(file) = agent
        .hooks
        .as_ref()
        .and_then(|hooks| path(hooks.file.of(request.scope)))
    {
        parts.push((Part::Hooks(agent), file));
    }
    if let Some(file) = instructions(agent, request) {
        parts.push((Part::Block, file));
    }
    parts
}

/// The instructions file that the block goes into: the one that holds it, else the file that it reads in, where that
/// is another agent's (so that one conversation does not hold the block twice), else the first that exists.
pub(super) fn instructions(agent: &Agent, request: &Request) -> Option<PathBuf> {
    let candidates = candidates(agent, request);
    let own = candidates
        .iter()
        .find(|file| file.exists())
        .or_else(|| candidates.first())?;
    if !agent.instructions.imports || holds_block(own) {
        return Some(own.clone());
    }
    let imported = imports(own, request)
        .into_iter()
        .find(|file| file.is_file() && file.file_name().is_some_and(|name| name == "AGENTS.md"));
    Some(imported.unwrap_or_else(|| own.clone()))
}

/// The files that an agent's instructions may stand in.
fn candidates(agent: &Agent, request: &Request) -> Vec<PathBuf> {
    let places = match request.scope {
        Scope::Project => agent.instructions.project,
        Scope::User => agent.instructions.user,
    };
    places
        .iter()
        .filter_map(|place| place.path(&request.paths, request.root()))
        .collect()
}

/// The text of a file of instructions; empty where it is none, larger than one can be, or no file at all. A repository
/// can hold a link to a device or a pipe under its name.
fn instructions_text(file: &Path) -> String {
    let bytes = read_bounded(file, INSTRUCTIONS_LIMIT).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn holds_block(file: &Path) -> bool {
    let text = instructions_text(file);
    matches!(block::find(&text, file), Ok(Some(_)))
}

/// The files that `@path` in a file of instructions reads in.
fn imports(file: &Path, request: &Request) -> Vec<PathBuf> {
    let text = instructions_text(file);
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for (_, line) in lines_outside_code(&text) {
        for word in line.split_whitespace() {
            let Some(path) = word.strip_prefix('@') else {
                continue;
            };
            let path = path.trim_end_matches(['.', ',', ';', ':', ')']);
            found.push(match path.strip_prefix("~/") {
                Some(rest) => request.paths.home.join(rest),
                None => folder.join(path),
            });
        }
    }
    found
}
