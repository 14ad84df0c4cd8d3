"""The language of rule files: TOML that says which words to look for and where to move them. docs/reorder/rules.md explains it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from tolka.errors import FormatError
from tolka.reorder.rules.patterns import NODE_FIELDS, WORD_FIELDS, Pattern, make_test

if TYPE_CHECKING:
    from os import PathLike

PIVOT, FIRST = "pivot", "first"
MOST_RULES, MOST_ELEMENTS = 200, 50
TOP_KEYS = {"name", "about", "scheme", "tree", "classes", "boundary", "map", "upper", "rule"}
SHARED_KEYS = {"name", "about", "kind", "pivot", "find"}
KEYS = {
    "move": {"scope", "first", "run", "when", "move", "before", "after", "edge", "as", "towards", "reverse", "crosses"},
    "lift": {"parent", "lift"},
    "flatten": set[str](),
    "weights": {"weights"},
}
RELATIONAL = {"of", "right_of", "left_of", "above", "below", "under", "clause"}
FLAGS = {"all", "none", "optional", "joined", "anywhere"}
WORD_ONLY = {"of", "above", "below", "under", "clause", "joined", "anywhere"}


@dataclass(frozen=True)
class Element:
    """Something a rule looks for beside its pivot."""

    name: str
    patterns: tuple[Pattern, ...]
    of: tuple[str, ...] = (PIVOT,)
    right_of: tuple[str, ...] = ()
    left_of: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    clause: tuple[str, ...] = ()
    all: bool = False
    none: bool = False
    optional: bool = False
    joined: bool = False
    anywhere: bool = False


@dataclass(frozen=True)
class Weight:
    """Where children of a kind stand among their siblings: heavy ones first."""

    patterns: tuple[Pattern, ...]
    weight: float
    itself: bool = False
    reverse: bool = False


@dataclass(frozen=True)
class Rule:
    """One rule; the fields are the keys of a rule file."""

    name: str
    kind: str
    pivot: tuple[Pattern, ...]
    find: tuple[Element, ...] = ()
    scope: Literal["clause", "segment"] = "clause"
    first: bool = False
    run: tuple[Pattern, ...] = ()
    when: tuple[tuple[str, ...], ...] = ()
    move: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    edge: Literal["word", "block"] = "word"
    moves_as: Literal["", "word", "block"] = ""
    towards: Literal["left", "right", "either"] = "either"
    reverse: bool = False
    crosses: bool = True
    parent: tuple[Pattern, ...] = ()
    lift: str = ""
    weights: tuple[Weight, ...] = ()

    @property
    def needs_child(self) -> bool:
        """Whether a pivot without children cannot match."""
        return any(
            element.of == (PIVOT,) and not (element.none or element.optional or element.anywhere)
            for element in self.find
        )


@dataclass(frozen=True)
class RuleSet:
    """The rules of a file, in the order in which they run.

    Attributes:
        name: What it is called.
        scheme: The relations it speaks of: "tiger", "ud", or any other name.
        tree: Whether it works on "dependencies" or on "constituents".
        boundary: Words that end a segment, which no move of a segment rule crosses.
        upper: Fields that are compared in upper case.
        mapping: For fields of words, values and what the rules call them.
        rules: The rules.
        text: The file as it was.
    """

    name: str
    scheme: str
    tree: Literal["dependencies", "constituents"]
    boundary: tuple[Pattern, ...]
    upper: tuple[str, ...]
    mapping: tuple[tuple[str, dict[str, str]], ...]
    rules: tuple[Rule, ...]
    text: str


def parse_rules(text: str, *, path: str | PathLike[str] | None = None) -> RuleSet:
    """Read a rule file.

    Raises:
        FormatError: It is no TOML, a key is unknown, or a value makes no sense.

    Example:
        >>> rules = parse_rules('''
        ... name = "tiny"
        ... scheme = "ud"
        ... tree = "dependencies"
        ... [[rule]]
        ... name = "verb before object"
        ... pivot = { tag = ["V*"] }
        ... find.object = { relation = ["obj"] }
        ... move = "pivot"
        ... before = "object"
        ... edge = "block"
        ... towards = "left"
        ... ''')
        >>> rules.name, [rule.name for rule in rules.rules]
        ('tiny', ['verb before object'])
    """
    return _Reader(text, path).read()


class _Reader:
    def __init__(self, text: str, path: str | PathLike[str] | None) -> None:
        self.text = text
        self.path = path
        self.where = ""
        self.classes: dict[str, list[str]] = {}
        self.fields: tuple[str, ...] = WORD_FIELDS

    def fail(self, what: str, hint: str = "") -> NoReturn:
        raise FormatError(f"{self.where}{what}", path=self.path, hint=hint)

    def read(self) -> RuleSet:
        try:
            values = tomllib.loads(self.text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            self.fail(f"no TOML: {error}")
        self.only(values, TOP_KEYS)
        name, scheme = self.string(values, "name"), self.string(values, "scheme")
        tree = self.choice(values, "tree", ("dependencies", "constituents"), "dependencies")
        self.fields = WORD_FIELDS if tree == "dependencies" else NODE_FIELDS
        for label, names in self.table(values.get("classes", {})).items():
            self.classes[label] = self.names(names)
        boundary = self.patterns(values["boundary"]) if "boundary" in values else ()
        upper = tuple(self.names(values["upper"])) if "upper" in values else ()
        mapping = self.mapping(values.get("map", {}))
        if tree == "constituents" and (upper or mapping):
            self.fail("map and upper are for dependencies")
        if not set(upper) <= set(WORD_FIELDS):
            self.fail(f"upper names fields: {', '.join(WORD_FIELDS)}")
        found = values.get("rule", [])
        if not isinstance(found, list) or not 1 <= len(found) <= MOST_RULES:
            self.fail(f"a file has 1 to {MOST_RULES} rules", "write [[rule]] before each")
        rules = []
        for number, rule in enumerate(found, 1):
            self.where = f"rule {number}: "
            rules.append(self.rule(self.table(rule), tree))
            if not boundary and (rules[-1].scope == "segment" or not rules[-1].crosses):
                self.fail("it needs a boundary", 'write boundary = { tag = ["$*"] } at the top')
        return RuleSet(name, scheme, tree, boundary, upper, mapping, tuple(rules), self.text)

    def mapping(self, values: Any) -> tuple[tuple[str, dict[str, str]], ...]:
        table = self.table(values)
        self.only(table, set(WORD_FIELDS))
        for renamed in table.values():
            for old, new in self.table(renamed).items():
                if not isinstance(new, str) or not new:
                    self.fail(f"map: {old!r} becomes {new!r}, which is no name")
        return tuple(table.items())

    def rule(self, values: dict[str, Any], tree: str) -> Rule:
        name = self.string(values, "name")
        self.where = f"rule {name!r}: "
        kind = self.choice(values, "kind", tuple(KEYS), "move")
        if tree == "constituents" and kind not in {"move", "flatten"}:
            self.fail(f"rules of kind {kind!r} are for dependencies")
        if tree == "dependencies" and kind == "flatten":
            self.fail("rules of kind 'flatten' are for constituents", 'dependencies have "lift"')
        self.only(values, SHARED_KEYS | KEYS[kind])
        if "pivot" not in values:
            self.fail("it has no pivot")
        pivot = self.patterns(values["pivot"])
        find = self.elements(self.table(values.get("find", {})))
        known = {PIVOT, *(element.name for element in find)}
        if kind == "lift":
            lifted = self.element_names(values, "lift", known)
            if "parent" not in values or len(lifted) != 1:
                self.fail("it needs a parent, and one element to lift")
            return Rule(name, kind, pivot, find, parent=self.patterns(values["parent"]), lift=lifted[0])
        if kind == "weights":
            return Rule(name, kind, pivot, find, weights=self.weights(values.get("weights")))
        if kind == "flatten":
            return Rule(name, kind, pivot, find)
        return self.move(name, values, pivot, find, known, tree)

    def move(
        self,
        name: str,
        values: dict[str, Any],
        pivot: tuple[Pattern, ...],
        find: tuple[Element, ...],
        known: set[str],
        tree: str,
    ) -> Rule:
        words = tree == "dependencies"
        rule = Rule(
            name,
            "move",
            pivot,
            find,
            scope=self.choice(values, "scope", ("clause", "segment") if words else ("clause",), "clause"),
            first=self.flag(values, "first"),
            run=self.patterns(values["run"]) if "run" in values else (),
            when=self.chains(values.get("when", []), known),
            move=self.element_names(values, "move", known),
            before=self.element_names(values, "before", known | {FIRST}),
            after=self.element_names(values, "after", known),
            edge=self.choice(values, "edge", ("word", "block"), "word"),
            moves_as=self.choice(values, "as", ("word", "block"), "") if "as" in values else "",
            towards=self.choice(values, "towards", ("left", "right", "either"), "either"),
            reverse=self.flag(values, "reverse"),
            crosses=self.flag(values, "crosses", default=True),
        )
        if not rule.move or bool(rule.before) == bool(rule.after):
            self.fail("it needs move, and either before or after")
        if (rule.first or rule.run) and rule.scope != "segment":
            self.fail("first and run are for segments", 'write scope = "segment"')
        if rule.scope == "segment" and any(element.of != (PIVOT,) for element in find):
            self.fail("a segment is searched as a whole", "write below, under or clause instead of of")
        if FIRST in rule.before and words:
            self.fail('before = "first" is for constituents')
        if not words and {"edge", "as", "crosses"} & set(values):
            self.fail("edge, as and crosses are for dependencies")
        if not words and PIVOT in {*rule.move, *rule.before, *rule.after}:
            self.fail("in constituents the pivot is the node whose children move; it cannot move itself")
        return rule

    def elements(self, values: dict[str, Any]) -> tuple[Element, ...]:
        if len(values) > MOST_ELEMENTS:
            self.fail(f"a rule finds at most {MOST_ELEMENTS} elements")
        found: list[Element] = []
        known = {PIVOT}
        for name, value in values.items():
            if name in {PIVOT, FIRST}:
                self.fail(f"an element cannot be called {name!r}")
            options = value if isinstance(value, list) else [value]
            if not options:
                self.fail(f"element {name!r} is empty")
            # Of alternatives, the first says where to look; the others say only what.
            first = self.table(options[0])
            placing = {key: first[key] for key in first if key in RELATIONAL | FLAGS}
            plain = [{key: item for key, item in first.items() if key not in placing}, *options[1:]]
            if self.fields is NODE_FIELDS and set(placing) & WORD_ONLY:
                self.fail(f"element {name!r}: constituents know right_of and left_of only")
            places: dict[str, Any] = {
                key: self.element_names(placing, key, known) for key in RELATIONAL if key in placing
            }
            places |= {key: self.flag(placing, key) for key in FLAGS}
            found.append(Element(name, self.patterns(plain), **places))
            known.add(name)
        return tuple(found)

    def weights(self, values: Any) -> tuple[Weight, ...]:
        if not isinstance(values, list) or not values:
            self.fail("it needs weights, a list of tables")
        found = []
        for value in values:
            table = dict(self.table(value))
            weight = table.pop("weight", None)
            if isinstance(weight, bool) or not isinstance(weight, int | float):
                self.fail("each of the weights needs a number as its weight")
            itself, reverse = self.flag(table, "itself"), self.flag(table, "reverse")
            table.pop("itself", None)
            table.pop("reverse", None)
            found.append(Weight(() if itself else self.patterns(table), float(weight), itself, reverse))
        return tuple(found)

    def patterns(self, value: Any) -> tuple[Pattern, ...]:
        options = value if isinstance(value, list) else [value]
        if not options:
            self.fail("a list of alternatives is empty")
        return tuple(self.pattern(self.table(option)) for option in options)

    def pattern(self, values: dict[str, Any]) -> Pattern:
        refusals = {f"not_{name}": name for name in self.fields}
        self.only(values, {*self.fields, *refusals, "child"})
        tests = []
        for key, value in values.items():
            if key == "child":
                continue
            name = refusals.get(key, key)
            names = self.names(value)
            if name == "form":
                names = [one.lower() for one in names]
            tests.append((name, make_test(names, refuses=key in refusals, parts="|" if name == "feats" else "")))
        return Pattern(tuple(tests), self.patterns(values["child"]) if "child" in values else ())

    def names(self, value: Any) -> list[str]:
        options = [value] if isinstance(value, str) else value
        if not isinstance(options, list) or not options or not all(isinstance(one, str) and one for one in options):
            self.fail(f"{value!r} should be a name or a list of names")
        found: list[str] = []
        for one in options:
            if one.startswith("@"):
                if one[1:] not in self.classes:
                    self.fail(f"there is no class {one[1:]!r}", "define it under [classes]")
                found += self.classes[one[1:]]
            else:
                found.append(one)
        return found

    def chains(self, value: Any, known: set[str]) -> tuple[tuple[str, ...], ...]:
        found = []
        for text in self.names(value) if value else []:
            chain = tuple(part.strip() for part in text.split("<"))
            if len(chain) < 2 or not set(chain) <= known:  # noqa: PLR2004 - a < b
                self.fail(f"{text!r} is no order of elements", 'write "a < b" with names of elements')
            found.append(chain)
        return tuple(found)

    def element_names(self, values: dict[str, Any], key: str, known: set[str]) -> tuple[str, ...]:
        if key not in values:
            return ()
        found = self.names(values[key])
        unknown = [name for name in found if name not in known]
        if unknown:
            self.fail(
                f"{key}: there is no element {unknown[0]!r} before it", "define it under find, above where it is used"
            )
        return tuple(found)

    def only(self, values: dict[str, Any], known: set[str]) -> None:
        unknown = sorted(set(values) - known)
        if unknown:
            self.fail(f"unknown key {unknown[0]!r}", f"known are {', '.join(sorted(known))}")

    def table(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(f"{value!r} should be a table")
        return value

    def string(self, values: dict[str, Any], key: str) -> str:
        value = values.get(key)
        if not isinstance(value, str) or not value:
            self.fail(f"{key} is missing, or no text")
        return value

    def flag(self, values: dict[str, Any], key: str, *, default: bool = False) -> bool:
        value = values.get(key, default)
        if not isinstance(value, bool):
            self.fail(f"{key} is true or false, not {value!r}")
        return value

    def choice(self, values: dict[str, Any], key: str, options: tuple[str, ...], default: str) -> Any:
        value = values.get(key, default)
        if value not in options:
            self.fail(f"{key} is one of {', '.join(options)}, not {value!r}")
        return value
