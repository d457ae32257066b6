//! What an export owes to the manifest that it replaces, and what it may not let out.

use crate::forbidden::ForbiddenNames;
use crate::level::{AccessLevel, Caller};
use crate::model::{Manifest, Row};
use crate::screen::{Screen, Screened, reduce_extra, screen};
use crate::visibility::Rules;

/// Keeps what agents committed themselves: rows of `existing` with `origin: committed` go into `projection`, where they
/// take the place of rows that are the same thing. Unknown keys of the existing manifest, and of rows that the
/// projection has too, survive likewise.
pub fn carry_committed(existing: &Manifest, projection: &mut Manifest) {
    use crate::names::key;
    carry(&existing.entities, &mut projection.entities, |a, b| {
        key(&a.name) == key(&b.name)
    });
    carry(&existing.workstreams, &mut projection.workstreams, |a, b| {
        key(&a.name) == key(&b.name)
    });
    carry(&existing.sessions, &mut projection.sessions, |a, b| {
        (a.date, &a.cwd, &a.project_focus) == (b.date, &b.cwd, &b.project_focus)
    });
    carry(&existing.notes, &mut projection.notes, |a, b| {
        (a.date, &a.text) == (b.date, &b.text)
    });
    add_missing(&existing.extra, &mut projection.extra);
    add_missing(&existing.agent.extra, &mut projection.agent.extra);
    if let (Some(old), Some(new)) = (&existing.visibility_policy, &mut projection.visibility_policy) {
        add_missing(&old.extra, &mut new.extra);
    }
}

fn carry<T: Row + Clone>(old: &[T], new: &mut Vec<T>, same: impl Fn(&T, &T) -> bool) {
    for row in old.iter().filter(|row| row.is_committed()) {
        match new.iter_mut().find(|other| same(row, other)) {
            Some(other) => *other = row.clone(),
            None => new.push(row.clone()),
        }
    }
}

fn add_missing(old: &crate::Extra, new: &mut crate::Extra) {
    // Keys of the schema stand there only when they could not be read: a projection does not inherit what was broken.
    const KNOWN: [&str; 12] = [
        "spec_version",
        "last_updated",
        "capabilities",
        "recent_sessions",
        "known_entities",
        "known_workstreams",
        "notes",
        "visibility_policy",
        "type",
        "default",
        "private_tags",
        "team_tags",
    ];
    for (key, node) in old.iter() {
        if !new.has(key) && !KNOWN.contains(&key) {
            new.set(key, node.clone());
        }
    }
}

/// What [`without_private`] left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Dropped {
    /// Rows that are private by the manifest's own rules.
    pub private: usize,
    /// Rows that mention the name of a private one.
    pub mentioning: usize,
}

/// The first enforcement point: drops a projection's private rows, the references to them, and the rows that mention
/// their names, before anything is written; afterwards nobody would know the names. Rows that agents committed stay:
/// what they hold back is filtered on every read.
pub fn without_private(manifest: &mut Manifest) -> Dropped {
    let caller = Caller::local_agent(AccessLevel::Team);
    let rules = Rules::of(manifest, caller.place());
    let names = private_names(manifest, &rules, &caller);
    let mut dropped = Dropped::default();
    drop_rows(&mut manifest.entities, &rules, &caller, &names, &mut dropped);
    drop_rows(&mut manifest.sessions, &rules, &caller, &names, &mut dropped);
    drop_rows(&mut manifest.workstreams, &rules, &caller, &names, &mut dropped);
    drop_rows(&mut manifest.notes, &rules, &caller, &names, &mut dropped);
    let mentions = |text: &mut String| names.mentioned_in(text);
    let agent = &mut manifest.agent;
    agent.role_narrative.take_if(mentions);
    agent.instance.take_if(mentions);
    manifest.capabilities.retain(|word| !names.mentioned_in(word));
    reduce_extra(&mut agent.extra, &names);
    reduce_extra(&mut manifest.extra, &names);
    dropped
}

/// The names of a manifest's private things that none of its other things bears.
fn private_names(manifest: &Manifest, rules: &Rules, caller: &Caller) -> ForbiddenNames {
    let (mut hidden, mut shown) = (Vec::new(), vec![manifest.agent.id.as_str()]);
    for row in &manifest.entities {
        if rules.shows(row, caller) {
            &mut shown
        } else {
            &mut hidden
        }
        .extend(row.names());
    }
    for row in &manifest.workstreams {
        if rules.shows(row, caller) {
            &mut shown
        } else {
            &mut hidden
        }
        .extend(row.names());
    }
    ForbiddenNames::new(hidden, shown)
}

/// A row of a manifest that gives something private away to whoever reads the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revealing {
    /// `entity`, `session`, `workstream`, `note` or `agent`.
    pub kind: &'static str,
    /// The beginning of its text, by which a person finds it in the file. It may be private itself.
    pub beginning: String,
    /// Whether the row is private; else it mentions the name of a private one.
    pub private: bool,
}

/// The rows of a manifest that must not leave the machine: those that are private by its own rules, and those that
/// mention a private one's name.
pub fn revealing(manifest: &Manifest) -> Vec<Revealing> {
    let caller = Caller::local_agent(AccessLevel::Team);
    let rules = Rules::of(manifest, caller.place());
    let names = private_names(manifest, &rules, &caller);
    let mut found = Vec::new();
    let mut look = |kind, beginning: &str, shown: bool, mentions: &dyn Fn() -> bool| {
        if !shown || mentions() {
            found.push(Revealing {
                kind,
                beginning: beginning.to_owned(),
                private: !shown,
            });
        }
    };
    macro_rules! look_at {
        ($kind:literal, $rows:expr, |$row:ident| $beginning:expr) => {
            for $row in $rows {
                let mentions = || !matches!(screen($row, &names), Screened::Whole);
                look($kind, $beginning, rules.shows($row, &caller), &mentions);
            }
        };
    }
    look_at!("entity", &manifest.entities, |row| &row.name);
    look_at!("session", &manifest.sessions, |row| {
        let said = row.key_actions.iter().chain(&row.project_focus);
        said.chain(&row.cwd).next().map_or("", String::as_str)
    });
    look_at!("workstream", &manifest.workstreams, |row| &row.name);
    look_at!("note", &manifest.notes, |row| &row.text);
    let agent = &manifest.agent;
    let said = agent.role_narrative.iter().chain(&agent.instance);
    for text in said.chain(&manifest.capabilities) {
        look("agent", text, true, &|| names.mentioned_in(text));
    }
    found
}

fn drop_rows<T: Row + Screen>(
    rows: &mut Vec<T>,
    rules: &Rules,
    caller: &Caller,
    names: &ForbiddenNames,
    dropped: &mut Dropped,
) {
    rows.retain_mut(|row| {
        if row.is_committed() {
            return true;
        }
        if !rules.shows(row, caller) {
            dropped.private += 1;
            return false;
        }
        match screen(row, names) {
            Screened::Whole => true,
            Screened::Reduced(reduced) => {
                *row = reduced;
                true
            }
            Screened::Withheld => {
                dropped.mentioning += 1;
                false
            }
        }
    });
}
