//! The speed bars as a user meets them: whole processes on made-up homes, each beside a bare probe of the same run, and
//! beside another program where one is installed. `./bench` runs it.
//!
//! `--write FILE` writes the page, `--only GROUP` measures one group (`names`, `ten`, `edicts`, `load`, `million`, `recall-10000`,
//! `recall-100000`, `short`), `KEN_BENCH_BOURDON` names the other program, and `KEN_BENCH_KEN` a `ken` to be
//! measured that was built elsewhere.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod edicts;
mod made_up;
mod mcp;
mod measure;
mod report;
mod rows;

use rows::Run;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut write, mut only) = (None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--probe" => {
                let path = arguments.next().expect("--probe has a file");
                let bytes = std::fs::read(path).expect("the file is read");
                print!("{}", bytes.len());
                return;
            }
            "--write" => write = arguments.next(),
            "--only" => only = arguments.next(),
            // What cargo adds.
            "--bench" => {}
            other => {
                eprintln!("{other} is no argument; --write FILE and --only GROUP are");
                std::process::exit(2);
            }
        }
    }
    let rival = std::env::var("KEN_BENCH_BOURDON").ok();
    let machine = report::machine();
    println!("{machine}");
    let folder = tempfile::tempdir().expect("a folder is made");
    let mut run = Run {
        folder: folder.path(),
        only,
        rival,
        rows: Vec::new(),
    };
    run.recogniser();
    run.ten_agents();
    run.logs();
    run.edicts();
    run.short_events();
    run.thousand_manifests();
    run.million_names();
    if let Some(path) = write {
        let day = ken_files::Clock::system(jiff::tz::TimeZone::UTC)
            .today()
            .to_string();
        let page = report::page(
            &run.rows,
            &machine,
            &day,
            run.rival.is_some().then_some("`bourdon`"),
        );
        std::fs::write(path, page).expect("the page is written");
    }
}
