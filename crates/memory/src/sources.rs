/// What the questions read, kept as long as the files look the same.
#[derive(Debug, Default)]
pub(crate) struct Sources {}
