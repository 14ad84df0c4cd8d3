"""What the pipeline's tests share."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def small():
    """The module of small stages."""
    spec = importlib.util.spec_from_file_location("small", Path(__file__).with_name("small.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def kitchen(tmp_path, small):
    """A directory with a recipe and its input; the recipe's path."""
    (tmp_path / "words.txt").write_text("one fish two fish\nred fish blue fish\n")
    (tmp_path / "recipe.toml").write_text(small.RECIPE)
    return tmp_path / "recipe.toml"
