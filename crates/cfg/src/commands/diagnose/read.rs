//! Reads a log. Searching takes longer than reading, so blocks of lines are searched on all cores while the next blocks are read.

use std::{
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use cfg_diagnose::{
    Log, Matcher, Metrics, ScannedLines, ScannedLog, Thresholds, Unfolded, Unwrapped, below_run, is_enveloped, wrapped_at,
};
use flate2::read::MultiGzDecoder;
use memchr::{memchr2, memrchr2};
use rayon::prelude::*;

use crate::{context::Context, threads};

/// The number of bytes that are read at once.
const BLOCK: usize = 128 * 1024;

/// The number of blocks that are searched at once; more would use too much memory.
const MAX_BLOCKS: usize = 4;

/// Reads logs one after the other into the same buffers. In a program that reads its logs repeatedly, buffers that one thread allocates and another
/// frees would accumulate.
pub(crate) struct Reader<'m> {
    matcher: &'m Matcher,
    thresholds: Thresholds,
    buffers: Option<Buffers>,
    /// What is left of [`SPARE`].
    spare: Arc<AtomicU64>,
}

/// Two batches, and the incomplete line after the last block.
struct Buffers {
    batch: Batch,
    next: Batch,
    rest: Vec<u8>,
}

impl<'m> Reader<'m> {
    pub(crate) fn new(matcher: &'m Matcher, thresholds: Thresholds) -> Self {
        Self { matcher, thresholds, buffers: None, spare: Arc::new(AtomicU64::new(SPARE)) }
    }

    /// Begins to read the logs of a run once more.
    pub(crate) fn begin(&mut self) {
        self.spare.store(SPARE, Ordering::Relaxed);
    }

    /// Reads a log, or standard input, with any bytes in it. `named` are the files and folders at which it was found.
    pub(crate) fn read(&mut self, cx: &Context, path: &Path, named: &[PathBuf]) -> io::Result<ScannedLog> {
        let below = below_run(path, named);
        let from = if path == Path::new("-") { cx.host().input_stream() } else { cx.system.open_stream(path)? };
        let (mut from, is_enveloped) = plain(from, &self.spare)?;
        if super::is_metrics(path) && !is_enveloped {
            let mut metrics = Metrics::new(self.thresholds);
            let mut block = Vec::new();
            while !read_on(&mut *from, &mut block)? {
                metrics.feed(&block);
                block.clear();
            }
            metrics.feed(&block);
            return Ok(metrics.finish().at(below));
        }
        let new = || {
            let most = threads::on_all(rayon::current_num_threads).min(MAX_BLOCKS);
            Buffers { batch: Batch::new(most), next: Batch::new(most), rest: Vec::new() }
        };
        // After an error in the middle of a log, the buffers contain parts of it, so they are not reused.
        let mut buffers = self.buffers.take().unwrap_or_else(new);
        let (matcher, thresholds) = (self.matcher, self.thresholds);
        // One thread allocates and frees all memory for a log.
        let seen = threads::on_all(|| seen(Log::with(matcher, thresholds), matcher, from, &mut buffers))?;
        self.buffers = Some(buffers);
        Ok(seen.at(below))
    }
}

/// The number of bytes at the beginning of a log that show what it is.
const HEAD: usize = 64 * 1024;

/// The first bytes of a file that gzip compressed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A compressed log may have this many bytes for each compressed one; most logs have ten to fifty.
const MAX_UNPACKED_PER_PACKED: u64 = 200;

/// All compressed logs that are read together may have this many beyond that: one of a single line that is repeated has a thousand for each compressed one.
const SPARE: u64 = 256 << 20;

/// What a compressed file unfolds to, as long as that is a log's.
struct Unfolding<R> {
    from: MultiGzDecoder<Counted<R>>,
    unfolded: u64,
    /// The bytes of it that were taken from `spare`.
    taken: u64,
    /// What is left of [`SPARE`].
    spare: Arc<AtomicU64>,
}

/// A stream that counts its bytes.
struct Counted<R> {
    from: R,
    bytes: u64,
}

impl<R: Read> Unfolding<R> {
    fn new(from: R, spare: Arc<AtomicU64>) -> Self {
        Self { from: MultiGzDecoder::new(Counted { from, bytes: 0 }), unfolded: 0, taken: 0, spare }
    }
}

impl<R: Read> Read for Unfolding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        self.unfolded += count as u64;
        let as_logs_have = MAX_UNPACKED_PER_PACKED * self.from.get_ref().bytes;
        let more = self.unfolded.saturating_sub(as_logs_have + self.taken);
        let is_left = self.spare.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |spare| spare.checked_sub(more)).is_ok();
        if !is_left {
            return Err(io::Error::other(
                "it decompresses to more than 200 times its size, as logs do not; decompress it to have it read",
            ));
        }
        self.taken += more;
        Ok(count)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }
}

/// The text of a log: uncompressed, without the objects in which a collector keeps its lines, which is also returned, and with the lines that a terminal broke
/// in one piece again.
fn plain(mut from: Box<dyn Read + Send>, spare: &Arc<AtomicU64>) -> io::Result<(Box<dyn Read + Send>, bool)> {
    let mut head = head_of(&mut *from)?;
    if head.starts_with(&GZIP) {
        from = Box::new(Unfolding::new(Cursor::new(head).chain(from), Arc::clone(spare)));
        head = head_of(&mut *from)?;
    }
    let is_whole = head.len() < HEAD;
    let is_enveloped = is_enveloped(&head, is_whole);
    let width = wrapped_at(&head, is_whole);
    let whole = Cursor::new(head).chain(from);
    let text: Box<dyn Read + Send> = match width {
        _ if is_enveloped => Box::new(Unfolded::new(whole)),
        Some(width) => Box::new(Unwrapped::new(whole, width)),
        None => Box::new(whole),
    };
    Ok((text, is_enveloped))
}

/// The beginning of a stream.
fn head_of(from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    from.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Blocks that are searched at the same time, with their matches.
#[derive(Default)]
struct Batch {
    blocks: Vec<Vec<u8>>,
    scanned: Vec<ScannedLines>,
    /// The part before the first block: the end of a line that began in the previous batch.
    head: Vec<u8>,
    /// The part after the last block: a piece of a line that is longer than a block, or the end of the log.
    tail: Vec<u8>,
}

/// Uses two batches alternately: one is filled while the other is searched. Then the matches of the searched one are passed to
/// the log, and it is filled again.
fn seen(mut log: Log<'_>, matcher: &Matcher, from: Box<dyn Read + Send>, buffers: &mut Buffers) -> io::Result<ScannedLog> {
    let Buffers { batch, next, rest } = buffers;
    rest.clear();
    let mut source = Source { from, rest, is_within_line: false, is_over: false };
    source.fill(batch)?;
    loop {
        let Batch { blocks, scanned, .. } = &mut *batch;
        let fill = || {
            // This batch was searched in the previous iteration.
            next.hand_over(&mut log);
            if source.is_over { Ok(false) } else { source.fill(next).map(|()| true) }
        };
        let search = || blocks.par_iter().zip(scanned).for_each(|(block, scanned)| matcher.scan(block, scanned));
        let (is_read, ()) = rayon::join(fill, search);
        if !is_read? {
            batch.hand_over(&mut log);
            return Ok(log.finish());
        }
        std::mem::swap(batch, next);
    }
}

impl Batch {
    fn new(most: usize) -> Self {
        let scanned = std::iter::repeat_with(ScannedLines::default).take(most).collect();
        Self { blocks: vec![Vec::new(); most], scanned, ..Self::default() }
    }

    /// Passes the matches to the log, and empties the batch.
    fn hand_over(&mut self, log: &mut Log<'_>) {
        log.feed(&self.head);
        for (block, scanned) in self.blocks.iter_mut().zip(&mut self.scanned) {
            if !block.is_empty() {
                log.take(scanned);
            }
            block.clear();
        }
        log.feed(&self.tail);
        self.head.clear();
        self.tail.clear();
    }
}

/// Reads a log in blocks of whole lines.
struct Source<'b> {
    from: Box<dyn Read + Send>,
    /// The incomplete line after the last block.
    rest: &'b mut Vec<u8>,
    /// Whether the previous batch ended in the middle of a line.
    is_within_line: bool,
    is_over: bool,
}

impl Source<'_> {
    /// Fills an empty batch.
    fn fill(&mut self, batch: &mut Batch) -> io::Result<()> {
        for (index, block) in batch.blocks.iter_mut().enumerate() {
            std::mem::swap(block, self.rest);
            self.rest.clear();
            self.is_over = read_on(&mut *self.from, block)?;
            if index == 0 && self.is_within_line {
                let end = memchr2(b'\n', b'\r', block).map(|at| at + 1);
                self.is_within_line = end.is_none();
                batch.head.extend(block.drain(..end.unwrap_or(block.len())));
            }
            let end = memrchr2(b'\n', b'\r', block).map_or(0, |at| at + 1);
            if self.is_over || end == 0 {
                // The next line may continue a match or an escape sequence.
                batch.tail.extend_from_slice(&block[end..]);
                self.is_within_line |= end < block.len();
                block.truncate(end);
                break;
            }
            self.rest.extend_from_slice(&block[end..]);
            block.truncate(end);
        }
        Ok(())
    }
}

/// Fills the rest of a block; returns whether the log has ended.
fn read_on(from: &mut dyn Read, block: &mut Vec<u8>) -> io::Result<bool> {
    let mut at = block.len();
    block.resize(at.max(BLOCK), 0);
    while at < block.len() {
        match from.read(&mut block[at..]) {
            Ok(0) => {
                block.truncate(at);
                return Ok(true);
            }
            Ok(read) => at += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, read::GzEncoder};

    use super::*;

    fn compressed(text: &[u8]) -> Vec<u8> {
        let mut compressed = Vec::new();
        GzEncoder::new(text, Compression::best()).read_to_end(&mut compressed).expect("memory");
        compressed
    }

    #[test]
    fn a_compressed_log_unfolds_to_a_bounded_text() {
        // Four members in one file, as a rotated log has.
        let zeros = compressed(&vec![0; 1 << 20]).repeat(4);
        let unfolded = |spare: &Arc<AtomicU64>| io::copy(&mut Unfolding::new(&*zeros, Arc::clone(spare)), &mut io::sink());
        // A thousand bytes for each one, of which 200 are a log's.
        let spare = Arc::new(AtomicU64::new(6 << 20));
        assert_eq!(unfolded(&spare).expect("a log"), 4 << 20);
        let left = spare.load(Ordering::Relaxed);
        assert!((2 << 20..3 << 20).contains(&left), "{left}");
        let bomb = unfolded(&spare).expect_err("what is left is too little for another one");
        assert!(bomb.to_string().contains("200 times its size"), "{bomb}");
        // What compresses as logs do needs nothing of it.
        let mut line = 0_u32;
        let text: Vec<u8> = std::iter::repeat_with(|| {
            line = line.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("12:00:00 INFO Step {line} | Loss: 0.1000\n")
        })
        .take(2000)
        .collect::<String>()
        .into_bytes();
        let log = compressed(&text);
        let mut stream = Unfolding::new(&*log, Arc::new(AtomicU64::new(0)));
        assert_eq!(io::copy(&mut stream, &mut io::sink()).expect("a log"), text.len() as u64);
    }
}
