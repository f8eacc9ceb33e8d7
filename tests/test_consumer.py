"""Extensions of another package, in Cython and in C, built against what is installed and run."""

import importlib.util
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fastauc

SOURCES = Path(__file__).parent / "consumer"
PACKAGE = Path(fastauc.__file__).parent

Y = np.array([0, 0, 1, 1], np.uint8)
S = np.array([0.1, 0.4, 0.4, 0.8])


def load(name, folder):
    (path,) = (path for path in folder.glob(f"{name}.*") if path.suffix in (".so", ".pyd"))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def consumer(tmp_path_factory):
    """Build the extensions once, outside the sources; return the folder they are in."""
    for needed in "Cython", "setuptools":
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    if os.name != "nt" and not shutil.which(os.environ.get("CC", "cc").split()[0]):
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("consumer")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    completed = subprocess.run(
        [sys.executable, "-P", "setup.py", "--quiet", "build_ext", "--inplace"],
        capture_output=True,
        check=False,
        cwd=folder,
        # The package that is tested, wherever it comes from.
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
        text=True,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return folder


@pytest.mark.ci
def test_from_cython(consumer):
    module = load("from_cython", consumer)
    assert module.versions() == (1, 1)
    assert module.area(Y, S.astype(np.float32)) == (0, 7 / 8)
    assert module.count(Y, S) == (0, fastauc.concordance(Y, S))
    weight = np.array([1.0, 2.0, 3.0, 0.5])
    expected = fastauc.roc_auc_score(Y, S, sample_weight=weight)
    assert module.weighted_area(Y, S, weight) == (0, expected)


def test_example_of_the_manual(consumer):
    module = load("example", consumer)
    columns, areas = np.random.default_rng(0).random((5, 4)), np.zeros(5)
    assert module.areas_of_columns(Y, columns, areas) == 0
    assert areas.tolist() == [fastauc.roc_auc_score(Y, column) for column in columns]
    columns[3, 1] = math.nan
    assert module.areas_of_columns(Y, columns, areas) == -5
    page = SOURCES.parents[1] / "docs" / "c_api.md"
    if not page.exists():
        pytest.skip("the manual is not here")
    (example,) = re.findall(r"```cython\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert example == (SOURCES / "example.pyx").read_text(encoding="utf-8")
    source = (SOURCES / "from_c.c").read_text(encoding="utf-8")
    examples = re.findall(r"```c\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 4
    assert all(lines in source for lines in examples)


def test_from_c(consumer):
    module = load("from_c", consumer)
    assert module.area(Y, S) == (0, 7 / 8)
    status, area = module.area(Y[:2].copy(), S[:2].copy())
    assert status == 1
    assert math.isnan(area)
    assert module.area(b"\0\2", S[:2].copy())[0] == -4


def test_nothing_but_the_promise_is_declared():
    # Headers and declarations beside the kernels; in a checkout, all of them are.
    if (PACKAGE / "_capi.pyx").exists():
        pytest.skip("kernels built in place, nothing is installed")
    declarations = {path.name for pattern in ("*.pxd", "*.h") for path in PACKAGE.rglob(pattern)}
    assert declarations == {"__init__.pxd", "_capi.pxd", "fastauc.h"}
    assert not [*PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.c")]
