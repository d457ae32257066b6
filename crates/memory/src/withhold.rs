//! The no-name-leaks rule over everything that is remembered, in one place.

use std::path::Path;

use ken_dotagent::{Event, Harness};
use ken_library::{AccessLevel, ForbiddenNames};

use crate::Memory;

/// What stands between a text of any kind and the caller: the names that the caller must not read.
///
/// Rows of the library have been through the library's own filter. Events, lessons and edicts have no visibility of
/// their own; whatever is shown of them goes through here, and so does every name that a project's files contribute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen<'a> {
    forbidden: &'a ForbiddenNames,
}

impl<'a> Screen<'a> {
    pub(crate) fn new(forbidden: &'a ForbiddenNames) -> Screen<'a> {
        Screen { forbidden }
    }

    /// Whether everything may be shown, so that nothing need be looked at.
    pub(crate) fn hides_nothing(&self) -> bool {
        self.forbidden.is_empty()
    }

    /// Whether a text may be shown. One that mentions a forbidden name is withheld whole.
    pub(crate) fn allows(&self, text: &str) -> bool {
        !self.forbidden.mentioned_in(text)
    }

    /// Whether all of these may be shown.
    pub(crate) fn allows_all<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        self.forbidden.is_empty() || texts.into_iter().all(|text| self.allows(text))
    }

    /// Whether a label that stands for a thing (a tag, a key, a skill) may be shown: here even a name of one common
    /// word counts.
    pub(crate) fn allows_label(&self, label: &str) -> bool {
        !self.forbidden.in_reference(label)
    }

    /// Whether an event may be shown, counted, or stand for anything in an answer: none of its texts gives a name away,
    /// whether that text is shown itself or not.
    pub(crate) fn allows_event(&self, event: &Event) -> bool {
        if self.forbidden.is_empty() {
            return true;
        }
        let skill = &event.skill_action;
        let supersedes = event.supersedes.as_ref().map(ToString::to_string);
        // `general` is what belongs to no skill.
        let skill = (!skill.is_general()).then_some(skill.as_str());
        let mut labels = skill
            .into_iter()
            .chain(event.source_harness.as_ref().map(Harness::as_str))
            .chain(event.tags.iter().map(String::as_str))
            .chain(supersedes.as_deref())
            .chain(event.client_dedup_key.as_deref());
        labels.all(|label| self.allows_label(label)) && self.allows(&event.content)
    }
}

impl Memory {
    /// Whether edicts and lessons, which are of level team, are within the caller's reach.
    pub(crate) fn reaches_team(&self) -> bool {
        self.setting.caller.level() >= AccessLevel::Team
    }

    /// Where a file stands, as the caller may know it: the whole path on this machine, else the path below the project
    /// or the library, when a folder above bears a forbidden name or the caller is elsewhere.
    pub(crate) fn place_of(&self, path: &Path, screen: Screen<'_>) -> String {
        let whole = path.display().to_string();
        if self.is_local() && screen.allows(&whole) {
            return whole;
        }
        let project = self
            .setting
            .project
            .iter()
            .flat_map(|project| [project.root.as_path(), project.agent_root()]);
        project
            .chain([self.setting.paths.library.as_path()])
            .find_map(|root| path.strip_prefix(root).ok())
            .or_else(|| path.file_name().map(Path::new))
            .map(|below| below.display().to_string())
            .filter(|below| screen.allows(below))
            .unwrap_or_default()
    }

    /// The project's name, where the caller may know it.
    pub(crate) fn project_name(&self, screen: Screen<'_>) -> Option<String> {
        let project = self.setting.project.as_ref()?;
        screen.allows_label(&project.name).then(|| project.name.clone())
    }
}
