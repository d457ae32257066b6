//! Over random libraries and callers: no answer holds a name that its caller must not read.

use ken_library::questions::{
    AgentsQuery, EntitiesQuery, Limit, NotesQuery, RecentQuery, WorkstreamsQuery, about, agents, entities,
    find, notes, recent, workstreams,
};
use ken_library::tree::Node;
use ken_library::{
    AccessLevel, Caller, Entity, Manifest, Note, Place, Row, Rules, Session, View, Visibility,
    VisibilityPolicy, WorkStatus, Workstream,
};
use ken_secrets::Redacted;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::setting::{Shelf, clock, day, manifest};

/// Names that are no common words and do not hold each other, and cannot be read by chance.
const NAMES: [&str; 10] = [
    "Zeus",
    "Hera",
    "Omega Onyx",
    "Quillfeather",
    "api-warden",
    "Brisk7",
    "飞燕计划",
    "Ærøfjord",
    "Project Marmot",
    "vexilTower",
];

/// A text with names in it, in the ways in which names are written.
fn text() -> impl Strategy<Value = String> {
    vec(
        prop_oneof![
            3 => select(&["the", "parser", "was fixed", "in", "see", "notes."][..]).prop_map(str::to_owned),
            1 => select(&NAMES[..]).prop_map(str::to_owned),
            1 => (select(&NAMES[..]), 0..6_usize).prop_map(|(name, way)| match way {
                0 => name.to_uppercase(),
                1 => name.to_lowercase(),
                2 => format!("{name}'s"),
                3 => format!("/home/me/{name}/src"),
                4 => format!("({name})"),
                _ => format!("src/{}_client.rs", name.to_lowercase().replace(' ', "_")),
            }),
        ],
        1..5,
    )
    .prop_map(|words| words.join(" "))
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => select(&NAMES[..]).prop_map(str::to_owned),
        1 => text(),
    ]
}

fn names() -> impl Strategy<Value = Vec<String>> {
    vec(name(), 0..3)
}

fn level() -> impl Strategy<Value = Option<Visibility>> {
    option::of(select(&Visibility::ALL[..]))
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    vec(
        prop_oneof![
            select(&["health", "project", "rust"][..]).prop_map(str::to_owned),
            name()
        ],
        0..2,
    )
}

prop_compose! {
    fn entity()(
        name in name(), aliases in names(), summary in option::of(text()), kind in option::of(text()), tags in tags(),
        visibility in level(), supersedes in names(), other in option::of(text()),
    ) -> Entity {
        let mut row = Entity { name, aliases, summary, kind, tags, visibility, ..Entity::default() };
        row.extra.set("supersedes", Node::texts(supersedes));
        if let Some(other) = other {
            row.extra.set("x-other", Node::text(other));
        }
        row
    }
}

prop_compose! {
    fn session()(
        cwd in option::of(text()), project_focus in names(), key_actions in vec(text(), 0..2),
        files_touched in vec(text(), 0..2), visibility in level(), tags in tags(),
    ) -> Session {
        let mut row = Session {
            date: day("2026-01-01"), cwd, project_focus, key_actions, files_touched, visibility, ..Session::default()
        };
        row.extra.set("tags", Node::texts(tags));
        row
    }
}

prop_compose! {
    fn workstream()(
        name in name(), summary in option::of(text()), related_entities in names(), tags in tags(), visibility in level(),
    ) -> Workstream {
        Workstream { summary, related_entities, tags, visibility, ..Workstream::new(name, WorkStatus::Active) }
    }
}

prop_compose! {
    fn note()(text in text(), related_entities in names(), tags in tags(), visibility in level()) -> Note {
        Note { date: day("2026-01-01"), text, related_entities, tags, visibility, ..Note::default() }
    }
}

prop_compose! {
    fn one(id: &'static str)(
        role in option::of(text()), capabilities in vec(text(), 0..2), entities in vec(entity(), 0..4),
        sessions in vec(session(), 0..4), workstreams in vec(workstream(), 0..3), notes in vec(note(), 0..4),
        default in option::of(level()),
    ) -> Manifest {
        let mut one = manifest(id);
        one.agent.role_narrative = role;
        one.capabilities = capabilities;
        one.entities = entities;
        one.sessions = sessions;
        one.workstreams = workstreams;
        one.notes = notes;
        one.visibility_policy = default.map(|default| VisibilityPolicy { default, ..VisibilityPolicy::default() });
        one
    }
}

/// Everything that a face could print for this view.
fn everything(view: &View) -> String {
    let most = Limit::new(100).unwrap();
    let mut out = serde_json::to_string_pretty(&(
        entities(
            view,
            &EntitiesQuery {
                limit: most,
                ..EntitiesQuery::default()
            },
        )
        .unwrap(),
        recent(
            view,
            &RecentQuery {
                limit: most,
                undated: true,
                ..RecentQuery::default()
            },
        )
        .unwrap(),
        workstreams(
            view,
            &WorkstreamsQuery {
                limit: most,
                ..WorkstreamsQuery::default()
            },
        )
        .unwrap(),
        notes(
            view,
            &NotesQuery {
                limit: most,
                ..NotesQuery::default()
            },
        )
        .unwrap(),
        agents(view, &AgentsQuery::default()),
    ))
    .unwrap();
    for (name, thing) in view.names() {
        out.push_str(&serde_json::to_string_pretty(&(name, view.thing(thing))).unwrap());
    }
    out.push_str(&format!("{view:?} {:?}", view.forbidden()));
    out
}

/// By the ruling, from scratch: names of rows above the level that no row at the level bears.
fn forbidden(all: &[Manifest], caller: &Caller) -> Vec<String> {
    let (mut hidden, mut shown) = (Vec::new(), Vec::new());
    for manifest in all {
        let rules = Rules::of(manifest, caller.place());
        let mut sort = |names: Vec<&str>, visible: bool| {
            let list = if visible { &mut shown } else { &mut hidden };
            list.extend(names.into_iter().map(|name| ken_text::normalize(name.trim())));
        };
        for row in &manifest.entities {
            sort(
                row.names(),
                caller.level().reaches(rules.effective(row).visibility),
            );
        }
        for row in &manifest.workstreams {
            sort(
                row.names(),
                caller.level().reaches(rules.effective(row).visibility),
            );
        }
    }
    // A name made of everyday words alone may be one common word, which free text may mention.
    let telling = NAMES.map(ken_text::normalize);
    hidden.retain(|name| !shown.contains(name) && telling.iter().any(|telling| name.contains(telling)));
    hidden
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_forbidden_name_in_any_answer(
        (alpha, beta) in (one("alpha"), one("beta")),
        level in select(&AccessLevel::ALL[..]),
        place in select(&[Place::Local, Place::Remote][..]),
    ) {
        let shelf = Shelf::new();
        let all = [alpha, beta];
        for manifest in &all {
            std::fs::write(shelf.path(&manifest.agent.id.file_name()), ken_library::to_yaml(manifest)).unwrap();
        }
        let loaded = shelf.load();
        prop_assert!(loaded.failures.is_empty());
        let caller = match place {
            Place::Local => Caller::local_agent(level),
            Place::Remote => Caller::remote(level),
        };
        let view = loaded.view(&caller);
        let answers = ken_text::normalize(&everything(&view));
        for name in forbidden(&all, &caller) {
            prop_assert!(!answers.contains(&name), "{name:?} at {caller:?} in {answers}");
            // Whom to ask follows from the words of the question and from what is shown of agents; a name that is
            // not there would be answered with the same agents.
            let ask = |name: &str| {
                let found = serde_json::to_value(find(&view, name, None)).unwrap();
                let about = serde_json::to_value(about(&view, name, None, Limit::default()).unwrap()).unwrap();
                (found["things"].clone(), about["things"].clone(), about["sessions"].clone(), about["agents"].clone())
            };
            prop_assert_eq!(ask(&name), ask("nobody-knows-this"));
        }
    }

    #[test]
    fn the_first_enforcement_point_lets_no_private_name_out(one in one("alpha")) {
        let private = forbidden(std::slice::from_ref(&one), &Caller::local_agent(AccessLevel::Team));
        let mut out = one;
        ken_library::without_private(&mut out);
        let text = ken_text::normalize(&ken_library::to_yaml(&out));
        for name in private {
            prop_assert!(!text.contains(&name), "{name:?} in {text}");
        }
        let shelf = Shelf::new();
        let (redacted, _) = Redacted::new(out);
        if let Err(error) = shelf.library.write(redacted, &clock()) {
            prop_assert!(matches!(error, ken_library::Error::Invalid { .. }), "{error}");
        }
    }
}
