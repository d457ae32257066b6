//! Compressed rollouts, unpacked in bounded memory and time.

use std::io::{self, BufRead, BufReader, Read, Take};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// How far back a compressed stream may refer, and so how much of it is held.
const MAX_WINDOW: u64 = 16 * 1024 * 1024;
/// A session of text packs to a tenth; what unpacks to more than this many times its size is no session.
const MAX_RATIO: u64 = 200;
/// What small files may unpack to whatever their ratio.
const ALWAYS: u64 = 4 * 1024 * 1024;

/// The most that a compressed file of so many bytes may unpack to.
pub(crate) fn limit(bytes: u64) -> u64 {
    bytes.saturating_mul(MAX_RATIO).max(ALWAYS)
}

/// A reader of what a compressed stream holds, that fails with [`io::ErrorKind::FileTooLarge`] after `limit` bytes.
pub(crate) fn unpacked<R: Read>(packed: R, limit: u64) -> impl Read {
    let frames = Frames {
        packed: Some(BufReader::new(packed)),
        open: None,
    };
    Bounded(frames.take(limit.saturating_add(1)))
}

/// A compressed file is one frame after the other.
struct Frames<R: Read> {
    packed: Option<BufReader<R>>,
    open: Option<StreamingDecoder<BufReader<R>, FrameDecoder>>,
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(open) = &mut self.open {
                let got = open.read(into)?;
                if got > 0 || into.is_empty() {
                    return Ok(got);
                }
                self.packed = self.open.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut packed) = self.packed.take() else {
                return Ok(0);
            };
            if !packed.fill_buf()?.is_empty() {
                let decoder = StreamingDecoder::new_with_max_window_size(packed, MAX_WINDOW);
                self.open = Some(decoder.map_err(io::Error::other)?);
            }
        }
    }
}

struct Bounded<R>(Take<R>);

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.0.read(into)?;
        if self.0.limit() == 0 && !into.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn packed(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    #[test]
    fn frames_follow_one_another() {
        let both = [packed(b"one\n"), packed(b""), packed(b"two\n")].concat();
        let mut text = String::new();
        unpacked(both.as_slice(), 8).read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
    }

    #[test]
    fn what_unpacks_too_far_is_stopped_there() {
        let bomb = packed(&vec![b'x'; 64 * 1024 * 1024]);
        let mut read = Vec::new();
        let error = unpacked(bomb.as_slice(), limit(bomb.len() as u64))
            .read_to_end(&mut read)
            .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(read.len() as u64 <= limit(bomb.len() as u64) + 1);
    }

    #[test]
    fn what_is_no_such_stream_is_an_error() {
        let mut read = Vec::new();
        assert!(unpacked(&b"{\"type\":1}"[..], 99).read_to_end(&mut read).is_err());
        let whole = packed(&[b'y'; 5000]);
        assert!(
            unpacked(&whole[..whole.len() / 2], 9999)
                .read_to_end(&mut read)
                .is_err()
        );
        assert_eq!(unpacked(&b""[..], 9).read_to_end(&mut read).unwrap(), 0);
    }
}
