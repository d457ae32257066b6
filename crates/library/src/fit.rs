//! Keeping a manifest within the schema's bounds, so that one long text or one row too many never costs the whole.

use std::collections::HashSet;

use jiff::civil::Date;
use serde::Serialize;

use crate::model::{Manifest, Row};
use crate::tree::{Node, Value};
use crate::yaml_write::row_sizes;

/// Sessions that a manifest may hold.
pub const MAX_SESSIONS: usize = 500;
/// Entities that a manifest may hold.
pub const MAX_ENTITIES: usize = 1_000;
/// Workstreams that a manifest may hold.
pub const MAX_WORKSTREAMS: usize = 200;
/// Notes that a manifest may hold.
pub const MAX_NOTES: usize = 1_000;

/// What was cut or left out. Everything at zero: nothing was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Fitted {
    /// Sessions left out, the oldest.
    pub sessions: usize,
    /// Entities left out, those untouched for longest.
    pub entities: usize,
    /// Workstreams left out, those untouched for longest.
    pub workstreams: usize,
    /// Notes left out, the oldest.
    pub notes: usize,
    /// Rows left out because nothing of their name but a redaction mark was left, or none at all.
    pub nameless: usize,
    /// Items left out of lists within rows: aliases, key actions, files, references, capabilities.
    pub items: usize,
    /// Texts that were cut to their longest allowed length.
    pub texts: usize,
}

impl Fitted {
    /// Whether nothing was cut or left out.
    pub fn is_nothing(&self) -> bool {
        *self == Fitted::default()
    }
}

/// Brings a manifest within the bounds.
pub(crate) fn fit(manifest: &mut Manifest) -> Fitted {
    let mut fitted = Fitted::default();
    let named = |name: &str| !name.trim().is_empty() && !is_redaction_mark(name);
    let before = manifest.entities.len() + manifest.workstreams.len();
    manifest.entities.retain(|row| named(&row.name));
    manifest.workstreams.retain(|row| named(&row.name));
    fitted.nameless = before - manifest.entities.len() - manifest.workstreams.len();

    fitted.sessions = keep_newest(&mut manifest.sessions, MAX_SESSIONS, |row| row.date);
    fitted.entities = keep_newest(&mut manifest.entities, MAX_ENTITIES, |row| row.last_touched);
    fitted.workstreams = keep_newest(&mut manifest.workstreams, MAX_WORKSTREAMS, |row| row.last_touched);
    fitted.notes = keep_newest(&mut manifest.notes, MAX_NOTES, |row| row.date);

    let mut cut = Cut(&mut fitted);
    let mut seen = HashSet::new();
    cut.items(&mut manifest.capabilities, |word| {
        word.chars().count() <= 64 && seen.insert(word.to_owned())
    });
    cut.first(&mut manifest.capabilities, 64);
    cut.text(manifest.agent.instance.as_mut(), 128);
    cut.text(manifest.agent.role_narrative.as_mut(), 500);
    for row in &mut manifest.sessions {
        // Half a path would be another path.
        if row.cwd.as_ref().is_some_and(|cwd| cwd.chars().count() > 512) {
            row.cwd = None;
            cut.0.texts += 1;
        }
        cut.last(&mut row.key_actions, 10);
        row.key_actions
            .iter_mut()
            .for_each(|action| cut.text(Some(action), 256));
        cut.last(&mut row.files_touched, 50);
    }
    for row in &mut manifest.entities {
        cut.text(Some(&mut row.name), 128);
        cut.text(row.kind.as_mut(), 64);
        cut.items(&mut row.aliases, |alias| !is_redaction_mark(alias));
        cut.last(&mut row.aliases, 16);
        cut.text(row.summary.as_mut(), 2_000);
    }
    for row in &mut manifest.workstreams {
        cut.text(Some(&mut row.name), 128);
        cut.text(row.summary.as_mut(), 2_000);
        cut.last(&mut row.related_entities, 32);
    }
    for row in &mut manifest.notes {
        cut.text(Some(&mut row.text), 4_000);
        cut.last(&mut row.related_entities, 16);
    }
    one_key_each(manifest);
    fitted
}

/// Leaves out the oldest rows of whatever takes most room until `excess` bytes are gone, so that what is written can be
/// read again.
pub(crate) fn shed(manifest: &mut Manifest, excess: usize, fitted: &mut Fitted) {
    let sizes = row_sizes(manifest);
    let mut left = sizes.each_ref().map(|rows| rows.iter().sum::<usize>());
    let mut order = [
        oldest_first(&manifest.sessions, |row| row.date),
        oldest_first(&manifest.entities, |row| row.last_touched),
        oldest_first(&manifest.workstreams, |row| row.last_touched),
        oldest_first(&manifest.notes, |row| row.date),
    ]
    .map(Vec::into_iter);
    let mut gone: [HashSet<usize>; 4] = Default::default();
    let mut shed = 0;
    while shed < excess {
        let largest = (0..4).max_by_key(|section| left[*section]).unwrap_or_default();
        let Some(row) = order[largest].next() else {
            break;
        };
        let size = sizes[largest][row];
        left[largest] -= size;
        shed += size;
        gone[largest].insert(row);
    }
    let [sessions, entities, workstreams, notes] = gone;
    fitted.sessions += leave_out(&mut manifest.sessions, &sessions);
    fitted.entities += leave_out(&mut manifest.entities, &entities);
    fitted.workstreams += leave_out(&mut manifest.workstreams, &workstreams);
    fitted.notes += leave_out(&mut manifest.notes, &notes);
}

/// Redaction may make two unknown keys the same.
fn one_key_each(manifest: &mut Manifest) {
    fn node(value: &mut Node) {
        match &mut value.value {
            Value::Scalar(_) => {}
            Value::List(items) => items.iter_mut().for_each(node),
            Value::Map(entries) => {
                let mut seen = HashSet::new();
                entries.retain(|entry| seen.insert(entry.key.text.clone()));
                entries.iter_mut().for_each(|entry| node(&mut entry.node));
            }
        }
    }
    fn rows<T: Row>(rows: &mut [T]) {
        rows.iter_mut().for_each(|row| extra(row.extra_mut()));
    }
    fn extra(extra: &mut crate::Extra) {
        let mut seen = HashSet::new();
        extra.retain(|entry| seen.insert(entry.key.text.clone()));
        extra.each_node(node);
    }
    extra(&mut manifest.extra);
    extra(&mut manifest.agent.extra);
    if let Some(policy) = &mut manifest.visibility_policy {
        extra(&mut policy.extra);
    }
    rows(&mut manifest.sessions);
    rows(&mut manifest.entities);
    rows(&mut manifest.workstreams);
    rows(&mut manifest.notes);
}

/// Whether nothing but a redaction mark stands here: that is no name of anything.
fn is_redaction_mark(text: &str) -> bool {
    text.trim()
        .strip_prefix("[redacted:")
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|kind| !kind.contains(['[', ']']))
}

/// Leaves the newest `most` rows in their order; of rows of one day the later ones in the file. Undated rows are oldest.
fn keep_newest<T>(rows: &mut Vec<T>, most: usize, date: impl Fn(&T) -> Option<Date>) -> usize {
    let excess = rows.len().saturating_sub(most);
    if excess == 0 {
        return 0;
    }
    let oldest = oldest_first(rows, date).into_iter().take(excess).collect();
    leave_out(rows, &oldest)
}

/// Undated rows first, then by day, then as they stand in the file.
fn oldest_first<T>(rows: &[T], date: impl Fn(&T) -> Option<Date>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|index| (date(&rows[*index]), *index));
    order
}

fn leave_out<T>(rows: &mut Vec<T>, gone: &HashSet<usize>) -> usize {
    let mut index = 0;
    rows.retain(|_| {
        index += 1;
        !gone.contains(&(index - 1))
    });
    gone.len()
}

struct Cut<'a>(&'a mut Fitted);

impl Cut<'_> {
    fn items(&mut self, list: &mut Vec<String>, keep: impl FnMut(&str) -> bool) {
        let before = list.len();
        let mut keep = keep;
        list.retain(|item| keep(item));
        self.0.items += before - list.len();
    }

    /// Lists grow at their end: the last items are the newest.
    fn last(&mut self, list: &mut Vec<String>, most: usize) {
        let excess = list.len().saturating_sub(most);
        list.drain(..excess);
        self.0.items += excess;
    }

    fn first(&mut self, list: &mut Vec<String>, most: usize) {
        self.0.items += list.len().saturating_sub(most);
        list.truncate(most);
    }

    fn text(&mut self, text: Option<&mut String>, most: usize) {
        let Some(text) = text else {
            return;
        };
        if let Some((at, _)) = text.char_indices().nth(most) {
            let ellipsis = text.char_indices().nth(most - 1).map_or(at, |(at, _)| at);
            text.truncate(ellipsis);
            text.truncate(text.trim_end().len());
            text.push('…');
            self.0.texts += 1;
        }
    }
}
