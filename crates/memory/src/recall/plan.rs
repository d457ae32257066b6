use jiff::Timestamp;
use ken_files::Clock;
use ken_text::search::Query;

use super::{Kind, MAX_K, Rank, RecallRequest};

/// A question, read: what it looks for and what it lets pass. Filters stand in the query's text and in the request;
/// both hold.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) query: Query,
    pub(crate) k: usize,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) filter: Filter,
    /// Whether only filters were given: then the newest come first.
    pub(crate) newest_first: bool,
    /// What the reader should know about how the question was read.
    pub(crate) notes: Vec<String>,
}

/// What lets a document pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    skills: Vec<Vec<String>>,
    harnesses: Vec<Vec<String>>,
    tags: Vec<String>,
    since: Option<Timestamp>,
}

/// What a document shows to a filter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facets<'a> {
    pub(crate) skill: Option<&'a str>,
    pub(crate) who: &'a [String],
    pub(crate) tags: &'a [String],
    pub(crate) when: Option<Timestamp>,
}

impl Plan {
    /// Reads a question. Nothing in it is an error: a filter whose value says nothing is text.
    pub(crate) fn read(request: &RecallRequest, clock: &Clock) -> Plan {
        let mut query = Query::parse(&request.query);
        let mut notes = Vec::new();
        let mut kinds = request.kinds.clone();
        let mut named = Vec::new();
        let (mut skills, mut harnesses) = (Vec::new(), Vec::new());
        let mut filter = Filter {
            since: request.since,
            ..Filter::default()
        };
        let mut as_text = Vec::new();
        let filters = std::mem::take(&mut query.filters);
        let any_filter = !filters.is_empty();
        for (name, value) in &filters {
            match name.as_str() {
                "skill" => skills.push(folded(value)),
                "harness" => harnesses.push(folded(value)),
                "tag" => filter.tags.push(folded(value)),
                "kind" => match value.parse::<Kind>() {
                    Ok(kind) => named.push(kind),
                    Err(_) => as_text.push(format!("{name} {value}")),
                },
                "since" => match crate::since(value, clock) {
                    Ok(at) => filter.since = filter.since.max(Some(at)),
                    Err(_) => as_text.push(format!("{name} {value}")),
                },
                _ => as_text.push(format!("{name} {value}")),
            }
        }
        for term in as_text.iter().flat_map(|text| ken_text::terms_of_question(text)) {
            if !query.terms.contains(&term) {
                query.terms.push(term);
            }
        }
        if !named.is_empty() {
            if kinds.is_empty() {
                kinds = named;
            } else {
                kinds.retain(|kind| named.contains(kind));
            }
        } else if kinds.is_empty() {
            kinds = Kind::ALL.to_vec();
        }
        if request.rank == Rank::Relevance {
            query.leave_out_function_words();
        }
        if request.rank == Rank::Salience {
            if kinds.iter().any(|kind| *kind != Kind::Event) {
                kinds.retain(|kind| *kind == Kind::Event);
            }
            if !request.kinds.is_empty() && kinds.is_empty() {
                notes
                    .push("only events have a salience; ask for kind event, or rank by relevance".to_owned());
            }
        }
        for alternatives in [(skills, &mut filter.skills), (harnesses, &mut filter.harnesses)] {
            let (given, into) = alternatives;
            if !given.is_empty() {
                into.push(given);
            }
        }
        filter
            .skills
            .extend(request.skill.iter().map(|skill| vec![folded(skill)]));
        filter
            .harnesses
            .extend(request.harness.iter().map(|harness| vec![folded(harness)]));
        filter.tags.extend(request.tag.iter().map(|tag| folded(tag)));
        let k = request.k.clamp(1, MAX_K);
        if k != request.k {
            notes.push(format!("{k} hits at most are given, not {}", request.k));
        }
        let newest_first = any_filter && query.terms.is_empty() && query.phrases.is_empty();
        Plan {
            query,
            k,
            kinds,
            filter,
            newest_first,
            notes,
        }
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.query.terms.is_empty() && !self.newest_first
    }

    /// Whether documents of this kind are wanted.
    pub(crate) fn wants(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }
}

impl Filter {
    /// Whether everything passes.
    pub(crate) fn is_empty(&self) -> bool {
        self.skills.is_empty() && self.harnesses.is_empty() && self.tags.is_empty() && self.since.is_none()
    }

    /// Whether a document passes. What has no date is not newer than anything.
    pub(crate) fn passes(&self, facets: &Facets<'_>) -> bool {
        self.passes_skill(facets.skill)
            && self.passes_who(facets.who)
            && self.passes_tags(facets.tags)
            && self.passes_when(facets.when)
    }

    /// Whether a document of this skill passes, as far as that goes; and so on.
    pub(crate) fn passes_skill(&self, skill: Option<&str>) -> bool {
        if self.skills.is_empty() {
            return true;
        }
        let skill = skill.map(folded);
        let below = |wanted: &str| {
            skill.as_deref().is_some_and(|skill| {
                skill
                    .strip_prefix(wanted)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            })
        };
        self.skills
            .iter()
            .all(|any| any.iter().any(|wanted| below(wanted)))
    }

    pub(crate) fn passes_who(&self, who: &[String]) -> bool {
        let by = |wanted: &str| who.iter().any(|who| folded(who) == wanted);
        self.harnesses
            .iter()
            .all(|any| any.iter().any(|wanted| by(wanted)))
    }

    pub(crate) fn passes_tags(&self, tags: &[String]) -> bool {
        let tagged = |wanted: &str| tags.iter().any(|tag| folded(tag) == wanted);
        self.tags.iter().all(|wanted| tagged(wanted))
    }

    /// The tags that are asked for.
    pub(crate) fn tags(&self) -> &[String] {
        &self.tags
    }

    pub(crate) fn passes_when(&self, when: Option<Timestamp>) -> bool {
        self.since
            .is_none_or(|since| when.is_some_and(|when| when >= since))
    }
}

/// The form in which names of skills, harnesses and tags are compared: as the log normalises skills.
fn folded(text: &str) -> String {
    ken_text::normalize(text.trim())
        .split("::")
        .map(|segment| segment.trim().replace(['-', ' '], "_"))
        .collect::<Vec<_>>()
        .join("::")
}
