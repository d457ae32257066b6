use std::collections::HashSet;

use super::function_words::is_function_word;
use crate::{fingerprint_text, terms_of_question};

/// The names of filters. Any other `name:value` is text.
pub const FILTERS: [&str; 5] = ["skill", "harness", "tag", "since", "kind"];
/// Distinct terms past these are left out.
pub const MAX_TERMS: usize = 4096;
/// Phrases past these count as their words only.
pub const MAX_PHRASES: usize = 64;
/// Filters past these count as text.
pub const MAX_FILTERS: usize = 64;

/// A parsed query: plain words, phrases in quotes, and filters (`skill:`, `harness:`, `tag:`, `since:`, `kind:`).
/// Anything else is text: no input is a syntax error.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// The query as it was given.
    pub raw: String,
    /// Distinct terms, those of phrases too, in order of first appearance.
    pub terms: Vec<String>,
    /// Phrases that must stand in the text ([`crate::phrase_in`]), in their plain form, without repetition.
    pub phrases: Vec<String>,
    /// Filters as (name, value), lower-case name, value as it was given.
    pub filters: Vec<(String, String)>,
}

impl Query {
    /// Reads a query. A filter counts when its name is one of [`FILTERS`] and its value is not empty; its value may be
    /// put in quotes. A quote that is not closed is text.
    ///
    /// ```
    /// use ken_text::search::Query;
    /// let query = Query::parse(r#"deploys tag:ci "dry run" a:b"#);
    /// assert_eq!(query.terms, ["deploy", "dri", "run", "a", "b"]);
    /// assert_eq!(query.phrases, ["dry run"]);
    /// assert_eq!(query.values("tag").collect::<Vec<_>>(), ["ci"]);
    /// ```
    pub fn parse(raw: &str) -> Query {
        let mut reader = Reader {
            rest: raw,
            unclosed: [false; 2],
            seen: HashSet::new(),
            query: Query {
                raw: raw.to_owned(),
                ..Query::default()
            },
        };
        reader.read();
        reader.query
    }

    /// The values that were given for a filter, in order.
    pub fn values<'a>(&'a self, filter: &'a str) -> impl Iterator<Item = &'a str> {
        self.filters
            .iter()
            .filter(move |(name, _)| name == filter)
            .map(|(_, value)| value.as_str())
    }

    /// Leaves out the words that only shape a question (`what did we do on the`), unless there are no others. Exact
    /// rankings such as the contract's `bm25 * salience` ask with every word.
    ///
    /// ```
    /// use ken_text::search::Query;
    /// let mut query = Query::parse("what did we do on the parser?");
    /// query.leave_out_function_words();
    /// assert_eq!(query.terms, ["parser"]);
    /// let mut query = Query::parse("to be or not to be");
    /// query.leave_out_function_words();
    /// assert_eq!(query.terms, ["not"]);
    /// let mut query = Query::parse("who is it");
    /// query.leave_out_function_words();
    /// assert_eq!(query.terms, ["who", "is", "it"]);
    /// ```
    pub fn leave_out_function_words(&mut self) {
        if self.terms.iter().any(|term| !is_function_word(term)) {
            self.terms.retain(|term| !is_function_word(term));
        }
    }

    /// Whether nothing was asked: no term and no filter.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.filters.is_empty()
    }
}

struct Reader<'a> {
    rest: &'a str,
    /// For each sort of quote, that no closing one follows: a query of quotes alone is still read once.
    unclosed: [bool; 2],
    seen: HashSet<String>,
    query: Query,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty()
                || self.query.terms.len() >= MAX_TERMS && self.query.filters.len() >= MAX_FILTERS
            {
                return;
            }
            if let Some(phrase) = self.quoted() {
                self.add_phrase(phrase);
            } else if let Some((name, value)) = self.filter() {
                self.query.filters.push((name.to_owned(), value.to_owned()));
            } else {
                let text = self.until_space();
                self.add_terms(text);
            }
        }
    }

    fn until_space(&mut self) -> &'a str {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text
    }

    /// What stands in quotes from here, if a quote opens here and is closed.
    fn quoted(&mut self) -> Option<&'a str> {
        let (sort, inside, close) = match self.rest.chars().next()? {
            '"' => (0, &self.rest[1..], '"'),
            '“' => (1, &self.rest['“'.len_utf8()..], '”'),
            _ => return None,
        };
        if self.unclosed[sort] {
            return None;
        }
        let Some(end) = inside.find(close) else {
            self.unclosed[sort] = true;
            return None;
        };
        self.rest = &inside[end + close.len_utf8()..];
        Some(&inside[..end])
    }

    fn filter(&mut self) -> Option<(&'static str, &'a str)> {
        if self.query.filters.len() >= MAX_FILTERS {
            return None;
        }
        let name = FILTERS.into_iter().find(|name| {
            self.rest
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
                && self.rest[name.len()..].starts_with(':')
        })?;
        let before = self.rest;
        self.rest = &before[name.len() + 1..];
        let value = match self.quoted() {
            Some(value) => value.trim(),
            None => self.until_space(),
        };
        if value.is_empty() {
            self.rest = before;
            return None;
        }
        Some((name, value))
    }

    fn add_phrase(&mut self, phrase: &str) {
        self.add_terms(phrase);
        let plain = fingerprint_text(phrase);
        if !plain.is_empty() && self.query.phrases.len() < MAX_PHRASES && !self.query.phrases.contains(&plain)
        {
            self.query.phrases.push(plain);
        }
    }

    fn add_terms(&mut self, text: &str) {
        if self.query.terms.len() >= MAX_TERMS {
            return;
        }
        for term in terms_of_question(text) {
            if self.query.terms.len() >= MAX_TERMS {
                return;
            }
            if self.seen.insert(term.clone()) {
                self.query.terms.push(term);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filters(raw: &str) -> Vec<(String, String)> {
        Query::parse(raw).filters
    }

    #[test]
    fn words_phrases_and_filters() {
        let query = Query::parse(
            "Pool \"connection  Pool\" skill:rust::error_handling Tag:\"two words\" pool “dry run”",
        );
        assert_eq!(query.terms, ["pool", "connect", "dri", "run"]);
        assert_eq!(query.phrases, ["connection pool", "dry run"]);
        assert_eq!(
            query.filters,
            [
                ("skill".to_owned(), "rust::error_handling".to_owned()),
                ("tag".to_owned(), "two words".to_owned())
            ]
        );
    }

    #[test]
    fn no_query_is_an_error() {
        for (raw, terms) in [
            ("", &[][..]),
            ("   ", &[]),
            ("*", &[]),
            ("+", &[]),
            ("\"", &[]),
            ("\"\"", &[]),
            ("-x", &["x"]),
            ("(x", &["x"]),
            ("\"open", &["open"]),
            ("“open", &["open"]),
            ("a:b", &["a", "b"]),
            ("don't", &["don't"]),
            ("NOT (a OR b)^2", &["not", "a", "or", "b", "2"]),
            (
                "rust::error_handling",
                &["rust::error_handling", "rust", "error_handling", "error", "handl"],
            ),
            ("tag:", &["tag"]),
            ("tag: ci", &["tag", "ci"]),
            ("tag:\"\"", &["tag"]),
            ("owner:me", &["owner", "me"]),
            ("https://example.com", &["https", "example.com", "exampl", "com"]),
            ("the of and", &["the", "of", "and"]),
            ("C++", &["c++"]),
            ("\u{0}\u{202e}", &[]),
        ] {
            let query = Query::parse(raw);
            assert_eq!(query.terms, terms, "{raw}");
            assert!(query.filters.is_empty() && query.phrases.is_empty(), "{raw}");
            assert_eq!(query.raw, raw);
        }
    }

    #[test]
    fn the_five_filters_and_no_other() {
        for name in FILTERS {
            assert_eq!(filters(&format!("{name}:x")), [(name.to_owned(), "x".to_owned())]);
            assert_eq!(
                filters(&format!("{}:x", name.to_uppercase())),
                [(name.to_owned(), "x".to_owned())]
            );
        }
        assert_eq!(filters("session:x project:y (tag:x xtag:y"), []);
        assert!(Query::parse("since:2026-01-01").terms.is_empty());
    }

    #[test]
    fn a_phrase_counts_its_signs() {
        assert_eq!(Query::parse("\"C++ only\"").phrases, ["c++ only"]);
        assert_eq!(Query::parse("\"!?\"").phrases, Vec::<String>::new());
    }

    #[test]
    fn huge_queries_are_read_once_and_bounded() {
        let numbers: Vec<String> = (0..10_000).map(|n| format!("w{n}x")).collect();
        let query = Query::parse(&numbers.join(" "));
        assert_eq!(query.terms.len(), MAX_TERMS);
        for unit in ["“a ", "\"a ", "tag:“x ", "tag:x ", "\"x y\" ", "a::b_C.", "東"] {
            let query = Query::parse(&unit.repeat(40_000 / unit.len()));
            assert!(query.terms.len() <= MAX_TERMS);
            assert!(query.phrases.len() <= MAX_PHRASES && query.filters.len() <= MAX_FILTERS);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_text_is_a_query(raw in "([a-z\"“”:+*(-]|tag:|since:|\\PC| ){0,24}") {
            let query = Query::parse(&raw);
            let distinct: HashSet<&String> = query.terms.iter().collect();
            prop_assert_eq!(distinct.len(), query.terms.len());
            prop_assert!(query.filters.iter().all(|(name, value)| FILTERS.contains(&name.as_str()) && !value.is_empty()));
            prop_assert!(query.phrases.iter().all(|phrase| crate::phrase_in(&raw, phrase)), "{:?}", query);
        }
    }
}
