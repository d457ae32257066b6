//! The end of a file of lines.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

pub(crate) fn length(file: &File) -> io::Result<u64> {
    file.metadata().map(|seen| seen.len())
}

/// The last byte of a file of `length` bytes, at least one.
pub(crate) fn last_byte(file: &File, length: u64) -> io::Result<u8> {
    let mut byte = [b'\n'];
    #[cfg(unix)]
    std::os::unix::fs::FileExt::read_exact_at(file, &mut byte, length - 1)?;
    #[cfg(not(unix))]
    {
        let mut file = file;
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut byte)?;
    }
    Ok(byte[0])
}

/// How much is read at a time from the end.
const BLOCK: u64 = 8 * 1024;

/// What is longer is not a line of ours and is not held in memory.
const LONGEST_LINE: u64 = 8 * 1024 * 1024;

/// The last line that ends in a newline, is not blank and not longer than [`LONGEST_LINE`], without its newline.
pub(crate) fn last_line(file: &File) -> io::Result<Option<Vec<u8>>> {
    let mut block = Vec::new();
    let mut start = length(file)?;
    // Where the line that is being looked for ends; unknown until its newline was found.
    let mut end: Option<u64> = None;
    while start > 0 {
        let below = start.saturating_sub(BLOCK);
        read_range(file, below, start, &mut block)?;
        let mut rest = &block[..];
        while let Some(at) = rest.iter().rposition(|b| *b == b'\n') {
            let newline = below + at as u64;
            // A line that ends in this block is in it whole.
            if let Some(line) = end.and_then(|end| block.get(at + 1..usize::try_from(end - below).ok()?)) {
                if !line.trim_ascii().is_empty() {
                    return Ok(Some(line.to_vec()));
                }
            } else if let Some(line) = line_between(file, newline + 1, end)? {
                return Ok(Some(line));
            }
            end = Some(newline);
            rest = &rest[..at];
        }
        start = below;
    }
    line_between(file, 0, end)
}

/// The line from `start` to the newline at `end`, if there is one and it is worth having.
fn line_between(file: &File, start: u64, end: Option<u64>) -> io::Result<Option<Vec<u8>>> {
    let Some(end) = end.filter(|end| *end > start && *end - start <= LONGEST_LINE) else {
        return Ok(None);
    };
    let mut line = Vec::new();
    read_range(file, start, end, &mut line)?;
    Ok((!line.trim_ascii().is_empty()).then_some(line))
}

/// Fills `bytes` with what stands between two positions; with less where the file ends earlier.
pub(crate) fn read_range(file: &File, start: u64, end: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    let wanted = end.saturating_sub(start);
    if wanted == 0 {
        return Ok(());
    }
    // With room for all of it, it is read at once; otherwise in small steps.
    bytes.reserve_exact(usize::try_from(wanted).unwrap_or(0));
    let mut file = file;
    file.seek(SeekFrom::Start(start))?;
    file.take(wanted).read_to_end(bytes)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn file(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file
    }

    fn last(content: &[u8]) -> Option<Vec<u8>> {
        last_line(&file(content)).unwrap()
    }

    fn naive(content: &[u8]) -> Option<Vec<u8>> {
        let mut lines: Vec<_> = content.split(|b| *b == b'\n').collect();
        lines.pop();
        lines
            .into_iter()
            .rfind(|line| !line.trim_ascii().is_empty())
            .map(<[u8]>::to_vec)
    }

    #[test]
    fn the_last_whole_line_is_found() {
        let text = |content: &str| last(content.as_bytes()).map(|line| String::from_utf8(line).unwrap());
        assert_eq!(text(""), None);
        assert_eq!(text("torn"), None);
        assert_eq!(text("\n\n"), None);
        assert_eq!(text("one\n").as_deref(), Some("one"));
        assert_eq!(text("one\ntwo\n\n \r\n").as_deref(), Some("two"));
        assert_eq!(text("one\ntwo\ntorn").as_deref(), Some("two"));
        assert_eq!(text("one\r\n").as_deref(), Some("one\r"));
    }

    #[test]
    fn lines_around_the_edges_of_blocks_are_whole() {
        let block = usize::try_from(BLOCK).unwrap();
        for length in [block - 2, block - 1, block, block + 1, 2 * block, 3 * block + 7] {
            for tail in [0, 1, block - 1, block, block + 1] {
                let mut content = b"first\n".to_vec();
                content.extend(vec![b'x'; length]);
                content.push(b'\n');
                content.extend(vec![b't'; tail]);
                assert_eq!(last(&content).unwrap().len(), length, "tail of {tail}");
            }
        }
    }

    #[test]
    fn a_line_that_nobody_should_hold_in_memory_is_passed_over() {
        let mut file = file(b"good\n");
        file.set_len(LONGEST_LINE + 100).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"\n").unwrap();
        assert_eq!(last_line(&file).unwrap().unwrap(), b"good");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn reading_backwards_finds_what_reading_everything_finds(
            parts in prop::collection::vec(
                (prop::sample::select(&b"\n \nax"[..]), prop_oneof![1usize..4, 5000usize..9000]),
                0..12,
            )
        ) {
            let content: Vec<u8> = parts.iter().flat_map(|(byte, count)| vec![*byte; *count]).collect();
            prop_assert_eq!(last(&content), naive(&content));
        }
    }
}
