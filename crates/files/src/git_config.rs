use std::iter::Peekable;
use std::str::Chars;

/// One `name = value` of a git configuration file, under its section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    /// `remote` of `[remote "origin"]`, in lower case.
    pub(crate) section: String,
    /// `origin` of `[remote "origin"]`, as written.
    pub(crate) subsection: Option<String>,
    /// In lower case.
    pub(crate) name: String,
    /// `None` for a name without `=`, which git reads as true.
    pub(crate) value: Option<String>,
}

impl Variable {
    pub(crate) fn is(&self, section: &str, name: &str) -> bool {
        self.section == section && self.name == name
    }

    /// As git reads a boolean; what is none is false.
    pub(crate) fn is_true(&self) -> bool {
        self.value.as_deref().is_none_or(|value| {
            ["true", "yes", "on", "1"]
                .iter()
                .any(|yes| value.eq_ignore_ascii_case(yes))
        })
    }
}

/// Reads a git configuration file as git does, but passes over what git would refuse. Includes are not followed.
pub(crate) fn variables(text: &str) -> Vec<Variable> {
    let text = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .replace("\r\n", "\n");
    let mut reader = Reader {
        chars: text.chars().peekable(),
    };
    let mut found = Vec::new();
    let mut section = None;
    while let Some(next) = reader.chars.peek().copied() {
        if next.is_whitespace() {
            reader.chars.next();
        } else if next == '[' {
            section = reader.header();
            if section.is_none() {
                reader.skip_line();
            }
        } else if next.is_ascii_alphabetic() {
            let variable = reader.variable();
            if let (Some((name, value)), Some((section, subsection))) = (variable, &section) {
                found.push(Variable {
                    section: String::clone(section),
                    subsection: Option::clone(subsection),
                    name,
                    value,
                });
            }
        } else {
            reader.skip_line();
        }
    }
    found
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.chars.next_if(|c| keep(*c)) {
            taken.push(c);
        }
        taken
    }

    fn skip_blanks(&mut self) {
        self.take_while(is_blank);
    }

    fn skip_line(&mut self) {
        self.take_while(|c| c != '\n');
    }

    /// `[section]`, `[section "subsection"]` or the old `[section.subsection]`, from the bracket on.
    fn header(&mut self) -> Option<(String, Option<String>)> {
        self.chars.next();
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.');
        let name = name.to_ascii_lowercase();
        self.skip_blanks();
        let quoted = self.chars.next_if_eq(&'"').is_some();
        let subsection = if quoted { Some(self.quoted()?) } else { None };
        self.chars.next_if_eq(&']')?;
        match (subsection, name.split_once('.')) {
            (None, Some((section, subsection))) => Some((section.to_owned(), Some(subsection.to_owned()))),
            (subsection, _) => Some((name, subsection)),
        }
    }

    /// The rest of a quoted subsection, closing quote included. A backslash takes the next character as it is.
    fn quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.chars.next_if(|c| *c != '\n')? {
                '"' => return Some(text),
                '\\' => text.push(self.chars.next_if(|c| *c != '\n')?),
                c => text.push(c),
            }
        }
    }

    fn variable(&mut self) -> Option<(String, Option<String>)> {
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '-');
        let name = name.to_ascii_lowercase();
        self.skip_blanks();
        match self.chars.peek() {
            Some('=') => {
                self.chars.next();
                Some((name, Some(self.value())))
            }
            None | Some('\n' | '#' | ';') => {
                self.skip_line();
                Some((name, None))
            }
            Some(_) => {
                self.skip_line();
                None
            }
        }
    }

    /// Everything up to the end of the line that is neither comment nor white space at the ends.
    fn value(&mut self) -> String {
        let mut value = String::new();
        let mut blanks = String::new();
        let mut quoted = false;
        self.skip_blanks();
        while let Some(c) = self.chars.next_if(|c| *c != '\n') {
            let c = match c {
                '"' => {
                    quoted = !quoted;
                    // Quotes keep the blanks before them, also when nothing stands between them.
                    value.push_str(&blanks);
                    blanks.clear();
                    continue;
                }
                '#' | ';' if !quoted => {
                    self.skip_line();
                    break;
                }
                c if is_blank(c) && !quoted => {
                    blanks.push(c);
                    continue;
                }
                '\\' => match self.chars.next() {
                    None => break,
                    Some('\n') => continue,
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('b') => '\u{8}',
                    Some(escaped) => escaped,
                },
                c => c,
            };
            value.push_str(&blanks);
            blanks.clear();
            value.push(c);
        }
        value
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t' || c == '\r'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> String {
        variables(text)
            .into_iter()
            .map(|v| format!("{}|{:?}|{}|{:?}\n", v.section, v.subsection, v.name, v.value))
            .collect()
    }

    #[test]
    fn the_whole_grammar_is_read() {
        let text = r#"
# a comment
[core]
	bare = false ; and one here
	Bare
[remote "or\"ig\\in"] url = "https://h/a b" # one line
[Remote.Old]
	URL = plain  inner	blanks   # trailing
	quoted = " kept "and" ; # "
	long = one\
two \
  three
	escapes = a\tb\\c\"d
	empty =
[branch "main"]
	merge = refs/heads/main
"#;
        insta::assert_snapshot!(read(text), @r#"
        core|None|bare|Some("false")
        core|None|bare|None
        remote|Some("or\"ig\\in")|url|Some("https://h/a b")
        remote|Some("old")|url|Some("plain  inner\tblanks")
        remote|Some("old")|quoted|Some(" kept and ; # ")
        remote|Some("old")|long|Some("onetwo   three")
        remote|Some("old")|escapes|Some("a\tb\\c\"d")
        remote|Some("old")|empty|Some("")
        branch|Some("main")|merge|Some("refs/heads/main")
        "#);
    }

    #[test]
    fn windows_line_ends_and_a_byte_order_mark_do_not_matter() {
        let text = "\u{feff}[remote \"origin\"]\r\n\turl = one\\\r\ntwo\r\n";
        insta::assert_snapshot!(read(text), @r#"remote|Some("origin")|url|Some("onetwo")"#);
    }

    #[test]
    fn what_git_refuses_is_passed_over_and_the_rest_is_read() {
        let text = "stray = 1\n[broken\nlost = 1\n[also \"broken]\nlost = 2\n!!\n[a]\nb c = 1\nd = 2\n=3\n[e \"f\"] g";
        insta::assert_snapshot!(read(text), @r#"
        a|None|d|Some("2")
        e|Some("f")|g|None
        "#);
    }

    #[test]
    fn truth_is_as_git_says_it() {
        let truths = "[a]\nb\nb = yes\nb = On\nb = 1\nb = TRUE\nb = no\nb = 0\nb =\nb = off";
        let read: Vec<bool> = variables(truths).iter().map(Variable::is_true).collect();
        assert_eq!(read, [true, true, true, true, true, false, false, false, false]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_text_is_read_without_panic_or_hang(text in "(\\[|\\]|\"|\\\\|\n|\r|=|#|;| |\\.|[a-z]|ü|\u{0}){0,80}") {
            variables(&text);
        }

        #[test]
        fn what_git_would_write_comes_back(value in "[ -~\t\n]{0,40}", remote in "[ -~]{1,20}") {
            let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
            let quoted = escape(&value).replace('\n', "\\n").replace('\t', "\\t");
            let text = format!("[remote \"{}\"]\n\turl = \"{quoted}\"\n", escape(&remote));
            let found = variables(&text);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(found[0].subsection.as_deref(), Some(remote.as_str()));
            prop_assert_eq!(found[0].value.as_deref(), Some(value.as_str()));
        }
    }
}
