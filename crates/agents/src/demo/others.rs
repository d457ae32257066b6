//! What Cursor knows in the story, as its manifest says it.

use std::path::Path;

use ken_files::Clock;
use ken_library::{
    AgentId, AgentType, Entity, Library, Manifest, Note, Session, VisibilityPolicy, WorkStatus, Workstream,
};
use ken_secrets::Redacted;

use super::Error;
use super::story::Calendar;
use super::story::Place::{self, Web};

struct Agent {
    id: &'static str,
    role: &'static str,
    capabilities: &'static [&'static str],
    sessions: &'static [Worked],
    entities: &'static [Known],
    workstreams: &'static [Stream],
    notes: &'static [(i32, &'static str, &'static [&'static str])],
}

/// A session: days ago, place, what happened, files.
struct Worked(i32, Place, &'static [&'static str], &'static [&'static str]);

/// A thing: name, category, aliases, summary, last touched days ago.
struct Known(
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
    i32,
);

/// A workstream: name, status, summary, started and last touched days ago, what it is about.
struct Stream(
    &'static str,
    WorkStatus,
    &'static str,
    i32,
    i32,
    &'static [&'static str],
);

const CURSOR: Agent = Agent {
    id: "cursor",
    role: "Works in the editor on the booking page: components, styles, browser tests.",
    capabilities: &["code-read", "code-write", "frontend", "image-analysis"],
    sessions: &[
        Worked(
            4,
            Web,
            &[
                "Kept the checkout's draft in the session while people go back",
                "Wrote the hook's tests",
            ],
            &["src/checkout/useDraft.ts", "src/checkout/useDraft.test.ts"],
        ),
        Worked(
            5,
            Web,
            &["Updated build dependencies after an audit"],
            &["package.json"],
        ),
        Worked(
            8,
            Web,
            &["Disabled the pay button until the payment service answers, after the double booking"],
            &["src/checkout/StepPay.tsx"],
        ),
        Worked(
            10,
            Web,
            &[
                "Trapped the focus in the cabin dialog",
                "Darkened the price to a contrast of 4.5",
            ],
            &["src/cabin/CabinDialog.tsx", "src/theme.css"],
        ),
        Worked(
            13,
            Web,
            &["Made formatPrice the only place that formats cents"],
            &["src/money/formatPrice.ts"],
        ),
        Worked(
            16,
            Web,
            &["Made the cabin test wait for the price list"],
            &["e2e/cabin.spec.ts"],
        ),
        Worked(
            19,
            Web,
            &["Built the checkout in two steps from a sketch"],
            &[
                "src/checkout/Checkout.tsx",
                "src/checkout/StepPassengers.tsx",
                "src/checkout/StepPay.tsx",
            ],
        ),
        Worked(
            21,
            Web,
            &["Held the cabin before the payment call"],
            &["src/checkout/holdCabin.ts"],
        ),
        Worked(26, Web, &["Drew the cabin plan as SVG"], &["src/cabin/Plan.tsx"]),
        Worked(
            28,
            Web,
            &["Stopped the timetable from jumping when fonts arrive"],
            &["src/timetable/Timetable.tsx"],
        ),
    ],
    entities: &[
        Known(
            "brine-web",
            "project",
            &["brine-ferries/brine-web"],
            "The booking page: timetable, cabin choice, checkout in two steps.",
            4,
        ),
        Known(
            "two-step checkout",
            "concept",
            &["checkout-two-steps"],
            "Passengers and cabin first, payment second; drafts survive going back.",
            4,
        ),
        Known(
            "formatPrice",
            "concept",
            &[],
            "The one function that turns cents into text.",
            13,
        ),
    ],
    workstreams: &[Stream(
        "checkout-two-steps",
        WorkStatus::Active,
        "Built and tested; to be measured with ten people.",
        19,
        4,
        &["brine-web", "two-step checkout"],
    )],
    notes: &[(
        10,
        "The colour tokens of the theme have a contrast column now; check it before a new pair is used.",
        &["brine-web"],
    )],
};

/// Writes the manifest, as of the day on which the agent last worked.
pub(super) fn write(library: &Library, home: &Path, calendar: &Calendar) -> Result<(), Error> {
    let agent = &CURSOR;
    let mut manifest = Manifest::new(id(agent.id), AgentType::CodeAssistant);
    manifest.agent.role_narrative = Some(agent.role.to_owned());
    manifest.capabilities = owned(agent.capabilities);
    manifest.visibility_policy = Some(VisibilityPolicy::usual());
    manifest.sessions = agent
        .sessions
        .iter()
        .map(|worked| session(worked, home, calendar))
        .collect();
    manifest.entities = agent
        .entities
        .iter()
        .map(|known| entity(known, calendar))
        .collect();
    manifest.workstreams = agent
        .workstreams
        .iter()
        .map(|stream| workstream(stream, calendar))
        .collect();
    manifest.notes = agent
        .notes
        .iter()
        .map(|(ago, text, related)| Note {
            date: Some(calendar.day(*ago)),
            text: (*text).to_owned(),
            related_entities: owned(related),
            ..Note::default()
        })
        .collect();
    let last = agent
        .sessions
        .iter()
        .map(|Worked(ago, ..)| *ago)
        .min()
        .unwrap_or(1);
    let clock: Clock = calendar.clock_at(last, 18, 30);
    library.write(Redacted::new(manifest).0, &clock)?;
    Ok(())
}

fn id(text: &str) -> AgentId {
    AgentId::new(text).expect("the story's ids are of the contract's pattern")
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn session(Worked(ago, place, actions, files): &Worked, home: &Path, calendar: &Calendar) -> Session {
    Session {
        date: Some(calendar.day(*ago)),
        cwd: Some(home.join(place.folder()).to_string_lossy().into_owned()),
        project_focus: vec![place.name().to_owned()],
        key_actions: owned(actions),
        files_touched: owned(files),
        ..Session::default()
    }
}

fn entity(Known(name, kind, aliases, summary, ago): &Known, calendar: &Calendar) -> Entity {
    Entity {
        name: (*name).to_owned(),
        kind: Some((*kind).to_owned()),
        aliases: owned(aliases),
        summary: Some((*summary).to_owned()),
        last_touched: Some(calendar.day(*ago)),
        ..Entity::default()
    }
}

fn workstream(
    Stream(name, status, summary, started, touched, related): &Stream,
    calendar: &Calendar,
) -> Workstream {
    let mut row = Workstream::new(*name, *status);
    row.summary = Some((*summary).to_owned());
    row.started = Some(calendar.day(*started));
    row.last_touched = Some(calendar.day(*touched));
    row.related_entities = owned(related);
    row
}
