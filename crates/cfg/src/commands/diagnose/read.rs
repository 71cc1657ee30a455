//! Reads one log. Searching takes longer than reading, so that blocks of lines are searched on all cores, while the next are read.

use std::{
    io::{self, Read},
    path::Path,
};

use cfg_diagnose::{Log, Matcher, Metrics, ScannedLines, Seen, Thresholds};
use memchr::{memchr2, memrchr2};
use rayon::prelude::*;

use crate::{context::Context, threads};

/// So many bytes are read at once.
const BLOCK: usize = 512 * 1024;

/// So many blocks are searched at once: more would take memory.
const MOST_BLOCKS: usize = 4;

/// Reads one log, or standard input, whatever bytes are in it.
pub(crate) fn read(cx: &Context, matcher: &Matcher, path: &Path, thresholds: Thresholds) -> io::Result<Seen> {
    let mut from = if path == Path::new("-") { cx.host().input_stream() } else { cx.system.open_stream(path)? };
    if super::is_metrics(path) {
        let mut metrics = Metrics::new(thresholds);
        let mut block = Vec::new();
        while !read_on(&mut *from, &mut block)? {
            metrics.feed(&block);
            block.clear();
        }
        metrics.feed(&block);
        return Ok(metrics.finish());
    }
    seen(Log::with(matcher, thresholds), matcher, from, threads::on_all(rayon::current_num_threads).min(MOST_BLOCKS))
}

/// Blocks that are searched at once, with what was found in them.
#[derive(Default)]
struct Batch {
    blocks: Vec<Vec<u8>>,
    scanned: Vec<ScannedLines>,
    /// What precedes the first block: the end of a line that goes on from the batch before.
    head: Vec<u8>,
    /// What follows the last block: a part of a line that is longer than a block, or that ends the log.
    tail: Vec<u8>,
}

/// Two batches take turns: one is read while the other is searched, and what was found in it is put together while it waits.
fn seen(mut log: Log<'_>, matcher: &Matcher, from: Box<dyn Read + Send>, most: usize) -> io::Result<Seen> {
    let mut source = Source { from, rest: Vec::new(), is_within_line: false, is_over: false };
    let (mut batch, mut next) = (Batch::new(most), Batch::new(most));
    source.fill(&mut batch)?;
    loop {
        let Batch { blocks, scanned, .. } = &mut batch;
        let fill = || {
            // It was searched in the round before.
            next.hand_over(&mut log);
            if source.is_over { Ok(false) } else { source.fill(&mut next).map(|()| true) }
        };
        let search = || blocks.par_iter().zip(scanned).for_each(|(block, scanned)| matcher.scan(block, scanned));
        let (is_read, ()) = threads::on_all(|| rayon::join(fill, search));
        if !is_read? {
            batch.hand_over(&mut log);
            return Ok(log.finish());
        }
        std::mem::swap(&mut batch, &mut next);
    }
}

impl Batch {
    fn new(most: usize) -> Self {
        let scanned = std::iter::repeat_with(ScannedLines::default).take(most).collect();
        Self { blocks: vec![Vec::new(); most], scanned, ..Self::default() }
    }

    /// Gives the log what was found, and is empty afterwards.
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

/// A log that is read in blocks of whole lines.
struct Source {
    from: Box<dyn Read + Send>,
    /// What was read of the line behind the last block.
    rest: Vec<u8>,
    /// The batch before ended within a line.
    is_within_line: bool,
    is_over: bool,
}

impl Source {
    /// Fills an empty batch.
    fn fill(&mut self, batch: &mut Batch) -> io::Result<()> {
        for (index, block) in batch.blocks.iter_mut().enumerate() {
            std::mem::swap(block, &mut self.rest);
            self.rest.clear();
            self.is_over = read_on(&mut *self.from, block)?;
            if index == 0 && self.is_within_line {
                let end = memchr2(b'\n', b'\r', block).map(|at| at + 1);
                self.is_within_line = end.is_none();
                batch.head.extend(block.drain(..end.unwrap_or(block.len())));
            }
            let end = memrchr2(b'\n', b'\r', block).map_or(0, |at| at + 1);
            if self.is_over || end == 0 {
                // It may go on within a text or a sequence.
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

/// Fills a block, whose beginning is there already; says whether that was all.
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
