//! Command lines that start this program, written and recognised.

use std::path::Path;

use ken_library::AccessLevel;

use crate::HookEvent;

/// The programs whose entries in a file are ours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Programs<'a> {
    own: &'a Path,
    /// Those that setup wrote into the file before, whatever they were called.
    wrote: &'a [String],
}

impl<'a> Programs<'a> {
    pub(super) fn new(own: &'a Path, wrote: &'a [String]) -> Programs<'a> {
        Programs { own, wrote }
    }

    fn have(self, word: &str) -> bool {
        let path = Path::new(word);
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy())
            .unwrap_or_default();
        path == self.own || name == "ken" || name == "ken.exe" || self.wrote.iter().any(|wrote| wrote == word)
    }
}

/// What writing an entry of ours anew changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Renewal {
    /// Whether it started another program.
    program: bool,
    /// The access level, where it named another.
    level: Option<String>,
}

impl Renewal {
    /// From what stood there to what is to stand there.
    pub(super) fn new(was: &str, had: Option<&str>, program: &Path, level: Option<&str>) -> Renewal {
        Renewal {
            program: Path::new(was) != program,
            level: level.filter(|_| had != level).map(str::to_owned),
        }
    }

    /// The phrase for it, of `what`.
    pub(super) fn says(&self, what: &str) -> String {
        match (self.program, &self.level) {
            (true, None) => format!("makes {what} start this program"),
            (true, Some(level)) => format!("makes {what} start this program with the access level {level}"),
            (false, Some(level)) => format!("gives {what} the access level {level}"),
            (false, None) => format!("brings {what} up to date"),
        }
    }
}

/// The words by which an agent starts the MCP server.
pub(super) fn serve(program: &Path, agent: &str, access: Option<AccessLevel>) -> Vec<String> {
    let mut words = vec![
        program.to_string_lossy().into_owned(),
        "mcp".to_owned(),
        "--agent".to_owned(),
        agent.to_owned(),
    ];
    if let Some(level) = access {
        words.extend(["--access".to_owned(), level.to_string()]);
    }
    words
}

/// The command line of a hook. It holds no assignment of a variable: some agents skip such a line without a word.
pub(super) fn hook(program: &Path, event: HookEvent, agent: &str, access: Option<&str>) -> String {
    let line = format!(
        "{} hook {event} --agent {agent}",
        quoted(&program.to_string_lossy())
    );
    match access {
        Some(level) => format!("{line} --access {level}"),
        None => line,
    }
}

/// What the words of a server entry start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Served {
    /// This program, as setup writes it for this agent; only the path or the access level may differ.
    Ours {
        /// The access level that the entry names.
        access: Option<String>,
    },
    /// This program, written by somebody else.
    Ken {
        /// The access level that the entry names.
        access: Option<String>,
    },
    /// Another program.
    Other,
}

/// Says what a server entry's words start.
pub(super) fn served(words: &[String], agent: &str, programs: Programs<'_>) -> Served {
    let [first, "mcp", rest @ ..] = &words.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return Served::Other;
    };
    if !programs.have(first) {
        return Served::Other;
    }
    let access = level_in(rest);
    match rest {
        ["--agent", id] | ["--agent", id, "--access", _]
            if *id == agent && Path::new(first).is_absolute() =>
        {
            Served::Ours { access }
        }
        _ => Served::Ken { access },
    }
}

/// What a command line of ours starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OurHook {
    pub(super) program: String,
    /// The access level that it names, if it is one.
    pub(super) access: Option<String>,
}

/// What a command line starts, when it is this hook of ours as setup writes it: to the letter, but for the path and the
/// access level. One with anything more, or written in another way, is a person's.
pub(super) fn our_hook(line: &str, event: HookEvent, agent: &str, programs: Programs<'_>) -> Option<OurHook> {
    let words = split(line)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [first, "hook", _, "--agent", _, rest @ ..] = &words[..] else {
        return None;
    };
    let access = level_in(rest);
    let ours = programs.have(first)
        && Path::new(first).is_absolute()
        && line == hook(Path::new(first), event, agent, access.as_deref());
    ours.then(|| OurHook {
        program: (*first).to_owned(),
        access,
    })
}

/// The access level in a command's arguments.
fn level_in(arguments: &[&str]) -> Option<String> {
    let level = arguments.windows(2).find(|pair| pair[0] == "--access")?[1];
    level.parse::<AccessLevel>().ok().map(|level| level.to_string())
}

/// A text as a shell takes it for one word.
pub(super) fn quoted(text: &str) -> String {
    let plain = !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "/._-+@,".contains(c));
    if plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The words of a simple command line; `None` for one that only a shell can read.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => loop {
                match letters.next()? {
                    '\'' => {
                        word.get_or_insert_default();
                        break;
                    }
                    inner => word.get_or_insert_default().push(inner),
                }
            },
            '"' => loop {
                match letters.next()? {
                    '"' => {
                        word.get_or_insert_default();
                        break;
                    }
                    '\\' => match letters.next()? {
                        inner @ ('"' | '\\' | '$' | '`') => word.get_or_insert_default().push(inner),
                        inner => word.get_or_insert_default().extend(['\\', inner]),
                    },
                    inner => word.get_or_insert_default().push(inner),
                }
            },
            '\\' => {
                let inner = letters.next()?;
                word.get_or_insert_default().push(inner);
            }
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '\n' => return None,
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_one_word_again() {
        for path in [
            "/usr/bin/ken",
            "/a b/ken",
            "/it's/ken",
            "/\"q\"/ken",
            "/$HOME/`x`/ken",
            "/ü/ken",
            "",
        ] {
            let line = format!("{} hook prompt --agent codex", quoted(path));
            let words = split(&line).unwrap();
            assert_eq!(words, [path, "hook", "prompt", "--agent", "codex"]);
        }
        assert_eq!(quoted("/usr/bin/ken"), "/usr/bin/ken");
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
    }

    #[test]
    fn only_our_own_command_lines_are_ours() {
        let wrote = ["/opt/ken-0.1".to_owned()];
        let programs = Programs::new(Path::new("/opt/ken-next"), &wrote);
        let ours = |line: &str| our_hook(line, HookEvent::Prompt, "codex", programs).is_some();
        assert!(ours("/opt/ken-0.1 hook prompt --agent codex"));
        assert!(!ours("/opt/ken-0.2 hook prompt --agent codex"));
        assert!(ours("/usr/bin/ken hook prompt --agent codex"));
        assert!(ours("/opt/ken-next hook prompt --agent codex --access team"));
        assert!(ours("'/a b/ken' hook prompt --agent codex"));
        assert!(!ours("\"/a b/ken\" hook prompt --agent codex"));
        assert!(!ours("/usr/bin/ken hook stop --agent codex"));
        assert!(!ours("ken hook prompt --agent codex"));
        assert!(!ours("/usr/bin/ken hook prompt --agent codex # note"));
        assert!(!ours("/usr/bin/ken hook prompt --agent codex --verbose"));
        assert!(!ours("/usr/bin/ken  hook prompt --agent codex"));
        assert!(!ours("/usr/bin/ken hook prompt --agent codex --access any"));
        assert!(!ours("/usr/bin/ken hook prompt --agent claude-code"));
        assert!(!ours("/usr/bin/kennel hook prompt --agent codex"));
        assert!(!ours("/usr/bin/ken hook prompt --agent codex | tee log"));
        assert!(!ours("ken learn hook --agent codex"));
        assert!(!ours("'/usr/bin/ken hook prompt --agent codex"));
    }

    #[test]
    fn a_server_entry_is_ours_kens_or_anothers() {
        let wrote = ["/opt/ken-0.1".to_owned()];
        let programs = Programs::new(Path::new("/opt/ken"), &wrote);
        let what = |line: &str| served(&split(line).unwrap(), "codex", programs);
        let ours = Served::Ours { access: None };
        assert_eq!(what("/opt/ken-0.1 mcp --agent codex"), ours);
        assert_eq!(what("/opt/ken-0.1 mcp"), Served::Ken { access: None });
        assert_eq!(what("/opt/ken-0.2 mcp --agent codex"), Served::Other);
        assert_eq!(what("/old/ken mcp --agent codex"), Served::Ours { access: None });
        let access = Some("team".to_owned());
        assert_eq!(
            what("/old/ken mcp --agent codex --access team"),
            Served::Ours {
                access: access.clone()
            }
        );
        assert_eq!(what("ken mcp"), Served::Ken { access: None });
        assert_eq!(what("ken mcp --agent codex"), Served::Ken { access: None });
        assert_eq!(what("/opt/ken mcp --access team"), Served::Ken { access });
        assert_eq!(what("npx ken mcp"), Served::Other);
        assert_eq!(what("ken"), Served::Other);
    }
}
