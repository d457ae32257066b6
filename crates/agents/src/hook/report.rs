use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{HookOutcome, HookRun};

/// What the hooks of one agent did lately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookReport {
    /// The agent's id.
    pub agent: String,
    /// How often a hook of it ran in the time looked at.
    pub runs: usize,
    /// How often something was said.
    pub told: usize,
    /// When one ran last.
    pub last_run: Timestamp,
    /// The middle one of all times that a hook took which the agent waited for, in milliseconds.
    pub usual_milliseconds: u64,
    /// What went wrong, the newest first; equal reasons at one event are one entry.
    pub failures: Vec<HookFailure>,
}

/// A reason for which hooks were silent, or could not read everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookFailure {
    /// The event's word.
    pub event: String,
    /// The reason, as a sentence.
    pub reason: String,
    /// How often.
    pub times: usize,
    /// When last.
    pub last: Timestamp,
    /// Whether the hook of this event has worked since, without that reason. Another failure is no sign of it.
    pub over: bool,
}

/// What stands in the log since `since`, one entry an agent, by id.
pub fn hook_reports(runs: &[HookRun], since: Timestamp) -> Vec<HookReport> {
    let mut reports: Vec<HookReport> = Vec::new();
    for run in runs.iter().filter(|run| run.at >= since) {
        let at = reports.iter().position(|report| report.agent == run.agent);
        let report = match at {
            Some(at) => &mut reports[at],
            None => {
                reports.push(HookReport {
                    agent: run.agent.clone(),
                    runs: 0,
                    told: 0,
                    last_run: run.at,
                    usual_milliseconds: 0,
                    failures: Vec::new(),
                });
                reports.last_mut().expect("one was pushed just now")
            }
        };
        report.runs += 1;
        report.told += usize::from(run.outcome == HookOutcome::Told);
        report.last_run = report.last_run.max(run.at);
        for failure in report
            .failures
            .iter_mut()
            .filter(|failure| failure.event == run.event)
        {
            failure.over |= run.outcome != HookOutcome::Failed && !run.reasons.contains(&failure.reason);
        }
        for reason in &run.reasons {
            report.note(run, reason);
        }
    }
    for report in &mut reports {
        report.usual_milliseconds = middle(runs.iter().filter(|run| {
            run.agent == report.agent && run.at >= since && run.outcome != HookOutcome::Exported
        }));
        report
            .failures
            .sort_by_key(|failure| std::cmp::Reverse(failure.last));
    }
    reports.sort_by(|a, b| a.agent.cmp(&b.agent));
    reports
}

/// How far back `ken doctor` and `ken status` look.
pub const REPORTED: SignedDuration = SignedDuration::from_hours(7 * 24);

impl HookReport {
    fn note(&mut self, run: &HookRun, reason: &str) {
        let known = self
            .failures
            .iter_mut()
            .find(|failure| failure.event == run.event && failure.reason == *reason);
        match known {
            Some(failure) => {
                failure.times += 1;
                failure.last = failure.last.max(run.at);
                failure.over = false;
            }
            None => self.failures.push(HookFailure {
                event: run.event.clone(),
                reason: reason.to_owned(),
                times: 1,
                last: run.at,
                over: false,
            }),
        }
    }

    /// What went wrong and has not been well since.
    pub fn open_failures(&self) -> impl Iterator<Item = &HookFailure> {
        self.failures.iter().filter(|failure| !failure.over)
    }
}

fn middle<'r>(runs: impl Iterator<Item = &'r HookRun>) -> u64 {
    let mut times: Vec<u64> = runs.map(|run| run.milliseconds).collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(at: &str, agent: &str, event: &str, milliseconds: u64, reasons: &[&str]) -> HookRun {
        HookRun {
            at: format!("2026-06-{at}:00Z").parse().unwrap(),
            agent: agent.to_owned(),
            event: event.to_owned(),
            outcome: if reasons.is_empty() {
                HookOutcome::Silent
            } else {
                HookOutcome::Failed
            },
            milliseconds,
            tokens: 0,
            reasons: reasons.iter().map(|&reason| reason.to_owned()).collect(),
        }
    }

    #[test]
    fn a_failure_is_over_when_the_same_hook_worked_later() {
        let runs = [
            run("01T10:00", "codex", "prompt", 900, &["too old to be looked at"]),
            run("14T10:00", "codex", "prompt", 20, &["no room"]),
            run("14T11:00", "codex", "prompt", 30, &["no room"]),
            run("14T12:00", "codex", "stop", 10, &["not started"]),
            run("14T13:00", "codex", "prompt", 40, &[]),
            run("14T13:00", "claude-code", "prompt", 7, &[]),
        ];
        let reports = hook_reports(&runs, "2026-06-08T00:00:00Z".parse().unwrap());
        assert_eq!(reports.len(), 2);
        assert_eq!((reports[0].agent.as_str(), reports[0].runs), ("claude-code", 1));
        let codex = &reports[1];
        assert_eq!((codex.runs, codex.usual_milliseconds), (4, 30));
        let failures: Vec<_> = codex
            .failures
            .iter()
            .map(|failure| (failure.reason.as_str(), failure.times, failure.over))
            .collect();
        assert_eq!(failures, [("not started", 1, false), ("no room", 2, true)]);
        assert_eq!(codex.open_failures().count(), 1);
    }

    #[test]
    fn a_failure_that_comes_back_is_open_again() {
        let runs = [
            run("14T10:00", "codex", "prompt", 1, &["no room"]),
            run("14T11:00", "codex", "prompt", 1, &[]),
            run("14T12:00", "codex", "prompt", 1, &["no room"]),
            run("14T13:00", "codex", "prompt", 1, &["no thread"]),
        ];
        let reports = hook_reports(&runs, "2026-06-08T00:00:00Z".parse().unwrap());
        // Another failure is no sign that the first is over.
        assert_eq!(reports[0].open_failures().count(), 2);
        assert_eq!(reports[0].failures[1].times, 2);
    }
}
