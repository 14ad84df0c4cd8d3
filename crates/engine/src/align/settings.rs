//! What a user may choose about training, and what is chosen if they do not.

use super::gauss::Variant;
use super::gibbs::Schedule;
use super::sampler::Priors;
use crate::{Error, Result};

/// Which model is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// IBM Model 1.
    Ibm1,
    /// IBM Model 2.
    Ibm2,
    /// Diagonal-favouring Model 2.
    Diagonal,
    /// IBM2+1dG.
    Gauss(Variant),
    /// Hidden Markov model.
    Hmm,
    /// Bayesian HMM with fertilities.
    Fertility,
}

impl Kind {
    /// The model called `name`; `variant` serves `gauss`.
    ///
    /// # Errors
    /// If there is no such model or variant.
    pub fn parse(name: &str, variant: &str) -> Result<Self> {
        Ok(match name {
            "ibm1" => Self::Ibm1,
            "ibm2" => Self::Ibm2,
            "diagonal" => Self::Diagonal,
            "gauss" => Self::Gauss(match variant {
                "vanilla" => Variant::Vanilla,
                "deficient" => Variant::Deficient,
                "truncated" => Variant::Truncated,
                "integrated" => Variant::Integrated,
                other => {
                    return Err(Error::settings(format!("there is no Gaussian variant called {other:?}"))
                        .hint("use vanilla, deficient, truncated or integrated"));
                }
            }),
            "hmm" => Self::Hmm,
            "fertility" => Self::Fertility,
            other => {
                return Err(Error::settings(format!("there is no alignment model called {other:?}"))
                    .hint("use ibm1, ibm2, diagonal, gauss, hmm or fertility"));
            }
        })
    }
}

/// Settings of training.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The model.
    pub kind: Kind,
    /// Iterations of Model 1 before a model that has positions.
    pub warm_up: usize,
    /// Iterations of the model itself.
    pub iterations: usize,
    /// Dirichlet prior of expectation-maximised lexical tables; 0 for maximum likelihood.
    pub prior: f64,
    /// p₀ of `diagonal` and `hmm`.
    pub null: f64,
    /// Whether both directions learn from the links they agree on (Liang et al. 2006).
    pub agree: bool,
    /// Pseudo-count that draws rare Gaussian cells to the diagonal.
    pub shrink: f64,
    /// Gibbs sampling.
    pub schedule: Schedule,
    /// Its priors.
    pub priors: Priors,
    /// Seed of everything random.
    pub seed: u64,
    /// Longer sentences take no part in training; they are aligned afterwards.
    pub longest: usize,
    /// Bytes that training may use; a larger corpus is trained in shards.
    pub memory: u64,
}

impl Settings {
    /// What a model of this kind does by default on `pairs` sentence pairs.
    pub fn default_for(kind: Kind, pairs: usize) -> Self {
        // Small corpora need more sweeps to mix, and can afford them.
        let sweeps = (3200.0 / (pairs.max(1) as f64).sqrt()).round().clamp(8.0, 60.0) as usize;
        let lead = sweeps.div_ceil(6);
        Self {
            kind,
            warm_up: match kind {
                Kind::Ibm1 | Kind::Diagonal => 0,
                _ => 5,
            },
            iterations: 5,
            prior: if kind == Kind::Diagonal { 0.01 } else { 0.0 },
            null: 0.2,
            agree: false,
            shrink: 2.0,
            schedule: Schedule {
                chains: 2,
                lexical: lead,
                jumps: lead,
                fertility: sweeps,
                samples: sweeps.div_ceil(2),
            },
            // Agreement of 3 and of 10 did as well as 5 on the sets it was tried on (docs/align.md).
            priors: Priors {
                lexical: 0.001,
                lexical_null: 0.001,
                jump: 0.5,
                fertility: 0.5,
                null: 0.2,
                agreement: 5.0,
            },
            seed: 1,
            longest: 250,
            memory: 4 << 30,
        }
    }

    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// Naming the setting.
    pub fn check(&self) -> Result<()> {
        let refuse = |what: &str| Err(Error::settings(what.to_owned()));
        if !(self.prior >= 0.0 && self.prior.is_finite()) {
            return refuse("prior must be a number from 0");
        }
        if !(self.null > 0.0 && self.null < 1.0) {
            return refuse("null must be between 0 and 1");
        }
        if !(self.shrink >= 0.0 && self.shrink.is_finite()) {
            return refuse("shrink must be a number from 0");
        }
        if self.kind != Kind::Fertility && self.warm_up + self.iterations == 0 {
            return refuse("iterations must be at least 1");
        }
        if self.kind == Kind::Fertility {
            let Schedule { chains, lexical, jumps, fertility, samples } = self.schedule;
            if chains == 0 || samples == 0 || lexical + jumps + fertility < samples || chains * samples > 4096 {
                return refuse("chains and samples must be at least 1, and their product at most 4096");
            }
            let Priors { lexical, lexical_null, jump, fertility, agreement, .. } = self.priors;
            if ![lexical, lexical_null, jump, fertility, agreement].iter().all(|prior| (1e-9..=1e9).contains(prior)) {
                return refuse("priors must be above 0");
            }
            if self.agree {
                return refuse("agreement training serves ibm1, ibm2, diagonal and hmm, not fertility");
            }
        }
        if matches!(self.kind, Kind::Gauss(_)) && self.agree {
            return refuse("agreement training serves ibm1, ibm2, diagonal and hmm, not gauss");
        }
        if self.longest == 0 {
            return refuse("the longest training sentence must have at least 1 token");
        }
        if self.memory < 1 << 20 {
            return refuse("memory must be at least one megabyte");
        }
        Ok(())
    }

    /// Calls of the progress function that training a shard makes.
    pub fn steps(&self) -> usize {
        if self.kind == Kind::Fertility {
            let Schedule { chains, lexical, jumps, fertility, .. } = self.schedule;
            2 * chains * (lexical + jumps + fertility)
        } else {
            self.warm_up + self.iterations
        }
    }
}
