use ken_library::{AccessLevel, AgentId, Caller, Grant};
use ken_memory::{Kind, Rank, Recall, RecallRequest};

use crate::machine::{Machine, learn, texts};

fn ask(machine: &Machine, query: &str, change: impl FnOnce(&mut RecallRequest)) -> Recall {
    let mut request = RecallRequest::new(query);
    change(&mut request);
    machine.person().recall(&request)
}

fn kinds(recall: &Recall) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = recall.hits.iter().map(|hit| hit.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[test]
fn one_question_reaches_every_kind() {
    let machine = Machine::lived_in();
    learn(&machine.agent("cursor"), "The parser chokes on CRLF", |request| {
        request.skill_action = Some("parser::newlines".to_owned());
    });
    let recall = ask(&machine, "parser ledger orchard PostgreSQL mercury", |request| {
        request.k = 50;
    });
    assert_eq!(kinds(&recall), Kind::ALL);
    for hit in &recall.hits {
        assert!(hit.score > 0.0, "{hit:?}");
        assert!(!hit.text.is_empty() && !hit.id.is_empty(), "{hit:?}");
        assert!(hit.when.is_some() || hit.kind == Kind::Entity, "{hit:?}");
    }
    let only = ask(&machine, "parser", |request| request.kinds = vec![Kind::Session]);
    assert_eq!(kinds(&only), [Kind::Session]);
    assert_eq!(
        kinds(&ask(&machine, "parser kind:lesson", |_| {})),
        [Kind::Lesson]
    );
}

#[test]
fn filters_of_the_request_and_of_the_query_both_hold() {
    let machine = Machine::lived_in();
    let (cursor, codex) = (machine.agent("cursor"), machine.agent("codex"));
    learn(&cursor, "alpha build is slow", |request| {
        request.skill_action = Some("rust::build".to_owned());
        request.tags = vec!["speed".to_owned()];
    });
    learn(&codex, "beta build is slow", |request| {
        request.skill_action = Some("rustic".to_owned());
    });
    let events = |query: &str, change: &dyn Fn(&mut RecallRequest)| {
        ask(&machine, query, |request| {
            request.kinds = vec![Kind::Event];
            change(request);
        })
        .hits
        .into_iter()
        .map(|hit| hit.text.split(' ').next().unwrap().to_owned())
        .collect::<Vec<_>>()
    };
    assert_eq!(events("build", &|_| {}).len(), 2);
    assert_eq!(events("build skill:rust", &|_| {}), ["alpha"]);
    assert_eq!(
        events("build", &|request| request.skill = Some("Rust".to_owned())),
        ["alpha"]
    );
    assert_eq!(events("build harness:codex", &|_| {}), ["beta"]);
    assert_eq!(events("build tag:speed", &|_| {}), ["alpha"]);
    assert!(
        events("build tag:speed", &|request| request.harness =
            Some("codex".to_owned()))
        .is_empty()
    );
    assert!(events("build since:2026-12-01", &|_| {}).is_empty());
    assert_eq!(events("build since:1d", &|_| {}).len(), 2);
    assert_eq!(events("\"build is slow\"", &|_| {}).len(), 2);
    assert!(events("\"slow build\"", &|_| {}).is_empty());
    assert_eq!(
        events("tag:speed", &|_| {}),
        ["alpha"],
        "only filters: the newest that pass"
    );
}

#[test]
fn no_query_is_an_error_and_an_empty_one_finds_nothing() {
    let machine = Machine::lived_in();
    learn(&machine.person(), "since:yesterweek is no filter", |_| {});
    for query in [
        "",
        "   ",
        "\"",
        "\"\"",
        "kind:",
        "kind:banana",
        "since:never",
        "::",
        "a:b:c",
        "(AND OR NOT",
        "\u{0}",
        "-",
    ] {
        let recall = ask(&machine, query, |_| {});
        assert_eq!(recall.query, query);
        if query.trim().is_empty() {
            assert!(recall.hits.is_empty());
        }
    }
    let long = "parser ".repeat(100_000);
    assert!(!ask(&machine, &long, |_| {}).hits.is_empty());
    assert_eq!(
        texts(&machine.person(), "since:yesterweek").len(),
        1,
        "what is no filter is text"
    );
}

#[test]
fn k_is_bounded_and_says_so() {
    let machine = Machine::lived_in();
    let memory = machine.person();
    for number in 0..120 {
        learn(&memory, &format!("gadget number {number}"), |_| {});
    }
    for (k, hits, said) in [
        (5, 5, false),
        (100, 100, false),
        (100_000, 100, true),
        (0, 1, true),
    ] {
        let recall = ask(&machine, "gadget", |request| request.k = k);
        assert_eq!(
            (recall.hits.len(), recall.more, recall.notes.len() == 1),
            (hits, true, said),
            "{k}"
        );
    }
    assert!(!ask(&machine, "parser", |_| {}).more);
}

#[test]
fn what_is_said_twice_is_one_hit_with_a_count() {
    let machine = Machine::lived_in();
    let first = machine.at("2026-11-01T00:00:00Z");
    learn(&first, "Quibble with the linter", |_| {});
    learn(&machine.person(), "quibble  WITH the linter", |_| {});
    let recall = ask(&machine, "quibble", |_| {});
    assert_eq!(recall.hits.len(), 1);
    assert_eq!(recall.hits[0].copies, 2);
    assert_eq!(
        recall.hits[0].text, "quibble  WITH the linter",
        "the newest speaks"
    );
}

#[test]
fn equal_scores_come_newest_first() {
    let machine = Machine::lived_in();
    for (day, word) in [(10, "one"), (12, "two"), (11, "three")] {
        learn(
            &machine.at(&format!("2020-01-{day}T00:00:00Z")),
            &format!("wobble {word}"),
            |_| {},
        );
    }
    // Six years on, all are at the floor of recency.
    assert_eq!(
        texts(&machine.person(), "wobble"),
        ["wobble two", "wobble three", "wobble one"]
    );
}

#[test]
fn what_hurt_and_mattered_beats_a_better_match_that_did_not() {
    let machine = Machine::lived_in();
    let memory = machine.person();
    learn(&memory, "gizmo gizmo flake", |request| {
        (request.pain, request.importance) = (1.0, 1.0);
    });
    learn(&memory, "gizmo breaks nightly", |request| {
        (request.pain, request.importance) = (9.0, 9.0);
    });
    let recall = ask(&machine, "gizmo", |request| request.explain = true);
    let factors = |at: usize| recall.hits[at].factors.clone().unwrap();
    assert_eq!(recall.hits[0].text, "gizmo breaks nightly");
    let ratio = factors(1).bm25 / factors(0).bm25;
    assert!((1.05..1.5).contains(&ratio), "{ratio}");
}

#[test]
fn the_contracts_rank_is_bm25_times_salience_over_events() {
    let machine = Machine::lived_in();
    learn(&machine.at("2026-11-16T12:00:00Z"), "sprocket jams", |request| {
        (request.pain, request.importance) = (10.0, 10.0);
    });
    learn(&machine.person(), "sprocket jams again", |request| {
        (request.pain, request.importance) = (5.0, 7.0);
    });
    let recall = ask(&machine, "sprocket", |request| {
        request.rank = Rank::Salience;
        request.explain = true;
    });
    assert_eq!(kinds(&recall), [Kind::Event]);
    let old = recall
        .hits
        .iter()
        .find(|hit| hit.text == "sprocket jams")
        .unwrap();
    let factors = old.factors.as_ref().unwrap();
    assert!((factors.salience.unwrap() - (-1.0f64).exp()).abs() < 1e-12);
    assert!((old.score - factors.bm25 * factors.salience.unwrap()).abs() < 1e-12);
}

#[test]
fn a_superseded_event_ranks_under_its_successor_and_says_so() {
    let machine = Machine::lived_in();
    let old = learn(
        &machine.at("2026-11-01T00:00:00Z"),
        "the cache timeout timeout is 30 seconds",
        |request| {
            (request.pain, request.importance) = (9.0, 9.0);
        },
    );
    let new = learn(
        &machine.person(),
        "the cache timeout is 60 seconds now, after the incident",
        |request| {
            request.supersedes = Some(old.id.clone());
            (request.pain, request.importance) = (1.0, 1.0);
        },
    );
    let recall = ask(&machine, "cache timeout", |_| {});
    assert_eq!(recall.hits[0].id, new.id);
    assert_eq!(recall.hits[1].id, old.id);
    assert_eq!(recall.hits[1].superseded_by.as_deref(), Some(new.id.as_str()));
}

#[test]
fn what_is_past_is_shown_only_on_request() {
    let machine = Machine::lived_in();
    assert!(texts(&machine.person(), "mirror").is_empty());
    assert!(texts(&machine.person(), "winterfair").is_empty());
    let all = ask(&machine, "mirror winterfair", |request| request.all = true);
    assert_eq!(all.hits.len(), 2);
    assert!(all.hits.iter().all(|hit| hit.past));
}

#[test]
fn a_long_text_is_cut_only_when_asked() {
    let machine = Machine::lived_in();
    let long = format!("saga {}", "of many words ".repeat(500));
    learn(&machine.person(), &long, |_| {});
    assert_eq!(texts(&machine.person(), "saga"), [long.trim()]);
    let cut = ask(&machine, "saga", |request| request.text_limit = 10);
    assert_eq!(
        (cut.hits[0].text.as_str(), cut.hits[0].cut),
        ("saga of ma…", true)
    );
}

#[test]
fn bad_lines_of_the_log_hide_no_good_ones() {
    let machine = Machine::lived_in();
    learn(&machine.person(), "doohickey before", |_| {});
    let log = machine.repo.join(".agent/episodic/AGENT_LEARNINGS.jsonl");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes.extend(b"not json\n\xff\xfe\n{\"schema_version\":\"9\"}\n");
    std::fs::write(&log, bytes).unwrap();
    learn(&machine.person(), "doohickey after", |_| {});
    let recall = ask(&machine, "doohickey", |_| {});
    assert_eq!(recall.hits.len(), 2);
    assert!(
        recall
            .notes
            .iter()
            .any(|note| note.starts_with("3 lines of the log")),
        "{:?}",
        recall.notes
    );
}

#[test]
fn each_level_sees_its_own() {
    let machine = Machine::lived_in();
    learn(&machine.person(), "orchard event", |_| {});
    let query = RecallRequest {
        k: 100,
        ..RecallRequest::new("orchard releases parser ledger PostgreSQL")
    };
    let seen = |caller: Caller| kinds(&machine.caller(caller, None).recall(&query));
    let events = Grant::Events("orchard".to_owned());
    assert_eq!(seen(Caller::person()), Kind::ALL);
    assert_eq!(seen(Caller::local_agent(AccessLevel::Team)), Kind::ALL);
    assert_eq!(
        seen(Caller::local_agent(AccessLevel::Public)),
        [Kind::Event, Kind::Entity]
    );
    assert!(!seen(Caller::remote(AccessLevel::Team)).contains(&Kind::Event));
    let agent = Grant::Agent(AgentId::new("x").unwrap());
    assert!(!seen(Caller::remote(AccessLevel::Team).with_grants([agent])).contains(&Kind::Event));
    assert!(seen(Caller::remote(AccessLevel::Team).with_grants([events])).contains(&Kind::Event));
}

#[test]
fn an_explained_answer() {
    let machine = Machine::lived_in();
    learn(
        &machine.at("2026-11-29T09:00:00Z"),
        "The parser chokes on CRLF",
        |request| {
            request.harness = Some("cursor".to_owned());
            request.skill_action = Some("parser::newlines".to_owned());
            (request.pain, request.importance) = (6.0, 8.0);
            request.origin = Some("user".to_owned());
        },
    );
    let mut recall = ask(&machine, "parser", |request| {
        request.k = 3;
        request.explain = true;
    });
    for hit in &mut recall.hits {
        if hit.kind == Kind::Event {
            hit.id = "evt_...".to_owned();
        }
        for number in [&mut hit.score, &mut hit.factors.as_mut().unwrap().bm25] {
            *number = (*number * 1000.0).round() / 1000.0;
        }
        let recency = hit
            .factors
            .as_mut()
            .and_then(|factors| factors.recency.as_mut())
            .unwrap();
        *recency = (*recency * 1000.0).round() / 1000.0;
    }
    insta::assert_snapshot!(machine.shown(&recall), @r#"
    {
      "query": "parser",
      "hits": [
        {
          "id": "evt_...",
          "kind": "event",
          "text": "The parser chokes on CRLF",
          "score": 3.204,
          "factors": {
            "bm25": 2.251,
            "weight": 1.0964101615137753,
            "recurrence": 1.0,
            "origin": 1.3,
            "recency": 0.999
          },
          "when": "2026-11-29T09:00:00Z",
          "who": [
            "cursor"
          ],
          "origin": "user",
          "project": "orchard",
          "place": "/home/code/orchard/.agent/episodic/AGENT_LEARNINGS.jsonl:1",
          "skill": "parser::newlines",
          "copies": 1
        },
        {
          "id": "workstream:Streaming parser",
          "kind": "workstream",
          "text": "Streaming parser (active): The parser reads a gigabyte in bounded memory.",
          "score": 2.465,
          "factors": {
            "bm25": 2.472,
            "recency": 0.997
          },
          "when": "2026-11-28",
          "who": [
            "claude-code"
          ],
          "project": null,
          "place": "/home/agent-library/agents/claude-code.l5.yaml",
          "copies": 1
        },
        {
          "id": "evt_01JR04101000XYZB2C3D4E5F6G",
          "kind": "lesson",
          "text": "Feed the parser whole lines, or it splits words in two.",
          "score": 2.292,
          "factors": {
            "bm25": 2.256,
            "recurrence": 1.0549306144334054,
            "recency": 0.963
          },
          "when": "2026-10-20",
          "who": [
            "codex"
          ],
          "project": "orchard",
          "place": "/home/code/orchard/.agent/semantic/LESSONS.md:15",
          "skill": "parser",
          "copies": 1
        }
      ],
      "more": true,
      "notes": []
    }
    "#);
}

/// A manifest of one agent: a note, and one whose text changes.
fn notes(agent: &str, note: &str, other: &str) -> String {
    format!(
        "spec_version: \"0.1\"\nagent: {{id: {agent}, type: code-assistant}}\nlast_updated: \"2026-11-29T00:00:00Z\"\nnotes:\n  - {{date: 2026-11-20, text: amber {note}, tags: [fooBar-baz, ci]}}\n  - {{date: 2026-11-20, text: {other}, tags: [ci]}}\n"
    )
}

#[test]
fn equal_scores_come_in_an_order_that_no_cache_decides() {
    let machine = Machine::empty();
    for (agent, note) in [("aa", "one"), ("bb", "two"), ("cc", "six")] {
        machine.manifest(agent, &notes(agent, note, "nothing"));
    }
    let texts = || {
        let recall = ask(&machine, "amber", |_| {});
        recall.hits.into_iter().map(|hit| hit.text).collect::<Vec<_>>()
    };
    let order = ["amber one", "amber two", "amber six"];
    assert_eq!(texts(), order);
    // What changed comes into an index of its own, behind the others.
    machine.manifest("aa", &notes("aa", "one", "something"));
    assert_eq!(texts(), order);
    assert_eq!(
        ask(&machine, "amber", |request| request.k = 1).hits[0].text,
        "amber one"
    );
    std::fs::remove_dir_all(machine.paths.library.join(".ken")).unwrap();
    assert_eq!(texts(), order);
}

#[test]
fn a_tag_is_found_however_it_is_spelled() {
    let machine = Machine::empty();
    machine.manifest("aa", &notes("aa", "one", "amber two"));
    for tag in ["fooBar-baz", "foobar_baz", "FOOBAR BAZ"] {
        for query in [format!("tag:\"{tag}\" amber"), format!("tag:\"{tag}\"")] {
            let recall = ask(&machine, &query, |_| {});
            assert_eq!(recall.hits.len(), 1, "{query}");
            assert_eq!(recall.hits[0].text, "amber one");
        }
    }
    assert_eq!(ask(&machine, "tag:ci amber", |_| {}).hits.len(), 2);
    assert!(ask(&machine, "tag:foobar amber", |_| {}).hits.is_empty());
    assert!(ask(&machine, "tag:nothing amber", |_| {}).hits.is_empty());
}
