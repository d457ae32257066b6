//! An index out of segments against one that was made in memory of the whole log: over random logs, edits, merges and
//! checkouts, and with caches in every state. The parts are small here, so that a few events are many segments.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ken_text::search::{Query, Searchable};
use proptest::prelude::*;

use super::{EventIndex, Facet, Limits};
use crate::{Folder, Refreshed, Supersedes};

const SMALL: Limits = Limits {
    tail: (4, 1200),
    part: (7, 3000),
};

struct Project {
    place: tempfile::TempDir,
    folder: Folder,
}

impl Project {
    fn new() -> Project {
        let place = tempfile::tempdir().unwrap();
        let (folder, _) = Folder::init(place.path()).unwrap();
        Project { place, folder }
    }

    fn with_events(count: u32) -> Project {
        let project = Project::new();
        project.append(&(0..count).map(|n| line(n, n, n)).collect::<String>());
        project
    }

    fn log(&self) -> PathBuf {
        self.folder.log_path()
    }

    fn append(&self, text: &str) {
        let mut log = OpenOptions::new()
            .append(true)
            .create(true)
            .open(self.log())
            .unwrap();
        log.write_all(text.as_bytes()).unwrap();
    }

    fn cache(&self) -> PathBuf {
        self.place.path().join(".agent/.dreamd/ken/index")
    }

    /// As a process of its own opens it.
    fn open(&self) -> EventIndex {
        let mut index = EventIndex::empty(SMALL);
        index.refresh(&self.folder).unwrap();
        index
    }

    fn segments(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.cache())
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "segment"))
            .collect();
        files.sort();
        files
    }
}

/// A line: id, time and words by number.
fn line(id: u32, at: u32, words: u32) -> String {
    const WORDS: [&str; 7] = ["parser", "cache", "Lock", "api_gateway", "東京", "deploys", "the"];
    let word = |n: u32| WORDS[(words.wrapping_mul(n + 3) >> n) as usize % WORDS.len()];
    let extra = match words % 6 {
        0 => r#","tags":["ci","two words"]"#,
        1 => r#","origin":"user","supersedes":"rust::build""#,
        2 => r#","origin":"tool","tags":["\u0000",""]"#,
        3 => r#","supersedes":"evt_01KRGZ00000000000000000003""#,
        _ => "",
    };
    let nanoseconds = match at % 4 {
        0 => "",
        1 => ".5",
        2 => ".123456",
        _ => ".000000001",
    };
    format!(
        "{{\"schema_version\":\"1.0\",\"id\":\"evt_01KRGZ0000000000{id:010}\",\"timestamp\":\"2026-05-13T{:02}:00:{:02}{nanoseconds}Z\",\"content\":\"{} {} {}\",\"pain\":{}.0,\"importance\":5.5,\"recurrence\":{},\"skill_action\":\"rust::{}\",\"source_harness\":\"cli\",\"pinned\":{}{extra}}}\n",
        at / 60 % 24,
        at % 60,
        word(0),
        word(1),
        word(2),
        words % 11,
        words % 3,
        if words.is_multiple_of(2) { "build" } else { "test" },
        words.is_multiple_of(5),
    )
}

/// Everything that an index answers, with scores to the last bit.
#[derive(Debug, PartialEq)]
struct Answers {
    counts: [u64; 4],
    rows: Vec<String>,
    superseding: Vec<(usize, Supersedes)>,
    scores: Vec<Vec<(usize, u64)>>,
}

fn answers(index: &EventIndex) -> Answers {
    let [mut standing, mut skill, mut harness, mut tags] =
        [Facet::Standing, Facet::Skill, Facet::Harness, Facet::Tags].map(|facet| index.numbers(facet));
    let rows = (0..index.len()).map(|document| {
        let (id, hash) = (index.id(document), index.text_hash(document));
        format!(
            "{id} {} {} {:?} {} {:?} {:?} {hash:x} {:?} {:?} {:?}",
            index.timestamp(document),
            index.line(document),
            index.standing(standing.of(document)),
            index.skill(skill.of(document)),
            index.harness(harness.of(document)),
            index.tags(tags.of(document)),
            index.with_text(hash),
            index.with_id(id),
            index.event(document).unwrap(),
        )
    });
    let queries = [
        "parser cache",
        "api gateway lock",
        "東京 the deploy",
        "ci rust build missing",
    ];
    let scores = queries.map(|query| {
        let query = Query::parse(query);
        let scored = index.score(&query, &index.statistics(&query));
        scored.iter().map(|s| (s.document, s.bm25.to_bits())).collect()
    });
    Answers {
        counts: [
            index.lines(),
            index.skipped_count(),
            index.repeated_count(),
            index.duplicate_ids_count(),
        ],
        rows: rows.collect(),
        superseding: index.superseding(),
        scores: scores.into(),
    }
}

/// What a reader without any cache says.
fn plainly(folder: &Folder) -> Answers {
    let log = folder.read().unwrap();
    let counts = [
        log.lines,
        log.skipped_count,
        log.repeated_count,
        log.duplicate_ids_count,
    ];
    let answers = answers(&EventIndex::of(log));
    assert_eq!(answers.counts, counts);
    answers
}

#[derive(Debug, Clone)]
enum Step {
    /// Lines at the end, by id, time and words.
    Append(Vec<(u32, u32, u32)>),
    /// Bytes that may be no line, or half of one.
    Noise(&'static str),
    /// The log as it was some steps ago, in a file of its own, as a checkout leaves it.
    Checkout(prop::sample::Index),
    /// The lines of an earlier state that are not in this one, behind it or before it: as a merge leaves them.
    Merge(prop::sample::Index, bool),
    /// A byte changed in place.
    Edit(prop::sample::Index, u8),
    /// The end cut off, anywhere.
    Cut(prop::sample::Index),
    /// A cache gone.
    Remove(prop::sample::Index),
    /// A cache with a changed byte, or cut off.
    Garble(prop::sample::Index, prop::sample::Index, u8),
    /// A cache under another one's name.
    Rename(prop::sample::Index),
    /// Another process looks.
    Other,
}

fn step() -> impl Strategy<Value = Step> {
    let rows = || prop::collection::vec((0..60_u32, 0..200_u32, any::<u32>()), 1..14);
    let ascending = (60..400_u32, 1..12_u32).prop_map(|(first, count)| {
        (first..first + count)
            .map(|n| (n, n, n.wrapping_mul(2_654_435_761)))
            .collect()
    });
    prop_oneof![
        4 => rows().prop_map(Step::Append),
        4 => ascending.prop_map(Step::Append),
        1 => prop::sample::select(vec!["no event\n", "\n\n", "{\"half\":", "<<<<<<< HEAD\n", "\u{feff}", "\r\n"]).prop_map(Step::Noise),
        2 => any::<prop::sample::Index>().prop_map(Step::Checkout),
        2 => (any::<prop::sample::Index>(), any::<bool>()).prop_map(|(at, behind)| Step::Merge(at, behind)),
        1 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Step::Edit(at, byte)),
        1 => any::<prop::sample::Index>().prop_map(Step::Cut),
        1 => any::<prop::sample::Index>().prop_map(Step::Remove),
        2 => (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(file, at, byte)| Step::Garble(file, at, byte)),
        1 => any::<prop::sample::Index>().prop_map(Step::Rename),
        2 => Just(Step::Other),
    ]
}

fn replace(log: &Path, bytes: &[u8]) {
    let new = log.with_extension("new");
    fs::write(&new, bytes).unwrap();
    fs::rename(new, log).unwrap();
}

fn take(project: &Project, step: Step, past: &mut Vec<Vec<u8>>) {
    let log = project.log();
    let now = fs::read(&log).unwrap();
    let files = project.segments();
    match step {
        Step::Append(rows) => {
            let torn = !now.is_empty() && !now.ends_with(b"\n");
            let lines: String = rows
                .into_iter()
                .map(|(id, at, words)| line(id, at, words))
                .collect();
            project.append(&format!("{}{lines}", if torn { "\n" } else { "" }));
        }
        Step::Noise(bytes) => project.append(bytes),
        Step::Checkout(at) => replace(&log, at.get::<Vec<u8>>(past)),
        Step::Merge(at, behind) => {
            let other = at.get::<Vec<u8>>(past).clone();
            let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
                bytes
                    .split_inclusive(|byte| *byte == b'\n')
                    .map(<[u8]>::to_vec)
                    .collect()
            };
            let here = lines(&now);
            let new: Vec<Vec<u8>> = lines(&other)
                .into_iter()
                .filter(|line| !here.contains(line))
                .collect();
            let merged = if behind { [here, new] } else { [new, here] };
            replace(&log, &merged.concat().concat());
        }
        Step::Edit(at, byte) if !now.is_empty() => {
            let mut now = now.clone();
            let at = at.index(now.len());
            now[at] = byte;
            fs::write(&log, now).unwrap();
        }
        Step::Cut(at) => fs::write(&log, &now[..at.index(now.len() + 1)]).unwrap(),
        Step::Remove(at) if !files.is_empty() => fs::remove_file(at.get(&files)).unwrap(),
        Step::Garble(file, at, byte) if !files.is_empty() => {
            let path = file.get(&files);
            let mut bytes = fs::read(path).unwrap();
            let at = at.index(bytes.len());
            if byte < 40 {
                bytes.truncate(at);
            } else {
                bytes[at] = byte;
            }
            fs::write(path, bytes).unwrap();
        }
        Step::Rename(at) if files.len() > 1 => fs::rename(at.get(&files), &files[0]).unwrap(),
        Step::Other => drop(project.open()),
        _ => {}
    }
    past.push(now);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn segments_tail_and_plain_scan_agree_to_the_last_bit(steps in prop::collection::vec(step(), 1..14)) {
        let project = Project::new();
        let mut past = vec![Vec::new()];
        let mut long_lived = project.open();
        for step in steps {
            let said = format!("{step:?}");
            take(&project, step, &mut past);
            let expected = plainly(&project.folder);
            // As a process that begins, as one that has been there all the time, and as one after them.
            prop_assert_eq!(&answers(&project.open()), &expected, "{}", said);
            long_lived.refresh(&project.folder).unwrap();
            prop_assert_eq!(&answers(&long_lived), &expected, "{}", said);
            prop_assert_eq!(&answers(&project.open()), &expected, "{}", said);
        }
        let live: u64 = project.segments().iter().map(|path| path.metadata().unwrap().len()).sum();
        prop_assert!(project.segments().len() < 12, "{} segments of {} bytes", project.segments().len(), live);
    }
}

#[test]
fn what_follows_the_last_segment_is_read_alone_and_segments_stay_few() {
    let project = Project::with_events(100);
    let index = project.open();
    assert!(index.segments.iter().all(|segment| segment.path.is_some()));
    assert!(index.tail.len() < SMALL.tail.0);
    for n in 100..200 {
        project.append(&line(n, n, n));
        let index = project.open();
        assert_eq!(index.len(), n as usize + 1);
        assert!(index.tail.len() < SMALL.tail.0, "{n}");
        assert!(index.segments.len() <= 8, "{n}: {}", index.segments.len());
        assert_eq!(
            project.segments().len(),
            index.segments.len(),
            "what was merged is gone"
        );
    }
}

#[test]
fn a_process_that_stays_goes_on_behind_what_it_has_read() {
    let project = Project::with_events(30);
    let mut index = project.open();
    assert_eq!(index.refresh(&project.folder).unwrap(), Refreshed::Unchanged);
    for n in 30..50 {
        project.append(&line(n, n, n));
        assert_eq!(
            index.refresh(&project.folder).unwrap(),
            Refreshed::Grown(n as usize)
        );
        drop(project.open());
    }
    assert_eq!(answers(&index), plainly(&project.folder));
    replace(&project.log(), line(7, 7, 7).as_bytes());
    assert_eq!(index.refresh(&project.folder).unwrap(), Refreshed::Anew);
    assert_eq!(index.len(), 1);
    fs::remove_file(project.log()).unwrap();
    assert_eq!(index.refresh(&project.folder).unwrap(), Refreshed::Anew);
    assert!(index.is_empty());
}

#[test]
fn no_byte_of_a_cache_can_change_an_answer() {
    let project = Project::with_events(40);
    drop(project.open());
    let expected = plainly(&project.folder);
    let files = project.segments();
    assert!(!files.is_empty());
    for path in files {
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(1 + whole.len() / 60) {
            let mut changed = whole.clone();
            changed[at] ^= 0x55;
            fs::write(&path, &changed).unwrap();
            assert_eq!(answers(&project.open()), expected, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(answers(&project.open()), expected, "cut at {at}");
        }
        assert!(!project.segments().is_empty(), "and is made again");
    }
}

#[test]
fn a_cache_of_another_folder_is_not_believed() {
    let (project, other) = (Project::with_events(40), Project::with_events(40));
    let text = fs::read_to_string(other.log())
        .unwrap()
        .replace("parser", "lexer!");
    fs::write(other.log(), text).unwrap();
    drop((project.open(), other.open()));
    let expected = plainly(&project.folder);
    let own = project.segments();
    // The other one's segments under this one's names, and beside them.
    for (foreign, own) in other.segments().iter().zip(&own) {
        fs::copy(foreign, project.cache().join(foreign.file_name().unwrap())).unwrap();
        fs::copy(foreign, own).unwrap();
    }
    assert_eq!(answers(&project.open()), expected);
    assert_eq!(project.segments(), own, "made again, and nothing beside them");
    assert_eq!(answers(&project.open()), expected);
}

#[test]
fn a_line_that_changes_under_an_index_is_noticed() {
    let project = Project::with_events(20);
    let index = project.open();
    let text = fs::read_to_string(project.log()).unwrap();
    // In place, as some editors write.
    fs::write(project.log(), text.replace("\"content\":\"", "\"content\":\"x")).unwrap();
    assert!(index.event(0).is_err());
    assert_eq!(answers(&project.open()), plainly(&project.folder));
}

#[test]
fn two_versions_lie_side_by_side() {
    let project = Project::with_events(20);
    fs::create_dir_all(project.cache()).unwrap();
    let others = [
        "events-0-0-100-00000000000000aa.segment",
        "events-1-0-100-00000000000000aa.segment",
        "events-1.look",
        "notes",
    ];
    for name in others {
        fs::write(project.cache().join(name), name).unwrap();
    }
    drop(project.open());
    project.append(&(20..60).map(|n| line(n, n, n)).collect::<String>());
    assert_eq!(answers(&project.open()), plainly(&project.folder));
    for name in others {
        assert_eq!(fs::read_to_string(project.cache().join(name)).unwrap(), name);
    }
}

#[cfg(unix)]
#[test]
fn where_nothing_can_be_written_the_answers_are_the_same() {
    let project = Project::with_events(40);
    let expected = plainly(&project.folder);
    // A file stands where the folder belongs; then a link that leads out.
    fs::write(project.cache(), "in the way").unwrap();
    assert_eq!(answers(&project.open()), expected);
    fs::remove_file(project.cache()).unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), project.cache()).unwrap();
    let mut index = project.open();
    assert_eq!(answers(&index), expected);
    assert_eq!(
        fs::read_dir(outside.path()).unwrap().count(),
        0,
        "nothing is written outside"
    );
    // A process that stays grows all the same, in few parts.
    for n in 40..90 {
        project.append(&line(n, n, n));
        index.refresh(&project.folder).unwrap();
    }
    assert_eq!(answers(&index), plainly(&project.folder));
    assert!(index.segments.len() <= 8);
}

#[test]
fn a_lock_that_is_held_is_not_waited_for() {
    let project = Project::with_events(40);
    let writer = super::chain::Writer::try_new(&project.folder.layout).unwrap();
    assert_eq!(answers(&project.open()), plainly(&project.folder));
    assert!(project.segments().is_empty());
    drop(writer);
    drop(project.open());
    assert!(!project.segments().is_empty());
}

#[test]
fn what_a_killed_writer_left_is_swept() {
    let project = Project::with_events(40);
    drop(project.open());
    let names = project.segments();
    // Between the writing of a merged segment and the removal of those that went into it: both are there.
    let kept: Vec<(PathBuf, Vec<u8>)> = names
        .iter()
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    project.append(&(40..90).map(|n| line(n, n, n)).collect::<String>());
    drop(project.open());
    for (path, bytes) in &kept {
        fs::write(path, bytes).unwrap();
    }
    fs::write(
        project.cache().join(".ken-0123456789abcdef.tmp"),
        "half a segment",
    )
    .unwrap();
    assert_eq!(answers(&project.open()), plainly(&project.folder));
    project.append(&(90..140).map(|n| line(n, n, n)).collect::<String>());
    let index = project.open();
    assert_eq!(answers(&index), plainly(&project.folder));
    assert_eq!(project.segments().len(), index.segments.len());
    assert!(!project.cache().join(".ken-0123456789abcdef.tmp").exists());
}

#[test]
fn times_of_every_age_keep_their_nanoseconds() {
    let project = Project::new();
    for (n, at) in (0..).zip([
        "-009999-01-02T01:59:59Z",
        "1969-12-31T23:59:59.999999999Z",
        "2026-05-13T12:00:00.000001Z",
        "9999-12-30T22:00:00.999Z",
        "1970-01-01T00:00:00Z",
    ]) {
        let text = line(n, 0, n);
        let (before, after) = text.split_once("2026-05-13T00:00:00Z").unwrap();
        project.append(&format!("{before}{at}{after}"));
    }
    let index = project.open();
    assert_eq!((index.tail.len(), index.len()), (0, 5));
    assert_eq!(answers(&index), plainly(&project.folder));
    assert_eq!(
        index.timestamp(1),
        "1969-12-31T23:59:59.999999999Z".parse::<Timestamp>().unwrap()
    );
}

#[cfg(unix)]
#[test]
fn a_link_to_the_segments_within_the_folder_is_not_followed_either() {
    let project = Project::with_events(40);
    let known_to_git = project.log().parent().unwrap().to_owned();
    std::os::unix::fs::symlink(&known_to_git, project.cache()).unwrap();
    let before = fs::read_dir(&known_to_git).unwrap().count();
    assert_eq!(answers(&project.open()), plainly(&project.folder));
    assert_eq!(fs::read_dir(&known_to_git).unwrap().count(), before);
}

#[cfg(unix)]
#[test]
fn what_a_repository_planted_beside_the_segments_is_swept() {
    let project = Project::with_events(40);
    fs::create_dir_all(project.cache()).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "untouched").unwrap();
    let version = super::segment::VERSION;
    let lock = project.cache().join(format!("events-{version}.lock"));
    std::os::unix::fs::symlink(&victim, &lock).unwrap();
    for number in 1..400 {
        let name = format!("events-{version}-0-{number}-0000000000000002.segment");
        fs::write(project.cache().join(name), "").unwrap();
    }
    let nowhere = format!("events-{version}-0-500-0000000000000002.segment");
    std::os::unix::fs::symlink("/nowhere", project.cache().join(nowhere)).unwrap();
    assert_eq!(answers(&project.open()), plainly(&project.folder));
    assert_eq!(project.segments().len(), 1, "the one that was made");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
    assert!(fs::symlink_metadata(&lock).unwrap().is_file());
}

#[test]
fn planted_names_hide_no_segment_and_are_swept() {
    let project = Project::with_events(40);
    drop(project.open());
    let made = project.segments();
    let length = fs::metadata(project.log()).unwrap().len();
    let version = super::segment::VERSION;
    // Names that fit the log, and would be looked at first if the folder were asked.
    for number in 0..5_000 {
        let end = length - number % 40;
        let name = format!("events-{version}-0-{end}-{number:016x}.segment");
        fs::File::create_new(project.cache().join(name)).unwrap();
    }
    let index = project.open();
    assert_eq!(answers(&index), plainly(&project.folder));
    assert_eq!(
        index
            .segments
            .iter()
            .filter(|segment| segment.path.is_some())
            .count(),
        made.len(),
        "the segments are used"
    );
    // When the next segment is written, they go.
    project.append(&(40..60).map(|n| line(n, n, n)).collect::<String>());
    drop(project.open());
    let index = project.open();
    assert_eq!(answers(&index), plainly(&project.folder));
    assert_eq!(project.segments().len(), index.segments.len());
}

#[cfg(unix)]
#[test]
fn what_stands_in_the_place_of_a_cache_and_is_no_file_is_removed() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "untouched").unwrap();
    let project = Project::with_events(40);
    drop(project.open());
    let names: Vec<PathBuf> = fs::read_dir(project.cache())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(names.len() >= 3, "segments, chain and lock: {names:?}");
    let folder = |path: &Path| {
        fs::create_dir(path).unwrap();
        fs::create_dir(path.join("inside")).unwrap();
        std::os::unix::fs::symlink(outside.path(), path.join("inside/link")).unwrap();
        fs::write(path.join("file"), "x").unwrap();
    };
    let link = |path: &Path| std::os::unix::fs::symlink(&victim, path).unwrap();
    let nowhere = |path: &Path| std::os::unix::fs::symlink("/nowhere", path).unwrap();
    let plants: [&dyn Fn(&Path); 3] = [&folder, &link, &nowhere];
    for plant in plants {
        for path in &names {
            if fs::symlink_metadata(path).is_ok_and(|seen| seen.is_file()) {
                fs::remove_file(path).unwrap();
            } else if path.exists() {
                fs::remove_dir_all(path).unwrap();
            }
            plant(path);
        }
        assert_eq!(answers(&project.open()), plainly(&project.folder));
        let index = project.open();
        assert!(
            index.segments.iter().any(|segment| segment.path.is_some()),
            "the index is made again"
        );
        assert_eq!(answers(&index), plainly(&project.folder));
        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_log_that_changes_between_its_look_and_its_reading_is_read_right_by_the_next_question() {
    for quiet in [false, true] {
        for replaced in [false, true] {
            let project = Project::with_events(40);
            drop(project.open());
            if quiet {
                // So that segments are believed by the look alone.
                std::thread::sleep(std::time::Duration::from_millis(150));
                project.append(&(40..60).map(|n| line(n, n, n)).collect::<String>());
                std::thread::sleep(std::time::Duration::from_millis(150));
                drop(project.open());
            }
            let file = fs::File::open(project.log()).unwrap();
            let now = std::time::SystemTime::now();
            let look = ken_files::FileLook::of(&file.metadata().unwrap());
            // Here it changes, and keeps its length.
            let text = fs::read_to_string(project.log()).unwrap();
            let changed = text.replace("parser", "lexers");
            assert!(changed != text && changed.len() == text.len());
            if replaced {
                replace(&project.log(), changed.as_bytes());
            } else {
                fs::write(project.log(), &changed).unwrap();
            }
            let mut index = EventIndex::empty(SMALL);
            index.open(&project.folder, &file, look).unwrap();
            index.settled = look.is_settled(now);
            (index.look, index.file) = (Some(look), Some(file));
            index.refresh(&project.folder).unwrap();
            assert_eq!(answers(&index), plainly(&project.folder), "{quiet} {replaced}");
            assert_eq!(answers(&project.open()), plainly(&project.folder));
        }
    }
}
