"""Pre-ordering by rules that people write."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tolka.errors import FileError, FormatError, LimitError, SettingsError
from tolka.reorder.preorderer import BUNDLE, Order
from tolka.reorder.rules.constituents import Nodes
from tolka.reorder.rules.language import RuleSet, parse_rules
from tolka.reorder.rules.words import Words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tolka.files.manifest import Manifest
    from tolka.syntax import Constituent, Tree

NAMES = ("collins", "collins-dep", "collins-ud", "navratil", "navratil-dep", "navratil-ud")
"""The rule sets that come with tolka."""

RULES_FILE = "rules.toml"
MOST_BYTES = 1 << 20
SUBJECTS = {"tiger": ("SB", "NSUBJ"), "ud": ("NSUBJ", "SB")}
"""How the two schemes that people mix up call a subject: the own one, the other one."""
SEEN = 100


class RulePreorderer:
    """Moves words by the rules of a file.

    Args:
        name: One of `NAMES`, or the path of a rule file of your own, which ends in .toml.

    Attributes:
        kind: "rules:" and the name that the rules give themselves.
        rules: The rules.

    Raises:
        SettingsError: There are no rules of this name.
        FormatError: The file is malformed.

    Example:
        >>> from tolka.syntax import Tree
        >>> tree = Tree(
        ...     forms=("gestern", "hat", "er", "gelesen", "."),
        ...     heads=(2, 0, 2, 2, 2),
        ...     deprels=("MO", "ROOT", "SB", "OC", "PUNC"),
        ...     xpos=("ADV", "VAFIN", "PPER", "VVPP", "$."),
        ... )
        >>> [order] = RulePreorderer("navratil-dep").orders([tree])
        >>> " ".join(tree.forms[word] for word in order)
        'gestern er hat gelesen .'
    """

    def __init__(self, name: str) -> None:
        self.rules = _named(name)
        self.kind = f"rules:{self.rules.name}"

    def orders(self, trees: Sequence[Tree], *, threads: int = 1) -> list[Order]:
        """A permutation of each sentence; rules run in one thread, whatever `threads` says.

        Raises:
            SettingsError: The rules are for constituency trees, or for relations of another scheme.
        """
        del threads
        if self.rules.tree != "dependencies":
            raise SettingsError(
                f"the rules {self.rules.name!r} are for constituency trees",
                hint="use constituent_orders, or rules for dependencies such as rules:collins-ud",
            )
        self._check_scheme(trees)
        return [self._order(tree) for tree in trees]

    def _check_scheme(self, trees: Sequence[Tree]) -> None:
        """Refuse trees of the other scheme, whose relations the rules would not find."""
        own, other = SUBJECTS.get(self.rules.scheme, ("", ""))
        renamed = any(name == "relation" for name, _ in self.rules.mapping)
        if not own or renamed:
            return
        relations = {relation.upper() for tree in trees[:SEEN] for relation in tree.deprels}
        if other in relations and own not in relations:
            meant = self.rules.name.replace("-ud", "-dep") if self.rules.scheme == "ud" else f"{self.rules.name}-ud"
            meant = meant.replace("-dep-ud", "-ud")
            raise SettingsError(
                f"the rules {self.rules.name!r} are for relations of the scheme {self.rules.scheme!r}, and the trees have others",
                hint=f"use rules:{meant}" if meant in NAMES else "choose rules for the scheme of the trees",
            )

    def _order(self, tree: Tree) -> Order:
        words = Words(tree, self.rules)
        words.apply(self.rules)
        return tuple(words.sequence)

    def constituent_orders(self, trees: Sequence[Constituent]) -> list[Order]:
        """A permutation of the words of each constituency tree.

        Raises:
            SettingsError: The rules are for dependency trees.
        """
        if self.rules.tree != "constituents":
            raise SettingsError(f"the rules {self.rules.name!r} are for dependency trees", hint="use orders")
        found = []
        for tree in trees:
            nodes = Nodes(tree)
            nodes.apply(self.rules)
            found.append(nodes.order())
        return found

    def save(self, directory: str | PathLike[str]) -> None:
        """Save the rules as a bundle."""
        from tolka.files import save_bundle  # noqa: PLC0415 - slow to import

        with save_bundle(Path(directory), kind=BUNDLE, settings={"kind": self.kind}) as writer:
            writer.file(RULES_FILE).write_text(self.rules.text, encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, manifest: Manifest) -> Self:
        """Open what `save` wrote."""
        from tolka.files import Bundle  # noqa: PLC0415 - slow to import

        path = Bundle(directory, manifest).file(RULES_FILE)
        found = cls.__new__(cls)
        found.rules = parse_rules(_read(path), path=path)
        found.kind = str(manifest.settings["kind"])
        return found


def _named(name: str) -> RuleSet:
    if name in NAMES:
        return parse_rules((files("tolka.reorder.rules") / "data" / f"{name}.toml").read_text(encoding="utf-8"))
    if not name.endswith(".toml"):
        raise SettingsError(
            f"there are no rules {name!r}", hint=f"choose from {', '.join(NAMES)}, or give a file that ends in .toml"
        )
    return parse_rules(_read(Path(name)), path=name)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FileError(f"the rules cannot be read: {error.strerror}", path=path) from error
    if len(content) > MOST_BYTES:
        raise LimitError(f"a rule file has more than {MOST_BYTES} bytes", path=path)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise FormatError("the rules are not UTF-8", path=path, byte=error.start + 1) from error
