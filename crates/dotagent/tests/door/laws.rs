use ken_dotagent::{Event, EventId, Harness, Origin, SkillAction, Supersedes};
use proptest::prelude::*;

use super::{Project, keyed, line, noon, said};

fn id() -> impl Strategy<Value = EventId> {
    "[0-9A-HJKMNP-TV-Z]{26}".prop_map(|digits| EventId::parse(&format!("evt_{digits}")).unwrap())
}

fn skill() -> impl Strategy<Value = SkillAction> {
    "[a-z0-9_]{1,8}(::[a-z0-9_]{1,8}){0,3}".prop_map(|text| SkillAction::parse(&text).unwrap())
}

fn supersedes() -> impl Strategy<Value = Supersedes> {
    prop_oneof![
        id().prop_map(Supersedes::Event),
        "[a-d]{1,5}".prop_map(|s| Supersedes::parse(&s).unwrap())
    ]
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        proptest::num::f64::NORMAL.prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(serde_json::Value::from),
            prop::collection::vec(("\\PC{0,5}", inner), 0..3).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

prop_compose! {
    fn event()(
        old_shape in any::<bool>(),
        id in id(),
        nanoseconds in -62_135_596_800_000_000_000..253_000_000_000_000_000_000_i128,
        content in "\\PC{0,20}[a-z]\\PC{0,20}|[\u{0}-\u{1f}]{1,5}x[\"\\\\/\u{2028}]{1,5}",
        pain in 0.0..=10.0_f64,
        importance in 0.0..=10.0_f64,
        recurrence in any::<u64>(),
        skill_action in skill(),
        source_harness in prop::option::of("[a-z0-9_-]{1,20}"),
        pinned in any::<bool>(),
        (origin, tags, supersedes, client_dedup_key, extra) in (
            prop::option::of(prop_oneof![Just(Origin::User), Just(Origin::Agent), Just(Origin::Tool)]),
            prop::collection::vec("\\PC{1,8}", 0..4),
            prop::option::of(supersedes()),
            prop::option::of(any::<String>()),
            prop::collection::vec(("x_\\PC{0,8}", value()), 0..3),
        ),
    ) -> Event {
        Event {
            schema_version: if old_shape { "1.0.0" } else { "1.0" }.to_owned(),
            id,
            timestamp: jiff::Timestamp::from_nanosecond(nanoseconds).unwrap(),
            content,
            pain,
            importance,
            recurrence,
            skill_action,
            source_harness: source_harness.map(|name| Harness::parse(&name).unwrap()),
            pinned,
            origin,
            tags,
            supersedes,
            client_dedup_key,
            extra: extra.into_iter().collect(),
        }
    }
}

/// Bytes of a log: noise, lines, pieces of lines, and lines with a byte changed.
fn log() -> impl Strategy<Value = Vec<u8>> {
    let good = || (0..9_u32).prop_map(|n| line(n, "2026-05-13T11:59:00Z", "some words").into_bytes());
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        good(),
        (good(), any::<prop::sample::Index>()).prop_map(|(line, at)| line[..at.index(line.len())].to_vec()),
        (good(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut line, at, byte)| {
            let at = at.index(line.len());
            line[at] = byte;
            line
        }),
        Just(b"{\"schema_version\":".repeat(200)),
        Just(b"[".repeat(5000)),
    ];
    prop::collection::vec((piece, any::<bool>()), 0..12).prop_map(|pieces| {
        let mut log = Vec::new();
        for (piece, ended) in pieces {
            log.extend(piece);
            if ended {
                log.push(b'\n');
            }
        }
        log
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn what_is_written_is_read_back(event in event()) {
        let line = event.to_line();
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(Event::parse(line.as_bytes()).unwrap(), event);
    }

    #[test]
    fn lines_of_any_bytes_are_events_or_not(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Event::parse(&bytes);
    }
}

proptest! {
    // Each case is a folder on the disk.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_log_stops_a_reader_or_a_writer(bytes in log()) {
        let project = Project::with_log(&bytes);
        let before = project.folder.read().unwrap();
        prop_assert!(before.events.len() as u64 + before.skipped_count <= before.lines);
        let index = project.folder.index().unwrap();
        prop_assert_eq!(index.len(), before.events.len());

        let learned = project.folder.learn(said("and one more"), &noon()).unwrap();
        let after = project.folder.read().unwrap();
        let found = after.get(learned.event.id).unwrap();
        prop_assert_eq!(&found.event, &learned.event);
        prop_assert_eq!(found.line, learned.line);
        prop_assert_eq!(after.events.len(), before.events.len() + 1);
        let text = std::fs::read(project.folder.log_path()).unwrap();
        prop_assert!(text.starts_with(&bytes), "not a byte of the log is touched");
    }

    #[test]
    fn no_lessons_stop_a_reader(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("<!-- dreamd:lesson id=\"evt_01KRGZ00000000000000000001\" cluster=\"c\" -->".to_owned()),
                Just("<!-- /dreamd:lesson -->".to_owned()),
                Just("recurrence 4 · pain 7 · last seen 2026-11-02 · cli".to_owned()),
                Just("## skill".to_owned()),
                Just("<!-- dreamd:lesson id=\"".to_owned()),
                any::<String>(),
            ],
            0..20,
        ),
    ) {
        let project = Project::new();
        std::fs::write(project.folder.lessons_path(), pieces.join("\n")).unwrap();
        let lessons = project.folder.lessons().unwrap();
        prop_assert!(lessons.iter().all(|lesson| !lesson.text.is_empty()));
    }
}

proptest! {
    // Each case is nine observations on the disk.
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn no_table_stops_a_writer(at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 1..100)) {
        let project = Project::new();
        let long = "x".repeat(9000);
        for n in 0..4 {
            project.folder.learn(keyed(&format!("{n} {long}"), &n.to_string()), &noon()).unwrap();
        }
        let path = project.folder.path().join(".dreamd/ken/repeats-2.table");
        let mut table = std::fs::read(&path).unwrap();
        let at = at.index(table.len());
        let end = table.len().min(at + bytes.len());
        table[at..end].copy_from_slice(&bytes[..end - at]);
        std::fs::write(&path, table).unwrap();
        for n in 3..8 {
            let learned = project.folder.learn(keyed(&format!("{n} {long}"), &n.to_string()), &noon()).unwrap();
            prop_assert!(learned.deduplicated || learned.line == project.folder.read().unwrap().lines);
        }
        let log = project.folder.read().unwrap();
        prop_assert_eq!((log.skipped_count, log.duplicate_ids_count), (0, 0));
        prop_assert!(log.events.len() >= 8);
    }
}
