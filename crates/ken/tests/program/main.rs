//! Whole-program tests: one binary, one file a subject. `every_test_file_is_named_here` fails when one is forgotten.
#![allow(
    clippy::needless_pass_by_value,
    reason = "`json!` makes values, and borrowing each would hide what is sent"
)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on says so by panicking"
)]

mod audit;
mod brief;
mod command_line;
mod documentation;
mod dream;
mod edict;
mod eval;
mod findings;
mod hooks;
mod hostile;
mod house;
mod loopback;
mod machine;
mod mcp;
mod outside_agents;
mod outside_mcp;
mod outside_schema;
mod processes;
mod setup;
mod status;
mod visibility;
mod wrong_input;

#[test]
fn every_test_file_is_named_here() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program");
    let named = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs") else {
            continue;
        };
        assert!(
            module == "main" || named.contains(&format!("mod {module};")),
            "{name} is not named in main.rs, so its tests never run"
        );
    }
}
