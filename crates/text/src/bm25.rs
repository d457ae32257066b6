//! The arithmetic of BM25 as the `.agent/` rulings fix it: k1 1.2, b 0.75, idf `ln(1 + (N - n + 0.5) / (n + 0.5))`,
//! exact lengths.

/// Saturation of term frequency.
pub const K1: f64 = 1.2;
/// Share of length normalisation.
pub const B: f64 = 0.75;

/// Inverse document frequency of a term that `holding` of `documents` documents hold. Never negative.
pub fn idf(documents: u64, holding: u64) -> f64 {
    let (n, h) = (documents as f64, holding as f64);
    (1.0 + (n - h + 0.5) / (h + 0.5)).ln()
}

/// What one term adds to a document's score, before the idf: `tf (k1 + 1) / (tf + k1 (1 - b + b len / avg))`.
pub fn saturation(frequency: f64, length: f64, average_length: f64) -> f64 {
    let relative = if average_length > 0.0 {
        length / average_length
    } else {
        1.0
    };
    frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * relative))
}
