//! Files tolka writes itself: the checked, memory-mapped container that every table and model lives in.
//!
//! A container is written once, through [`ContainerWriter`], and then only read, through [`Container`]. Its bytes are
//! described in `docs/files.md`; [`layout`] is the only code that knows them.
//!
//! ```
//! use tolka_engine::files::{Container, ContainerWriter, Section, Verify};
//! # let directory = tempfile::tempdir().unwrap();
//! # let path = directory.path().join("unigrams.tlk");
//! let mut writer = ContainerWriter::create(&path, "unigrams", 1)?;
//! writer.section("counts", &[3_u32, 1, 4])?;
//! let mut scores = writer.begin::<f32>("scores")?; // as much as you like, a slice at a time
//! scores.extend(&[-0.5, -1.5])?;
//! scores.extend(&[-0.25])?;
//! scores.end()?;
//! writer.finish()?;
//!
//! let container = Container::open(&path, "unigrams", Verify::Full)?;
//! assert_eq!(container.slice::<u32>("counts")?, [3, 1, 4]);
//! let scores: Section<f32> = container.section("scores")?; // owns a share of the mapping; a model may keep it
//! drop(container);
//! assert_eq!(scores[2], -0.25);
//! # Ok::<(), tolka_engine::Error>(())
//! ```

pub mod atomic;
mod foreign;
pub mod layout;
pub mod mapped;
mod reader;
pub(crate) mod runs;
mod section;
pub mod temporary;
mod writer;

#[cfg(test)]
mod malformed_tests;
#[cfg(test)]
pub(crate) mod reseal;

pub use atomic::AtomicFile;
pub use layout::{Element, SectionInfo};
pub use mapped::prefetch;
pub use reader::{Container, Verify};
pub use section::Section;
pub use temporary::Growing;
pub use writer::{ContainerWriter, SectionWriter};

#[cfg(target_endian = "big")]
compile_error!("tolka's containers are little-endian and mapped as they are; big-endian machines are not supported");
