"""What ``show_runtime`` prints is what it returns, and what is there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import fastauc


def test_what_is_printed_is_what_is_returned(capsys):
    runtime = fastauc.show_runtime()
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert dict(lines) == runtime
    assert runtime["fastauc"] == fastauc.__version__
    assert runtime["numpy"] == np.__version__
    assert runtime["python"].startswith(".".join(map(str, sys.version_info[:3])))
    n_kernels, _, folder = runtime["kernels"].split(" ", 2)
    assert Path(folder) == Path(fastauc.__file__).parent
    assert int(n_kernels) >= len(list(Path(folder).rglob("*.pyi")))


def test_settings_that_are_set(monkeypatch, capsys):
    monkeypatch.delenv("FASTAUC_NUM_THREADS", raising=False)
    assert "FASTAUC_NUM_THREADS" not in fastauc.show_runtime()
    # Whatever it is: a wrong one may be the reason of the report.
    monkeypatch.setenv("FASTAUC_NUM_THREADS", "many")
    assert fastauc.show_runtime()["FASTAUC_NUM_THREADS"] == "many"
    assert len(re.findall(r"(?m)^FASTAUC_NUM_THREADS +many$", capsys.readouterr().out)) == 1


def test_sources_without_kernels_say_what_to_do(tmp_path):
    # As in a clone: Python finds the folder it is started in before the package it has installed.
    sources = Path(fastauc.__file__).parent
    for path in sources.rglob("*.py"):
        copy = tmp_path / path.relative_to(sources.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    program = "from fastauc import roc_auc_score"
    completed = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        text=True,
    )
    assert completed.returncode == 1
    folder = tmp_path / "fastauc" / "_kernels"
    assert f"there are no kernels compiled for this Python in {folder}. " in completed.stderr
    assert "start python -P, or Python in another folder" in completed.stderr
