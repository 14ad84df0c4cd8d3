"""`tolka translate` on real pipes."""

import json
import select
import subprocess
import sys

import pytest

from tolka.lm import LanguageModelTrainer
from tolka.translate import Translator
from tolka.translate.stream import FIRST, MOST, paced
from tolka.tune import write_weights


def command(*arguments):
    return [sys.executable, "-m", "tolka", "translate", *map(str, arguments)]


def tolka(*arguments, text="", code=0):
    done = subprocess.run(command(*arguments), input=text, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def test_lines_in_lines_out(models, bitext, tmp_path):
    sources = [source for source, _ in bitext[1]]
    sources[2] = sources[-2] = ""
    wanted = Translator.load(models["hiero"]).translate(sources)
    out = tolka(models["hiero"], "--threads", 2, text="\n".join(sources) + "\n")
    assert out == "\n".join(wanted) + "\n"
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("\n".join(sources[:10]) + "\n")
    other.write_text("\n".join(sources[10:]))
    assert tolka(models["hiero"], one, other) == out
    assert tolka(models["hiero"], text="") == ""


def test_answers_before_the_input_ends(models, bitext):
    with subprocess.Popen(command(models["phrase"]), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        for source, _ in bitext[1][:3]:
            child.stdin.write(f"{source}\n".encode())
            child.stdin.flush()
            ready, _, _ = select.select([child.stdout], [], [], 60)
            assert ready, "no answer while the input is open"
            assert child.stdout.readline().endswith(b"\n")
        child.stdin.close()
        assert child.stdout.read() == b""
        assert child.wait() == 0


def test_a_reader_that_leaves_is_no_error(models, bitext):
    with subprocess.Popen(
        command(models["phrase"]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        child.stdin.write(f"{bitext[1][0][0]}\n".encode())
        child.stdin.flush()
        child.stdout.readline()
        child.stdout.close()
        try:
            child.stdin.write(f"{bitext[1][0][0]}\n".encode() * 5000)
            child.stdin.close()
        except BrokenPipeError:
            pass
        assert child.wait(timeout=60) == 1
        assert child.stderr.read() == b""


def test_moses_lists_and_json(models, bitext):
    sources = [source for source, _ in bitext[1][:2]] + [""]
    text = "\n".join(sources) + "\n"
    lines = tolka(models["hiero"], "--nbest", 3, text=text).split("\n")[:-1]
    fields = [line.split(" ||| ") for line in lines]
    assert {field[0] for field in fields} == {"0", "1", "2"}
    assert all(len(field) == 4 for field in fields)
    best = Translator.load(models["hiero"]).translate(sources)
    assert [next(field[1] for field in fields if field[0] == str(number)) for number in range(3)] == best
    names = fields[0][2].split()[::2]
    assert "lm=" in names
    float(fields[0][3])

    listed = [json.loads(line) for line in tolka(models["hiero"], "--nbest", 3, "--json", text=text).split("\n")[:-1]]
    assert [one["source"] for one in listed] == sources
    assert [one["nbest"][0]["text"] for one in listed] == best
    plain = [json.loads(line) for line in tolka(models["hiero"], "--json", text=text).split("\n")[:-1]]
    assert [(one["line"], one["text"]) for one in plain] == list(enumerate(best))
    assert plain[0]["features"]["lm"] < 0


def test_lists_with_derivations(models, bitext):
    sources = [source for source, _ in bitext[1][:2]]
    text = "\n".join(sources) + "\n"
    best = Translator.load(models["phrase"]).translate(sources)
    lines = tolka(models["phrase"], "--nbest", 3, "--derivations", "--json", text=text).split("\n")[:-1]
    listed = [json.loads(line) for line in lines]
    assert [one["nbest"][0]["text"] for one in listed] == best
    for one in listed:
        words = one["source_words"].split()
        for other in one["nbest"]:
            covered = [place for source, _ in other["segments"] for place in range(*source)]
            assert sorted(covered) == list(range(len(words)))
            assert all(
                source < len(words) and target < len(other["words"].split()) for source, target in other["links"]
            )
    moses = tolka(models["phrase"], "--nbest", 3, "--derivations", text=text).split("\n")[:-1]
    assert all(line.count(" ||| ") == 5 for line in moses)
    assert [line.split(" ||| ")[1] for line in moses] == [other["words"] for one in listed for other in one["nbest"]]
    tolka(models["phrase"], "--derivations", text=text, code=2)


def test_options_reach_the_search(models, bitext, tmp_path):
    text = bitext[1][0][0] + "\n"
    write_weights(tmp_path / "w", {"lm": 0.0, "word_count": -9.0})
    weighed = json.loads(tolka(models["hiero"], "--weights", tmp_path / "w", "--json", text=text))
    assert weighed["score"] == pytest.approx(
        sum(
            {**Translator.load(models["hiero"]).weights, "lm": 0.0, "word_count": -9.0}[name] * value
            for name, value in weighed["features"].items()
        ),
        abs=1e-3,
    )
    LanguageModelTrainer(order=2).train(["a b"]).save(tmp_path / "lm.arpa")
    found = json.loads(tolka(models["hiero"], "--lm", tmp_path / "lm.arpa", "--json", text=text))
    own = json.loads(tolka(models["hiero"], "--json", text=text))
    assert found["features"]["lm"] != own["features"]["lm"]
    assert tolka(models["phrase"], "--pop-limit", 1, "--stack-size", 1, "--time-limit", 5, text=text)


def test_mistakes_are_sentences(models, tmp_path):
    assert "stack_size" in tolka(models["hiero"], "--stack-size", 3, code=2)
    error = tolka(tmp_path / "nothing", code=1)
    assert error.startswith("tolka: ")
    assert error.count("\n") == 1
    (tmp_path / "bad").write_bytes(b"gut\n\xff\n")
    assert "line 2" in tolka(models["hiero"], tmp_path / "bad", code=1)
    tolka(models["hiero"], "--nbest", 0, code=2)


def test_a_model_of_words_keeps_lines_apart(models):
    # Only LF ends a line; other separators of Unicode stay inside it.
    out = tolka(models["words"], text="a\u2028b c\x0bd\n\n")
    assert out.count("\n") == 2


@pytest.mark.parametrize("lengths", [[], [1], [FIRST + 1], [5000, 3]])
def test_pieces_are_the_lines(lengths):
    batches = [[f"{at}-{number}" for number in range(length)] for at, length in enumerate(lengths)]
    pieces = list(paced(batches))
    assert [line for piece in pieces for line in piece] == [line for batch in batches for line in batch]
    assert all(0 < len(piece) <= MOST for piece in pieces)
    assert not pieces or len(pieces[0]) <= FIRST


def test_killed_translations_leave_the_model_alone(models, bitext):
    before = sorted(models["hiero"].iterdir())
    with subprocess.Popen(command(models["hiero"]), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdin.write(f"{bitext[1][0][0]}\n".encode())
        child.stdin.flush()
        child.stdout.readline()
        child.kill()
    assert sorted(models["hiero"].iterdir()) == before


def test_documents_are_refused(models, tmp_path):
    page = "<!DOCTYPE html>\n<p>Das Haus.</p>\n"
    error = tolka(models["phrase"], text=page, code=1)
    assert "standard input is HTML" in error
    assert "--force" in error
    assert error.count("\n") == 1
    (tmp_path / "a.po").write_text('msgid "Das Haus"\nmsgstr ""\n')
    assert "a.po is PO" in tolka(models["phrase"], tmp_path / "a.po", code=1)
    assert "a.po is PO" in tolka(models["phrase"], tmp_path / "a.po", "--threads", 1, code=1)
    (tmp_path / "a.md").write_text("Das **alte** Haus\n")
    assert "a.md is Markdown" in tolka(models["phrase"], tmp_path / "a.md", code=1)
    assert tolka(models["phrase"], "--force", text=page).count("\n") == 2
    marks = "# Haus\n\nDas **alte** [Haus](x.md).\n"
    done = subprocess.run(command(models["phrase"]), input=marks, capture_output=True, text=True, check=True)
    assert "looks like Markdown" in done.stderr
    assert done.stdout.count("\n") == 3
    (tmp_path / "plain.md").write_text("Das Haus ist alt.\n")
    assert tolka(models["phrase"], tmp_path / "plain.md").count("\n") == 1
