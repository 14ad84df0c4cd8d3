//! One error type: what is wrong, where, and what to do next.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of every fallible engine function.
pub type Result<T> = std::result::Result<T, Error>;

/// The family an [`Error`] belongs to; each becomes one Python exception class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The user's data is not what it should be (encoding, line counts, an impossible value).
    Input,
    /// A file in one of our formats, or a known foreign one, is malformed.
    Format,
    /// The data is well formed but larger than a limit that is a setting.
    Limit,
    /// An option has a value that makes no sense, or is unknown.
    Settings,
    /// The operating system refused: missing file, permission, full disk.
    File,
    /// The engine did what it never should; see [`crate::panics`].
    Internal,
}

/// Where in the user's data an error is; whatever is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, if the data came from one.
    pub path: Option<PathBuf>,
    /// Line number, counted from 1.
    pub line: Option<u64>,
    /// Byte: within the line if a line is given, else within the file; counted from 1.
    pub byte: Option<u64>,
}

/// An error that a person can act on without reading our source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The family.
    pub kind: Kind,
    /// What is wrong, as the start of a sentence.
    pub what: String,
    /// Where.
    pub place: Place,
    /// What to do about it; may be empty.
    pub hint: String,
}

impl Error {
    /// An error of the given kind; add a place and a hint with the methods below.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), place: Place::default(), hint: String::new() }
    }

    /// Shorthand for [`Kind::Input`].
    pub fn input(what: impl Into<String>) -> Self {
        Self::new(Kind::Input, what)
    }

    /// Shorthand for [`Kind::Format`].
    pub fn format(what: impl Into<String>) -> Self {
        Self::new(Kind::Format, what)
    }

    /// Shorthand for [`Kind::Limit`].
    pub fn limit(what: impl Into<String>) -> Self {
        Self::new(Kind::Limit, what)
    }

    /// Shorthand for [`Kind::Settings`].
    pub fn settings(what: impl Into<String>) -> Self {
        Self::new(Kind::Settings, what)
    }

    /// Shorthand for [`Kind::Internal`].
    pub fn internal(what: impl Into<String>) -> Self {
        Self::new(Kind::Internal, what)
    }

    /// What the operating system said about `path`.
    pub fn io(path: &Path, source: &std::io::Error) -> Self {
        Self::new(Kind::File, source.to_string()).at_path(path)
    }

    /// Names the file.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.place.path = Some(path.into());
        self
    }

    /// Names the line (from 1).
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.place.line = Some(line);
        self
    }

    /// Names the byte (from 1).
    #[must_use]
    pub fn at_byte(mut self, byte: u64) -> Self {
        self.place.byte = Some(byte);
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
            separator = ", ";
        }
        if let Some(line) = self.line {
            write!(f, "{separator}line {line}")?;
            separator = ", ";
        }
        if let Some(byte) = self.byte {
            write!(f, "{separator}byte {byte}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.to_string();
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.what)?;
        if !self.hint.is_empty() {
            write!(f, "; {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_what_and_what_next() {
        let error = Error::input("not valid UTF-8").at_path("a.de").at_line(3).at_byte(17).hint("re-encode the file");
        assert_eq!(error.to_string(), "a.de, line 3, byte 17: not valid UTF-8; re-encode the file");
        assert_eq!(Error::limit("too long").to_string(), "too long");
    }
}
