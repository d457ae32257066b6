//! One line of a transcript, as far as it is of interest.
//!
//! What is not named here (thinking, images, tool results, token counts) is passed over.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, SeqAccess};

use crate::lenient::{ArrayShape, Shape, Text, flag, object, objects, shaped, text};

/// A line of a transcript.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Record<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(crate) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) cwd: Text<'a>,
    #[serde(rename = "sessionId", borrow, deserialize_with = "text")]
    pub(crate) session: Text<'a>,
    #[serde(rename = "gitBranch", borrow, deserialize_with = "text")]
    pub(crate) branch: Text<'a>,
    #[serde(rename = "isMeta", deserialize_with = "flag")]
    pub(crate) is_meta: bool,
    #[serde(rename = "isCompactSummary", deserialize_with = "flag")]
    pub(crate) is_compact_summary: bool,
    #[serde(rename = "isSidechain", deserialize_with = "flag")]
    pub(crate) is_sidechain: bool,
    #[serde(borrow, deserialize_with = "object")]
    pub(crate) message: Option<Message<'a>>,
}

/// What was said or done.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Message<'a> {
    #[serde(borrow)]
    pub(crate) content: Content<'a>,
}

/// A message's content: plain text, or blocks.
#[derive(Debug, Default)]
pub(crate) enum Content<'a> {
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

/// A block of a message: a text, or the use of a tool.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Block<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(crate) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) text: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) name: Text<'a>,
    #[serde(borrow, deserialize_with = "object")]
    pub(crate) input: Option<Input<'a>>,
}

/// What a tool was called with, over all tools that matter here.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Input<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) file_path: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) notebook_path: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) command: Text<'a>,
    #[serde(borrow, deserialize_with = "objects")]
    pub(crate) todos: Option<Vec<Todo<'a>>>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) subject: Text<'a>,
    #[serde(rename = "taskId", borrow, deserialize_with = "text")]
    pub(crate) task: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) status: Text<'a>,
}

/// An item of an agent's task list.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Todo<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) content: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) status: Text<'a>,
}

struct ContentShape;

impl<'de> Shape<'de> for ContentShape {
    type Value = Content<'de>;
    fn string(value: Cow<'de, str>) -> Option<Content<'de>> {
        Some(Content::Text(value))
    }
    fn seq<A: SeqAccess<'de>>(seq: A) -> Result<Option<Content<'de>>, A::Error> {
        Ok(ArrayShape::<Block<'de>>::seq(seq)?.map(Content::Blocks))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        shaped::<ContentShape, D>(from).map(Option::unwrap_or_default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lenient::MAX_ITEMS;

    fn read(line: &str) -> Record<'_> {
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn text_and_blocks_are_read_and_the_rest_is_passed_over() {
        let record = read(r#"{"type":"user","message":{"role":"user","content":"hello"}}"#);
        assert!(matches!(
            &record.message.unwrap().content,
            Content::Text(Cow::Borrowed("hello"))
        ));
        let record = read(
            r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"},7,
               {"type":"tool_use","name":"Bash","input":{"command":"ls","timeout":5}}]}}"#,
        );
        let Content::Blocks(blocks) = record.message.unwrap().content else {
            panic!("blocks were written");
        };
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[1].input.as_ref().unwrap().command.as_deref(), Some("ls"));
    }

    #[test]
    fn of_a_line_of_millions_of_blocks_only_some_are_held() {
        let line = format!(
            "{{\"message\":{{\"content\":[{}{{}}]}},\"type\":\"user\"}}",
            "{},".repeat(100_000)
        );
        let record = read(&line);
        assert!(
            matches!(record.message.unwrap().content, Content::Blocks(blocks) if blocks.len() == MAX_ITEMS)
        );
        assert_eq!(record.kind.as_deref(), Some("user"));
    }

    #[test]
    fn a_value_of_another_type_counts_as_absent() {
        let record = read(
            r#"{"type":"x","timestamp":7,"cwd":{"a":[1]},"isMeta":"yes","isSidechain":true,"gitBranch":null,"message":"text"}"#,
        );
        assert_eq!(record.kind.as_deref(), Some("x"));
        assert!(record.timestamp.is_none() && record.cwd.is_none() && record.message.is_none());
        assert!(!record.is_meta && record.is_sidechain);
    }
}
