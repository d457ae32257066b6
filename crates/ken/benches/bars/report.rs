//! The table, for the terminal and for `docs/benchmarks.md`.

use std::fmt::Write;
use std::time::Duration;

/// One measured row.
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: String,
    /// What it must stay below, or at, as it is written.
    pub(crate) bar: &'static str,
    /// Whether it does.
    pub(crate) holds: bool,
    /// What was seen.
    pub(crate) seen: String,
    /// The median beside the bare probe of the same run.
    pub(crate) beside_probe: Option<f64>,
    /// What another program took for the same, beside ours.
    pub(crate) elsewhere: Option<String>,
}

/// A duration in the unit that fits.
pub(crate) fn shown(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    if micros < 1_000.0 {
        format!("{micros:.1} µs")
    } else if micros < 100_000.0 {
        format!("{:.1} ms", micros / 1e3)
    } else {
        format!("{:.2} s", micros / 1e6)
    }
}

/// KiB as MiB.
pub(crate) fn mebibytes(kibibytes: u64) -> String {
    format!("{} MiB", kibibytes.div_ceil(1024))
}

/// The rows as a Markdown table.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut table =
        String::from("| What | Bar | Seen | Beside the bare probe | Elsewhere |\n|---|---|---|---|---|\n");
    for row in rows {
        writeln!(
            table,
            "| {} | {} | {}{} | {} | {} |",
            row.what,
            row.bar,
            row.seen,
            if row.holds { "" } else { " **(over)**" },
            row.beside_probe
                .map(|ratio| format!("{ratio:.1} x"))
                .unwrap_or_default(),
            row.elsewhere.as_deref().unwrap_or_default(),
        )
        .expect("a string grows");
    }
    table
}

/// The machine on which this runs, in one line.
pub(crate) fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpus = read("/proc/cpuinfo");
    let processor = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("an unnamed processor", |line| {
            line.trim_start_matches([' ', '\t', ':'])
        });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    let load = read("/proc/loadavg");
    format!(
        "{processor}, {cores} cores, {} {}, load {} before the run",
        std::env::consts::OS,
        kernel.trim(),
        load.split(' ').next().unwrap_or("unknown"),
    )
}

/// The whole page.
pub(crate) fn page(rows: &[Row], machine: &str, day: &str, rival: Option<&str>) -> String {
    let rival = rival.map_or_else(
        || "No other program was measured in this run.".to_owned(),
        |name| format!("Elsewhere is {name} from PyPI, asked the same over the same manifests."),
    );
    format!(
        "# Benchmarks\n\n\
         Written by `./bench`. Ratios count; absolute times are of one machine on one day.\n\n\
         Measured on {day}: {machine}.\n\n\
         Whole processes are timed from the call to the end, with fresh caches unless the row says otherwise. Each is \
         run in turn with a bare probe: a process that is started, opens a file of one page, reads it and ends. \
         Less than that no command can take. {rival}\n\n{}",
        table(rows)
    )
}
