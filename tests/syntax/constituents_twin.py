"""A plain parser for grammars as they are, to compare the engine with: all trees, one after the other."""

import math
from collections import Counter, defaultdict
from itertools import product

from tolka.syntax import Binarisation, Constituent, Step

Found = dict[str, list[tuple[float, list[Step]]]]


class Twin:
    """Relative frequencies of binarised trees whose words are all frequent, and every tree of a sentence by recursion."""

    def __init__(self, bank: list[Constituent], binarisation: Binarisation) -> None:
        self.binary: Counter[tuple[str, str, str]] = Counter()
        self.unary: Counter[tuple[str, str, str]] = Counter()
        self.kept: Counter[str] = Counter()
        self.words: Counter[tuple[str, str]] = Counter()
        for tree in bank:
            stack: list[Step] = []
            for step in binarisation.apply(tree):
                if step.arity == 0:
                    self.words[step.symbol, step.payload] += 1
                elif step.arity == 1:
                    self.unary[step.symbol, stack.pop().symbol, step.payload] += 1
                else:
                    right, left = stack.pop(), stack.pop()
                    self.keep(left)
                    self.keep(right)
                    self.binary[step.symbol, left.symbol, right.symbol] += 1
                stack.append(step)
            self.keep(stack.pop())
        self.root = step.symbol

    def keep(self, step: Step) -> None:
        if step.arity != 1:
            self.kept[step.symbol] += 1

    def trees(self, words: list[str]) -> list[tuple[float, list[Step]]]:
        """All trees with their log probabilities, best first."""
        self.below, self.above, self.tags = Counter(), Counter(self.kept), Counter()
        for (parent, _, _), count in self.binary.items():
            self.below[parent] += count
        for (parent, _, _), count in self.unary.items():
            self.above[parent] += count
        for (tag, _), count in self.words.items():
            self.tags[tag] += count
        return sorted(self.upper(words)[self.root], key=lambda found: -found[0])

    def lower(self, words: list[str]) -> Found:
        """What words or pairs make of all words."""
        found: Found = defaultdict(list)
        for (tag, word), count in self.words.items():
            if [word] == words:
                found[tag].append((math.log(count / self.tags[tag]), [Step(tag, 0, 0, word)]))
        for middle in range(1, len(words)):
            left, right = self.upper(words[:middle]), self.upper(words[middle:])
            for (parent, one, two), count in self.binary.items():
                rule, step = math.log(count / self.below[parent]), Step(parent, 2 if parent.startswith("@") else 1, 2)
                for (a, first), (b, second) in product(left.get(one, ()), right.get(two, ())):
                    found[parent].append((rule + a + b, [*first, *second, step]))
        return found

    def upper(self, words: list[str]) -> Found:
        """What is there with a unary rule over it or without."""
        lower = self.lower(words)
        found: Found = defaultdict(list)
        for symbol, trees in lower.items():
            if self.kept[symbol]:
                rule = math.log(self.kept[symbol] / self.above[symbol])
                found[symbol] += [(rule + log, steps) for log, steps in trees]
        for (parent, child, chain), count in self.unary.items():
            rule = math.log(count / self.above[parent])
            step = Step(parent, 1, 1, chain)
            found[parent] += [(rule + log, [*steps, step]) for log, steps in lower.get(child, ())]
        return found
