//! What a project says of itself: the first sentence of its README, and the name of its package.

use std::path::Path;

use super::request::{cut, one_line};

/// Files of a project are read as far as this.
const LIMIT: u64 = 256 * 1024;
/// Longest first sentence.
const MAX_SENTENCE: usize = 300;

const READMES: &[&str] = &[
    "README.md",
    "README",
    "readme.md",
    "Readme.md",
    "README.markdown",
    "README.rst",
    "README.txt",
];

/// The first sentence of prose in the project's README; `None` when there is none.
pub(crate) fn first_sentence(root: &Path) -> Option<String> {
    READMES
        .iter()
        .find_map(|name| own_file(&root.join(name)))
        .and_then(|text| sentence_of(&text))
}

/// The name that the project's package has, by its manifest.
pub(crate) fn package_name(root: &Path) -> Option<String> {
    let name = cargo(root).or_else(|| npm(root)).or_else(|| python(root))?;
    let name = name.trim().to_owned();
    (!name.is_empty() && name.len() <= 128 && !name.contains(char::is_whitespace)).then_some(name)
}

fn cargo(root: &Path) -> Option<String> {
    let manifest: toml::Table = own_file(&root.join("Cargo.toml"))?.parse().ok()?;
    Some(manifest.get("package")?.get("name")?.as_str()?.to_owned())
}

fn npm(root: &Path) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(&own_file(&root.join("package.json"))?).ok()?;
    Some(manifest.get("name")?.as_str()?.to_owned())
}

fn python(root: &Path) -> Option<String> {
    let manifest: toml::Table = own_file(&root.join("pyproject.toml"))?.parse().ok()?;
    let project = manifest
        .get("project")
        .or_else(|| manifest.get("tool")?.get("poetry"))?;
    Some(project.get("name")?.as_str()?.to_owned())
}

/// A regular file's text; links are not followed, since a repository may point them anywhere.
fn own_file(path: &Path) -> Option<String> {
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let bytes = ken_files::read_bounded(path, LIMIT).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first sentence of the first paragraph of prose.
pub(crate) fn sentence_of(markdown: &str) -> Option<String> {
    let mut paragraph = String::new();
    let mut fenced = false;
    let body = without_frontmatter(markdown);
    let mut lines = body.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        let underlined = lines
            .peek()
            .is_some_and(|next| next.len() >= 3 && next.trim().chars().all(|c| matches!(c, '=' | '-' | '~')));
        if fenced || is_furniture(line) || underlined && paragraph.is_empty() {
            if paragraph.is_empty() {
                continue;
            }
            break;
        }
        if line.is_empty() {
            if paragraph.is_empty() {
                continue;
            }
            break;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line.trim_start_matches('>').trim_start());
    }
    let prose = one_line(&without_markup(&paragraph));
    let sentence = &prose[..sentence_end(&prose)];
    (sentence.split(' ').count() >= 3).then(|| cut(sentence, MAX_SENTENCE))
}

/// Headings, rules, lists, tables, pictures, badges and raw HTML are not prose.
fn is_furniture(line: &str) -> bool {
    let rule = line.len() >= 3
        && line
            .chars()
            .all(|c| matches!(c, '-' | '=' | '*' | '_' | '~' | ' '));
    rule || ["#", "![", "[![", "<", "|", "- ", "* ", "+ ", "[//]", "..", ":"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The text behind a YAML block at the top.
pub(crate) fn without_frontmatter(markdown: &str) -> &str {
    let markdown = markdown.trim_start_matches('\u{feff}');
    let Some(rest) = markdown
        .strip_prefix("---\n")
        .or_else(|| markdown.strip_prefix("---\r\n"))
    else {
        return markdown;
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" {
            return &rest[at..];
        }
    }
    markdown
}

/// Links become their text, emphasis and code marks go.
pub(crate) fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, link) = rest.split_at(at);
        plain.push_str(before.trim_end_matches('!'));
        let linked = link.find("](").and_then(|close| {
            let end = link[close..].find(')')?;
            Some((&link[1..close], &link[close + end + 1..]))
        });
        match linked {
            Some((label, after)) if !label.contains('\n') => {
                plain.push_str(label);
                rest = after;
            }
            _ => {
                plain.push('[');
                rest = &link[1..];
            }
        }
    }
    plain.push_str(rest);
    plain.replace("**", "").replace("__", "").replace('`', "")
}

/// Where the first sentence ends: after a full stop that is followed by white space and a capital or nothing.
fn sentence_end(text: &str) -> usize {
    let mut marks = text
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'));
    marks
        .find(|(at, mark)| {
            let after = &text[at + mark.len_utf8()..];
            let before = text[..*at].rsplit(' ').next().unwrap_or_default();
            let abbreviation =
                before.len() <= 1 || before.contains('.') || matches!(before, "etc" | "vs" | "cf");
            let next = after.trim_start().chars().next();
            let broken = after.is_empty() || after.starts_with(char::is_whitespace) || mark.len_utf8() > 1;
            broken && (*mark != '.' || !abbreviation) && next.is_none_or(|c| !c.is_lowercase())
        })
        .map_or(text.len(), |(at, mark)| at + mark.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_prose() {
        let readme = "<p align=center><img src=x></p>\n\n# Tidewater\n\n[![ci](https://x/y.svg)](https://x)\n\n\
            > **Tidewater** moves [money](https://x/y) between\n> ledgers, e.g. at night. It is fast.\n\n## Use\n";
        assert_eq!(
            sentence_of(readme).as_deref(),
            Some("Tidewater moves money between ledgers, e.g. at night.")
        );
        assert_eq!(
            sentence_of("Title\n=====\n\nParses v1.2 files for you"),
            Some("Parses v1.2 files for you".into())
        );
        assert_eq!(sentence_of("---\nname: x\n---\n# A\n\n- list\n"), None);
        assert_eq!(sentence_of("Soon."), None);
    }

    #[test]
    fn the_package_is_named_by_its_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("pyproject.toml", "[tool.poetry]\nname = \"tide-py\"\n");
        assert_eq!(package_name(folder.path()).as_deref(), Some("tide-py"));
        write(
            "package.json",
            "{\"name\": \"@tide/web\", \"version\": \"1.0.0\"}",
        );
        assert_eq!(package_name(folder.path()).as_deref(), Some("@tide/web"));
        write("Cargo.toml", "[workspace]\nmembers = []\n");
        assert_eq!(package_name(folder.path()).as_deref(), Some("@tide/web"));
        write("Cargo.toml", "[package]\nname = \"tidewater\"\n");
        assert_eq!(package_name(folder.path()).as_deref(), Some("tidewater"));
    }

    #[cfg(unix)]
    #[test]
    fn a_readme_that_is_a_link_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret.txt"), "A file from somewhere else.").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret.txt"), folder.path().join("README.md"))
            .unwrap();
        assert_eq!(first_sentence(folder.path()), None);
    }
}
