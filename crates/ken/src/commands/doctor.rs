use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use jiff::Timestamp;
use ken_agents::hook::{HookFailure, HookLog, HookReport, REPORTED, hook_reports};
use ken_agents::wiring::{self, Inspection, PartInspection, Scope, ScopeInspection, State, inspect};
use ken_agents::{HookEvent, Participant, participants};
use ken_files::NewFile;
use serde::Serialize;

use crate::commands::counted;
use crate::context::{self, Context};
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Check this machine, its agents, their hooks and this project, and say how to mend what is wrong
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ken doctor\n  ken doctor --json\nExits with 1 when there is something to mend."
)]
pub(crate) struct Doctor {}

/// How well something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Ok,
    /// Worth knowing: something that the person may want, or that is over.
    Note,
    /// Something does not work as it should.
    Warning,
    /// Something is broken.
    Error,
}

/// What was looked at, and what came of it.
#[derive(Debug, Clone, Serialize)]
struct Check {
    area: &'static str,
    level: Level,
    message: String,
    /// What to type or do.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct Report {
    checks: Vec<Check>,
}

impl Report {
    fn add(&mut self, area: &'static str, level: Level, message: impl Into<String>, remedy: Option<String>) {
        self.checks.push(Check {
            area,
            level,
            message: message.into(),
            remedy,
        });
    }

    fn ok(&mut self, area: &'static str, message: impl Into<String>) {
        self.add(area, Level::Ok, message, None);
    }
}

impl Answer for Report {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let bold = anstyle::Style::new().bold();
        let mut area = "";
        for check in &self.checks {
            if check.area != area {
                let gap = if area.is_empty() { "" } else { "\n" };
                writeln!(out, "{gap}{bold}{}{bold:#}", check.area)?;
                area = check.area;
            }
            let level = match check.level {
                Level::Ok => "ok",
                Level::Note => "note",
                Level::Warning => "warning",
                Level::Error => "error",
            };
            writeln!(out, "  {level:<8} {}", check.message)?;
            if let Some(remedy) = &check.remedy {
                writeln!(out, "  {:<8} {remedy}", "")?;
            }
        }
        let wrong = self
            .checks
            .iter()
            .filter(|check| check.level >= Level::Warning)
            .count();
        match wrong {
            0 => writeln!(out, "\nall is well"),
            wrong => writeln!(out, "\n{}", counted(wrong, "thing to mend", "things to mend")),
        }
    }
}

const MACHINE: &str = "Machine";
const AGENTS: &str = "Agents";
const WIRING: &str = "Wiring";
const HOOKS: &str = "Hooks";
const PROJECT: &str = "Project";

impl Doctor {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let mut report = Report::default();
        machine(context, &mut report);
        if context.paths.home.is_dir() {
            for participant in participants() {
                agent(context, participant.as_ref(), &mut report);
            }
            let request = context.wiring(Scope::Project, None);
            let mut hooked = Vec::new();
            for agent in wiring::agents() {
                let found = inspect(agent, &request);
                wired(&found, context.project.is_some(), &mut report);
                let has_hooks = |scope: &ScopeInspection| {
                    let hook = |part: &PartInspection| {
                        part.state == State::Present && part.part.parse::<HookEvent>().is_ok()
                    };
                    scope.parts.iter().any(hook)
                };
                if found.scopes.iter().any(has_hooks) {
                    hooked.push(*agent);
                }
            }
            hooks(context, &hooked, &mut report);
            project(context, &mut report)?;
        }
        if report.checks.iter().any(|check| check.level >= Level::Warning) {
            output.found_something_wrong();
        }
        output.answer(&report)
    }
}

fn machine(context: &Context, report: &mut Report) {
    let paths = &context.paths;
    let program = context::program();
    report.ok(
        MACHINE,
        format!("ken {} at {}", env!("CARGO_PKG_VERSION"), program.display()),
    );
    if !paths.home.is_dir() {
        let home = paths.home.display();
        report.add(
            MACHINE,
            Level::Error,
            format!("the home directory {home} does not exist; nothing can be kept, and hooks are silent"),
            Some("set HOME to an existing folder, where the agents run too".to_owned()),
        );
        return;
    }
    match probe(&paths.state) {
        Ok(()) => report.ok(MACHINE, format!("{} can be written", paths.state.display())),
        Err(error) => report.add(
            MACHINE,
            Level::Error,
            format!("{} cannot be written: {error}", paths.state.display()),
            Some(
                "make room or mend its permissions; until then hooks leave no word and may say things twice"
                    .to_owned(),
            ),
        ),
    }
}

/// Whether something can be kept there: a small file, made durable, and removed again.
fn probe(folder: &Path) -> Result<(), ken_files::FileError> {
    ken_files::create_folder(folder, NewFile::Private)?;
    let file = folder.join(format!("doctor-{}", std::process::id()));
    let written = ken_files::replace(&file, &[b'.'; 4096], NewFile::Private);
    let _ = std::fs::remove_file(&file);
    written
}

fn agent(context: &Context, participant: &dyn Participant, report: &mut Report) {
    let health = participant.health(&context.paths);
    let title = participant.title();
    if !health.present {
        report.add(AGENTS, Level::Note, format!("{title}: not on this machine"), None);
        return;
    }
    let holds = match health.holds.as_slice() {
        [] => "its store holds nothing yet".to_owned(),
        holds => holds.join(", "),
    };
    report.ok(AGENTS, format!("{title}: {holds} ({})", health.path.display()));
    for problem in health.problems {
        report.add(AGENTS, Level::Warning, format!("{title}: {problem}"), None);
    }
}

/// How an agent that is here is told of this memory. It is enough in one scope; a scope in which nothing is told is
/// not worth a line then.
fn wired(found: &Inspection, in_project: bool, report: &mut Report) {
    let (title, agent) = (found.title, found.agent);
    let told: Vec<_> = found.scopes.iter().filter(|scope| !scope.is_absent()).collect();
    if told.is_empty() && found.installed.is_some() {
        let scope = if in_project { "" } else { " --user" };
        report.add(
            WIRING,
            Level::Note,
            format!("{title}: is installed, and not told of this memory"),
            Some(format!("ken setup {agent}{scope}")),
        );
    }
    if told.len() > 1 {
        report.add(
            WIRING,
            Level::Warning,
            format!("{title}: is told twice, in your own settings and in this project's; once is enough"),
            Some(format!("ken unsetup {agent}")),
        );
    }
    for scope in told {
        let place = match scope.scope {
            Scope::User => "in your own settings",
            Scope::Project => "in this project's settings",
        };
        if scope.is_complete() {
            report.ok(WIRING, format!("{title}: wired {place}"));
        }
        // Parts that are not as they should be for one reason are one thing to mend.
        let mut said: Vec<&State> = Vec::new();
        for part in &scope.parts {
            if part.state == State::Present || said.contains(&&part.state) {
                continue;
            }
            said.push(&part.state);
            let parts = alike(scope, &part.state);
            let (level, message) = match &part.state {
                State::Present => continue,
                State::Missing => (Level::Warning, format!("{title}, {place}: there is no {parts}")),
                State::Stale(why) => (Level::Warning, format!("{title}, {place}: {parts}: {why}")),
                State::Unread(why) => (Level::Warning, format!("{title}, {place}: {why}")),
                State::Broken(why) => (Level::Error, format!("{title}, {place}: {why}")),
            };
            report.add(WIRING, level, message, part.remedy.clone());
        }
    }
}

/// The parts that stand alike, with their files: `mcp in .mcp.json; prompt, stop in .claude/settings.json`.
fn alike(scope: &ScopeInspection, state: &State) -> String {
    let mut files: Vec<(&Path, Vec<&str>)> = Vec::new();
    for part in scope.parts.iter().filter(|part| part.state == *state) {
        match files.iter_mut().find(|(file, _)| *file == part.file) {
            Some((_, parts)) => parts.push(part.part),
            None => files.push((&part.file, vec![part.part])),
        }
    }
    let files: Vec<String> = files
        .iter()
        .map(|(file, parts)| format!("{} in {}", parts.join(", "), file.display()))
        .collect();
    files.join("; ")
}

/// What the hooks of agents did lately, and which of the `hooked` agents ran none.
fn hooks(context: &Context, hooked: &[&wiring::Agent], report: &mut Report) {
    let log = HookLog::new(&context.paths.state);
    let now = context.clock.now();
    let reports = hook_reports(&log.runs(), now.checked_sub(REPORTED).unwrap_or(Timestamp::MIN));
    if reports.is_empty() && hooked.is_empty() {
        report.add(HOOKS, Level::Note, "none ran in the last 7 days", None);
    }
    for agent in hooked {
        if !reports.iter().any(|ran| ran.agent == agent.id) {
            let remains: Vec<&str> = agent.remains.iter().map(|remains| remains.sentence).collect();
            report.add(
                HOOKS,
                Level::Note,
                format!("{}: none ran in the last 7 days", agent.id),
                (!remains.is_empty()).then(|| remains.join("; ")),
            );
        }
    }
    for agent in &reports {
        report.ok(HOOKS, ran(agent));
        for failure in &agent.failures {
            report.add(
                HOOKS,
                if failure.over { Level::Note } else { Level::Warning },
                failed(agent, failure),
                (!failure.over).then(|| "goes away with the next call of this hook that works".to_owned()),
            );
        }
    }
}

fn ran(report: &HookReport) -> String {
    format!(
        "{}: {} in the last 7 days, {} with something to say, usually {} ms, last {}",
        report.agent,
        counted(report.runs, "run", "runs"),
        report.told,
        report.usual_milliseconds,
        to_the_second(report.last_run),
    )
}

fn failed(report: &HookReport, failure: &HookFailure) -> String {
    let times = if failure.times == 1 {
        String::new()
    } else {
        format!(" ({} times)", failure.times)
    };
    let over = if failure.over {
        ", and it has worked since"
    } else {
        ""
    };
    format!(
        "{} {}: {}{times}, last {}{over}",
        report.agent,
        failure.event,
        failure.reason,
        to_the_second(failure.last),
    )
}

fn to_the_second(at: Timestamp) -> String {
    at.round(jiff::Unit::Second).unwrap_or(at).to_string()
}

fn project(context: &Context, report: &mut Report) -> Result<(), CommandError> {
    let status = context.memory(None)?.status();
    match &status.project {
        None => report.add(PROJECT, Level::Note, "none here", None),
        Some(project) if project.trusted => report.ok(PROJECT, format!("{} is trusted", project.name)),
        Some(project) if project.carries_memory => report.add(
            PROJECT,
            Level::Note,
            format!(
                "{} is not trusted: its edicts and lessons reach no prompt",
                project.name
            ),
            Some("look at what it carries, then say `ken trust`".to_owned()),
        ),
        Some(project) => report.add(
            PROJECT,
            Level::Note,
            format!("{} carries no memory yet", project.name),
            Some("ken up".to_owned()),
        ),
    }
    for warning in &context.settings.warnings {
        report.add(PROJECT, Level::Warning, warning.clone(), None);
    }
    for trouble in &status.troubles {
        let level = match trouble.severity.as_str() {
            "error" => Level::Error,
            _ => Level::Warning,
        };
        report.add(
            PROJECT,
            level,
            format!("{}: {}", trouble.place, trouble.message),
            None,
        );
    }
    Ok(())
}
