//! Logistic loss under an l1 penalty: costs, gains and the best weight of a leaf.

/// The cost of what has this score: `ln(1 + exp(-score))` (Galron 2012, equation 4.2).
#[inline]
pub fn cost(score: f64) -> f64 {
    // Neither form overflows where it is used.
    if score > 0.0 { (-score).exp().ln_1p() } else { score.exp().ln_1p() - score }
}

/// How much a feature of this gradient is expected to gain under a penalty (Galron 2012, equation 4.9).
#[inline]
pub fn gain(gradient: f64, penalty: f64) -> f64 {
    (gradient.abs() - penalty).max(0.0)
}

/// What still pulls at an example: the negative gradient of its loss with respect to its score.
#[inline]
pub(super) fn pull(bias: f64, label: bool, score: f64) -> f64 {
    if label { bias / (1.0 + score.exp()) } else { -bias / (1.0 + (-score).exp()) }
}

/// An example as the line search sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighed {
    pub bias: f64,
    pub label: bool,
    pub score: f64,
    /// The exponential of the margin: of the score if the label says right, else of its negative.
    pub odds: f64,
}

/// The best step under a penalty for examples of which those that are right weigh `right` together, those that are not `wrong`,
/// and all have the same score; the closed form of the line search.
pub fn best_step(right: f64, wrong: f64, score: f64, penalty: f64) -> f64 {
    let (up, down) = (pull(right, true, score), pull(wrong, false, score));
    let gradient = up + down;
    if gain(gradient, penalty) == 0.0 {
        return 0.0;
    }
    let penalty = penalty.copysign(gradient);
    ((right - penalty) / (wrong + penalty)).ln() - score
}

/// The step that minimises the loss of these examples and the penalty on it, and 0 if the gradient does not outweigh that.
/// A guess that is near makes it faster.
pub(super) fn line_search(examples: &(impl Iterator<Item = Weighed> + Clone), penalty: f64, guess: f64) -> f64 {
    let (mut right, mut wrong, mut gradient, mut first, mut same) = (0.0, 0.0, 0.0, None, true);
    for each in examples.clone() {
        let pulled = each.bias / (1.0 + each.odds);
        if each.label {
            right += each.bias;
            gradient += pulled;
        } else {
            wrong += each.bias;
            gradient -= pulled;
        }
        same &= *first.get_or_insert(each.score) == each.score;
    }
    if gain(gradient, penalty) == 0.0 {
        return 0.0;
    }
    if let (true, Some(score)) = (same, first) {
        return best_step(right, wrong, score, penalty);
    }
    // What is sought is where the slope, which falls all the way, is zero: beyond 0 on the side of the gradient.
    let penalty = penalty.copysign(gradient);
    let slope = |step: f64| {
        let (mut slope, mut bend) = (-penalty, 0.0);
        let (up, down) = (step.exp(), (-step).exp());
        for each in examples.clone() {
            let doubt = 1.0 / (1.0 + each.odds * if each.label { up } else { down });
            let pulled = each.bias * doubt;
            slope += if each.label { pulled } else { -pulled };
            bend += pulled * (1.0 - doubt);
        }
        (slope, bend)
    };
    let (mut inside, mut outside) = (0.0_f64, f64::INFINITY.copysign(gradient));
    let mut step = if guess * gradient > 0.0 { guess } else { 0.0 };
    for _ in 0..MOST_STEPS {
        let (at, bend) = slope(step);
        let by = at / bend;
        if at == 0.0 || by.abs() <= CLOSE * (1.0 + step.abs()) {
            break;
        }
        *(if (at > 0.0) == (gradient > 0.0) { &mut inside } else { &mut outside }) = step;
        let between = by.is_finite() && (step + by - inside) * (step + by - outside) < 0.0;
        let next = match (between, outside.is_finite()) {
            (true, true) => step + by,
            // Far from the end a step of Newton's may be far too long.
            (true, false) => step + by.clamp(-LONGEST, LONGEST),
            (false, true) => f64::midpoint(inside, outside),
            (false, false) => step + LONGEST.copysign(gradient),
        };
        let is_there = (next - step).abs() <= CLOSE * (1.0 + step.abs());
        step = next;
        if is_there {
            break;
        }
    }
    step
}

/// Steps of a line search; some five are taken.
const MOST_STEPS: usize = 200;
/// How far a step goes while nothing is known of where the end is.
const LONGEST: f64 = 4.0;
/// A step that is shorter changes nothing.
const CLOSE: f64 = 1e-13;
