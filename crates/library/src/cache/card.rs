//! What an index knows of each manifest's agent, so that whom to ask is told without opening every manifest's cache.

use jiff::Timestamp;

use super::Lost;
use super::coder::{Reader, Writer};
use super::source::Source;
use crate::AgentType;
use crate::model::Manifest;

/// What a manifest says of its agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Card {
    pub(crate) kind: AgentType,
    pub(crate) instance: Option<String>,
    pub(crate) role_narrative: Option<String>,
    pub(crate) capabilities: Vec<String>,
    pub(crate) last_updated: Option<Timestamp>,
}

impl Card {
    /// What this manifest says.
    pub(crate) fn of(manifest: &Manifest) -> Card {
        Card {
            kind: manifest.agent.kind,
            instance: manifest.agent.instance.clone(),
            role_narrative: manifest.agent.role_narrative.clone(),
            capabilities: manifest.capabilities.clone(),
            last_updated: manifest.last_updated,
        }
    }
}

/// Spells what a manifest says of its agent.
pub(super) fn write(manifest: &Manifest) -> Vec<u8> {
    let mut to = Writer::new(&[], &[]);
    to.text(manifest.agent.kind.as_str());
    to.optional(manifest.agent.instance.as_ref());
    to.optional(manifest.agent.role_narrative.as_ref());
    to.texts(&manifest.capabilities);
    to.out.push(u8::from(manifest.last_updated.is_some()));
    manifest.last_updated.iter().for_each(|at| to.instant(*at));
    to.out
}

fn read(bytes: &[u8]) -> Result<Card, Lost> {
    let nothing = Source::nothing();
    let mut from = Reader::new(bytes, &[], &nothing);
    let card = Card {
        kind: from.str()?.parse().map_err(|_| Lost::Damaged)?,
        instance: from.optional()?,
        role_narrative: from.optional()?,
        capabilities: from.texts()?,
        last_updated: from.flag()?.then(|| from.instant()).transpose()?,
    };
    from.end()?;
    Ok(card)
}

/// Adds the card of the manifest whose first row is this.
pub(super) fn push(section: &mut Vec<u8>, first: u32, card: &[u8]) {
    let mut head = Writer::new(&[], &[]);
    head.number(u64::from(first));
    head.number(card.len() as u64);
    section.append(&mut head.out);
    section.extend_from_slice(card);
}

/// The cards of a section that `wanted` gives a manifest, by their first rows.
pub(super) fn read_all(
    section: &[u8],
    wanted: impl Fn(u32) -> Option<u32>,
) -> Result<Vec<(u32, Card)>, Lost> {
    let nothing = Source::nothing();
    let mut from = Reader::new(section, &[], &nothing);
    let mut cards = Vec::new();
    while from.end().is_err() {
        let first = u32::try_from(from.number()?).map_err(|_| Lost::Damaged)?;
        let length = from.count()?;
        let card = from.take(length)?;
        if let Some(manifest) = wanted(first) {
            cards.push((manifest, read(card)?));
        }
    }
    Ok(cards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn manifest(role: Option<String>, capabilities: Vec<String>) -> Manifest {
        let mut manifest = Manifest::new(crate::AgentId::new("a").unwrap(), AgentType::Other);
        manifest.agent.role_narrative = role;
        manifest.capabilities = capabilities;
        manifest
    }

    proptest! {
        #[test]
        fn cards_come_back_for_the_manifests_that_count(
            all in prop::collection::vec((prop::option::of("\\PC{0,8}"), prop::collection::vec("\\PC{0,8}", 0..3)), 0..4),
            masked in 0u32..4,
        ) {
            let mut section = Vec::new();
            for (number, (role, capabilities)) in (0..).zip(&all) {
                push(&mut section, number * 7, &write(&manifest(role.clone(), capabilities.clone())));
            }
            let cards = read_all(&section, |first| (first / 7 != masked).then_some(first / 7)).unwrap();
            let expected: Vec<(u32, Card)> = (0..)
                .zip(all)
                .filter(|(number, _)| *number != masked)
                .map(|(number, (role, capabilities))| (number, Card::of(&manifest(role, capabilities))))
                .collect();
            prop_assert_eq!(cards, expected);
        }

        #[test]
        fn bytes_that_nobody_wrote_are_damage_and_nothing_worse(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = read_all(&bytes, Some);
        }
    }
}
