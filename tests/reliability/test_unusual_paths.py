"""Names of files that no one expects: the file itself, or one printable line."""

import os
import stat
import threading
from pathlib import Path

import pytest

from support.fuzzing import run
from support.reliability import tried

pytestmark = [
    pytest.mark.check("unusual paths"),
    pytest.mark.skipif(os.name != "posix", reason="names and pipes as POSIX knows them"),
]
CONTENT = "y,s\n1,0.5\n0,0.25\n"
COLUMNS = ["--label=y", "--score=s"]
# As options, on a terminal, in a shell, as patterns, and as URLs.
NAMES = ["-x", "--json", "new\nline", "\x1b[31mred\x1b[0m", "back\b\b", "\u202e", " ", "a b", "é"]
NAMES += ["not utf-8 \udcff", "$HOME", "~", "%s%n", "'\"", ";ls", "[a]", "*", "?", "a:b", "c:x"]
NAMES += ["s3:x", "x" * 240]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name):
    try:
        with open(name, "w", encoding="ascii") as file:
            file.write(CONTENT)
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_file_of_any_name_is_read_and_written(here, name):
    name += ".csv"
    code, out, err = run("score", *COLUMNS, "--", name)  # before it is there
    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert line.isprintable()
    assert line.startswith("fastauc: error: ")
    assert os.listdir(here) == []
    write(name)
    expected = run("score", "./" + name, *COLUMNS, "-o", "out.csv")
    assert expected[0] == 0, expected
    os.rename("out.csv", "expected")
    arguments = ["--", name] if name.startswith("-") else [name]
    assert run("score", *COLUMNS, *arguments)[:2] == expected[:2]
    os.rename(name, "input.csv")
    code, out, err = run("score", "input.csv", *COLUMNS, f"--out={name}")
    assert (code, out) == expected[:2]
    assert all(line.isprintable() for line in err.splitlines())
    with open(name, "rb") as found, open("expected", "rb") as wanted:
        assert found.read() == wanted.read()
    assert sorted(os.listdir(here)) == sorted(["expected", "input.csv", name])


SCHEMES = ["http", "https", "ftp", "data", "javascript", "jar", "zip", "HTTP", "Ftp"]


def test_other_urls_are_not_opened(here):
    write("x.csv")
    places = f"://{here}/x.csv", f":{here}/x.csv", "://localhost/*.csv"
    for url in (scheme + place for scheme in SCHEMES for place in places):
        tried()
        code, out, err = run("score", url, *COLUMNS)
        assert (code, out, err.count("\n")) == (1, "", 1)


def test_what_is_no_file_is_not_read(here):
    os.mkfifo("pipe.csv")  # one that is named is waited for, as by any command
    os.mkdir("empty.csv")
    os.symlink("loop.csv", "loop.csv")
    os.symlink("gone", "broken.csv")
    os.symlink("/dev/zero", "zero.csv")
    found = ["pipe.*", "empty.csv", "loop.csv", "broken.csv", "zero.csv", "/dev/zero", "/dev/null"]
    for name in found:
        for command in (["score", name, *COLUMNS], ["merge", name], ["gains", name, *COLUMNS]):
            tried()
            code, out, err = run(*command)
            assert (code, out, err.count("\n")) == (1, "", 1), command
    assert "pipe.csv: this is not a regular file" in run("merge", "pipe.csv")[2]


@pytest.mark.parametrize("option", ["--out", "--state", "--checkpoint"])
def test_what_is_no_file_is_not_replaced(here, option):
    write("x.csv")
    os.mkdir("folder.csv")
    os.symlink("loop.csv", "loop.csv")
    os.mkfifo("pipe.csv")
    write("target")
    os.symlink("target", "link.csv")
    limit = ["--memory-limit=1"] if option == "--checkpoint" else []
    for name in ("folder.csv", "no/x.csv", "loop.csv/x.csv", "x.csv/x.csv"):
        tried()
        code, out, err = run("score", "x.csv", *COLUMNS, *limit, option, name)
        assert (code, out, err.count("\n")) == (1, "", 1), name
    assert stat.S_ISDIR(os.lstat("folder.csv").st_mode)
    assert os.listdir("folder.csv") == []
    if option == "--out":  # a pipe is written to
        texts = []
        reader = threading.Thread(target=lambda: texts.append(Path("pipe.csv").read_text()))
        reader.start()
        assert run("score", "x.csv", *COLUMNS, option, "pipe.csv")[0] == 0
        reader.join(60)
        assert texts[0].startswith("score,")
    else:
        said = run("score", "x.csv", *COLUMNS, *limit, option, "pipe.csv")[2]
        assert said.endswith("pipe.csv: this is not a regular file\n")
    if option == "--checkpoint":  # what is none is not overwritten
        assert run("score", "x.csv", *COLUMNS, *limit, option, "link.csv")[0] == 1
    else:
        assert run("score", "x.csv", *COLUMNS, *limit, option, "link.csv")[0] == 0
    assert os.path.islink("link.csv")  # it is written through, as other programs do
    assert (Path("target").read_bytes() == CONTENT.encode()) == (option == "--checkpoint")
    assert stat.S_ISFIFO(os.lstat("pipe.csv").st_mode)
