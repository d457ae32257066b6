//! Fencing: text of a memory made safe to stand in a prompt. Nothing in it can close the block it stands in, start a
//! heading, or pose as the system, the user or another section.

/// Makes `text` one line that cannot leave its fence: white space to single spaces, control and bidirectional
/// characters dropped, back-tick runs, HTML comments, markdown headings and tags of chat templates defused.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A block of a prompt with a title and where its text comes from.
#[derive(Debug, Clone)]
pub struct Section {
    open: String,
    lines: Vec<String>,
}

/// The line that closes a [`Section`].
pub const CLOSE: &str = "</kenning>";

impl Section {
    /// An empty block: `title` says what it holds, `source` where that comes from.
    pub fn new(title: &str, source: &str) -> Section {
        Section {
            open: format!(
                "<kenning title=\"{}\" source=\"{}\">",
                one_line(title),
                one_line(source)
            ),
            lines: Vec::new(),
        }
    }

    /// Adds a text as one line.
    pub fn line(mut self, text: &str) -> Section {
        self.lines.push(format!("- {}", one_line(text)));
        self
    }

    /// Whether it has no line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The block, with a line break after its end; empty when it has no line.
    pub fn finish(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        format!("{}\n{}\n{CLOSE}\n", self.open, self.lines.join("\n"))
    }
}
