//! What can be asked, and what cannot.

use insta::assert_snapshot;
use ken_library::questions::{
    AgentsQuery, EntitiesQuery, Limit, NotesQuery, Period, RecentQuery, WorkstreamsQuery, about, agents,
    entities, find, notes, recent, workstreams,
};
use ken_library::{AccessLevel, AgentType, Caller, Error, WorkStatus};

use crate::setting::{HEAD, Seen, Shelf, day, id};

fn shelf() -> Shelf {
    let shelf = Shelf::new();
    shelf.agent(
        "alpha",
        "capabilities: [code-write, image-analysis]
known_entities:
- {name: Orchard, type: project, aliases: [the tree], summary: the parser, tags: [rust], last_touched: '2026-06-01', valid_from: '2026-01-01', valid_to: '2026-03-31', visibility: team}
- {name: Lampwick, superseded_by: Orchard, visibility: public}
- {name: Hidden, aliases: [Cloak], visibility: private}
recent_sessions:
- {date: '2026-06-20', cwd: /w/orchard, project_focus: [Orchard], key_actions: [fixed it], visibility: team}
- {date: '2026-06-24', cwd: /w/orchard/sub, key_actions: [tested it], visibility: team}
- {date: '', cwd: /w/other, key_actions: [who knows when], visibility: team}
known_workstreams:
- {name: Release, status: active, summary: old news, started: '2026-01-01', last_touched: '2026-05-01', related_entities: [Orchard], visibility: team}
notes:
- {date: '2026-06-01', text: first, visibility: team}
- {date: '2026-06-03', text: third, related_entities: [orchard], tags: [idea], visibility: team}
",
    );
    let head = HEAD.replace("id: sample", "id: beta").replace(
        "type: code-assistant",
        "type: tutor\n  role_narrative: Explains the parser to newcomers.",
    );
    shelf.put(
        "beta.l5.yaml",
        format!(
            "{head}known_entities:
- {{name: ORCHARD, type: product, aliases: [Apple], summary: what beta says, valid_from: '2026-02-01', valid_to: '2026-06-30', visibility: public}}
recent_sessions:
- {{date: '2026-06-24', cwd: /w/else, project_focus: [orchard], visibility: team}}
known_workstreams:
- {{name: release, status: done, last_touched: '2026-06-01', visibility: team}}
- {{name: Docs, status: paused, visibility: team}}
notes:
- {{date: '2026-06-03', text: third of beta, visibility: team}}
"
        ),
    );
    shelf.agent(
        "gamma",
        "known_entities: [{name: Orchard, type: project, visibility: team}]\n",
    );
    shelf
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

fn view() -> Seen {
    shelf().view(&Caller::local_agent(AccessLevel::Team))
}

#[test]
fn successions_are_told_from_both_ends_and_in_a_ring_from_none() {
    let shelf = Shelf::new();
    shelf.agent(
        "ring",
        "known_entities:\n- {name: Circa, superseded_by: Circb}\n- {name: Circb, supersedes: [Circa, Bygone], superseded_by: [Circc, Next]}\n\
         - {name: Circc, superseded_by: Circa}\n- {name: Selve, superseded_by: Selve}\n",
    );
    let view = shelf.view(&Caller::person());
    let told = |name: &str| {
        let things = find(&view, name, None).things.into_iter();
        let told = things.map(|thing| {
            format!(
                "{} <{} >{}",
                thing.name,
                thing.supersedes.join(","),
                thing.superseded_by.join(",")
            )
        });
        told.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(told("Circa"), "Circa < >");
    assert_eq!(told("Circb"), "Circb <Bygone >Next");
    assert_eq!(told("Selve"), "Selve < >");
    assert_eq!(told("bygone"), "Circb <Bygone >Next");
}

#[test]
fn same_named_rows_of_several_agents_are_one_thing() {
    assert_snapshot!(json(&find(&view(), "  orchard", None)), @r#"
    {
      "name": "  orchard",
      "things": [
        {
          "name": "Orchard",
          "types": [
            "project",
            "product"
          ],
          "aliases": [
            "the tree",
            "Apple"
          ],
          "tags": [
            "rust"
          ],
          "agents": [
            "alpha",
            "beta",
            "gamma"
          ],
          "summaries": [
            {
              "agent": "alpha",
              "kind": "entity",
              "name": "Orchard",
              "type": "project",
              "summary": "the parser",
              "last_touched": "2026-06-01",
              "valid_from": "2026-01-01",
              "valid_to": "2026-03-31",
              "visibility": "team"
            },
            {
              "agent": "beta",
              "kind": "entity",
              "name": "ORCHARD",
              "type": "product",
              "summary": "what beta says",
              "valid_from": "2026-02-01",
              "valid_to": "2026-06-30",
              "visibility": "public"
            },
            {
              "agent": "gamma",
              "kind": "entity",
              "name": "Orchard",
              "type": "project",
              "visibility": "team"
            }
          ],
          "last_touched": "2026-06-01"
        }
      ],
      "ask": []
    }
    "#);
}

#[test]
fn an_alias_finds_the_thing_and_a_word_finds_whom_to_ask() {
    let view = view();
    for alias in ["apple", "The Tree", "THE TREE "] {
        let found = find(&view, alias, None);
        assert_eq!(found.things.len(), 1, "{alias}");
        assert_eq!(found.things[0].name, "Orchard");
    }
    let found = find(&view, "Lampwick", None);
    assert_eq!(found.things[0].superseded_by, ["Orchard"]);
    let asked: Vec<String> = find(&view, "image analysis", None)
        .ask
        .iter()
        .map(|a| a.agent.to_string())
        .collect();
    assert_eq!(asked, ["alpha"]);
    let asked: Vec<String> = find(&view, "parser", None)
        .ask
        .iter()
        .map(|a| a.agent.to_string())
        .collect();
    assert_eq!(asked, ["beta"]);
}

#[test]
fn a_private_name_answers_like_one_that_was_never_there() {
    let view = view();
    let answer = |name: &str| {
        serde_json::to_string(&find(&view, name, None))
            .unwrap()
            .replace(name, "NAME")
    };
    assert_eq!(answer("Hidden"), answer("Nobody"));
    assert_eq!(answer("Cloak"), answer("Nobody"));
    let about = |name: &str| {
        serde_json::to_string(&about(&view, name, None, Limit::default()).unwrap())
            .unwrap()
            .replace(name, "NAME")
    };
    assert_eq!(about("Hidden"), about("Nobody"));
    let recent = |project: &str| {
        let query = RecentQuery {
            project: Some(project.into()),
            ..RecentQuery::default()
        };
        serde_json::to_string(&recent(&view, &query).unwrap()).unwrap()
    };
    assert_eq!(recent("Hidden"), recent("Nobody"));
    let person = shelf().view(&Caller::person());
    assert_eq!(find(&person, "cloak", None).things[0].name, "Hidden");
}

#[test]
fn validity_filters_things() {
    let view = view();
    let names = |period: &str| {
        let valid = Some(Period::parse(period).unwrap());
        let query = EntitiesQuery {
            valid,
            ..EntitiesQuery::default()
        };
        let rows = entities(&view, &query).unwrap().rows;
        rows.iter()
            .map(|row| format!("{}/{}", row.name, row.agent()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        names("2026-Q1"),
        "Lampwick/alpha Orchard/alpha ORCHARD/beta Orchard/gamma"
    );
    assert_eq!(names("2026-05"), "Lampwick/alpha ORCHARD/beta Orchard/gamma");
    assert_eq!(
        find(&view, "orchard", Some(&Period::parse("2030").unwrap()))
            .things
            .len(),
        1,
        "gamma's row is open"
    );
}

#[test]
fn recent_is_newest_first_in_a_stable_order_and_filtered() {
    let view = view();
    let ask = |query: RecentQuery| {
        let page = recent(&view, &query).unwrap();
        let rows: Vec<String> = page
            .rows
            .iter()
            .map(|row| {
                format!(
                    "{}/{}",
                    row.agent(),
                    row.date.map(|d| d.to_string()).unwrap_or_default()
                )
            })
            .collect();
        format!("{}{}", rows.join(" "), if page.more { " …" } else { "" })
    };
    let all = RecentQuery::default();
    assert_eq!(
        ask(all.clone()),
        "alpha/2026-06-24 beta/2026-06-24 alpha/2026-06-20"
    );
    assert_eq!(
        ask(RecentQuery {
            undated: true,
            ..all.clone()
        }),
        "alpha/2026-06-24 beta/2026-06-24 alpha/2026-06-20 alpha/"
    );
    assert_eq!(
        ask(RecentQuery {
            since: day("2026-06-21"),
            ..all.clone()
        }),
        "alpha/2026-06-24 beta/2026-06-24"
    );
    assert_eq!(
        ask(RecentQuery {
            agent: Some(id("beta")),
            ..all.clone()
        }),
        "beta/2026-06-24"
    );
    assert_eq!(
        ask(RecentQuery {
            project: Some("ORCHARD".into()),
            ..all.clone()
        }),
        "beta/2026-06-24 alpha/2026-06-20"
    );
    assert_eq!(
        ask(RecentQuery {
            cwd: Some("/w/orchard/".into()),
            ..all.clone()
        }),
        "alpha/2026-06-24 alpha/2026-06-20"
    );
    assert_eq!(
        ask(RecentQuery {
            cwd: Some("/w/orch".into()),
            ..all.clone()
        }),
        ""
    );
    assert_eq!(
        ask(RecentQuery {
            limit: Limit::new(1).unwrap(),
            ..all.clone()
        }),
        "alpha/2026-06-24 …"
    );
    let unknown = RecentQuery {
        agent: Some(id("nobody")),
        ..all
    };
    assert!(matches!(recent(&view, &unknown), Err(Error::UnknownAgent(_))));
}

#[test]
fn limits_are_checked_not_bent() {
    assert!(Limit::new(0).is_err() && Limit::new(101).is_err());
    assert!(Limit::new(1).is_ok() && Limit::new(100).is_ok());
    assert_eq!(Limit::default().get(), 20);
}

#[test]
fn an_agent_of_which_nothing_is_seen_is_unknown() {
    let public = shelf().view(&Caller::remote(AccessLevel::Public));
    let ask = |agent: &str| {
        entities(
            &public,
            &EntitiesQuery {
                agent: Some(id(agent)),
                ..EntitiesQuery::default()
            },
        )
    };
    assert!(ask("alpha").is_ok() && ask("beta").is_ok());
    assert!(matches!(ask("gamma"), Err(Error::UnknownAgent(_))));
}

#[test]
fn agents_by_capability_and_type() {
    let view = view();
    let ask = |capability: Option<&str>, kind: Option<AgentType>| {
        let query = AgentsQuery {
            capability: capability.map(str::to_owned),
            kind,
        };
        agents(&view, &query)
            .iter()
            .map(|card| card.agent.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(ask(None, None), "alpha beta gamma");
    assert_eq!(ask(Some("image"), None), "alpha");
    assert_eq!(ask(Some("image-analysis"), None), "alpha");
    assert_eq!(ask(Some("sculpting"), None), "");
    assert_eq!(ask(Some(""), None), "");
    assert_eq!(ask(None, Some(AgentType::Tutor)), "beta");
    assert_snapshot!(json(&agents(&view, &AgentsQuery { capability: Some("image".into()), kind: None })), @r#"
    [
      {
        "agent": "alpha",
        "type": "code-assistant",
        "capabilities": [
          "code-write",
          "image-analysis"
        ],
        "last_updated": "2026-06-26T00:00:00Z"
      }
    ]
    "#);
}

#[test]
fn workstreams_are_merged_before_their_status_is_asked() {
    let view = view();
    let ask = |status: Option<WorkStatus>| {
        let query = WorkstreamsQuery {
            status,
            ..WorkstreamsQuery::default()
        };
        workstreams(&view, &query)
            .unwrap()
            .rows
            .iter()
            .map(|work| work.name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(ask(None), "release Docs");
    assert_eq!(
        ask(Some(WorkStatus::Active)),
        "",
        "beta's newer row says it is done"
    );
    assert_eq!(ask(Some(WorkStatus::Done)), "release");
    let query = WorkstreamsQuery {
        limit: Limit::new(1).unwrap(),
        ..WorkstreamsQuery::default()
    };
    assert_snapshot!(json(&workstreams(&view, &query).unwrap()), @r#"
    {
      "rows": [
        {
          "name": "release",
          "status": "done",
          "summary": "old news",
          "started": "2026-01-01",
          "last_touched": "2026-06-01",
          "related_entities": [
            "Orchard"
          ],
          "tags": [],
          "agents": [
            "beta",
            "alpha"
          ],
          "visibility": "team"
        }
      ],
      "more": true
    }
    "#);
}

#[test]
fn notes_newest_first() {
    let view = view();
    let ask = |query: NotesQuery| {
        notes(&view, &query)
            .unwrap()
            .rows
            .iter()
            .map(|note| note.text.clone())
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(ask(NotesQuery::default()), "third, third of beta, first");
    assert_eq!(
        ask(NotesQuery {
            since: day("2026-06-02"),
            ..NotesQuery::default()
        }),
        "third, third of beta"
    );
    assert_eq!(
        ask(NotesQuery {
            tag: Some("Idea".into()),
            ..NotesQuery::default()
        }),
        "third"
    );
    assert_eq!(
        ask(NotesQuery {
            agent: Some(id("beta")),
            ..NotesQuery::default()
        }),
        "third of beta"
    );
}

#[test]
fn everything_about_a_project() {
    let answer = about(&view(), "apple", None, Limit::default()).unwrap();
    let mut short = serde_json::to_value(&answer).unwrap();
    short["things"] = short["things"].as_array().unwrap().len().into();
    assert_snapshot!(json(&short), @r#"
    {
      "name": "apple",
      "things": 1,
      "sessions": {
        "rows": [
          {
            "agent": "beta",
            "date": "2026-06-24",
            "cwd": "/w/else",
            "project_focus": [
              "orchard"
            ],
            "key_actions": [],
            "visibility": "team"
          },
          {
            "agent": "alpha",
            "date": "2026-06-20",
            "cwd": "/w/orchard",
            "project_focus": [
              "Orchard"
            ],
            "key_actions": [
              "fixed it"
            ],
            "visibility": "team"
          }
        ],
        "more": false
      },
      "workstreams": [
        {
          "name": "release",
          "status": "done",
          "summary": "old news",
          "started": "2026-01-01",
          "last_touched": "2026-06-01",
          "related_entities": [
            "Orchard"
          ],
          "tags": [],
          "agents": [
            "beta",
            "alpha"
          ],
          "visibility": "team"
        }
      ],
      "notes": {
        "rows": [
          {
            "agent": "alpha",
            "date": "2026-06-03",
            "text": "third",
            "related_entities": [
              "orchard"
            ],
            "tags": [
              "idea"
            ],
            "visibility": "team"
          }
        ],
        "more": false
      },
      "agents": [
        "alpha",
        "beta",
        "gamma"
      ],
      "ask": []
    }
    "#);
}

#[test]
fn names_lead_to_their_things() {
    let view = view();
    let names = view.names();
    for (name, thing) in &names {
        let thing = view.thing(*thing).unwrap();
        assert!(find(&view, name, None).things.contains(&thing), "{name}");
    }
    let mut spelled: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    spelled.sort_unstable();
    assert_eq!(
        spelled,
        [
            "Apple", "Docs", "Lampwick", "ORCHARD", "Orchard", "Release", "release", "the tree"
        ]
    );
    assert!(view.thing(names.len() as u32 + 100).is_none());
}
