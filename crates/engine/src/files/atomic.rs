//! Files that appear whole or not at all.
//!
//! An [`AtomicFile`] is written under a temporary name in the directory of its target, forced to disk, and renamed over
//! the target; the directory is forced to disk after. Whoever opens the target sees the old file or the new one.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Kind, Result};

/// Symbolic links followed before they count as a loop, as Linux has it.
const MOST_LINKS: usize = 40;
/// Large enough that a table of billions of small pieces costs few system calls.
const BUFFER_BYTES: usize = 1 << 18;

/// Writes the file at `path` atomically: `fill` writes the contents, and only if it succeeds is the file replaced.
///
/// ```
/// use std::io::Write;
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("weights");
/// tolka_engine::files::atomic::write(&path, |out| writeln!(out, "LM 0.5"))?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "LM 0.5\n");
/// # Ok::<(), tolka_engine::Error>(())
/// ```
pub fn write(path: impl AsRef<Path>, fill: impl FnOnce(&mut AtomicFile) -> io::Result<()>) -> Result<()> {
    let path = path.as_ref();
    let mut file = AtomicFile::create(path)?;
    fill(&mut file).map_err(|error| Error::io(path, &error))?;
    file.commit()
}

/// A file that takes its name when it is [committed](AtomicFile::commit); dropped before, it leaves nothing behind.
///
/// A new file has the permissions that the process's umask gives, a replaced one keeps those it had. If the target is a
/// symbolic link, the file it points to is replaced and the link stays. What is not a regular file, or is marked
/// read-only, is not replaced.
#[derive(Debug)]
pub struct AtomicFile {
    file: BufWriter<File>,
    temporary: PathBuf,
    target: PathBuf,
    committed: bool,
}

impl AtomicFile {
    /// Begins a file that will be at `path`; its directory must exist.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let target = follow_links(path)?;
        let Some(directory) = target.parent().filter(|_| target.file_name().is_some()) else {
            return Err(Error::new(Kind::File, "the path names no file").at_path(path));
        };
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let old = replaceable(&target)?;
        let mode = old.as_ref().map_or(0o666, |permissions| permissions.mode() & 0o777);
        let (file, temporary) = create_temporary(directory, mode).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                let what = format!("the directory {} does not exist", directory.display());
                return Error::new(Kind::File, what).at_path(path).hint("create it first");
            }
            Error::io(path, &error)
        })?;
        let file = Self { file: BufWriter::with_capacity(BUFFER_BYTES, file), temporary, target, committed: false };
        if let Some(permissions) = old {
            let exact = Permissions::from_mode(permissions.mode() & 0o777);
            fs::set_permissions(&file.temporary, exact).map_err(|error| Error::io(path, &error))?;
        }
        Ok(file)
    }

    /// Forces the contents to disk and puts the file in its place.
    pub fn commit(mut self) -> Result<()> {
        self.place().map_err(|error| Error::io(&self.target, &error))
    }

    fn place(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        self.committed = true;
        let directory = self.target.parent().filter(|directory| !directory.as_os_str().is_empty());
        match File::open(directory.unwrap_or(Path::new("."))).and_then(|directory| directory.sync_all()) {
            // Some network file systems cannot sync a directory, and a directory may be writable but not readable;
            // the file is in place either way.
            Err(error) if !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied) => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.committed {
            // Nobody is left to tell if this fails, and the temporary name says what the file is.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// What `path` finally points to, whether or not that exists.
fn follow_links(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            // Not a link, or nothing there.
            Err(_) => return Ok(target),
        }
    }
    Err(Error::new(Kind::File, "the symbolic links lead in a circle").at_path(path))
}

/// The permissions of the file that is to be replaced, if there is one and it may be.
fn replaceable(target: &Path) -> Result<Option<Permissions>> {
    let metadata = match fs::symlink_metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(target, &error)),
    };
    let refuse = |what: &str, hint: &str| Err(Error::new(Kind::File, what).at_path(target).hint(hint));
    if metadata.is_dir() {
        return refuse("is a directory", "name a file");
    }
    if !metadata.is_file() {
        return refuse("is not a regular file and cannot be replaced", "name an ordinary file");
    }
    if metadata.permissions().readonly() {
        return refuse("is read-only", "make it writable if it may be replaced");
    }
    Ok(Some(metadata.permissions()))
}

/// A new file with a name nobody else has; `.tolka-*.tmp` is what a killed writer leaves.
fn create_temporary(directory: &Path, mode: u32) -> io::Result<(File, PathBuf)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!(".tolka-{}-{number}.tmp", process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(mode).open(&path) {
            // A writer that was killed, or one on another machine that shares the directory.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((file, path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(directory.path()), ["file"]);
    }

    #[test]
    fn failure_and_panic_leave_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let error = write(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("the pen broke"))
        });
        assert_eq!(error.unwrap_err().to_string(), format!("{}: the pen broke", path.display()));
        let panicking = std::panic::catch_unwind(|| write(&path, |_| panic!("deliberate")));
        assert!(panicking.is_err());
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn permissions_are_those_of_the_umask_or_of_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let (ordinary, ours) = (directory.path().join("ordinary"), directory.path().join("ours"));
        fs::write(&ordinary, "").unwrap();
        write(&ours, |_| Ok(())).unwrap();
        assert_eq!(mode(&ours), mode(&ordinary));
        for kept in [0o600, 0o666, 0o755] {
            fs::set_permissions(&ours, Permissions::from_mode(kept)).unwrap();
            write(&ours, |_| Ok(())).unwrap();
            assert_eq!(mode(&ours), kept);
        }
        fs::set_permissions(&ours, Permissions::from_mode(0o444)).unwrap();
        assert!(write(&ours, |_| Ok(())).unwrap_err().what.contains("read-only"));
    }

    #[test]
    fn links_are_followed_and_stay() {
        let directory = tempfile::tempdir().unwrap();
        let elsewhere = directory.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        let (link, second) = (directory.path().join("link"), directory.path().join("second"));
        symlink("elsewhere/target", &second).unwrap();
        symlink("second", &link).unwrap();
        for contents in ["made through a dangling link", "replaced through it"] {
            write(&link, |out| out.write_all(contents.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(elsewhere.join("target")).unwrap(), contents);
            assert!(link.is_symlink() && second.is_symlink());
        }
        let (one, other) = (directory.path().join("one"), directory.path().join("other"));
        symlink("other", &one).unwrap();
        symlink("one", &other).unwrap();
        assert!(write(&one, |_| Ok(())).unwrap_err().what.contains("circle"));
    }

    #[test]
    fn what_cannot_be_a_target_is_said() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no/such/file");
        let error = write(&missing, |_| Ok(())).unwrap_err();
        assert_eq!(error.kind, Kind::File);
        assert!(error.what.ends_with("no/such does not exist"), "{error}");
        assert!(write(directory.path(), |_| Ok(())).unwrap_err().what.contains("directory"));
        assert!(write("/dev/null", |_| Ok(())).unwrap_err().what.contains("regular"));
        assert!(write("", |_| Ok(())).unwrap_err().what.contains("no file"));
        assert!(write("..", |_| Ok(())).is_err());
        assert!(names(directory.path()).is_empty());
    }
}
