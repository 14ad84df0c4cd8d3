"""Runs: what is done, what is served from the store, and what happens when something is wrong."""

import json
import os
import signal
import stat
import threading
import time
from pathlib import Path

import pytest

from tolka.errors import FileError, InputError, MissingExtraError, SettingsError
from tolka.pipeline import Recipe, Settings, StageError, plan, read_log, registry, run, stage
from tolka.pipeline import hashes as hashes_module
from tolka.pipeline.stage import Need


@pytest.fixture
def cook(kitchen, small):
    """Runs the recipe as it is now; gives the names of the stages that ran."""

    def go(*overrides, stages=small.STAGES, **options):
        recipe = Recipe.load(kitchen, overrides, stages=stages)
        planned = plan(recipe, kitchen.parent / "work", **{k: v for k, v in options.items() if k in ("until", "force")})
        result = run(recipe, kitchen.parent / "work", **options)
        ran = [one.name for one in result.stages if not one.cached]
        # The plan never promises what the run does not keep.
        for one in planned:
            assert one.status == "depends" or (one.status == "run") == (one.name in ran)
        go.result, go.planned = result, planned
        return ran

    go.work = kitchen.parent / "work"
    return go


ALL = ["read", "upper", "count", "join"]


def why(cook, name):
    return cook.result[name].why


def test_each_stage_runs_once_then_none(cook):
    assert cook() == ALL
    assert [one.why for one in cook.result.stages] == ["first run"] * 4
    report = json.loads(cook.result["join"].outputs["report"].read_text())
    assert report["text"] == "ONE FISH TWO FISH\n" * 2 + "RED FISH BLUE FISH\n" * 2 + "\n\n"
    assert report["counts"]["f.txt"] == "fish 4\n"
    assert report["inputs"] == ["text", "counts"]
    assert cook() == []
    assert [one.status for one in cook.planned] == ["cached"] * 4


def test_a_setting_rebuilds_what_is_downstream(cook):
    cook()
    assert cook("upper.repeat=3") == ["upper", "join"]
    assert why(cook, "upper") == "repeat 2 -> 3"
    assert why(cook, "join") == "input text changed"
    # Back to the old setting: still in the store.
    assert cook() == []


def test_unchanged_output_stops_the_rebuild(cook):
    cook()
    assert cook("upper.pause=0.001") == ["upper"]
    assert [one.status for one in cook.planned] == ["cached", "run", "cached", "depends"]
    assert cook.planned[3].why == "if upper gives new output"


def test_an_input_rebuilds_what_is_downstream(cook, kitchen):
    cook()
    kitchen.with_name("words.txt").write_text("one fish two fish\nred fish blue cat\n")
    assert cook() == ALL
    assert why(cook, "read") == "input text changed"
    kitchen.with_name("words.txt").rename(kitchen.with_name("renamed.txt"))
    assert cook("read.text=renamed.txt") == ["read"]
    assert why(cook, "read") == "input text is now called renamed.txt"


def test_an_optional_file(cook, kitchen):
    cook()
    kitchen.with_name("more.txt").write_text("more")
    assert cook("upper.extra=more.txt") == ["upper", "join"]
    assert why(cook, "upper") == "input extra added"
    assert cook.result["upper"].outputs["text"].read_text().endswith("more")


def test_a_stage_version_rebuilds(cook, small):
    cook()
    newer = stage("count", version=2, settings=small.CountSettings, inputs=("text",), outputs=("counts",))
    stages = registry(small.read, small.upper, newer(small.count.function), small.join)
    assert cook(stages=stages) == ["count"]
    assert why(cook, "count") == "stage version 1 -> 2"


def test_same_size_same_time_edit_is_noticed(cook, kitchen, monkeypatch):
    monkeypatch.setattr(hashes_module, "SETTLED", 0)
    words = kitchen.with_name("words.txt")
    time.sleep(0.02)  # longer than a tick of the file system, so that the hash is remembered
    cook()
    assert str(words) in (cook.work / "hashes.json").read_text()
    before = words.stat()
    time.sleep(0.02)
    with words.open("r+b") as file:
        file.write(b"0ne")
    os.utime(words, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert words.stat().st_mtime_ns == before.st_mtime_ns
    assert words.stat().st_size == before.st_size
    assert cook() == ALL


def test_young_files_are_not_remembered(cook):
    cook()
    assert not (cook.work / "hashes.json").exists()


def test_remembered_hashes_are_used_and_can_be_mistrusted(cook, kitchen, monkeypatch):
    monkeypatch.setattr(hashes_module, "SETTLED", 0)
    time.sleep(0.02)
    cook()
    time.sleep(0.02)
    assert cook() == []
    read = []
    whole = hashes_module.sha256
    monkeypatch.setattr(hashes_module, "sha256", lambda path: read.append(path) or whole(path))
    assert cook() == []
    assert read == []
    assert cook(trust=False) == []
    assert len(read) > 4
    # A damaged memory costs time only.
    (cook.work / "hashes.json").write_text('{"x": [1, 2')
    assert cook() == []


@pytest.mark.parametrize("damage", ["truncated", "changed", "missing", "added", "manifest", "manifest of another"])
def test_damage_is_found_and_mended(cook, damage, small):
    cook()
    sound = small.snapshot(cook.work)
    entry = cook.result["count"].outputs["counts"].parent
    victim = entry / "counts" / "f.txt"
    for path in (victim, entry / "manifest.json"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o444
        path.chmod(0o644)
    match damage:
        case "truncated":
            victim.write_text("fish")
        case "changed":
            victim.write_text("fish 5\n")
        case "missing":
            victim.unlink()
        case "added":
            (entry / "counts" / "x.txt").write_text("")
        case "manifest":
            (entry / "manifest.json").write_text('{"key": ')
        case _:
            (entry / "manifest.json").write_bytes(
                (cook.result["read"].outputs["text"].parent / "manifest.json").read_bytes()
            )
    assert cook() == ["count"]
    [note] = cook.result.notes
    assert note.startswith("[count] cached copy damaged: ")
    assert small.snapshot(cook.work) == sound
    assert cook() == []


def test_force_and_until(cook):
    assert cook(until="count") == ["read", "count"]
    assert cook(force=["count"]) == ["upper", "count", "join"]
    assert why(cook, "count") == "forced"
    assert cook(force=["count"]) == ["count"]
    assert cook.result.notes == ()
    for wrong in ({"force": ["cuont"]}, {"until": "cuont"}):
        with pytest.raises(SettingsError, match=r"no stage \[cuont\]; did you mean count\?"):
            cook(**wrong)
    with pytest.raises(SettingsError, match=r"no stage \[join\]"):
        cook(until="count", force=["join"])


def test_an_undeterministic_stage_is_noted(cook, small):
    @stage("count", version=1, settings=small.CountSettings, inputs=("text",), outputs=("counts",))
    def count(inputs, outputs, settings, progress):
        outputs["counts"].mkdir()
        (outputs["counts"] / "now.txt").write_text(str(time.time_ns()))

    stages = registry(small.read, small.upper, count, small.join)
    cook(stages=stages)
    assert cook(stages=stages, force=["count"]) == ["count", "join"]
    assert "not deterministic" in cook.result.notes[0]


def test_prune(cook):
    cook("upper.repeat=3")
    old = cook.result["upper"].outputs["text"]
    (cook.work / "store" / "mine").mkdir()
    cook(prune=True)
    assert sorted(path.name.split("-")[0] for path, _ in cook.result.pruned) == ["join", "upper"]
    assert all(size > 0 for _, size in cook.result.pruned)
    assert not old.exists()
    assert len(list((cook.work / "store").iterdir())) == 4 + 1
    assert cook(prune=True) == []
    assert cook.result.pruned == ()
    with pytest.raises(SettingsError, match="prune"):
        cook(prune=True, until="read")


def test_links_to_the_latest(cook, kitchen):
    cook()
    assert (cook.work / "latest" / "upper" / "text").read_text().startswith("ONE")
    cook("upper.how=lower")
    assert (cook.work / "latest" / "upper" / "text").read_text().startswith("one")
    assert not (cook.work / "latest" / "upper").readlink().is_absolute()
    kitchen.write_text('[read]\ntext = "words.txt"\n')
    cook()
    assert [path.name for path in (cook.work / "latest").iterdir()] == ["read"]


def test_a_moved_work_directory_still_serves(cook, kitchen):
    cook()
    kitchen.with_name("work").rename(kitchen.with_name("elsewhere"))
    kitchen.with_name("elsewhere").rename(kitchen.with_name("work"))
    assert cook() == []


def test_two_tables_with_the_same_wish_run_once(cook, kitchen, small):
    kitchen.write_text(small.RECIPE + "[twin]\nstage = 'upper'\ninputs.text = 'read'\nrepeat = 2\n")
    assert cook(jobs=3) in (ALL, ["read", "twin", "count", "join"], ["read", "count", "join", "twin"])
    assert cook.result["upper"].key == cook.result["twin"].key


def test_jobs_give_the_same_bytes(cook, kitchen, small):
    cook(jobs=4)
    run(Recipe.load(kitchen, stages=small.STAGES), kitchen.with_name("alone"))
    assert small.snapshot(cook.work) == small.snapshot(kitchen.with_name("alone"))


def test_jobs_run_at_the_same_time(tmp_path):
    both = threading.Barrier(2, timeout=60)

    def meet(inputs, outputs, settings, progress):
        both.wait()
        outputs["x"].write_text("x")

    one, other = (stage(name, version=1, settings=Settings, outputs=("x",))(meet) for name in ("one", "other"))
    recipe = Recipe.from_text("[one]\n[other]\n", stages=registry(one, other))
    result = run(recipe, tmp_path / "work", jobs=2)
    assert [stage.name for stage in result.stages] == ["one", "other"]
    assert all(stage.usage.cpu_seconds is None for stage in result.stages)
    with pytest.raises(SettingsError, match="jobs must be at least 1"):
        run(recipe, tmp_path / "work", jobs=0)


def test_the_log(cook, kitchen):
    cook()
    cook("upper.repeat=1")
    logs = sorted((cook.work / "runs").iterdir())
    assert [log.name for log in logs] == ["1.jsonl", "2.jsonl"]
    assert cook.result.log == logs[1]
    events = list(read_log(logs[1]))
    assert events[0]["event"] == "run_start"
    assert events[0]["recipe"]["text"] == kitchen.read_text()
    assert events[0]["recipe"]["overrides"] == ["upper.repeat=1"]
    assert events[-1]["event"] == "run_end"
    assert (events[-1]["status"], events[-1]["ran"], events[-1]["cached"]) == ("done", 2, 2)
    assert [(event["event"], event["stage"]) for event in events[1:-1]] == [
        (event, name) for name in ALL for event in ("stage_start", "stage_end")
    ]
    [end] = [event for event in events if event["event"] == "stage_end" and event["stage"] == "upper"]
    assert end["cached"] is False
    assert end["bytes"] == 38
    assert end["seconds"] >= 0
    assert end["cpu_seconds"] >= 0
    assert end["peak_rss_bytes"] > 1 << 20
    with logs[1].open("ab") as file:
        file.write(b'{"event": "run_')
    assert list(read_log(logs[1])) == events


def failing(error):
    def function(inputs, outputs, settings, progress):
        outputs["text"].write_text("half of it")
        raise error

    return stage("upper", version=1, settings=Settings, inputs=("text",), outputs=("text",))(function)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            InputError("empty line", path="a.de", line=3, hint="remove it"),
            "failed: a.de, line 3: empty line; remove it",
        ),
        (OSError(13, "Permission denied", "a.de"), r"failed: Permission denied \(a.de\)"),
        (MemoryError(), "failed: not enough memory"),
        (
            ZeroDivisionError("oops"),
            r"failed: ZeroDivisionError: oops; this is a fault in the stage, its traceback is in",
        ),
        (SystemExit(3), "failed: SystemExit: 3"),
    ],
)
def test_a_failing_stage_leaves_nothing(cook, kitchen, small, error, message):
    kitchen.write_text('[read]\ntext = "words.txt"\n[upper]\n')
    with pytest.raises(StageError, match=rf"stage \[upper\] {message}"):
        cook(stages=registry(small.read, failing(error)))
    assert list((cook.work / "partial").iterdir()) == []
    assert [path.name.split("-")[0] for path in (cook.work / "store").iterdir()] == ["read"]
    events = list(read_log(cook.work / "runs" / "1.jsonl"))
    assert events[-1]["status"] == "failed"
    assert events[-2]["event"] == "stage_error"
    assert cook() == ["upper"]


def test_disk_full(cook, kitchen, small):
    @stage("upper", version=1, settings=Settings, inputs=("text",), outputs=("text",))
    def upper(inputs, outputs, settings, progress):
        Path("/dev/full").write_text("much")

    kitchen.write_text('[read]\ntext = "words.txt"\n[upper]\n')
    with pytest.raises(StageError, match=r"stage \[upper\] failed: No space left on device"):
        cook(stages=registry(small.read, upper))


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda _: None, "did not write its output text"),
        (
            lambda outputs: [outputs["text"].write_text(""), outputs["text"].with_name("b").write_text("")],
            "wrote b, which",
        ),
        (lambda outputs: outputs["text"].symlink_to("/etc/passwd"), "neither a file nor a directory"),
        (lambda outputs: [outputs["text"].mkdir(), os.mkfifo(outputs["text"] / "f")], "neither a file nor a directory"),
    ],
)
def test_a_stage_must_write_what_it_declares(cook, kitchen, small, write, message):
    @stage("upper", version=1, settings=Settings, inputs=("text",), outputs=("text",))
    def upper(inputs, outputs, settings, progress):
        write(outputs)

    kitchen.write_text('[read]\ntext = "words.txt"\n[upper]\n')
    with pytest.raises(StageError, match=message):
        cook(stages=registry(small.read, upper))
    assert list((cook.work / "partial").iterdir()) == []


def test_an_input_that_changes_during_a_stage_is_refused(cook, kitchen, small):
    @stage("read", version=1, settings=small.ReadSettings, outputs=("text",))
    def read(inputs, outputs, settings, progress):
        small.read.function(inputs, outputs, settings, progress)
        inputs["text"].write_text("something else")

    kitchen.write_text('[read]\ntext = "words.txt"\n')
    with pytest.raises(StageError, match=r"words.txt: the file changed while it was read; run again"):
        cook(stages=registry(read))
    assert list((cook.work / "store").iterdir()) == []


def test_missing_files_are_found_before_any_work(cook, kitchen):
    with pytest.raises(FileError, match=r"none.txt: cannot read: No such file or directory; upper.extra names it"):
        cook("upper.extra=none.txt")
    with pytest.raises(FileError, match="not a regular file"):
        cook("upper.extra=.")
    assert not cook.work.exists()


def test_the_lock(cook, kitchen, small):
    inside, leave = threading.Event(), threading.Event()

    @stage("read", version=1, settings=small.ReadSettings, outputs=("text",))
    def read(inputs, outputs, settings, progress):
        inside.set()
        assert leave.wait(60)
        small.read.function(inputs, outputs, settings, progress)

    slow = Recipe.from_text('[read]\ntext = "words.txt"\n', path=kitchen, stages=registry(read))
    other = threading.Thread(target=run, args=(slow, cook.work))
    other.start()
    assert inside.wait(60)
    with pytest.raises(FileError, match=rf"another run is using this work directory \(process {os.getpid()}\); wait"):
        cook()
    leave.set()
    other.join()
    assert cook() == ["upper", "count", "join"]


def test_a_directory_that_is_not_ours_is_left_alone(cook, kitchen):
    (cook.work / "partial").mkdir(parents=True)
    (cook.work / "partial" / "thesis.txt").write_text("years of work")
    with pytest.raises(FileError, match="not a work directory of tolka"):
        cook()
    assert (cook.work / "partial" / "thesis.txt").exists()


def test_work_directories_that_cannot_be(cook):
    cook.work.write_text("a file")
    with pytest.raises(FileError, match=r"cannot use the work directory .*work: File exists"):
        cook()


def test_a_dry_run_writes_nothing(cook, kitchen, small):
    planned = plan(Recipe.load(kitchen, stages=small.STAGES), cook.work)
    assert [(one.name, one.status) for one in planned] == [
        ("read", "run"),
        ("upper", "depends"),
        ("count", "depends"),
        ("join", "depends"),
    ]
    assert planned[3].why == "if count, upper give new output"
    assert not cook.work.exists()


def test_interrupt_in_a_library(cook, kitchen, small):
    """An interrupt stops the stage at its next report of progress, and the work directory is free again."""

    @stage("read", version=1, settings=small.ReadSettings, outputs=("text",))
    def read(inputs, outputs, settings, progress):
        with progress.task("waiting") as advance:
            os.kill(os.getpid(), 2)
            while True:
                time.sleep(0.01)
                advance(1)

    kitchen.write_text('[read]\ntext = "words.txt"\n')
    # Whoever starts the tests in the background has them ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            cook(stages=registry(read))
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(read_log(cook.work / "runs" / "1.jsonl"))[-1]["status"] == "interrupted"
    assert cook() == ["read"]


def test_a_missing_package_is_said_before_any_work(kitchen, small):
    class Needy(Settings):
        def needs(self):
            return (Need("no_such_package.at_all", "dreaming", "dreams"),)

    @stage("dream", version=1, settings=Needy, inputs=("text",), outputs=("dream",))
    def dream(inputs, outputs, settings, progress):
        """Never called."""
        raise AssertionError

    kitchen.write_text(kitchen.read_text() + '\n[dream]\ninputs = {text = "join.report"}\n')
    recipe = Recipe.load(kitchen, stages=registry(*small.STAGES.values(), dream))
    with pytest.raises(MissingExtraError, match=r"tolka\[dreams\]"):
        run(recipe, kitchen.parent / "work")
    assert not list((kitchen.parent / "work").rglob("report"))
