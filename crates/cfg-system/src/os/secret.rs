//! The secret that distinguishes this user's own journals from those that came with a repository.

use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::{roots::Roots, write};
use crate::{Host, NewMode, around};

/// The name of its file.
const NAME: &str = "secret";

/// Its length, in bytes.
const LENGTH: usize = 32;

/// A secret that is created when it is first needed, and stored in the user's state folder.
#[derive(Default)]
pub(super) struct Secret(OnceLock<[u8; LENGTH]>);

impl Secret {
    /// The HMAC-SHA-256 of these bytes, in hexadecimal digits; `None` if there is no private place for a secret: a file in one of the `repositories`
    /// may have come with it. A secret is created only if that is allowed.
    pub(super) fn seal(&self, host: &dyn Host, bytes: &[u8], repositories: &Roots, may_make: bool) -> Option<String> {
        let secret = match self.0.get() {
            Some(secret) => secret,
            None => {
                let folder = folder(host, repositories)?;
                let secret = if may_make { load(&folder) } else { read(&folder.join(NAME)) };
                let _ = self.0.set(secret.ok()?);
                self.0.get()?
            }
        };
        let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
        mac.update(bytes);
        let digits = |byte: u8| [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or_default());
        Some(mac.finalize().into_bytes().into_iter().flat_map(digits).collect())
    }
}

/// The folder of the secret.
fn folder(host: &dyn Host, repositories: &Roots) -> Option<PathBuf> {
    let set = |name| host.variable(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let home = || set("HOME").or_else(env::home_dir);
    let state = if cfg!(windows) {
        set("LOCALAPPDATA")?
    } else {
        set("XDG_STATE_HOME").or_else(|| Some(home()?.join(".local").join("state")))?
    };
    let folder = state.join("cfg");
    let there = around(&folder).find_map(|above| fs::canonicalize(above).ok())?;
    repositories.around(&there).is_none().then_some(folder)
}

/// Reads the secret, or creates one. Two processes that create one at the same time agree on the first.
fn load(folder: &Path) -> io::Result<[u8; LENGTH]> {
    let path = folder.join(NAME);
    match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        secret => return secret,
    }
    make_folder(folder)?;
    let mut secret = [0; LENGTH];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    // A file without a name until it is complete: an interrupted process leaves nothing behind.
    match write::create(&path, &secret, NewMode::Private) {
        Ok(()) => Ok(secret),
        Err(_) => read(&path),
    }
}

fn read(path: &Path) -> io::Result<[u8; LENGTH]> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed(),
    );
    let mut file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || !is_ours_alone(&metadata) {
        return Err(io::Error::other("it is readable by others, or owned by another user"));
    }
    let mut secret = [0; LENGTH];
    file.read_exact(&mut secret)?;
    Ok(secret)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
fn is_ours_alone(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode().trailing_zeros() >= 6
}

#[cfg(not(unix))]
const fn is_ours_alone(_: &fs::Metadata) -> bool {
    true
}
