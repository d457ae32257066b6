//! Many processes at once, without a daemon: what was acknowledged is there, once, whole.

use std::collections::BTreeSet;

use crate::machine::Machine;

#[test]
fn eight_processes_learn_two_hundred_times_each() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (machine, repo) = (&machine, &repo);
                scope.spawn(move || {
                    (0..200)
                        .map(|number| {
                            let text = format!("writer {writer} saw thing {number}");
                            let learned = machine.ken(repo, ["learn", &text, "--json"]).json();
                            learned["id"].as_str().unwrap().to_owned()
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    let log = machine.read("work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl");
    assert!(log.ends_with('\n'));
    let ids: Vec<String> = log
        .lines()
        .map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).expect("every line is whole");
            event["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids.len(), 1_600);
    let distinct: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), 1_600, "an id was given twice");
    assert_eq!(distinct, acknowledged.iter().collect());
    assert!(
        ids.is_sorted(),
        "ids follow the last one of the log, across processes"
    );
}

#[test]
fn twelve_processes_add_an_edict_each_to_a_new_and_to_an_old_file() {
    for round in ["new", "old"].repeat(5) {
        let machine = Machine::new();
        let repo = machine.repository("work/ledger");
        if round == "old" {
            machine.write(
                "work/ledger/edicts.yaml",
                "# ours\nversion: 1\nedicts: [] # none yet\n",
            );
        }
        std::thread::scope(|scope| {
            for number in 0..12 {
                let (machine, repo) = (&machine, &repo);
                scope.spawn(move || {
                    machine
                        .ken(
                            repo,
                            ["edict", "add", &format!("fact {number}"), "--category", "c"],
                        )
                        .done()
                });
            }
        });
        let listed = machine.ken(&repo, ["edict", "list", "--json"]).json();
        let ids: BTreeSet<String> = listed["edicts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e["id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(ids.len(), 12, "{round}: {ids:?}");
        if round == "old" {
            assert!(machine.read("work/ledger/edicts.yaml").starts_with("# ours\n"));
        }
    }
}
