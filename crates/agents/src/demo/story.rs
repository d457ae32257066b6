//! What stories are told in: projects, days, turns.

use jiff::Timestamp;
use jiff::civil::{Date, time};
use ken_files::Clock;

/// A project of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Takes payments: Rust.
    Pay,
    /// The booking page: TypeScript.
    Web,
    /// Brings both to the servers: Python.
    Gangplank,
    /// A folder of the home that is nobody else's business.
    Allotment,
}

impl Place {
    /// Its folder below the home.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Place::Pay => "code/brinepay",
            Place::Web => "code/brine-web",
            Place::Gangplank => "code/gangplank",
            Place::Allotment => "allotment-plan",
        }
    }

    /// What it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Place::Pay => "brinepay",
            Place::Web => "brine-web",
            Place::Gangplank => "gangplank",
            Place::Allotment => "allotment-plan",
        }
    }
}

/// A session with an agent.
pub(super) struct Talk {
    /// How many days ago, at least one.
    pub(super) ago: i32,
    /// The hour and minute at which it began, local.
    pub(super) at: (i8, i8),
    pub(super) place: Place,
    /// The branch; empty outside of a repository.
    pub(super) branch: &'static str,
    pub(super) turns: &'static [Turn],
}

/// Something that was said or done.
pub(super) enum Turn {
    /// The person asked.
    Asks(&'static str),
    /// The person showed a picture and asked.
    Shows(&'static str),
    /// The agent thought, to itself.
    Thinks(&'static str),
    /// The agent said.
    Says(&'static str),
    /// The agent read a file, and this is what stood in it.
    Reads(&'static str, &'static str),
    /// The agent wrote to a file.
    Edits(&'static str),
    /// The agent ran a command, and this came out.
    Runs(&'static str, &'static str),
    /// The agent's task list, and how many of its first tasks are done.
    Tasks(&'static [&'static str], usize),
    /// A helper of the agent's was sent to do something, and wrote to these files.
    Sends(&'static str, &'static [&'static str]),
    /// The person stopped the agent.
    Interrupts,
}

/// The month before the clock's day.
pub(super) struct Calendar {
    clock: Clock,
    today: Date,
}

impl Calendar {
    pub(super) fn new(clock: &Clock) -> Calendar {
        Calendar {
            today: clock.today(),
            clock: clock.clone(),
        }
    }

    /// The local day so many days ago.
    pub(super) fn day(&self, ago: i32) -> Date {
        self.today.saturating_sub(jiff::Span::new().days(ago))
    }

    /// An instant of that day; times that a change of the clocks skips are moved as the zone's rules say.
    pub(super) fn instant(&self, ago: i32, hour: i8, minute: i8) -> Timestamp {
        let local = self.day(ago).to_datetime(time(hour, minute, 0, 0));
        local
            .to_zoned_datetime(self.clock.zone().clone())
            .map_or_else(|_| self.clock.now(), |zoned| zoned.timestamp())
    }

    /// A clock that stands at that instant.
    pub(super) fn clock_at(&self, ago: i32, hour: i8, minute: i8) -> Clock {
        Clock::pinned(self.instant(ago, hour, minute), self.clock.zone().clone())
    }

    /// A text in which `{12}` stands for the day twelve days ago.
    pub(super) fn dated(&self, text: &str) -> String {
        let mut dated = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            dated.push_str(before);
            let ago = after
                .split_once('}')
                .and_then(|(ago, behind)| Some((ago.parse().ok()?, behind)));
            match ago {
                Some((ago, behind)) => {
                    dated.push_str(&self.day(ago).to_string());
                    rest = behind;
                }
                None => {
                    dated.push('{');
                    rest = after;
                }
            }
        }
        dated + rest
    }
}
