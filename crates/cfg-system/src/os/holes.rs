//! Reads a file without its holes.

use std::{
    fs::File,
    io::{self, Read},
};

/// The bytes of a file, of which the parts without any on the disk are left out: they can make a file of a few kilobytes any size. A log has one, read as
/// zeros, after it was emptied while a process went on writing to it.
pub(super) struct WithoutHoles {
    file: File,
    /// Where the next byte is read, and where the bytes from there on end; only compared with each other if the system can tell holes.
    at: u64,
    end: u64,
    can_tell: bool,
}

impl WithoutHoles {
    pub(super) const fn new(file: File) -> Self {
        Self { file, at: 0, end: 0, can_tell: cfg!(target_os = "linux") }
    }
}

impl Read for WithoutHoles {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.can_tell {
            return self.file.read(buffer);
        }
        if self.at == self.end {
            match next_part(&self.file, self.at) {
                Ok(Some((start, end))) => (self.at, self.end) = (start, end),
                Ok(None) => return Ok(0),
                Err(_) => {
                    self.can_tell = false;
                    return self.file.read(buffer);
                }
            }
        }
        let most = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.file.read(&mut buffer[..most])?;
        // A file that is cut off meanwhile ends here.
        self.at = if count == 0 && most > 0 { self.end } else { self.at + count as u64 };
        Ok(count)
    }
}

/// Where the next bytes begin and end, with the file's position at their beginning; `None` if only a hole follows, or nothing.
#[cfg(target_os = "linux")]
fn next_part(file: &File, from: u64) -> io::Result<Option<(u64, u64)>> {
    use rustix::{
        fs::{SeekFrom, seek},
        io::Errno,
    };
    let start = match seek(file, SeekFrom::Data(from)) {
        Ok(start) => start,
        Err(Errno::NXIO) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let end = seek(file, SeekFrom::Hole(start))?;
    seek(file, SeekFrom::Start(start))?;
    Ok(Some((start, end)))
}

#[cfg(not(target_os = "linux"))]
fn next_part(_: &File, _: u64) -> io::Result<Option<(u64, u64)>> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        io::{Read as _, Seek as _, SeekFrom, Write as _},
        time::Instant,
    };

    use super::WithoutHoles;

    #[test]
    fn a_file_of_holes_is_read_in_the_time_of_its_bytes() {
        let mut file = tempfile::tempfile().expect("a file");
        for (at, text) in [(0, "first\n"), (7 << 40, "second\n")] {
            file.seek(SeekFrom::Start(at)).expect("a place");
            file.write_all(text.as_bytes()).expect("written");
        }
        file.set_len(8 << 40).expect("a size");
        file.rewind().expect("its beginning");
        let start = Instant::now();
        let mut bytes = Vec::new();
        WithoutHoles::new(file).read_to_end(&mut bytes).expect("read");
        assert!(start.elapsed().as_secs() < 5);
        // The rest of a block on the disk is zeros.
        let text = String::from_utf8(bytes).expect("a text").replace('\0', "");
        assert_eq!(text, "first\nsecond\n");
    }

    #[test]
    fn what_is_appended_later_is_read_as_well() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut read = WithoutHoles::new(file.reopen().expect("opened"));
        for text in ["one\n", "two\n"] {
            file.write_all(text.as_bytes()).expect("written");
            let mut now = String::new();
            read.read_to_string(&mut now).expect("read");
            assert_eq!(now, text);
        }
    }
}
