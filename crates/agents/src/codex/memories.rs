//! The agent's own memories, taken apart into pieces that belong to one folder each.

/// A piece of a memory file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The working directory that it is about; `None` when it is about the person, or everything.
    pub(crate) folder: Option<String>,
    /// The session that it was written of.
    pub(crate) thread: Option<String>,
    /// Markdown, with what is known about it in front.
    pub(crate) text: String,
}

/// Headings whose sections only point to other files or list words.
const POINTERS: &[&str] = &["rollout_summary_files", "keywords"];

/// The pieces of a memory file, by its name: `MEMORY.md` is one a `# Task Group`, any other file is one.
pub(crate) fn pieces(name: &str, text: &str) -> Vec<Piece> {
    if name != "MEMORY.md" {
        return vec![summary(text)];
    }
    let mut groups: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("# ") || groups.is_empty() {
            groups.push(String::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push_str(line);
            group.push('\n');
        }
    }
    groups.iter().map(|group| of_group(group)).collect()
}

/// `scope:` and `applies_to: cwd=<folder>; ...` stand below a group's heading.
fn of_group(group: &str) -> Piece {
    let mut folder = None;
    let mut scope = None;
    let mut body = String::new();
    let mut passed_over = false;
    for line in group.lines() {
        if let Some(heading) = line.strip_prefix("##") {
            passed_over = POINTERS.contains(&heading.trim_start_matches('#').trim());
        }
        if let Some(value) = line.strip_prefix("applies_to:") {
            folder = folder.or_else(|| folder_in(value));
        } else if let Some(value) = line.strip_prefix("scope:") {
            scope = scope.or_else(|| Some(value.trim().to_owned()));
        } else if !passed_over {
            body.push_str(line);
            body.push('\n');
        }
    }
    let description = scope.map_or(String::new(), |scope| format!("description: {scope}\n"));
    Piece {
        folder,
        thread: None,
        text: format!("---\n{description}---\n{body}"),
    }
}

/// The summary of one session: `key: value` lines, an empty line, then text. The always loaded summary of everything
/// opens with `v1` and belongs to no folder.
fn summary(text: &str) -> Piece {
    let mut folder = None;
    let mut thread = None;
    let mut head = String::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let Some((key, value)) = line.split_once(':').filter(|(key, _)| is_key(key)) else {
            if line.trim() == "v1" {
                rest = after;
            }
            break;
        };
        match key {
            "thread_id" => thread = Some(value.trim().to_owned()),
            "cwd" => folder = Some(value.trim().to_owned()).filter(|folder| is_folder(folder)),
            "updated_at" => head = format!("modified: {}\n", value.trim()),
            _ => {}
        }
        rest = after;
    }
    Piece {
        folder,
        thread,
        text: format!("---\n{head}---\n{rest}"),
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// The first folder of `cwd=/a; reuse_rule=...` or `cwd=/a and cwd=/b; ...`.
fn folder_in(value: &str) -> Option<String> {
    let (_, after) = value.split_once("cwd=")?;
    let folder = after.split(';').next().unwrap_or(after);
    let folder = folder.split(" and ").next().unwrap_or(folder);
    let folder = folder.split(", ").next().unwrap_or(folder).trim();
    is_folder(folder).then(|| folder.to_owned())
}

fn is_folder(text: &str) -> bool {
    text.starts_with('/')
        || text.starts_with('\\')
        || text.get(1..3).is_some_and(|rest| rest.starts_with(":\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_one_piece_a_group_and_knows_its_folder() {
        let pieces = pieces(
            "MEMORY.md",
            "# Task Group: parser\n\nscope: reading ledgers\napplies_to: cwd=/srv/tide water; reuse_rule=safe\n\n## Task 1: x\n### rollout_summary_files\n- rollout_summaries/a.md\n### keywords\n- a, b\n## Reusable knowledge\n- Files are Latin-1.\n\n# Task Group: all\nscope: habits\napplies_to: cwd=unknown; reuse_rule=any\n## User preferences\n- short answers\n",
        );
        assert_eq!(pieces[0].folder.as_deref(), Some("/srv/tide water"));
        assert_eq!(
            pieces[0].text,
            "---\ndescription: reading ledgers\n---\n# Task Group: parser\n\n\n## Task 1: x\n## Reusable knowledge\n- Files are Latin-1.\n\n"
        );
        assert_eq!((pieces.len(), &pieces[1].folder), (2, &None));
    }

    #[test]
    fn a_session_s_summary_carries_its_day_and_folder() {
        let text = "thread_id: 1\nupdated_at: 2026-11-02T10:00:00+00:00\ncwd: /srv/tidewater\ngit_branch: main\n\n# Title\n\nBody: text\n";
        let piece = &pieces("2026-11-02-a.md", text)[0];
        assert_eq!(piece.folder.as_deref(), Some("/srv/tidewater"));
        assert_eq!(piece.thread.as_deref(), Some("1"));
        assert_eq!(
            piece.text,
            "---\nmodified: 2026-11-02T10:00:00+00:00\n---\n\n# Title\n\nBody: text\n"
        );
        let everything = &pieces("memory_summary.md", "v1\n\n## User Profile\n\nLikes tea.\n")[0];
        assert_eq!(everything.folder, None);
        assert!(everything.text.contains("Likes tea.") && !everything.text.contains("v1"));
    }
}
