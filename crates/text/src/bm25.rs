//! The arithmetic of BM25 as the `.agent/` rulings fix it: k1 1.2, b 0.75, idf `ln(1 + (N - n + 0.5) / (n + 0.5))`,
//! exact lengths.

/// Saturation of term frequency.
pub const K1: f64 = 1.2;
/// Share of length normalisation.
pub const B: f64 = 0.75;

/// Inverse document frequency of a term that `holding` of `documents` documents hold. Always above zero and finite;
/// counts that contradict each other are read as "all of them".
pub fn idf(documents: u64, holding: u64) -> f64 {
    let (n, h) = (documents as f64, holding.min(documents) as f64);
    (1.0 + (n - h + 0.5) / (h + 0.5)).ln()
}

/// What one term adds to a document's score, before the idf: `tf (k1 + 1) / (tf + k1 (1 - b + b len / avg))`.
/// Above zero for a frequency above zero, and below k1 + 1.
pub fn saturation(frequency: f64, length: f64, average_length: f64) -> f64 {
    let relative = if average_length > 0.0 {
        length / average_length
    } else {
        1.0
    };
    frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * relative))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn idf_by_hand_for_four_documents() {
        assert!(close(idf(4, 1), (10.0_f64 / 3.0).ln()));
        assert!(close(idf(4, 2), 2.0_f64.ln()));
        assert!(close(idf(4, 4), (10.0_f64 / 9.0).ln()));
        assert!(close(idf(0, 0), 2.0_f64.ln()));
    }

    #[test]
    fn saturation_by_hand() {
        // A document of average length: tf 2.2 / (tf + 1.2).
        assert!(close(saturation(1.0, 5.0, 5.0), 1.0));
        assert!(close(saturation(2.0, 5.0, 5.0), 4.4 / 3.2));
        // Twice the average: 2.2 / (1 + 1.2 * 1.75).
        assert!(close(saturation(1.0, 10.0, 5.0), 2.2 / 3.1));
        assert!(close(saturation(1.0, 0.0, 0.0), 1.0));
    }

    proptest! {
        #[test]
        fn never_negative_never_infinite(n in any::<u64>(), h in any::<u64>(), tf in 1u32.., len in 0u32.., avg in 0u32..) {
            let idf = idf(n, h);
            let saturation = saturation(f64::from(tf) / 4.0, f64::from(len) / 4.0, f64::from(avg) / 4.0);
            prop_assert!(idf.is_finite() && idf >= 0.0, "{}", idf);
            prop_assert!(saturation.is_finite() && saturation > 0.0 && saturation <= K1 + 1.0, "{}", saturation);
        }

        #[test]
        fn more_of_a_term_is_more_and_a_rarer_term_weighs_more(tf in 1u16..1000, len in 1u16..1000, h in 0u64..999) {
            let at = |tf: f64| saturation(tf, f64::from(len), 100.0);
            prop_assert!(at(f64::from(tf) + 1.0) > at(f64::from(tf)));
            prop_assert!(idf(1000, h) > idf(1000, h + 1));
        }
    }
}
