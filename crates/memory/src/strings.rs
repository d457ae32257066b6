//! Every string of every answer, so that each answer can be looked through whole before it leaves. A field that is
//! added to an answer does not compile until it stands here.

use ken_secrets::EachString;

use crate::brief::{Brief, Kept, Section, Told};
use crate::dream::{Dreamt, DreamtGroup};
use crate::facts::{Fact, FactChanged, Facts};
use crate::learn::Learned;
use crate::recall::{Hit, Recall};
use crate::recent::{AgentLine, Agents, RecentWork, SessionLine};
use crate::recognise::{Recognised, Recognition, Summary};
use crate::status::{EdictDue, LastWrite, Next, ProjectStatus, Status, Trouble};
use crate::who_knows::{Knower, KnownThing, WhoKnows};

/// The fields that hold strings; behind the semicolon those that hold none, or nothing but what this program made.
macro_rules! strings {
    ($($answer:ident { $($text:ident),* $(; $($other:ident),*)? })*) => {$(
        impl EachString for $answer {
            fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
                let $answer { $($text,)* $($($other: _,)*)? } = self;
                $($text.each_string(visit);)*
            }
        }
    )*};
}

strings! {
    Recall { query, hits, notes; more }
    Hit {
        id, text, when, who, origin, project, place, skill, tags, superseded_by;
        kind, cut, score, factors, copies, past, untrusted
    }
    Recognition { recognised, notes; looked_at, text_bytes }
    Recognised {
        name, types, text, sources, also_known_as, formerly, summaries, status, valid_from, valid_to, last_touched;
        kind, span, times, past
    }
    Summary { agent, text }
    Facts { facts, untrusted, notes; found }
    Fact { id, text, category, tags, confidence, source, key, ttl, place; expires_at, updated }
    FactChanged { outcome, fact, history_id, warnings; expired, redacted }
    WhoKnows { name, things, agents, sessions, notes }
    KnownThing { name, types, agents, summaries, aliases, tags, valid_from, valid_to, last_touched }
    Knower { agent, agent_type, why, last_session }
    SessionLine { agent, date, cwd, project_focus, key_actions, files_touched }
    RecentWork { sessions, since, notes; next_cursor, has_more }
    Agents { agents, notes }
    AgentLine { id, agent_type, instance, role_narrative, capabilities, last_updated }
    Status { project, library, last_writes, stale_agents, edicts_due, troubles, next; counts }
    ProjectStatus { name, root, edicts_file; trusted, carries_memory, agent_folder }
    LastWrite { who, when, what, text }
    Dreamt { wrote, path, groups; events, skipped, lessons, weak }
    DreamtGroup {
        id, text, skill, decision;
        members, recurrence, last_seen, strength, decay, pain, importance, recurred, salience, bm25, score
    }
    EdictDue { id, text, ttl, why, next; when }
    Trouble { place, severity, message }
    Next { command, why }
    Brief { text, sections, untrusted, notes; tokens, left_out, told_before }
    Section { lines; kind, left_out }
    Told { session, agent, project, situation, text; at, tokens }
    Kept { agent, project, request, files; at }
    Learned { content, skill_action, source_harness, place, project; id, timestamp, deduplicated, recurrence, redacted }
}
