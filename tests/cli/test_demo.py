"""The demo runs, tells the truth, and can be run again."""

import json
import subprocess
import sys

import tolka


def test_demo(tmp_path):
    folder = tmp_path / "demo"
    command = [sys.executable, "-m", "tolka", "demo", "-o", str(folder), "--pairs", "1000"]
    picture = tmp_path / "demo.svg"
    shown = subprocess.run([*command, "--picture", str(picture)], capture_output=True, text=True, check=True).stdout
    assert "alignment error rate" in shown
    drawn = picture.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "url(http" not in drawn
    again = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
    assert again["raw_pairs"] == again["kept"] + again["dropped"]
    assert again["dropped"] >= 12
    assert again["aer"] < 0.2
    assert again["bleu"] > 50
    for name in ("alignment.svg", "derivation.svg"):
        assert (folder / name).read_text(encoding="utf-8").startswith("<svg")
    assert tolka.Translator.load(folder / "model").langs == ("de", "en")
