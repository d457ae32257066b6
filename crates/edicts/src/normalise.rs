//! The one form of categories and tags, by the table of the rulings.

use unicode_normalization::UnicodeNormalization;

/// Words that look like plurals and are not.
const UNCHANGED: &[&str] = &[
    "series",
    "species",
    "news",
    "redis",
    "kubernetes",
    "postgres",
    "https",
    "devops",
    "macos",
    "ios",
    "analytics",
    "aws",
    "windows",
];

/// Plurals whose singular the rules below would miss.
const IRREGULAR: &[(&str, &str)] = &[
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("caches", "cache"),
    ("headaches", "headache"),
    ("statuses", "status"),
    ("buses", "bus"),
    ("bonuses", "bonus"),
    ("viruses", "virus"),
];

/// Trimmed, NFKC, lower case, single spaces, the last word in the singular.
pub(crate) fn normalise(text: &str) -> String {
    // Of ASCII every character is its own compatibility form.
    let folded = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.nfkc().collect::<String>().to_lowercase()
    };
    let mut words: Vec<&str> = folded.split_whitespace().collect();
    let Some(last) = words.pop() else {
        return String::new();
    };
    let last = singular(last);
    words.push(&last);
    words.join(" ")
}

fn singular(word: &str) -> String {
    let letters = word.chars().count();
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    let kept = ["ss", "us", "is", "as", "os"];
    if letters <= 3 || UNCHANGED.contains(&word) || kept.iter().any(|end| word.ends_with(end)) {
        return word.to_owned();
    }
    if letters >= 5
        && let Some(stem) = word.strip_suffix("ies")
    {
        return format!("{stem}y");
    }
    if let Some(stem) = word.strip_suffix("es")
        && ["ss", "x", "zz", "sh", "ch"]
            .iter()
            .any(|end| stem.ends_with(end))
    {
        return stem.to_owned();
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::normalise;

    #[test]
    fn ascii_is_folded_as_everything_is() {
        use unicode_normalization::UnicodeNormalization;
        for byte in 0..=127_u8 {
            let text = char::from(byte).to_string();
            assert_eq!(
                text.nfkc().collect::<String>().to_lowercase(),
                text.to_ascii_lowercase()
            );
        }
    }

    #[test]
    fn the_table_of_the_rulings() {
        for (given, wanted) in [
            (" Products ", "product"),
            ("PRODUCTS", "product"),
            ("Dogs", "dog"),
            ("teams", "team"),
            ("features", "feature"),
            ("releases", "release"),
            ("rules", "rule"),
            ("houses", "house"),
            ("policies", "policy"),
            ("categories", "category"),
            ("boxes", "box"),
            ("branches", "branch"),
            ("processes", "process"),
            ("statuses", "status"),
            ("movies", "movie"),
            ("caches", "cache"),
            ("cookies", "cookie"),
            ("headaches", "headache"),
            ("buses", "bus"),
            ("bonuses", "bonus"),
            ("viruses", "virus"),
        ] {
            assert_eq!(normalise(given), wanted, "{given}");
        }
        for same in [
            "process",
            "status",
            "analysis",
            "business",
            "canvas",
            "alias",
            "chaos",
            "ops",
            "dns",
            "aws",
            "css",
            "ios",
            "series",
            "species",
            "news",
            "redis",
            "kubernetes",
            "postgres",
            "https",
            "devops",
            "analytics",
            "macos",
            "windows",
        ] {
            assert_eq!(normalise(same), same);
        }
    }

    #[test]
    fn spaces_width_and_only_the_last_word() {
        assert_eq!(normalise("  Customer \t Releases "), "customer release");
        assert_eq!(normalise("Releases Customer"), "releases customer");
        assert_eq!(normalise("\u{ff30}roducts"), "product");
        assert_eq!(normalise(" \t "), "");
        assert_eq!(normalise("ties"), "tie");
    }

    proptest! {
        #[test]
        fn twice_is_once(text in "\\PC{0,20}") {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once);
        }
    }
}
