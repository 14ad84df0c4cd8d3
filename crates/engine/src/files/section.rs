//! Arrays that a model holds without caring whether they are mapped from a file or were just computed.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;

use super::reader::Container;

/// A read-only array with shared ownership: a section of an open [`Container`], or a vector.
///
/// It dereferences to a slice. That costs a few instructions for a mapped section (bounds and alignment are checked
/// anew, which keeps this free of `unsafe`), so inner loops take the slice once and index that.
#[derive(Clone)]
pub struct Section<T: Pod>(Source<T>);

#[derive(Clone)]
enum Source<T> {
    Mapped { container: Container, range: Range<usize> },
    Owned(Arc<[T]>),
}

impl<T: Pod> Section<T> {
    /// The range must be that of a section of `T`.
    pub(super) fn mapped(container: Container, range: Range<usize>) -> Self {
        Self(Source::Mapped { container, range })
    }
}

impl<T: Pod> Deref for Section<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Source::Mapped { container, range } => container.view(range.clone()),
            Source::Owned(elements) => elements,
        }
    }
}

impl<T: Pod> From<Vec<T>> for Section<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(Source::Owned(elements.into()))
    }
}

impl<T: Pod> Default for Section<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T: Pod> fmt::Debug for Section<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.0 {
            Source::Mapped { .. } => "mapped",
            Source::Owned(_) => "owned",
        };
        write!(f, "Section<{}>({} {source})", std::any::type_name::<T>(), self.len())
    }
}
