//! One question surface over the three contracts: recognise, recall, brief, learn.
//!
//! **Owns** what a question means across edicts, the `.agent` folder and the library: which things a text names, how
//! hits of different kinds are ranked together, what a brief holds and when it is silent, which repositories are
//! trusted, and the rule that no forbidden name leaves in any answer.
//!
//! **May know** the three contract rooms and the ground floor.
//!
//! **Must never know** who prints its answers (a terminal, MCP, a hook), other agents' stores, or the network. It
//! reads no environment: [`Setting`] hands in paths, clock, project and caller.
#![forbid(unsafe_code)]

mod brief;
mod cursor;
mod dream;
mod error;
mod facts;
mod freshness;
mod leaks;
mod learn;
mod memory;
mod names;
mod notes;
mod project;
mod recall;
mod recent;
mod recognise;
mod setting;
mod shown;
mod since;
mod sources;
mod status;
mod strings;
mod trust;
mod untrusted;
mod who_knows;
mod withhold;

pub use brief::{Brief, BriefRequest, InFlight, Section, SectionKind, Situation, Told};
pub use dream::{Dreamt, DreamtGroup};
pub use error::Error;
pub use facts::{Fact, FactChange, FactChanged, FactFields, Facts, FactsRequest};
pub use leaks::{Baseline, Leak, LeakRule, Leaks, LeaksRequest};
pub use learn::{LearnRequest, Learned};
pub use memory::Memory;
pub use project::Project;
pub use recall::{DEFAULT_K, Factors, Hit, Kind, MAX_K, Rank, Recall, RecallRequest};
pub use recent::{AgentLine, Agents, RecentRequest, RecentWork, SessionLine};
pub use recognise::{Recognised, Recognition, Span, Summary, ThingKind};
pub use setting::{Budgets, Setting};
pub use since::since;
pub use status::{Counts, EdictDue, IllWired, LastWrite, Next, ProjectStatus, Status, Surroundings, Trouble};
pub use trust::Trust;
pub use who_knows::{Knower, KnownThing, WhoKnows};
