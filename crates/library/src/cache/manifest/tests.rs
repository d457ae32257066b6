use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::manifest_read::{digest_of, read_text};
use crate::model::Row;
use crate::to_yaml;

#[path = "../../../tests/library/arbitrary.rs"]
mod arbitrary;

const HEAD: &str = "spec_version: \"0.1\"\nagent: {id: sample, type: code-assistant}\n";

fn read(yaml: &str) -> ReadManifest {
    read_text(yaml.as_bytes(), Path::new("agents/sample.l5.yaml")).unwrap()
}

fn cache_of(yaml: &str, file: CacheFile) -> Result<ManifestCache, Lost> {
    let digest = *digest_of(yaml.as_bytes()).as_bytes();
    let path = Path::new("agents/sample.l5.yaml");
    ManifestCache::open(
        file,
        Source::read(path, digest, Arc::new(yaml.as_bytes().to_vec())),
    )
}

fn encoded(yaml: &str) -> CacheFile {
    let digest = *digest_of(yaml.as_bytes()).as_bytes();
    encode(&read(yaml), digest, yaml.as_bytes()).in_memory()
}

/// Everything that the cache holds.
fn whole(cache: &ManifestCache) -> Result<(Manifest, Vec<Finding>), Lost> {
    let mut manifest = cache.frame()?;
    manifest.entities = cache.rows()?;
    manifest.workstreams = cache.rows()?;
    manifest.sessions = cache.rows()?;
    manifest.notes = cache.rows()?;
    Ok((manifest, cache.findings()?))
}

fn size(yaml: &str) -> usize {
    let file = encoded(yaml);
    (0..5).map(|number| file.section(number).unwrap().len()).sum()
}

fn is_kept(yaml: &str) {
    let read = read(yaml);
    let cache = cache_of(yaml, encoded(yaml)).unwrap();
    let (manifest, findings) = whole(&cache).unwrap();
    assert_eq!(manifest, read.manifest);
    assert_eq!(findings, read.findings);
    for (at, row) in read.manifest.entities.iter().enumerate() {
        assert_eq!(cache.row::<Entity>(at).unwrap(), *row);
    }
    for (at, row) in read.manifest.notes.iter().enumerate() {
        assert_eq!(cache.row::<Note>(at).unwrap(), *row);
    }
    assert!(cache.row::<Session>(read.manifest.sessions.len()).is_err());
}

#[test]
fn what_could_not_be_read_is_kept_too() {
    is_kept(&format!(
        "{HEAD}last_updated: yesterday
x-mine: {{a: [1.10, ~, 'no'], b: {{}}}}
visibility_policy: {{default: all, private_tags: [health], team_tags: []}}
notes:
- {{date: '2026-13-01', text: a note that is long enough to be told by its place, tags: {{a: b}}}}
- just a text
known_workstreams: {{}}
known_entities:
- {{name: Zeus, aliases: {{x: Thunder}}, visibility: secret, x-seen: [a, {{b: c}}]}}
- {{aliases: [Kestrel]}}
- {{name: Hera, valid_from: '0001-01-01', valid_to: '9999-12-31'}}
recent_sessions:
- {{date: '', tags: [health], key_actions: [\"a text with \\\"quotes\\\" in it\"]}}
"
    ));
    is_kept(
        "\u{feff}spec_version: '0.2'\r\nagent: {id: sample, type: nobody}\r\ncapabilities: [a, a, a]\r\n",
    );
}

#[test]
fn a_row_is_read_without_the_manifest_unless_it_needs_a_long_text() {
    let yaml = format!(
        "{HEAD}known_entities:
- {{name: Zeus, aliases: [the thunderer of the mountain], summary: a summary that stands in the file alone}}
- {{name: Hera, summary: short}}
"
    );
    let digest = *digest_of(yaml.as_bytes()).as_bytes();
    let cache = ManifestCache::open(encoded(&yaml), Source::new(Path::new("gone"), digest)).unwrap();
    assert_eq!(cache.row::<Entity>(1).unwrap().summary.as_deref(), Some("short"));
    assert_eq!(cache.row::<Entity>(0), Err(Lost::Changed));
    let other = ManifestCache::open(encoded(&yaml), Source::new(Path::new("gone"), [0; 32]));
    assert_eq!(other.err(), Some(Lost::Damaged));
}

#[test]
fn a_cache_is_small_beside_its_manifest() {
    let entity = |n: usize| {
        format!(
            "- name: \"Orchard {n}\"\n  type: project\n  aliases: [\"orchard-{n}\"]\n  summary: \"Number {n} of the projects that this agent knows: a parser and its tests.\"\n  tags: [project, rust]\n  last_touched: \"2026-06-{:02}\"\n",
            1 + n % 28
        )
    };
    let rows: String = (0..200).map(entity).collect();
    let yaml = format!("{HEAD}known_entities:\n{rows}");
    let by_hand = format!(
        "{HEAD}notes:
  - date: \"2026-06-01\"
    text: |
      A note of several lines, as people write them:
      the second line, and
      the third.
    related_entities: [Kenning, Orchard]
  - {{date: \"2026-06-02\", text: 'A note in one line, with ''quotes'' in it.', tags: [idea]}}
recent_sessions:
{}",
        "  - date: \"2026-06-03\"\n    cwd: /home/me/work/kenning\n    project_focus: [Kenning]\n    key_actions:\n      - Fixed the tokenizer after the report of yesterday.\n      - Ran all of the tests twice.\n    files_touched: [src/tokenizer.rs]\n".repeat(40)
    );
    for yaml in [yaml, by_hand] {
        is_kept(&yaml);
        // The index of names wants its share of the half, too.
        assert!(
            size(&yaml) * 10 < yaml.len() * 3,
            "{} of {}",
            size(&yaml),
            yaml.len()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn decoding_gives_what_was_encoded(manifest in arbitrary::manifest()) {
        is_kept(&to_yaml(&manifest));
    }

    #[test]
    fn bytes_that_nobody_wrote_are_damage_and_nothing_worse(
        manifest in arbitrary::manifest(),
        flips in proptest::collection::vec((0..5_usize, any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in proptest::option::of((0..5_usize, any::<prop::sample::Index>())),
    ) {
        let yaml = to_yaml(&manifest);
        let file = encoded(&yaml);
        let mut sections: Vec<Vec<u8>> = (0..5).map(|number| file.section(number).unwrap().to_vec()).collect();
        for (section, at, byte) in flips {
            if !sections[section].is_empty() {
                let at = at.index(sections[section].len());
                sections[section][at] = byte;
            }
        }
        if let Some((section, at)) = cut {
            let length = sections[section].len();
            sections[section].truncate(at.index(length + 1));
        }
        let mut writer = CacheWriter::new(FORMAT);
        sections.into_iter().for_each(|section| writer.section(section));
        if let Ok(cache) = cache_of(&yaml, writer.in_memory()) {
            let _ = whole(&cache);
            for at in 0..3 {
                let _ = cache.row::<Entity>(at).map(|row| row.names().len());
                let _ = cache.row::<Workstream>(at);
            }
        }
    }
}
