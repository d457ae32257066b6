//! What the questions read: each contract's files, read when they are needed and again when they changed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::civil::Date;
use ken_dotagent::{EventIndex, Folder, Lesson, Log, Salience};
use ken_edicts::{Edict, Edicts, FILE_NAMES, Store};
use ken_library::{Library, Loaded, View};

use crate::brief::Subjects;
use crate::freshness::{Kept, Stamp, hold};
use crate::names::Names;
use crate::withhold::Screen;
use crate::{Error, Memory, Project, Trouble};

/// What was read, kept as long as the files look the same.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    library: Kept<LibraryRead>,
    edicts: Kept<EdictsRead>,
    lessons: Kept<LessonsRead>,
    /// Whether the project is trusted.
    pub(crate) trusted: Kept<bool>,
    events: Mutex<Option<EventsRead>>,
    pub(crate) names: Mutex<Option<Arc<Names>>>,
    pub(crate) subjects: Subjects,
    /// What stands for files that are not there or not trusted: always the same, so that what was made of it is kept.
    pub(crate) no_edicts: Arc<EdictsRead>,
    pub(crate) no_lessons: Arc<LessonsRead>,
}

/// The library as this caller may see it.
#[derive(Debug)]
pub(crate) struct LibraryRead {
    pub(crate) view: View,
    pub(crate) loaded: Loaded,
    pub(crate) troubles: Vec<Trouble>,
}

/// The edicts of the project.
#[derive(Debug, Default)]
pub(crate) struct EdictsRead {
    /// Where the file is, if there is one.
    pub(crate) path: Option<PathBuf>,
    /// What is in force: the file, or its last good copy when it is broken.
    pub(crate) edicts: Option<Edicts>,
    /// Why the file itself is not in force.
    pub(crate) broken: Option<String>,
    pub(crate) troubles: Vec<Trouble>,
}

/// The lessons of the project.
#[derive(Debug, Default)]
pub(crate) struct LessonsRead {
    pub(crate) path: PathBuf,
    pub(crate) lessons: Vec<Lesson>,
    pub(crate) troubles: Vec<Trouble>,
}

/// The log of the project, to be searched.
#[derive(Debug)]
struct EventsRead {
    folder: Folder,
    index: EventIndex,
}

/// The log of the project while a question looks at it.
pub(crate) struct Events<'m> {
    kept: MutexGuard<'m, Option<EventsRead>>,
}

impl Events<'_> {
    fn read(&self) -> &EventsRead {
        self.kept
            .as_ref()
            .expect("a log is kept whenever one is handed out")
    }

    pub(crate) fn index(&self) -> &EventIndex {
        &self.read().index
    }

    /// Where the log stands.
    pub(crate) fn path(&self) -> PathBuf {
        self.read().folder.log_path()
    }
}

impl LibraryRead {
    pub(crate) fn screen(&self) -> Screen<'_> {
        Screen::new(self.view.forbidden())
    }
}

impl Memory {
    /// The library, as it is now.
    pub(crate) fn library(&self) -> Arc<LibraryRead> {
        let folder = &self.setting.paths.library;
        let stamp = || Stamp::of_folder(&folder.join("agents"), ".yaml");
        self.sources.library.get_again(stamp, || {
            let (loaded, mut troubles) = match Library::open(folder).load() {
                Ok(loaded) => (loaded, Vec::new()),
                Err(error) => (Loaded::default(), vec![Trouble::error_at(folder, &error)]),
            };
            troubles.extend(
                loaded
                    .failures
                    .iter()
                    .map(|failure| Trouble::error_at(&failure.path, &failure.error)),
            );
            LibraryRead {
                view: loaded.view(&self.setting.caller),
                loaded,
                troubles,
            }
        })
    }

    /// The edicts of the project, as they are now; nothing outside a project.
    pub(crate) fn edicts(&self) -> Arc<EdictsRead> {
        let Some(project) = &self.setting.project else {
            return Arc::clone(&self.sources.no_edicts);
        };
        let folders: Vec<&Path> = edict_folders(project).collect();
        let files = folders
            .iter()
            .flat_map(|folder| FILE_NAMES.iter().map(|name| folder.join(name)));
        self.sources
            .edicts
            .get(Stamp::of(files), || self.read_edicts(project))
    }

    /// The lessons of the project, as they are now; none outside a project.
    pub(crate) fn lessons(&self) -> Arc<LessonsRead> {
        let Some(project) = &self.setting.project else {
            return Arc::clone(&self.sources.no_lessons);
        };
        let path = project.agent_root().join(".agent/semantic/LESSONS.md");
        self.sources.lessons.get(Stamp::of([path.clone()]), || {
            let read = self
                .folder()
                .and_then(|folder| folder.map(|folder| folder.lessons()).transpose());
            match read {
                Ok(lessons) => LessonsRead {
                    path,
                    lessons: lessons.unwrap_or_default(),
                    troubles: Vec::new(),
                },
                Err(error) => LessonsRead {
                    troubles: vec![Trouble::error_at(&path, &error)],
                    path,
                    lessons: Vec::new(),
                },
            }
        })
    }

    /// The `.agent` folder of the project, when it has one.
    pub(crate) fn folder(&self) -> Result<Option<Folder>, ken_dotagent::Error> {
        match &self.setting.project {
            Some(project) => Folder::open(project.agent_root()),
            None => Ok(None),
        }
    }

    /// The log of the project, as it is now, to be searched; `None` outside a project and without an `.agent` folder.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn events(&self) -> Result<Option<Events<'_>>, Error> {
        self.events_by(|index, folder| index.refresh(folder).map(|_| ()))
    }

    /// As [`Memory::events`], with every event in memory: for a log that is edited all the time.
    pub(crate) fn events_in_memory(&self) -> Result<Option<Events<'_>>, Error> {
        self.events_by(|index, folder| {
            *index = EventIndex::of(folder.read()?);
            Ok(())
        })
    }

    fn events_by(
        &self,
        read: impl FnOnce(&mut EventIndex, &Folder) -> Result<(), ken_dotagent::Error>,
    ) -> Result<Option<Events<'_>>, Error> {
        let Some(folder) = self.folder()? else {
            return Ok(None);
        };
        let mut kept = hold(&self.sources.events);
        if kept
            .as_ref()
            .is_none_or(|read| read.folder.root() != folder.root())
        {
            *kept = Some(EventsRead {
                folder,
                index: EventIndex::default(),
            });
        }
        if let Some(kept) = kept.as_mut() {
            read(&mut kept.index, &kept.folder)?;
        }
        Ok(Some(Events { kept }))
    }

    /// Every event of the project's log, and where it stands; `None` outside a project and without an `.agent` folder.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn log(&self) -> Result<Option<(Log, PathBuf)>, Error> {
        let Some(folder) = self.folder()? else {
            return Ok(None);
        };
        Ok(Some((folder.read()?, folder.log_path())))
    }

    /// The edicts in force that the caller may see, in the order in which they are shown.
    pub(crate) fn edicts_for<'r>(&self, read: &'r EdictsRead, screen: Screen<'_>) -> Vec<&'r Edict> {
        if !self.reaches_team() {
            return Vec::new();
        }
        let now = self.setting.clock.now();
        let mut edicts: Vec<&Edict> = read
            .edicts
            .iter()
            .flat_map(|edicts| edicts.in_force(now))
            .filter(|edict| allows_edict(screen, edict))
            .collect();
        ken_edicts::order(&mut edicts);
        edicts
    }

    /// The lessons that the caller may see, those that weigh most now first.
    pub(crate) fn lessons_for<'r>(&self, read: &'r LessonsRead, screen: Screen<'_>) -> Vec<&'r Lesson> {
        if !self.reaches_team() {
            return Vec::new();
        }
        let today = self.setting.clock.today();
        let mut lessons: Vec<&Lesson> = read
            .lessons
            .iter()
            .filter(|lesson| allows_lesson(screen, lesson))
            .collect();
        lessons.sort_by(|a, b| weight(b, today).total_cmp(&weight(a, today)));
        lessons
    }

    /// The project's edicts file, and the folder that it must not leave by a link.
    pub(crate) fn edicts_place<'p>(
        &self,
        project: &'p Project,
    ) -> Result<Option<(PathBuf, &'p Path)>, ken_edicts::Error> {
        edict_starts(project)
            .find_map(|(start, ceiling)| {
                let found = ken_edicts::locate(start, Some(ceiling)).transpose()?;
                Some(found.map(|path| (path, ceiling)))
            })
            .transpose()
    }

    fn read_edicts(&self, project: &Project) -> EdictsRead {
        let (path, root) = match self.edicts_place(project) {
            Ok(Some(found)) => found,
            Ok(None) => return EdictsRead::default(),
            Err(error) => {
                return EdictsRead {
                    broken: Some(error.to_string()),
                    troubles: vec![Trouble::error_at(&project.root, &error)],
                    ..EdictsRead::default()
                };
            }
        };
        let store = Store::new(&path, Some(self.setting.paths.state.clone())).within(root);
        match store.standing(&self.setting.clock) {
            Ok(standing) => {
                let mut troubles: Vec<Trouble> =
                    standing.edicts.findings.iter().map(Trouble::of_edicts).collect();
                let broken = standing.problem.map(|problem| {
                    let said = format!("{problem}; until then its last good copy is in force");
                    troubles.push(Trouble::error_at(&path, &said));
                    problem.to_string()
                });
                EdictsRead {
                    path: Some(path),
                    edicts: Some(standing.edicts),
                    broken,
                    troubles,
                }
            }
            // It was there a moment ago.
            Err(ken_edicts::Error::NoFile { .. }) => EdictsRead::default(),
            Err(error) => EdictsRead {
                broken: Some(error.to_string()),
                troubles: vec![Trouble::error_at(&path, &error)],
                path: Some(path),
                edicts: None,
            },
        }
    }
}

/// What a lesson weighs now, by the line of facts below it: the contract's salience, its importance left aside because
/// the line does not hold it. A lesson without such a line weighs nothing and keeps its place behind the others.
fn weight(lesson: &Lesson, today: Date) -> f64 {
    const FULL: f64 = 10.0;
    lesson.facts.as_ref().map_or(0.0, |facts| {
        let age = today.since(facts.last_seen).map_or(0, |age| age.get_days());
        Salience::new(f64::from(age), facts.pain, FULL, facts.recurrence).value
    })
}

/// Whether an edict may be shown: its text and everything that is shown with it.
pub(crate) fn allows_edict(screen: Screen<'_>, edict: &Edict) -> bool {
    screen.allows_all([edict.text.as_str(), edict.source.as_str()])
        && edict.key.iter().all(|key| screen.allows_label(key))
        && screen.allows_label(edict.id.as_str())
        && screen.allows_label(edict.category.as_str())
        && edict.tags.iter().all(|tag| screen.allows_label(tag.as_str()))
}

/// Whether a lesson may be shown.
pub(crate) fn allows_lesson(screen: Screen<'_>, lesson: &Lesson) -> bool {
    let mut harnesses = lesson.facts.iter().flat_map(|facts| &facts.harnesses);
    screen.allows(&lesson.text)
        && screen.allows_label(&lesson.skill)
        && harnesses.all(|harness| screen.allows_label(harness.as_str()))
}

/// Where the search for an edicts file starts and ends: from where one stands up to the work tree's root; then, for a
/// linked work tree whose checkout has none, the main work tree.
fn edict_starts(project: &Project) -> impl Iterator<Item = (&Path, &Path)> {
    std::iter::once((project.start.as_path(), project.root.as_path()))
        .chain(project.main.iter().map(|main| (main.as_path(), main.as_path())))
}

fn edict_folders(project: &Project) -> impl Iterator<Item = &Path> {
    edict_starts(project).flat_map(|(start, ceiling)| {
        start
            .ancestors()
            .take_while(move |folder| folder.starts_with(ceiling))
    })
}
