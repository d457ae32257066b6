use std::path::{Path, PathBuf};

use crate::{Error, contain};

/// The names that a file of edicts may have, the first being that of a new one.
pub const FILE_NAMES: [&str; 3] = ["edicts.yaml", "edicts.yml", "edicts.json"];

/// Finds the file of edicts: in `start`, else in a folder above it, up to and including `ceiling` (the root of the
/// git work tree). Without a ceiling only `start` is looked at, so that a file in a folder that somebody else can
/// write to never speaks for a project below it.
///
/// Two of the names in one folder are an error that names both. With a ceiling, one that is a link which leads out of
/// it or nowhere is [`Error::Outside`]: who filled the repository must not choose a place outside.
pub fn locate(start: &Path, ceiling: Option<&Path>) -> Result<Option<PathBuf>, Error> {
    let bound = ceiling;
    let ceiling = ceiling.unwrap_or(start);
    for folder in start.ancestors() {
        if let Some(bound) = bound {
            let names = FILE_NAMES.iter().map(|name| folder.join(name));
            for path in names.filter(|path| path.is_symlink() || path.is_file()) {
                contain::check(&path, bound)?;
            }
        }
        let mut found = FILE_NAMES
            .iter()
            .map(|name| folder.join(name))
            .filter(|path| path.is_file());
        match (found.next(), found.next()) {
            (Some(first), Some(second)) => return Err(Error::TwoFiles { first, second }),
            (Some(path), None) => return Ok(Some(path)),
            _ => {}
        }
        if folder == ceiling || !folder.starts_with(ceiling) {
            break;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_up_to_the_ceiling_and_no_further() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("repo");
        let deep = root.join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(home.path().join("edicts.yaml"), "version: 1\n").unwrap();
        assert_eq!(locate(&deep, Some(&root)).unwrap(), None);
        assert_eq!(locate(&deep, None).unwrap(), None);
        std::fs::write(root.join("edicts.json"), "{}").unwrap();
        assert_eq!(
            locate(&deep, Some(&root)).unwrap(),
            Some(root.join("edicts.json"))
        );
        std::fs::write(root.join("edicts.yml"), "").unwrap();
        let error = locate(&deep, Some(&root)).unwrap_err().to_string();
        assert!(
            error.contains("edicts.yml") && error.contains("edicts.json"),
            "{error}"
        );
        std::fs::write(deep.join("edicts.yaml"), "").unwrap();
        assert_eq!(
            locate(&deep, Some(&root)).unwrap(),
            Some(deep.join("edicts.yaml"))
        );
    }
}
