"""Bundles: there and back, what they refuse, and what is said of damaged ones."""

import errno
import os
import resource
import shutil
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import tolka
from tolka.errors import FileError, FormatError, LimitError, SettingsError
from tolka.files import Bundle, Container, save_bundle, write_container
from tolka.files.manifest import inner_name, manifest_hash


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def save(path, text="words", **options):
    with save_bundle(path, kind="test", **options) as out:
        out.file("words.txt").write_text(text)
        write_container(out.file("ids.tlk"), "ids", {"ids": np.frombuffer(text.encode(), np.uint8)})
    return path


def read(path):
    """What a bundle holds; both files must tell the same."""
    bundle = Bundle.open(path, kind="test")
    text = bundle.file("words.txt").read_text()
    assert Container.open(bundle.file("ids.tlk"), "ids").bytes("ids").decode() == text
    return text


@pytest.fixture
def model(tmp_path):
    return save(
        tmp_path / "model", settings={"order": 3, "deep": {"weights": [0.5]}}, features=["LM", "TM"], stages=["lm"]
    )


def stored(model, name):
    return Bundle.open(model, verify=False).file(name)


def test_there_and_back(model):
    bundle = Bundle.open(model, kind="test")
    assert bundle.kind == "test"
    assert bundle.created_by == f"tolka {tolka.__version__}"
    assert bundle.settings == {"order": 3, "deep": {"weights": [0.5]}}
    assert bundle.features == ("LM", "TM")
    assert bundle.stages == ("lm",)
    assert bundle.names == ("ids.tlk", "words.txt")
    assert read(model) == "words"
    with pytest.raises(FormatError, match=r"no file nothing; it has ids.tlk, words.txt"):
        bundle.file("nothing")


def test_saving_again_replaces_and_leaves_foreign_files_alone(model):
    (model / "NOTES.md").write_text("mine")
    save(model, "other words")
    assert read(model) == "other words"
    assert len(names(model)) == 4
    assert (model / "NOTES.md").read_text() == "mine"


def test_same_model_same_bytes(model, tmp_path):
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    options = {"settings": {"order": 3, "deep": {"weights": [0.5]}}, "features": ["LM", "TM"], "stages": ["lm"]}
    save(model, **options)
    save(tmp_path / "other", **options)
    for directory in (model, tmp_path / "other"):
        assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


def test_keep_takes_files_over(model):
    inode = stored(model, "ids.tlk").stat().st_ino
    with save_bundle(model, kind="test", settings={"order": 4}) as out:
        out.keep("ids.tlk")
        out.keep("words.txt")
        with pytest.raises(SettingsError, match=r"already has a file ids.tlk"):
            out.file("ids.tlk")
        with pytest.raises(FormatError, match="no file none"):
            out.keep("none")
    assert read(model) == "words"
    assert Bundle.open(model).settings == {"order": 4}
    assert stored(model, "ids.tlk").stat().st_ino == inode


@hypothesis_settings(deadline=None, max_examples=50)
@given(
    settings=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 9) | st.booleans()),
    features=st.lists(st.text(st.characters(exclude_categories=["Cs"])), unique=True),
)
def test_any_settings_and_features_come_back(tmp_path_factory, settings, features):
    path = tmp_path_factory.getbasetemp() / "any-model"
    with save_bundle(path, kind="test", settings=settings, features=features):
        pass
    bundle = Bundle.open(path)
    assert bundle.settings == settings
    assert list(bundle.features) == features


def test_readers_of_the_old_model_keep_it(model):
    bundle = Bundle.open(model)
    old = Container.open(bundle.file("ids.tlk"))
    save(model, "new")
    assert old.bytes("ids") == b"words"
    assert not bundle.file("ids.tlk").exists()
    with pytest.raises(FormatError, match=r"the file ids.tlk of the model is missing"):
        bundle.check()


@pytest.mark.parametrize("last", ["other words", "words"])
def test_opening_while_others_save_gives_a_whole_model(model, monkeypatch, last):
    hash_file, others = tolka.files.bundle.sha256, iter(["other words"])

    def hash_while_others_save(path):
        for text in others:
            save(model, text)  # removes the files of the model that is being opened
            try:
                return hash_file(path)
            finally:
                save(model, last)  # may be the same model again, with an equal manifest
        return hash_file(path)

    monkeypatch.setattr("tolka.files.bundle.sha256", hash_while_others_save)
    bundle = Bundle.open(model)
    assert next(others, None) is None
    assert bundle.file("words.txt").read_text() == last


def test_a_failing_block_changes_nothing(model):
    before = names(model)

    def fail():
        with save_bundle(model, kind="test") as out:
            out.file("words.txt").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    with (
        pytest.raises(FileError, match=r"the file words.txt of the model was not written"),
        save_bundle(model, kind="test") as out,
    ):
        out.file("words.txt")
    assert names(model) == before
    assert read(model) == "words"


def test_a_failing_first_save_leaves_no_directory(tmp_path):
    def fail():
        with save_bundle(tmp_path / "a" / "b", kind="test") as out:
            out.file("words.txt").write_text("half")
            raise ValueError("deliberate")

    with pytest.raises(ValueError, match="deliberate"):
        fail()
    assert not (tmp_path / "a" / "b").exists()


def test_errors_about_other_files_are_the_callers(model, tmp_path):
    with pytest.raises(FileNotFoundError), save_bundle(model, kind="test"):
        (tmp_path / "no" / "such").read_text()
    with pytest.raises(BrokenPipeError), save_bundle(model, kind="test"):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


def test_full_disk_leaves_the_old_model(model):
    before = names(model)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in (0, 10, 100, 400):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            with pytest.raises(FileError, match="larger than may be written here"):
                save(model, "x" * 1000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert names(model) == before
        assert read(model) == "words"


@pytest.mark.parametrize("step", ["open", "mkdir", "fsync", "replace", "unlink", "rmdir"])
def test_every_failing_call_leaves_a_whole_model_and_no_lasting_litter(model, monkeypatch, step):
    original = getattr(os, step)
    failures = 0
    for nth in range(100):
        calls = iter(range(1000))

        def call(*arguments, nth=nth, calls=calls, **options):
            if next(calls) == nth:
                raise OSError(errno.EIO, "Input/output error")
            return original(*arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(os, step, call)
            try:
                save(model, f"text {nth}")
            except FileError:
                failures += 1
            reached = next(calls) > nth
        assert read(model) in {"words", *(f"text {number}" for number in range(nth + 1))}
        if not reached:
            break
    assert failures or step in {"unlink", "rmdir"}  # what cannot be removed waits for the next save
    assert not reached
    save(model, "at last")
    assert read(model) == "at last"
    assert len(names(model)) == 3


def test_what_is_not_ours_is_not_overwritten(tmp_path):
    thesis = tmp_path / "thesis"
    thesis.mkdir()
    (thesis / "chapter1.tex").write_text("")
    with pytest.raises(FileError, match=r"not a model: it has chapter1.tex"):
        save(thesis)
    (thesis / "model.toml").write_text('model = "bicycle"')
    with pytest.raises(FileError, match=r"cannot be replaced: .*not a valid manifest"):
        save(thesis)
    assert names(thesis) == ["chapter1.tex", "model.toml"]
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"is a file, not a directory; name a new|Not a directory"):
        save(tmp_path / "file")
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "link").symlink_to(empty)
    save(tmp_path / "link")
    assert read(empty) == "words"


def test_two_saves_at_once_are_refused(model):
    with save_bundle(model, kind="test"), pytest.raises(FileError, match="another process is saving"):
        save(model)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/etc/passwd", ".hidden", "a\0b", "-x", "a.", "ä", "x" * 101, "a\n"]
)
def test_file_names_stay_in_the_directory(model, name):
    with pytest.raises(SettingsError, match="cannot be the name"), save_bundle(model, kind="test") as out:
        out.file(name)
    text = (model / "model.toml").read_text()
    escaped = name.replace("\0", "\\u0000").replace("\n", "\\n")
    (model / "model.toml").write_text(text.replace('[files."words.txt"]', f'[files."{escaped}"]'))
    with pytest.raises(FormatError, match="cannot be the name"):
        Bundle.open(model)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "No Kind"}, "kind"),
        ({"settings": {"seed": None}}, r"settings.seed: None cannot be written"),
        ({"settings": {"rate": float("nan")}}, "settings.rate: nan"),
        ({"features": ["LM", "LM"]}, "feature LM is named twice"),
        ({"features": [1]}, "features.0"),
    ],
)
def test_impossible_settings_are_said_before_anything_is_written(tmp_path, options, words):
    with pytest.raises(SettingsError, match=words), save_bundle(tmp_path / "model", **{"kind": "test", **options}):
        pass
    assert names(tmp_path) == []


def test_damaged_files_are_named(model):
    path = stored(model, "words.txt")
    path.write_text("w0rds")
    with pytest.raises(FormatError, match=r"the file words.txt of the model has changed since it was saved"):
        Bundle.open(model)
    Bundle.open(model, verify=False)
    path.write_text("word")
    for verify in (True, False):
        with pytest.raises(FormatError, match=r"the file words.txt of the model has 4 bytes instead of 5"):
            Bundle.open(model, verify=verify)
    path.unlink()
    with pytest.raises(FormatError, match=r"the file words.txt of the model is missing"):
        Bundle.open(model)
    (model.parent / "words").write_text("words")
    path.symlink_to(model.parent / "words")
    with pytest.raises(FormatError, match="not a regular file"):
        Bundle.open(model)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("format = 1", "format = 2", "bundle format 2.*made by a newer tolka: upgrade"),
        ("format = 1", "", "format"),
        ("format = 1", "format = 0", "format"),
        ("format = 1", "format = true", "format"),
        ("format = 1", "format = ", "not valid TOML"),
        ("format = 1", 'format = 1\nextra = "x"', "extra: is not known"),
        ('kind = "test"', "", "kind: is missing"),
        ('kind = "test"', 'kind = "../test"', "kind"),
        ('features = ["LM", "TM"]', "features = [1]", "features"),
        ("size = 5", "size = -5", "size"),
        ("size = 5", 'size = "5"', "size"),
        ("sha256 = ", 'stored = "/etc/passwd"\nsha256 = ', "stored: is not known"),
        ('sha256 = "', 'sha256 = "../', "sha256"),
    ],
)
def test_malformed_manifests_are_refused(model, old, new, words):
    path = model / "model.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(FormatError, match=words) as caught:
        Bundle.open(model)
    assert caught.value.path == path


def test_what_is_no_model_is_said(model, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    for path, words in [
        (tmp_path / "none", "there is no such model"),
        (tmp_path / "empty", "it has no model.toml"),
        (tmp_path / "file", "is a file, not a model directory"),
    ]:
        with pytest.raises(FileError, match=words):
            Bundle.open(path)
    with pytest.raises(FormatError, match="of kind test, not lm"):
        Bundle.open(model, kind="lm")
    manifest = model / "model.toml"
    manifest.write_bytes(b"kind = '\xff'")
    with pytest.raises(FormatError, match="byte 9: not valid UTF-8"):
        Bundle.open(model)
    manifest.write_bytes(b"#" * ((16 << 20) + 1))
    with pytest.raises(LimitError):
        Bundle.open(model)
    manifest.write_text("a = " + "[" * 100_000)
    with pytest.raises(FormatError, match="not valid TOML"):
        Bundle.open(model)
    manifest.unlink()
    manifest.symlink_to(tmp_path / "file")
    with pytest.raises(FormatError, match="not a regular file"):
        Bundle.open(model)


def test_manifest_is_readable(model):
    text = (model / "model.toml").read_text()
    assert text.startswith('format = 1\nkind = "test"\ncreated_by = "tolka ')
    assert set(tomllib.loads(text)) == {"format", "kind", "created_by", "stages", "features", "settings", "files"}


def hold(path, *parts):
    """Save a model that holds others."""
    with save_bundle(path, kind="holder", settings={"parts": [manifest_hash(one) for one in parts]}) as out:
        for one in parts:
            staged = out.inner(one.name, manifest_hash(one))
            if staged is not None:
                shutil.copytree(one, staged)
    return [path / inner_name(one.name, manifest_hash(one)) for one in parts]


def test_a_model_holds_others(tmp_path):
    first, second = save(tmp_path / "first", "one"), save(tmp_path / "second", "two")
    held = hold(tmp_path / "both", first, second)
    assert [read(one) for one in held] == ["one", "two"]
    inodes = [(one / "model.toml").stat().st_ino for one in held]
    save(first, "three")
    again = hold(tmp_path / "both", first, second)
    assert [read(one) for one in again] == ["three", "two"]
    # What it held already stays where it is, and what it holds no more is gone.
    assert (again[1] / "model.toml").stat().st_ino == inodes[1]
    assert names(tmp_path / "both") == sorted(["model.toml", *(one.name for one in again)])
    save(tmp_path / "both")
    assert len(names(tmp_path / "both")) == 3


def test_a_damaged_model_inside_is_replaced(tmp_path):
    inner = save(tmp_path / "inner", "one")
    outer = tmp_path / "outer"
    hold(outer, inner)
    (held,) = hold(tmp_path / "whole", outer)
    words = next(held.glob("inner-*/words-*"))
    words.unlink()
    hold(tmp_path / "whole", outer)
    assert words.read_text() == "one"


def test_models_inside_that_cannot_be(tmp_path):
    inner = save(tmp_path / "inner")
    key = manifest_hash(inner)
    with pytest.raises(SettingsError, match="already holds one called inner"):
        hold(tmp_path / "twice", inner, inner)
    with pytest.raises(SettingsError, match="cannot be the name"), save_bundle(tmp_path / "odd", kind="test") as out:
        out.inner("../inner", key)
    with pytest.raises(FileError, match="was not written"), save_bundle(tmp_path / "none", kind="test") as out:
        out.inner("inner", key)
    with pytest.raises(FileError, match="was not written"), save_bundle(tmp_path / "other", kind="test") as out:
        shutil.copytree(inner, out.inner("inner", "0" * 64))
    assert not any((tmp_path / name).exists() for name in ("twice", "odd", "none", "other"))


def test_one_of_several_kinds(model):
    assert Bundle.open(model, kind=("other", "test")).kind == "test"
    with pytest.raises(FormatError, match="of kind test, not one or two"):
        Bundle.open(model, kind=("one", "two"))
