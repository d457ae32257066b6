use crate::git_config::Variable;

/// The URL of the remote `origin`, else of the first remote that has one, without anything that could be a
/// credential.
pub(crate) fn url(config: &[Variable]) -> Option<String> {
    let urls: Vec<(&str, &str)> = config
        .iter()
        .filter(|variable| variable.is("remote", "url"))
        .filter_map(|variable| Some((variable.subsection.as_deref()?, variable.value.as_deref()?)))
        .filter(|(_, url)| !url.is_empty())
        .collect();
    let origin = urls.iter().find(|(remote, _)| *remote == "origin");
    let (_, url) = origin.or(urls.first())?;
    without_credentials(url)
}

/// A remote's URL without user, password, query and fragment, each of which may be a token. `None` for what is not
/// an address (a helper's command line) or holds control characters.
fn without_credentials(url: &str) -> Option<String> {
    let url = url.trim();
    if url.chars().any(char::is_control) || url.starts_with("ext::") || url.starts_with("fd::") {
        return None;
    }
    let bare = match url.split_once("://") {
        Some((scheme, rest)) => {
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            format!("{scheme}://{}", without_user(rest))
        }
        None => without_scp_user(url).to_owned(),
    };
    (!bare.is_empty()).then_some(bare)
}

/// `host/path` of `user:password@host/path`.
///
/// A password may hold an unescaped `/` or `@`, so where there is one it ends at the very last `@`: rather a URL that
/// is cut too short than half a password. Without a password a path may hold an `@`.
fn without_user(rest: &str) -> &str {
    let authority = rest.split('/').next().unwrap_or_default();
    let is_host = match authority.split_once(':') {
        _ if authority.contains('@') => false,
        None => true,
        Some(_) if authority.starts_with('[') => true,
        Some((host, port)) => {
            !host.is_empty() && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())
        }
    };
    match rest.rsplit_once('@') {
        Some((_, host)) if !is_host => host,
        _ => rest,
    }
}

/// `host:path` of `user@host:path`; paths stay as they are.
fn without_scp_user(url: &str) -> &str {
    let host_ends = url.find(['/', '\\']).unwrap_or(url.len());
    let Some(at) = url[..host_ends].rfind('@') else {
        return url;
    };
    let is_remote = url[at..].contains(':');
    if is_remote { &url[at + 1..] } else { url }
}

/// The name of the repository that a URL leads to: its last part without `.git`.
pub(crate) fn repository(url: &str) -> Option<String> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.trim_end_matches(['/', '\\']);
    let path = path.strip_suffix("/.git").unwrap_or(path);
    let last = path.rsplit(['/', '\\', ':']).next().unwrap_or_default();
    let name = last.strip_suffix(".git").unwrap_or(last);
    let has_name = !matches!(name, "" | "." | "..");
    has_name.then(|| name.to_owned())
}

/// `owner/name` of a remote's URL, in any of its spellings; without credentials, host and `.git`.
pub(crate) fn owner_and_name(url: &str) -> Option<String> {
    let url = url
        .trim()
        .trim_end_matches('/')
        .trim_end_matches(".git")
        .trim_end_matches('/');
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        // The short form, `git@host:owner/name`; a path of this machine has no host before a colon.
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') && host.len() > 1 => path,
            _ => url.rsplit(['/', '\\']).next().unwrap_or(url),
        },
    };
    let mut parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let from = parts.len().saturating_sub(2);
    parts.drain(..from);
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::git_config::variables;

    #[test]
    fn owner_and_name_in_all_spellings() {
        for url in [
            "git@forge.example:coast/tidewater.git",
            "ssh://git@forge.example:22/coast/tidewater.git",
            "https://user:word@forge.example/coast/tidewater",
            "https://forge.example/group/coast/tidewater.git/",
        ] {
            assert_eq!(owner_and_name(url).as_deref(), Some("coast/tidewater"), "{url}");
        }
        assert_eq!(
            owner_and_name("/srv/git/tidewater.git").as_deref(),
            Some("tidewater")
        );
        assert_eq!(owner_and_name("https://forge.example"), None);
    }

    #[test]
    fn nothing_that_could_be_a_credential_comes_out() {
        let token = format!("gh{}_{}", "p", "0123456789abcdefghijABCDEFGHIJ012345");
        for (given, bare) in [
            (
                format!("https://user:{token}@github.com/o/r.git"),
                Some("https://github.com/o/r.git"),
            ),
            (
                format!("https://{token}@github.com/o/r.git"),
                Some("https://github.com/o/r.git"),
            ),
            (
                format!("https://a@b:{token}@github.com/o/r"),
                Some("https://github.com/o/r"),
            ),
            (
                format!("https://user:pa/{token}@github.com/o/r"),
                Some("https://github.com/o/r"),
            ),
            (
                format!("https://user:/{token}@github.com/o/r"),
                Some("https://github.com/o/r"),
            ),
            (
                format!("https://:{token}:/@github.com/o/r"),
                Some("https://github.com/o/r"),
            ),
            (
                format!("https://github.com/o/r?access_token={token}"),
                Some("https://github.com/o/r"),
            ),
            (
                format!("https://github.com/o/r#{token}"),
                Some("https://github.com/o/r"),
            ),
            (format!("ssh://git:{token}@h:22/o/r"), Some("ssh://h:22/o/r")),
            (format!("{token}@host:o/r.git"), Some("host:o/r.git")),
            (format!("a@{token}@host:o/r.git"), Some("host:o/r.git")),
            (format!("ext::ssh -i {token} host"), None),
            ("git@github.com:o/r.git".to_owned(), Some("github.com:o/r.git")),
            ("https://h:8080/o/r@v1".to_owned(), Some("https://h:8080/o/r@v1")),
            ("https://[::1]/o/r@v1".to_owned(), Some("https://[::1]/o/r@v1")),
            ("https://h/o/r@v1".to_owned(), Some("https://h/o/r@v1")),
            (
                "codecommit::eu-1://profile@r".to_owned(),
                Some("codecommit::eu-1://r"),
            ),
            ("/srv/git/a@b.git".to_owned(), Some("/srv/git/a@b.git")),
            ("../a@b".to_owned(), Some("../a@b")),
            ("C:\\r\\a@b".to_owned(), Some("C:\\r\\a@b")),
            ("https://h/\x1b[31m".to_owned(), None),
            ("  ".to_owned(), None),
        ] {
            let found = without_credentials(&given);
            assert_eq!(found.as_deref(), bare, "{given}");
            assert!(!found.unwrap_or_default().contains(&token), "{given}");
        }
    }

    #[test]
    fn the_last_part_names_the_repository() {
        for (url, name) in [
            ("https://github.com/o/kenning.git", Some("kenning")),
            ("https://github.com/o/kenning/", Some("kenning")),
            ("github.com:o/kenning.git", Some("kenning")),
            ("host:kenning", Some("kenning")),
            ("/srv/kenning/.git", Some("kenning")),
            ("C:\\work\\kenning.git", Some("kenning")),
            ("https://h/o/my.project", Some("my.project")),
            ("https://h/..", None),
            ("https://", None),
            ("/", None),
        ] {
            assert_eq!(repository(url).as_deref(), name, "{url}");
        }
    }

    #[test]
    fn origin_wins_else_the_first_remote_with_a_url() {
        let of = |text: &str| url(&variables(text));
        let two = "[remote \"fork\"]\nurl = a:b\n[remote \"origin\"]\npushurl = x:y\nurl = c:d\nurl = e:f\n";
        assert_eq!(of(two).as_deref(), Some("c:d"));
        let none =
            "[remote \"fork\"]\nfetch = x\n[remote \"mine\"]\nurl = a:b\n[remote \"other\"]\nurl = c:d";
        assert_eq!(of(none).as_deref(), Some("a:b"));
        assert_eq!(of("[remote \"origin\"]\nurl\nurl = \n[core]\nurl = x:y"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn no_user_and_no_password_ever_comes_out(
            user in "[a-z]{0,8}",
            password in "[A-Z:@%]{0,6}SECRET[A-Z:@%/]{0,6}",
            scheme in prop::sample::select(vec!["https", "http", "ssh", "git+ssh"]),
        ) {
            let url = format!("{scheme}://{user}:{password}@host.example/o/r.git");
            let found = without_credentials(&url).unwrap_or_default();
            prop_assert!(!found.contains("SECRET"), "{} from {}", found, url);
            prop_assert!(found.ends_with("host.example/o/r.git"), "{} from {}", found, url);
        }
    }
}
