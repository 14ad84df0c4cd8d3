"""A naive twin of learning to act (Gesmundo & Henderson 2014, algorithm 2): the definitions, without haste."""

from math import fsum

from tests.tune.naive_tuners import MASK, Random


def order(count, seed, number):
    items = list(range(count))
    Random(seed, number, MASK).shuffle(items)
    return items


def score(weights, features):
    return fsum(weights.get(name, 0.0) * value for name, value in features.items())


def ranked(task, state, weights):
    """All actions, the best first; of equally good ones in their order."""
    return sorted(task.actions(state), key=lambda action: -score(weights, task.features(state, action)))


def path(task, state, weights, forced=None):
    """States and actions from a state on, with another first action if there is one; and the end."""
    steps = []
    while ranks := ranked(task, state, weights):
        action = forced if forced is not None and not steps else ranks[0]
        steps.append((state, action))
        state = task.step(state, action)
    return steps, state


def choices(task, steps):
    """Where something else could be done."""
    return [k for k, (state, _) in enumerate(steps) if len(task.actions(state)) > 1]


def total(task, steps):
    found = {}
    for state, action in steps:
        for name, value in task.features(state, action).items():
            found[name] = found.get(name, 0.0) + value
    return found


def draw(count, zipf, random):
    mass = [(rank + 1) ** -zipf for rank in range(count)]
    left = random.below(1 << 53) / (1 << 53) * sum(mass)
    for rank, own in enumerate(mass):
        left -= own
        if left < 0:
            return rank
    return count - 1


def learn(task, examples, *, epochs, rate, span, zipf, samples, gap, batch, seed):
    """Averaged weights of an averaged perceptron that moves towards better ends."""
    weights, moved, count = {}, {}, 1
    for number in range(epochs):
        shuffled = order(len(examples), seed, number)
        for begin in range(0, len(shuffled), batch):
            fixed = dict(weights)
            for at in shuffled[begin : begin + batch]:
                random, example = Random(seed, number, at), examples[at]
                own, end = path(task, task.start(example), fixed)
                open_at = choices(task, own)
                for _ in range(samples if open_at else 0):
                    k = open_at[random.below(len(open_at))]
                    state, action = own[k]
                    others = [other for other in ranked(task, state, fixed) if other != action]
                    forced, other_end = path(task, state, fixed, forced=others[draw(len(others), zipf, random)])
                    if task.reward(example, other_end) - task.reward(example, end) <= gap:
                        continue
                    long = None if span == "path" else 1
                    better, worse = total(task, forced[:long]), total(task, own[k:][:long])
                    for name in better.keys() | worse.keys():
                        by = rate * (better.get(name, 0.0) - worse.get(name, 0.0))
                        weights[name] = weights.get(name, 0.0) + by
                        moved[name] = moved.get(name, 0.0) + count * by
                count += 1
    averages = {name: weight - moved[name] / count for name, weight in weights.items()}
    return {name: weight for name, weight in averages.items() if weight}
