//! Undirected search for Python: its settings.

use pyo3::prelude::*;
use tolka_engine::decode::undirected::UndirectedSettings;
use tolka_engine::decode::undirected::policy::{Factors, LmMode, Order, Rest, Start};

use crate::decode::Given;

/// Reads the settings of undirected search.
pub fn settings(given: &mut Given<'_, '_>) -> PyResult<UndirectedSettings> {
    let mut settings = UndirectedSettings::default();
    given.take("table_limit", &mut settings.table_limit)?;
    given.take("max_span", &mut settings.max_span)?;
    given.take("shallow", &mut settings.shallow)?;
    given.take("memory_limit", &mut settings.memory_limit)?;
    given.seconds("time_limit", &mut settings.time_limit)?;
    given.take("prune", &mut settings.prune)?;
    given.take("narrow", &mut settings.narrow)?;
    let modes = [("full", LmMode::Full), ("both", LmMode::Both), ("again", LmMode::Again), ("change", LmMode::Change)];
    given.one_of("lm", &modes, &mut settings.lm)?;
    let factors = [("sum", Factors::Sum), ("split", Factors::Split), ("off", Factors::Off)];
    given.one_of("factors", &factors, &mut settings.factors)?;
    given.take("scale", &mut settings.scale)?;
    given.one_of(
        "rest",
        &[("rules", Rest::Rules), ("words", Rest::Words), ("joins", Rest::Joins)],
        &mut settings.rest,
    )?;
    given.take("tries", &mut settings.tries)?;
    given.take("relative", &mut settings.relative)?;
    given.one_of("start", &[("goal", Start::Goal), ("glue", Start::Glue)], &mut settings.start)?;
    given.one_of("order", &[("score", Order::Score), ("margin", Order::Margin)], &mut settings.order)?;
    given.take("beam", &mut settings.beam)?;
    given.take("starts", &mut settings.starts)?;
    given.take("repairs", &mut settings.repairs)?;
    given.take("regrow", &mut settings.regrow)?;
    given.take("scored", &mut settings.scored)?;
    given.take("lazy", &mut settings.lazy)?;
    given.take("context", &mut settings.context)?;
    given.take("actions", &mut settings.actions)?;
    Ok(settings)
}
