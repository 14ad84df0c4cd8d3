"""Everything random has a seed: no module draws from a generator that nobody seeded."""

import ast
from pathlib import Path

import tolka

ROOT = Path(tolka.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
# Generators made without a seed, and functions of the generators that all modules share.
_MADE = {"default_rng", "Random", "RandomState", "SeedSequence", "PRNGKey"}
_SHARED = {
    "random",
    "randint",
    "choice",
    "shuffle",
    "sample",
    "uniform",
    "gauss",
    "normal",
    "rand",
    "randn",
    "permutation",
}


def unseeded(tree: ast.Module) -> list[int]:
    modules = {
        alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Attribute, ast.Name)):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        if name in _MADE and not node.args and not node.keywords:
            found.append(node.lineno)
        elif isinstance(node.func, ast.Attribute) and name in _SHARED:
            owner = ast.unparse(node.func.value)
            if owner in {"np.random", "numpy.random"} or (owner == "random" and "random" in modules):
                found.append(node.lineno)
    return found


def test_the_search_finds_what_it_is_for():
    text = "import random\nimport numpy as np\nnp.random.default_rng()\nrandom.choice([1])\nnp.random.rand(3)\nrandom.Random(1)\n"
    assert unseeded(ast.parse(text)) == [3, 4, 5]
    assert unseeded(ast.parse("rng = np.random.default_rng(1)\nrng.choice([1])\n")) == []


def test_no_module_draws_without_a_seed():
    found = {
        str(path.relative_to(ROOT)): lines
        for path in MODULES
        if (lines := unseeded(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == {}
