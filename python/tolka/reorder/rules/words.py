"""Rules on dependency trees: a flat sequence of words that rules rearrange, and the tree they consult."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.reorder.rules.language import PIVOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tolka.reorder.rules.language import Element, Rule, RuleSet
    from tolka.reorder.rules.patterns import Pattern
    from tolka.syntax import Tree

Found = dict[str, list[int]]


class Words:
    """A sentence under the hands of the rules.

    Moving a word that is not the pivot moves all that depends on it, in its current order and without the gaps that
    crossing arcs leave.

    Args:
        tree: The sentence.
        rules: Whose names for tags and relations to take.

    Attributes:
        heads: For each word its head, from 0; -1 for a root. Rules of kind "lift" change it.
        sequence: The words in their current order.
    """

    def __init__(self, tree: Tree, rules: RuleSet | None = None) -> None:
        self.columns: dict[str, Sequence[str]] = {
            "tag": tree.xpos,
            "upos": tree.upos,
            "relation": tree.deprels,
            "feats": tree.feats,
            "lemma": tree.lemmas,
            "form": [form.lower() for form in tree.forms],
        }
        if rules is not None:
            for name in rules.upper:
                self.columns[name] = [value.upper() for value in self.columns[name]]
            for name, renamed in rules.mapping:
                self.columns[name] = [renamed.get(value, value) for value in self.columns[name]]
        self.heads = [head - 1 for head in tree.heads]
        self.sequence = list(range(len(tree)))
        self.boundaries: set[int] = set()
        self.places = list(range(len(tree)))
        self.children: list[list[int]] = [[] for _ in self.heads]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)

    def apply(self, rules: RuleSet) -> None:
        """Run all rules, each on all its matches before the next begins."""
        self.boundaries = {word for word in self.sequence if rules.boundary and self._matches(rules.boundary, word)}
        for rule in rules.rules:
            if rule.kind == "lift":
                self._lift(rule)
            elif rule.kind == "weights":
                self._weigh(rule)
            elif rule.scope == "segment":
                self._move_in_segments(rule)
            else:
                leaves_too = not rule.needs_child
                for pivot in self._depth_first():
                    if (leaves_too or self.children[pivot]) and self._matches(rule.pivot, pivot):
                        self._move_in_clause(rule, pivot)

    def _matches(self, patterns: tuple[Pattern, ...], word: int) -> bool:
        columns = self.columns
        for pattern in patterns:
            for name, test in pattern.tests:
                if not test(columns[name][word]):
                    break
            else:
                if not pattern.child or any(self._matches(pattern.child, child) for child in self.children[word]):
                    return True
        return False

    def _depth_first(self) -> list[int]:
        """All words, heads before what depends on them, siblings in the order of the sentence."""
        found = []
        stack = [word for word in reversed(range(len(self.heads))) if self.heads[word] < 0]
        while stack:
            word = stack.pop()
            found.append(word)
            stack.extend(reversed(self.children[word]))
        return found

    def _subtree(self, word: int) -> list[int]:
        """A word and all below it, in current order."""
        found = [word]
        for one in found:
            found.extend(self.children[one])
        return sorted(found, key=self.places.__getitem__)

    def _in_order(self, words: Iterable[int]) -> list[int]:
        return sorted(words, key=self.places.__getitem__)

    def _move_in_clause(self, rule: Rule, pivot: int) -> None:
        found: Found = {PIVOT: [pivot]}
        for element in rule.find:
            words: Iterable[int] = (
                self.sequence
                if element.anywhere
                else [child for name in element.of for one in found.get(name, ()) for child in self.children[one]]
            )
            if not self._find(element, words, found):
                return
        self._rearrange(rule, found, block=rule.moves_as != "word")

    def _move_in_segments(self, rule: Rule) -> None:
        for segment in list(self._segments()):
            for pivot in self._pivots(rule, segment):
                found: Found = {PIVOT: pivot}
                others = self._in_order(set(segment) - set(pivot))
                if all(
                    self._find(element, self.sequence if element.anywhere else others, found) for element in rule.find
                ):
                    self._rearrange(rule, found, block=rule.moves_as == "block", within=set(segment))

    def _segments(self) -> Iterator[list[int]]:
        segment: list[int] = []
        for word in [*self.sequence, -1]:
            if word >= 0 and word not in self.boundaries:
                segment.append(word)
            elif segment:
                yield segment
                segment = []

    def _pivots(self, rule: Rule, segment: list[int]) -> list[list[int]]:
        """Words that a segment rule turns on, or runs of them that only what `run` allows interrupts."""
        found: list[list[int]] = []
        gap = True
        for word in segment:
            if self._matches(rule.pivot, word):
                if rule.run and found and not gap:
                    found[-1].append(word)
                else:
                    found.append([word])
                gap = False
            elif rule.run and not gap and self._matches(rule.run, word):
                found[-1].append(word)
            else:
                gap = True
        return found[:1] if rule.first else found

    def _find(self, element: Element, words: Iterable[int], found: Found) -> bool:
        """Look for an element among some words and enter it; False where the rule cannot apply."""
        matching = self._in_order(
            {word for word in words if self._matches(element.patterns, word) and self._fits(element, word, found)}
        )
        if element.none:
            return not matching
        if matching:
            found[element.name] = matching if element.all else matching[:1]
        return bool(matching) or element.optional

    def _fits(self, element: Element, word: int, found: Found) -> bool:
        """Whether a word stands where the element must stand, in the sentence and in the tree."""
        place, places, heads = self.places[word], self.places, self.heads
        if any(place <= places[one] for name in element.right_of for one in found.get(name, ())):
            return False
        if any(place >= places[one] for name in element.left_of for one in found.get(name, ())):
            return False
        return (
            (not element.above or word in {heads[one] for one in _gathered(element.above, found)})
            and (not element.under or heads[word] in _gathered(element.under, found))
            and (not element.below or not _gathered(element.below, found).isdisjoint(self._climb(word)))
            and (not element.clause or self._in_clause(word, _gathered(element.clause, found)))
            and (not element.joined or self._joined(word, found[PIVOT][0]))
        )

    def _in_clause(self, word: int, others: set[int]) -> bool:
        """Whether a word or its head is among others or their heads."""
        return not {word, self.heads[word]}.isdisjoint(others | {self.heads[one] for one in others} - {-1})

    def _joined(self, word: int, pivot: int) -> bool:
        """Whether all that stands between a word and the pivot depends on the pivot."""
        low, high = sorted((self.places[word], self.places[pivot]))
        return all(pivot in self._climb(between) for between in self.sequence[low + 1 : high])

    def _climb(self, word: int) -> Iterator[int]:
        head = self.heads[word]
        while head >= 0:
            yield head
            head = self.heads[head]

    def _rearrange(self, rule: Rule, found: Found, *, block: bool, within: set[int] | None = None) -> None:
        """Move what a rule moves, if its conditions on order hold."""
        if not all(self._in_chain(chain, found) for chain in rule.when):
            return
        anchors = next((found[name] for name in rule.before or rule.after if name in found), None)
        if anchors is None:
            return
        if rule.edge == "block":
            anchors = [word for anchor in anchors for word in self._subtree(anchor) if within is None or word in within]
        movers = [word for name in rule.move for word in found.get(name, ())]
        units = [
            self._subtree(word) if block and word not in found[PIVOT] else [word]
            for word in (reversed(self._in_order(movers)) if rule.reverse else self._in_order(movers))
        ]
        moved = [word for unit in units for word in unit]
        anchors = self._in_order(set(anchors) - set(moved))
        if not moved or not anchors or len(set(moved)) != len(moved):
            return
        anchor = anchors[0] if rule.before else anchors[-1]
        nearest = min(self.places[word] for word in movers)
        if (rule.towards == "left" and nearest < self.places[anchor]) or (
            rule.towards == "right" and nearest > self.places[anchor]
        ):
            return
        if rule.crosses or not self._would_cross(movers, set(moved), anchor):
            self._put(moved, anchor, after=bool(rule.after))

    def _would_cross(self, movers: list[int], moved: set[int], anchor: int) -> bool:
        """Whether a boundary stands between the words that move and the one they move to."""
        places = [self.places[word] for word in (*movers, anchor)]
        between = set(self.sequence[min(places) : max(places)]) - moved - {anchor}
        return not between.isdisjoint(self.boundaries)

    def _in_chain(self, chain: tuple[str, ...], found: Found) -> bool:
        """Whether there are elements with these names that stand in this order."""
        last = -1
        for name in chain:
            later = [self.places[word] for word in found.get(name, ()) if self.places[word] > last]
            if not later:
                return False
            last = min(later)
        return True

    def _put(self, words: list[int], anchor: int, *, after: bool) -> None:
        """Take words out and put them beside another."""
        gone = set(words)
        rest = [word for word in self.sequence if word not in gone]
        at = rest.index(anchor) + after
        self._settle([*rest[:at], *words, *rest[at:]])

    def _settle(self, sequence: list[int]) -> None:
        self.sequence = sequence
        for place, word in enumerate(sequence):
            self.places[word] = place

    def _lift(self, rule: Rule) -> None:
        """Hang what is found below a pivot from the pivot's head, as long as that is a `parent`."""
        changed = True
        while changed:
            changed = False
            for pivot in self._depth_first():
                head = self.heads[pivot]
                if head < 0 or not self._matches(rule.pivot, pivot) or not self._matches(rule.parent, head):
                    continue
                found: Found = {PIVOT: [pivot]}
                if not all(self._find(element, list(self.children[pivot]), found) for element in rule.find):
                    continue
                for word in found.get(rule.lift, ()):
                    self.children[pivot].remove(word)
                    self.heads[word] = head
                    self.children[head] = sorted([*self.children[head], word])
                    changed = True

    def _weigh(self, rule: Rule) -> None:
        """Sort each pivot and its children by decreasing weight (Xu, Kang, Ringgaard and Och, 2009, section 3)."""
        for pivot in self._depth_first():
            if not self._matches(rule.pivot, pivot) or not self.children[pivot]:
                continue
            units = []
            for word in self._in_order([pivot, *self.children[pivot]]):
                weight, reverse = self._weight_of(rule, word, itself=word == pivot)
                place = self.places[word]
                units.append((-weight, -place if reverse else place, [word] if word == pivot else self._subtree(word)))
            words = [word for _, _, unit in sorted(units) for word in unit]
            members = set(words)
            start = min(self.places[word] for word in members)
            before = [word for word in self.sequence[:start] if word not in members]
            after = [word for word in self.sequence[start:] if word not in members]
            self._settle([*before, *words, *after])

    def _weight_of(self, rule: Rule, word: int, *, itself: bool) -> tuple[float, bool]:
        for weight in rule.weights:
            if weight.itself == itself and (itself or self._matches(weight.patterns, word)):
                return weight.weight, weight.reverse
        return 0.0, False


def _gathered(names: tuple[str, ...], found: Found) -> set[int]:
    return {word for name in names for word in found.get(name, ())}
