use ken_dotagent::{EventIndex, Refreshed, SKILL_WEIGHT, final_score};
use ken_text::search::{Query, Searchable};

use super::{Project, line, noon, said, time};

const DREAMD: &str = include_str!("../fixtures/dreamd-0.1.jsonl");

/// Documents with their scores, in order of the documents.
fn scores(index: &EventIndex, query: &str) -> Vec<(usize, f64)> {
    let query = Query::parse(query);
    let statistics = index.statistics(&query);
    let scored = index.score(&query, &statistics);
    scored.iter().map(|s| (s.document, s.bm25)).collect()
}

fn descending(mut scores: Vec<(usize, f64)>) -> Vec<usize> {
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    scores.into_iter().map(|(document, _)| document).collect()
}

#[test]
fn four_documents_by_hand() {
    let mut lines = [
        line(1, "2026-04-29T12:00:00Z", "red apple"),
        line(2, "2026-05-13T12:00:00Z", "green apple apple"),
        line(3, "2026-05-13T12:00:00Z", "red car fast road"),
        line(4, "2026-05-13T12:00:00Z", "blue sky"),
    ];
    lines[1] = lines[1].replace("\"pain\":5.0", "\"pain\":8.0");
    lines[2] = lines[2].replace(
        "\"pain\":5.0,\"importance\":5.0,\"recurrence\":0",
        "\"pain\":10.0,\"importance\":10.0,\"recurrence\":1",
    );
    let project = Project::with_log(lines.join("\n"));
    let index = project.folder.index().unwrap();
    let found = scores(&index, "red apple");

    // Both words are in two of four documents: idf ln 2. The average length is 11/4.
    let by_hand = [(0, 1.560_387_141_4), (1, 0.929_316_441_5), (2, 0.584_465_566_9)];
    assert_eq!(found.len(), 3);
    for ((document, bm25), (expected, value)) in found.iter().zip(by_hand) {
        assert_eq!(*document, expected);
        assert!((bm25 - value).abs() < 1e-9, "{document}: {bm25}");
    }
    assert_eq!(descending(found.clone()), [0, 1, 2]);

    // Two weeks of age, little pain: what matched best comes last.
    let now = time("2026-05-13T12:00:00Z");
    let by_salience = found.iter().map(|(document, bm25)| {
        let event = index.event(*document).unwrap();
        (*document, final_score(*bm25, &event.event, now))
    });
    let by_salience: Vec<(usize, f64)> = by_salience.collect();
    let by_hand = [0.143_508_587_4, 0.371_726_576_6, 0.989_586_226_7];
    for ((document, score), value) in by_salience.iter().zip(by_hand) {
        assert!((score - value).abs() < 1e-9, "{document}: {score}");
    }
    assert_eq!(descending(by_salience), [2, 1, 0]);
}

#[test]
fn skills_and_tags_are_found_and_weigh_less_than_words() {
    let skilled =
        line(1, "2026-05-13T12:00:00Z", "alpha beta").replace("\"general\"", "\"quartz::beta_two\"");
    let worded = line(2, "2026-05-13T12:00:00Z", "alpha quartz");
    let tagged = line(3, "2026-05-13T12:00:00Z", "alpha beta").replace(
        "\"pinned\":false",
        "\"pinned\":false,\"tags\":[\"quartz\",\"Ünïcode\"]",
    );
    let project = Project::with_log([skilled, worded, tagged].join("\n"));
    let index = project.folder.index().unwrap();
    assert_eq!(descending(scores(&index, "quartz"))[0], 1);
    assert_eq!(scores(&index, "quartz").len(), 3);
    assert_eq!(descending(scores(&index, "ünïcode")), [2]);
    assert!(
        scores(&index, "general").is_empty(),
        "what stands for no skill is not a word"
    );
    const { assert!(SKILL_WEIGHT > 0.0 && SKILL_WEIGHT < 1.0) };
}

#[test]
fn salience_ranks_a_folder_of_dreamd() {
    let project = Project::with_log(DREAMD);
    let index = project.folder.index().unwrap();
    let now = time("2026-05-13T12:00:00Z");
    let ranked = descending(
        scores(&index, "postgres pool exhaustion")
            .into_iter()
            .map(|(document, bm25)| {
                (
                    document,
                    final_score(bm25, &index.event(document).unwrap().event, now),
                )
            })
            .collect(),
    );
    let lines: Vec<u64> = ranked
        .iter()
        .map(|document| index.event(*document).unwrap().line)
        .collect();
    // The same skill three times: 9/9 of last week, 7/6 of three weeks ago, 8/8.5 of a month ago; then the migrations.
    assert_eq!(lines[..2], [10, 6]);
    assert_eq!(
        lines[2..]
            .iter()
            .copied()
            .collect::<std::collections::BTreeSet<_>>(),
        [2, 3, 9].into()
    );
}

#[test]
fn what_was_learned_is_found_by_the_next_question() {
    let project = Project::new();
    let mut index = project.folder.index().unwrap();
    assert!(index.is_empty());
    project
        .folder
        .learn(said("the parser needs a lookahead"), &noon())
        .unwrap();
    assert!(scores(&index, "lookahead").is_empty());
    assert_eq!(index.refresh(&project.folder).unwrap(), Refreshed::Grown(0));
    assert_eq!(scores(&index, "lookahead").len(), 1);
    project
        .folder
        .learn(said("two tokens of lookahead"), &noon())
        .unwrap();
    assert_eq!(index.refresh(&project.folder).unwrap(), Refreshed::Grown(1));

    // Added piece by piece or read at once: the same scores, to the last bit.
    let at_once = project.folder.index().unwrap();
    assert_eq!(
        scores(&index, "lookahead tokens"),
        scores(&at_once, "lookahead tokens")
    );

    let text = project.log_text().replace("parser", "lexer");
    project.write_log(text);
    assert_eq!(index.refresh(&project.folder).unwrap(), Refreshed::Anew);
    assert!(scores(&index, "parser").is_empty());
    assert_eq!(scores(&index, "lexer").len(), 1);
    assert_eq!(index.lines(), 2);
}
