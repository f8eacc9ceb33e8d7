"""What is released: how it is built, what the compiled modules are, and what an import does."""

import importlib.machinery
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

import fastauc
from reliability.mutants import copy_sources
from support.programs import run_program
from support.public import PUBLIC
from support.reliability import tried

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(fastauc.__file__).parent
WORKFLOWS = sorted(ROOT.joinpath(".github/workflows").glob("*.yml"))
MODULES = sorted(PACKAGE.rglob(f"*{importlib.machinery.EXTENSION_SUFFIXES[0]}"))

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="modules in ELF only")


# Workflows ----------------------------------------------------------------------------------------


def jobs_of(text):
    """Return the text of each job of a workflow, by its name."""
    _, _, jobs = text.partition("\njobs:\n")
    parts = re.split(r"^  ([\w-]+):\n", jobs, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture(scope="module", params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request):
    return request.param.read_text(encoding="utf-8")


@pytest.mark.check("release workflow")
def test_there_are_workflows():
    if not ROOT.joinpath(".github").is_dir():
        pytest.skip("an sdist, which has no workflows")
    assert {"test", "wheels"} <= {path.stem for path in WORKFLOWS}


@pytest.mark.check("release workflow")
def test_workflows_run_what_is_pinned_with_the_rights_it_needs(workflow):
    actions = re.findall(r"uses: (.*)", workflow)
    for action in actions:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action), action
    # No checkout keeps its credentials.
    checkouts = re.findall(r"uses: actions/checkout@.*\n((?: {8,}.*\n)*)", workflow)
    assert all("persist-credentials: false" in options for options in checkouts)
    # A workflow has no permissions, and jobs only those they need.
    assert re.findall(r"^permissions:.*", workflow, re.M) == ["permissions: {}"]
    jobs = jobs_of(workflow)
    for name, job in jobs.items():
        granted = re.findall(r"^      ([\w-]+): (read|write|none)\b", job, re.M)
        allowed = {("contents", "read")}
        if name == "publish":
            allowed |= {("id-token", "write"), ("attestations", "write")}
        assert set(granted) <= allowed, name
        assert "permissions:" in job, name
    # No secret is used, and no pull request runs with rights. Texts that others write, as titles of
    # pull requests, are never part of a command.
    for text in ("secrets.", "pull_request_target", "workflow_run"):
        assert text not in workflow
    assert re.findall(r"run: .*\$\{\{", workflow) == []
    assert min(map(len, (actions, checkouts, jobs))) > 0
    tried(len(actions) + len(checkouts) + len(jobs))


@pytest.mark.check("release workflow")
def test_only_a_reviewed_job_that_builds_nothing_uploads():
    path = ROOT / ".github" / "workflows" / "wheels.yml"
    if not path.exists():
        pytest.skip("an sdist, which has no workflows")
    jobs = jobs_of(path.read_text(encoding="utf-8"))
    uploading = [name for name, job in jobs.items() if "gh-action-pypi-publish" in job]
    assert uploading == ["publish"]
    job = jobs["publish"]
    assert re.search(r"environment:\n +name: pypi", job)
    assert re.search(r"needs: \[sdist, wheels\]", job)
    assert "if: github.event_name == 'release'" in job
    assert "attest-build-provenance" in job
    assert "attestations: true" in job
    # It neither checks out nor runs anything.
    assert "actions/checkout" not in job
    assert "run:" not in job
    assert "password" not in job
    assert all("id-token" not in other for name, other in jobs.items() if name != "publish")


@pytest.mark.check("release workflow")
def test_classifiers_name_the_versions_that_have_wheels():
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))
    builds = project["tool"]["cibuildwheel"]["build"]
    versions = {f"3.{match[1]}" for match in map(re.compile(r"cp3(\d+)-").match, builds) if match}
    said = {line.rpartition(" :: ")[2] for line in project["project"]["classifiers"]}
    assert {name for name in said if re.fullmatch(r"3\.\d+", name)} == versions
    assert (
        min(versions, key=lambda name: int(name[2:])) == project["project"]["requires-python"][2:]
    )


@pytest.mark.check("release workflow")
def test_a_wheel_above_the_limit_is_refused(tmp_path):
    limit = runpy.run_path(str(ROOT / ".ci" / "wheel.py"))["LIMIT"]
    for size in (limit, limit + 1):
        wheel = tmp_path / f"{size}.whl"
        with wheel.open("wb") as file:
            file.truncate(size)
        command = [sys.executable, str(ROOT / ".ci" / "wheel.py"), str(wheel)]
        completed = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert completed.returncode == (size > limit)
        assert f"{size:,} bytes of {limit:,}" in completed.stdout
    if WORKFLOWS:
        job = jobs_of(ROOT.joinpath(".github/workflows/wheels.yml").read_text("utf-8"))["wheels"]
        assert "run: python .ci/wheel.py wheelhouse/*.whl" in job
        assert job.index("uses: actions/setup-python") < job.index("run: python ")


@pytest.mark.check("release workflow")
def test_the_policy_says_how_to_report_and_by_when():
    text = ROOT.joinpath("SECURITY.md").read_text(encoding="utf-8")
    assert "private vulnerability reporting" in text
    assert "within 90 days" in text


@pytest.mark.slow
@pytest.mark.check("release workflow")
def test_zizmor_finds_nothing():
    zizmor = shutil.which("zizmor")
    if zizmor is None or not WORKFLOWS:
        pytest.skip("zizmor, of the extra lint, is not installed, or this is an sdist")
    command = [zizmor, "--offline", "--persona", "pedantic", str(ROOT / ".github")]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert completed.returncode == 0, completed.stdout


# Builds -------------------------------------------------------------------------------------------

BUILD = """
import sys
from setuptools import build_meta
print(getattr(build_meta, "build_" + sys.argv[1])(sys.argv[2]))
"""


def build(kind, folder, sources):
    """Build an sdist or a wheel of a copy of the sources, in a folder of its own."""
    shutil.copytree(sources, folder / "source", copy_function=shutil.copyfile)
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "PYTHONHASHSEED": "random"}
    environment.pop("PYTHONPATH", None)
    completed = subprocess.run(
        [sys.executable, "-c", BUILD, kind, str(folder)],
        cwd=folder / "source",
        env=environment,
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return folder / completed.stdout.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.check("reproducible builds")
@pytest.mark.parametrize("kind", ["sdist", "wheel"])
def test_two_builds_give_the_same_bytes(kind, tmp_path):
    sources = tmp_path / "sources"
    if not ROOT.joinpath(".git").exists():
        pytest.skip("not a checkout")
    copy_sources(sources)
    # In folders with names of different lengths, with files copied at different times.
    first = build(kind, tmp_path / "first", sources)
    second = build(kind, tmp_path / "the second one", sources)
    if kind == "wheel":  # to name the module that differs
        members = [zipfile.ZipFile(path).infolist() for path in (first, second)]
        sums = [[(info.filename, info.CRC) for info in infos] for infos in members]
        assert sums[0] == sums[1]
    assert sha256(first.read_bytes()).digest() == sha256(second.read_bytes()).digest()


# Compiled modules ---------------------------------------------------------------------------------


def read_module(path, tool, *options):
    """Return what a tool of binutils tells about a module."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    command = [tool, *options, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.check("hardened builds")
def test_all_kernels_are_compiled():
    assert len(MODULES) >= 12


@on_linux
@pytest.mark.check("hardened builds")
def test_modules_are_hardened_and_export_only_what_starts_them():
    # Some builds of Python add a path of their own to all modules; none is added here.
    of_python = f"{sysconfig.get_config_var('LDSHARED')} {os.environ.get('LDFLAGS', '')}"
    for path in MODULES:
        tried()
        headers = read_module(path, "readelf", "-lW")
        assert re.search(r"GNU_STACK.* RW ", headers), path
        assert "GNU_RELRO" in headers, path
        assert " RWE " not in headers, path
        dynamic = read_module(path, "readelf", "-dW")
        assert "BIND_NOW" in dynamic, path
        assert "TEXTREL" not in dynamic, path
        for paths in re.findall(r"(?:RPATH|RUNPATH).*\[(.*)\]", dynamic):
            assert all(folder in of_python for folder in paths.split(":")), path
        lines = read_module(path, "nm", "-D", "--defined-only").splitlines()
        exported = [line.split()[-1] for line in lines if " T " in line or " D " in line]
        assert exported == [f"PyInit_{path.name.split('.')[0]}"]


@on_linux
@pytest.mark.check("hardened builds")
def test_stacks_are_protected():
    imported = [read_module(path, "nm", "-D", "--undefined-only") for path in MODULES]
    # Not in each: only functions with arrays on the stack, or whose address is taken, have a guard.
    assert sum("__stack_chk_fail" in names for names in imported) >= len(MODULES) / 2


@pytest.mark.check("hardened builds")
def test_the_build_asks_for_no_processor():
    text = ROOT.joinpath("setup.py").read_text(encoding="utf-8")
    code = "\n".join(line.split("#")[0] for line in text.splitlines())
    assert not re.search(r"-march|-mtune|-mavx|-msse|-ffast-math|-Ofast|/arch", code)
    for option in ("-fstack-protector-strong", "-D_FORTIFY_SOURCE", "-fvisibility=hidden"):
        assert option in code


# Import -------------------------------------------------------------------------------------------

IMPORT = """
import json, os, sys, threading
import numpy
numpy.random, numpy.ma  # loaded by numpy on first use
watched = {"open", "os.mkdir", "os.remove", "os.rename", "os.putenv", "os.unsetenv", "os.system",
           "os.fork", "os.posix_spawn", "subprocess.Popen", "shutil.rmtree", "mmap.__new__"}
events = []

def watch(event, arguments):
    if event in watched or event.startswith(("socket.", "urllib.", "http.", "ctypes.", "signal.")):
        mode = arguments[1] if event == "open" else ""
        name = str(arguments[0]) if arguments else ""
        events.append((event, name, mode))

before = dict(os.environ), threading.active_count(), set(sys.modules), sorted(os.listdir())
folders = list(sys.path)
native = len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0
sys.addaudithook(watch)
import fastauc
for package in fastauc._PACKAGES:
    getattr(fastauc, package)
reading = [event for event in events if event[0] == "open" and event[2] in ("r", "rb", None)]
print(json.dumps({
    "environment": dict(os.environ) == before[0],
    "path": sys.path == folders,
    "threads": threading.active_count() - before[1],
    "tasks": (len(os.listdir("/proc/self/task")) - native) if native else 0,
    "folder": sorted(os.listdir()) == before[3],
    "read": [event[1] for event in reading],
    "other": [event for event in events if event not in reading],
    "modules": sorted({name.split(".")[0] for name in set(sys.modules) - before[2]}),
}))
"""


@pytest.mark.check("import")
def test_an_import_starts_opens_and_changes_nothing(tmp_path):
    variables = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error", "HOME": str(tmp_path)}
    printed, _ = run_program(IMPORT, cwd=tmp_path, timeout=60, **variables)
    report = json.loads(printed)
    assert report["environment"]
    assert report["path"]
    assert (report["threads"], report["tasks"]) == (0, 0)
    assert report["folder"]
    assert list(tmp_path.iterdir()) == []
    # Nothing is opened but code, by the import itself, and nothing is written.
    code = (".py", ".pyc", *importlib.machinery.EXTENSION_SUFFIXES)
    assert [name for name in report["read"] if not name.endswith(code)] == []
    assert report["other"] == []
    # numpy, and modules that Cython makes for what kernels share.
    known = sys.stdlib_module_names | {"fastauc", "numpy", "_cyutility"}
    loaded = {name for name in report["modules"] if not name.startswith("_cython_")}
    assert loaded - known == set()
    tried(len(PUBLIC))
