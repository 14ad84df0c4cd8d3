//! Numbers for the values of templates, learnt from training trees; what is rare shares one number per template.

use hashbrown::HashMap;

use crate::{Error, Result};

/// From keys to numbers. The first numbers, one per template, stand for whatever was rare or never seen.
#[derive(Debug, Clone, Default)]
pub struct Values {
    templates: usize,
    keys: Vec<u64>,
    ids: HashMap<u64, u32>,
}

impl Values {
    /// The dictionary of these keys, ascending.
    ///
    /// # Errors
    /// Keys do not ascend, or are too many.
    pub fn new(templates: usize, keys: Vec<u64>) -> Result<Self> {
        if !keys.is_sorted_by(|a, b| a < b) {
            return Err(Error::format("the values of features are not in ascending order"));
        }
        if keys.len() > u32::MAX as usize / 64 {
            return Err(Error::limit(format!("{} values of features are too many", keys.len())));
        }
        let ids = keys.iter().enumerate().map(|(at, &key)| (key, (templates + at) as u32)).collect();
        Ok(Self { templates, keys, ids })
    }

    /// The dictionary of the keys counted at least `least` times.
    ///
    /// # Errors
    /// They are too many.
    pub fn learn(templates: usize, counts: &HashMap<u64, u32>, least: u32) -> Result<Self> {
        let mut keys: Vec<u64> = counts.iter().filter(|&(_, &count)| count >= least).map(|(&key, _)| key).collect();
        keys.sort_unstable();
        Self::new(templates, keys)
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.templates + self.keys.len()
    }

    /// Whether there is no template.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keys, ascending.
    #[must_use]
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The number of a key of a template.
    #[must_use]
    pub fn id(&self, template: usize, key: u64) -> u32 {
        self.ids.get(&key).copied().unwrap_or(template as u32)
    }
}
