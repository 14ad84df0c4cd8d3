//! The features of a rule that several tables may have.

use crate::grammar::score::{FEATURES, INDICATORS};
use crate::{Error, Result};

/// Columns whose names begin so are logarithms of probabilities of orientations, of which decoders know one set.
const ORIENTATION: &str = "reorder_";
/// Orientations of a side that no table knows are equally likely.
const ORIENTATIONS: f64 = 3.0;
/// Stored counts may be off by a little.
const COUNT_SLACK: f32 = 0.01;

/// How the features of rules are made.
#[derive(Debug, Clone, PartialEq)]
pub enum How {
    /// p = Σ λ p of the tables (Foster et al. 2010), with weights λ for each of [`FEATURES`]: one for each table.
    Linear([Vec<f64>; 4]),
    /// The features of all tables side by side, for weights of their own (Foster & Kuhn 2007); a table that lacks the
    /// rule gives it the least probability.
    LogLinear,
    /// The same with the probability 1 where a table lacks the rule.
    Union,
    /// The same for rules that all tables have.
    Intersection,
    /// Rules as they are in the first table that has them, with features that say which one (Bisazza et al. 2011).
    FillUp,
    /// The same, but a table is only asked for source sides that no table before it has.
    BackOff,
    /// Rules as they are in each table, which becomes a voice of one that speaks for all.
    Voices,
}

impl How {
    /// The one with a name.
    ///
    /// # Errors
    /// There is none, or weights are given where there are none to give, or the other way round.
    pub fn parse(name: &str, weights: Option<[Vec<f64>; 4]>) -> Result<Self> {
        let how = match name {
            "linear" => {
                let weights = weights.ok_or_else(|| Error::settings("a linear mixture needs weights"))?;
                return Ok(Self::Linear(weights));
            }
            "log-linear" => Self::LogLinear,
            "union" => Self::Union,
            "intersection" => Self::Intersection,
            "fill-up" => Self::FillUp,
            "back-off" => Self::BackOff,
            "voices" => Self::Voices,
            _ => {
                return Err(Error::settings(format!("tables cannot be joined as `{name}`"))
                    .hint("say linear, log-linear, union, intersection, fill-up, back-off or voices"));
            }
        };
        match weights {
            None => Ok(how),
            Some(_) => Err(Error::settings(format!("tables that are joined as {name} have no weights"))
                .hint("leave them out; those of a linear mixture are the only ones")),
        }
    }
}

/// A rule in the tables that have it.
pub struct Met<'a> {
    /// Where each table's features begin in `values`; [`Met::ABSENT`] for tables that lack the rule.
    pub starts: &'a [usize],
    pub values: &'a [f32],
    /// The first table that has it.
    pub first: usize,
    /// How often it was counted in all tables.
    pub count: f32,
}

impl Met<'_> {
    /// No place in `values`.
    pub const ABSENT: usize = usize::MAX;

    #[inline]
    fn feature(&self, table: usize, column: usize) -> Option<f32> {
        let start = self.starts[table];
        (start != Self::ABSENT).then(|| self.values[start + column])
    }
}

/// What a feature of a joined rule is made of; `columns` is where each table has it.
#[derive(Debug, Clone, PartialEq)]
enum Column {
    /// Σ λ p, 0 where a table lacks the rule.
    Mixed { columns: Vec<usize>, weights: Vec<f64> },
    /// The same over the tables that have the rule and the feature, as if these were all.
    Shared { columns: Vec<Option<usize>>, weights: Vec<f64> },
    /// Whether the rule was counted more often than `above`, and not more often than `most`.
    Counted { above: f32, most: f32 },
    /// That of the first table in `order` that has the rule.
    Best { columns: Vec<usize>, order: Vec<usize> },
    /// That of one table.
    Own { table: usize, column: usize, absent: f32 },
    /// Whether the table is the first that has the rule.
    From { table: usize },
}

/// The features of joined rules.
pub struct Maker {
    /// Their names.
    pub names: Vec<String>,
    columns: Vec<Column>,
    floor: f64,
    /// The columns of p(e|f) and p(f|e), which rules of one source side are ordered by.
    rank: [Vec<usize>; 2],
}

impl Maker {
    /// Features for tables with these names and features; `counted` if all of them have counts.
    ///
    /// # Errors
    /// Features that differ where they may not, or weights that make no sense.
    pub fn new(how: &How, tables: &[(String, &[String])], counted: bool, floor: f64) -> Result<Self> {
        if !(floor > 0.0 && floor < 1.0) {
            return Err(Error::settings(format!("the least probability cannot be {floor}")).hint("say 1e-6"));
        }
        let mut maker = Self { names: Vec::new(), columns: Vec::new(), floor, rank: [Vec::new(), Vec::new()] };
        match how {
            How::Linear(weights) => maker.linear(tables, weights, counted)?,
            How::LogLinear => maker.side_by_side(tables, floor.ln() as f32),
            How::Union | How::Intersection => maker.side_by_side(tables, 0.0),
            How::FillUp | How::BackOff => maker.first(tables)?,
            How::Voices => maker.voices(tables)?,
        }
        for (rank, feature) in maker.rank.iter_mut().zip([FEATURES[2], FEATURES[0]]) {
            *rank = (0..maker.names.len()).filter(|&at| base(&maker.names[at]) == feature).collect();
        }
        Ok(maker)
    }

    fn add(&mut self, name: &str, column: Column) {
        self.names.push(name.to_owned());
        self.columns.push(column);
    }

    fn linear(&mut self, tables: &[(String, &[String])], weights: &[Vec<f64>; 4], counted: bool) -> Result<()> {
        for (weights, feature) in weights.iter().zip(FEATURES) {
            check_weights(weights, tables.len(), feature)?;
        }
        let chief = &weights[2];
        let mut order: Vec<usize> = (0..tables.len()).collect();
        order.sort_by(|&a, &b| chief[b].total_cmp(&chief[a]));
        let names = tables[0].1;
        if !names.iter().any(|name| FEATURES.contains(&&**name)) {
            let what = "the tables have none of phrase_fe, lex_fe, phrase_ef and lex_ef, the probabilities to mix";
            return Err(Error::input(what).hint("join them as log-linear or fill-up"));
        }
        let most = |at: usize| INDICATORS[at].1 as f32 + COUNT_SLACK;
        for name in names {
            let columns = same(tables, name)?;
            let known = FEATURES.iter().position(|feature| feature == name);
            let indicator = INDICATORS.iter().position(|(indicator, _)| indicator == name).filter(|_| counted);
            let column = match (known, indicator) {
                (Some(at), _) => Column::Mixed { columns, weights: weights[at].clone() },
                (_, Some(0)) => Column::Counted { above: -1.0, most: most(0) },
                (_, Some(at)) => Column::Counted { above: most(at - 1), most: most(at) },
                _ if name.starts_with(ORIENTATION) => {
                    Column::Shared { columns: columns.into_iter().map(Some).collect(), weights: chief.clone() }
                }
                _ => Column::Best { columns, order: order.clone() },
            };
            self.add(name, column);
        }
        Ok(())
    }

    fn side_by_side(&mut self, tables: &[(String, &[String])], absent: f32) {
        for (table, (own, names)) in tables.iter().enumerate() {
            for (column, name) in names.iter().enumerate().filter(|(_, name)| !name.starts_with(ORIENTATION)) {
                let absent = if FEATURES.contains(&base(name)) { absent } else { 0.0 };
                self.add(&format!("{own}.{name}"), Column::Own { table, column, absent });
            }
        }
        // Decoders know the orientations by their names.
        for name in tables.iter().flat_map(|(_, names)| *names).filter(|name| name.starts_with(ORIENTATION)) {
            if !self.names.contains(name) {
                let columns = tables.iter().map(|(_, names)| names.iter().position(|other| other == name)).collect();
                self.add(name, Column::Shared { columns, weights: vec![1.0; tables.len()] });
            }
        }
    }

    fn first(&mut self, tables: &[(String, &[String])]) -> Result<()> {
        for name in tables[0].1 {
            self.add(name, Column::Best { columns: same(tables, name)?, order: (0..tables.len()).collect() });
        }
        for (table, (name, _)) in tables.iter().enumerate().skip(1) {
            self.add(&format!("from_{name}"), Column::From { table });
        }
        Ok(())
    }

    /// One table after the other, each with the features of the first.
    fn voices(&mut self, tables: &[(String, &[String])]) -> Result<()> {
        let places = tables[0].1.iter().map(|name| same(tables, name)).collect::<Result<Vec<_>>>()?;
        for (table, (own, _)) in tables.iter().enumerate() {
            for (name, columns) in tables[0].1.iter().zip(&places) {
                self.add(&format!("{own}.{name}"), Column::Own { table, column: columns[table], absent: 0.0 });
            }
        }
        Ok(())
    }

    /// Appends the features of a rule.
    pub fn make(&self, met: &Met<'_>, row: &mut Vec<f32>) {
        row.extend(self.columns.iter().map(|column| match column {
            Column::Mixed { columns, weights } => {
                let terms = columns.iter().zip(weights).enumerate();
                let sum = terms.filter_map(|(table, (&column, weight))| Some(weight * p(met.feature(table, column)?)));
                self.log(sum.sum())
            }
            Column::Shared { columns, weights } => self.log(shared(met, columns, weights)),
            Column::Counted { above, most } => f32::from(u8::from(*above < met.count && met.count <= *most)),
            Column::Best { columns, order } => {
                order.iter().find_map(|&table| met.feature(table, columns[table])).unwrap_or(0.0)
            }
            Column::Own { table, column, absent } => met.feature(*table, *column).unwrap_or(*absent),
            Column::From { table } => f32::from(u8::from(met.first == *table)),
        }));
    }

    /// What rules of one source side are ordered by, the larger first, given their features.
    pub fn rank(&self, met: &Met<'_>, row: &[f32]) -> [f32; 2] {
        let least = self.floor.ln() as f32;
        self.rank.each_ref().map(|columns| {
            let value = |&at: &usize| match self.columns[at] {
                // Probable is not what a table does not know.
                Column::Own { table, .. } if met.starts[table] == Met::ABSENT => least,
                _ => row[at],
            };
            columns.iter().map(value).sum()
        })
    }

    fn log(&self, p: f64) -> f32 {
        p.max(self.floor).min(1.0).ln() as f32
    }
}

/// A feature's name without that of the table it came from.
fn base(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// A probability, given its logarithm.
fn p(log: f32) -> f64 {
    f64::from(log).exp().min(1.0)
}

fn shared(met: &Met<'_>, columns: &[Option<usize>], weights: &[f64]) -> f64 {
    let (mut total, mut sum, mut plain, mut tables) = (0.0, 0.0, 0.0, 0.0);
    for (table, (column, weight)) in columns.iter().zip(weights).enumerate() {
        if let Some(log) = column.and_then(|column| met.feature(table, column)) {
            total += weight;
            sum += weight * p(log);
            plain += p(log);
            tables += 1.0;
        }
    }
    match () {
        () if total > 0.0 => sum / total,
        () if tables > 0.0 => plain / tables,
        () => 1.0 / ORIENTATIONS,
    }
}

/// Where each table has a feature that all must have, and no others.
fn same(tables: &[(String, &[String])], name: &str) -> Result<Vec<usize>> {
    let (first, wanted) = &tables[0];
    let place = |(own, names): &(String, &[String])| {
        let found = names.iter().position(|other| other == name).filter(|_| names.len() == wanted.len());
        found.ok_or_else(|| {
            let what = format!("the tables {first} and {own} do not have the same features");
            Error::input(what).hint("extract them alike, or join them as log-linear, union or intersection")
        })
    };
    tables.iter().map(place).collect()
}

fn check_weights(weights: &[f64], tables: usize, feature: &str) -> Result<()> {
    if weights.len() != tables {
        let what = format!("there are {} weights of {feature} for {tables} tables", weights.len());
        return Err(Error::settings(what).hint("give one for each"));
    }
    if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) {
        return Err(Error::settings(format!("a weight of {feature} is not a number from 0 up")));
    }
    let sum: f64 = weights.iter().sum();
    if (sum - 1.0).abs() > 1e-6 {
        return Err(Error::settings(format!("the weights of {feature} sum to {sum} instead of 1")));
    }
    Ok(())
}
