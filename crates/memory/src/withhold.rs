//! The no-name-leaks rule over everything that is remembered, in one place.

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
}

impl Memory {
    /// Whether edicts and lessons, which are of level team, are within the caller's reach.
    pub(crate) fn reaches_team(&self) -> bool {
        self.setting.caller.level() >= AccessLevel::Team
    }
}
