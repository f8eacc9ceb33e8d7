"""Which files names, patterns and folders stand for: all of them, each once, in one order."""

import contextlib
import gzip
import io
import os
import sys
import threading
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fastauc._cli.main import main
from fastauc.files import DataError, score, stream_columns
from fastauc.files._opening import fingerprint
from fastauc.files._sources import describe, find, located
from support.file_columns import read_columns, refusal as refusal_of, write_columns
from support.fuzzing import law

FORMATS = [
    *("csv", "tsv", "jsonl", "ndjson", "parquet"),
    *("arrow", "arrows", "feather", "ipc", "npy", "npz"),
]


def touch(path, text="y\n1\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(paths, below):
    return [os.path.relpath(source.path, below) for source in find(paths)]


def refusal(*paths):
    return refusal_of(find, paths)


@pytest.fixture
def lake(tmp_path):
    """Make a folder as Spark writes them, with other things in it."""
    for name in ("b=2/part-1.csv", "b=10/part-0.csv", "part-2.csv", "part-10.CSV"):
        touch(tmp_path / name)
    for name in ("_SUCCESS", ".part-2.csv.crc", "notes.txt", "_temporary/0/part-9.csv"):
        touch(tmp_path / name)
    for name in (".hidden/part-3.csv", "_part-4.csv", ".part-5.csv", "b=2/deep/.x/part.csv"):
        touch(tmp_path / name)
    return tmp_path


LAKE = ["b=10/part-0.csv", "b=2/part-1.csv", "part-10.CSV", "part-2.csv"]


def test_a_folder_is_all_its_files(lake):
    assert names([lake], lake) == [os.path.normpath(name) for name in LAKE]
    assert names([f"{lake}{os.sep}"], lake) == names([lake], lake)
    assert read_columns([lake], ["y"])["y"].tolist() == [1] * 4


def test_a_single_path_is_one_file_and_not_one_of_each_character(lake):
    for single in (lake / "part-2.csv", str(lake / "part-2.csv")):
        assert names(single, lake) == ["part-2.csv"]
        assert read_columns(single, ["y"])["y"].tolist() == [1]
    (source,) = find(lake / "part-2.csv")
    assert find(source) == [source]
    assert describe(str(lake)) == describe([lake]) == str(lake)


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_is_found_in_a_folder(tmp_path, ending):
    touch(tmp_path / f"part.{ending}")
    (source,) = find([tmp_path])
    assert source.shown == os.path.join(tmp_path, f"part.{ending}")
    others = {"arrow": "ipc", "arrows": "ipc", "feather": "ipc", "ndjson": "jsonl", "tsv": "csv"}
    assert source.format == others.get(ending, ending)


@pytest.mark.check("unusual paths")
def test_the_order_does_not_depend_on_the_file_system(lake, monkeypatch):
    expected = names([lake], lake)
    scan = os.walk

    def reversed_walk(*args, **options):
        for parent, folders, files in scan(*args, **options):
            folders.reverse()
            yield parent, folders, files[::-1]

    monkeypatch.setattr(os, "walk", reversed_walk)
    assert names([lake], lake) == expected


@pytest.mark.check("unusual paths")
def test_patterns(lake):
    for pattern, expected in [
        ("*.csv", ["part-2.csv"] if os.name == "posix" else ["part-10.CSV", "part-2.csv"]),
        ("part-?.csv", ["part-2.csv"]),
        ("part-[0-9].csv", ["part-2.csv"]),
        ("b=*", LAKE[:2]),
        ("b=*/*.csv", LAKE[:2]),
        ("*", LAKE),
        ("*/*.csv", LAKE[:2]),
        ("_part-?.csv", ["_part-4.csv"]),
        ("_t*/*/*.csv", ["_temporary/0/part-9.csv"]),
    ]:
        assert names([lake / pattern], lake) == [os.path.normpath(name) for name in expected], (
            pattern
        )


def test_arguments_keep_their_order(lake):
    assert names([lake / "part-2.csv", lake / "b=2", lake / "b=10"], lake)[::2] == [
        "part-2.csv",
        os.path.join("b=10", "part-0.csv"),
    ]


@pytest.mark.check("unusual paths")
@pytest.mark.parametrize("name", ["[1].csv", "[draft] x.csv", "-x.csv", "new\nline.csv", "a b.csv"])
def test_a_name_that_exists_is_no_pattern(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    touch(Path(name))
    touch(Path("1.csv"))
    assert names([name], tmp_path) == [name]
    assert read_columns([name], ["y"])["y"].tolist() == [1]


@pytest.mark.check("unusual paths")
def test_a_file_called_dash_is_not_standard_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    touch(Path("-"))
    assert find(["-"])[0].path == "-"
    assert "no file there has a name ending in" in refusal("*")
    assert "unknown format" in refusal("./-")


# Refusals ---------------------------------------------------------------------------------------


def test_nothing_there(tmp_path):
    touch(tmp_path / "notes.txt")
    for path in (tmp_path, tmp_path / "*.csv"):
        assert refusal(path).startswith(f"{path}: no file there has a name ending in .csv, .tsv, ")
    assert refusal(tmp_path / "x.csv").endswith("x.csv: No such file or directory")
    assert "a folder stands for all files below it" in refusal(tmp_path / "**" / "*.csv")


def test_describe():
    assert describe(["-"]) == "standard input"
    assert describe([Path("a.csv"), "b.csv", "c.csv"]) == "a.csv and 2 more"


@pytest.mark.check("unusual paths")
@pytest.mark.check("repeated tasks")
def test_a_file_named_twice(lake):
    file = lake / "part-2.csv"
    for paths in ([file, file], [lake, file], [file, lake / "part-?.csv"], [lake, lake]):
        assert refusal(*paths).endswith("named twice; its rows would count twice")
    assert refusal("-", "-") == "standard input can be read only once"


@pytest.mark.check("repeated tasks")
def test_a_file_and_the_same_one_compressed(tmp_path):
    touch(tmp_path / "x.csv")
    for ending in ("gz", "zst"):
        touch(tmp_path / f"y.csv.{ending}")
        if ending == "gz":
            assert len(find([tmp_path])) == len(find([tmp_path / "*"])) == 2
    for path in (tmp_path, tmp_path / "*"):
        message = refusal(path)
        assert "y.csv.gz and " in message
        assert "y.csv.zst, which may hold the same rows" in message
    (tmp_path / "y.csv.zst").rename(tmp_path / "x.csv.gz")
    assert "x.csv and " in refusal(tmp_path)
    assert len(find([tmp_path / "x.csv", tmp_path / "x.csv.gz"])) == 2  # as they are named


@pytest.mark.check("unusual paths")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_pipes_and_devices(tmp_path):
    os.mkfifo(tmp_path / "x.csv")
    assert find([tmp_path / "x.csv"])[0].size == 0  # and it is not opened, which would wait
    assert "not a regular file" in refusal(tmp_path)  # nothing in a folder is dropped silently
    assert "not a regular file" in refusal(tmp_path / "*.csv")
    assert "not a regular file" in refusal("/dev/zero")
    (tmp_path / "x.csv").unlink()
    (tmp_path / "y.csv").symlink_to("/dev/zero")
    assert "not a regular file" in refusal(tmp_path / "*.csv")


@pytest.mark.check("unusual paths")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x"])
def test_a_pipe_is_read_like_standard_input(tmp_path, name):
    path, text = tmp_path / name, b"y,s\n" + b"1,2\n0,1\n" * 100_000
    os.mkfifo(path)
    content = gzip.compress(text) if name.endswith("gz") else text
    for read in (read_columns, score):
        writer = threading.Thread(target=path.write_bytes, args=[content])
        writer.start()
        if read is score:  # more than once
            (column,) = score([path], label="y", score="s", memory_limit=1)
            assert (column.roc_auc.estimate, column.n, len(column.passes) > 0) == (1, 200_000, True)
        else:
            assert read_columns([path], ["s"], numeric=["s"])["s"].sum() == 300_000
        writer.join()
    writer = threading.Thread(target=path.write_bytes, args=[b""])
    writer.start()
    with pytest.raises(DataError, match=f"{name}: there is no data"):
        read_columns([path], ["s"])
    writer.join()


@pytest.mark.parametrize("ending", ["csv", "parquet", "npy", "npz", "arrow"])
@pytest.mark.parametrize("shows_open_files", [True, False])
def test_a_copy_of_standard_input_stays_nowhere(tmp_path, monkeypatch, ending, shows_open_files):
    path = write_columns(tmp_path / f"x.{ending}", {"y": [0, 1, 0, 1], "s": [0.0, 1.0, 2.0, 3.0]})
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "copies"))
    if not shows_open_files:
        is_folder = os.path.isdir
        monkeypatch.setattr(os.path, "isdir", lambda p: p != "/proc/self/fd" and is_folder(p))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    with located(["-"]) as files:
        has_no_name = sys.platform == "linux" and shows_open_files
        assert any((tmp_path / "copies").iterdir()) != has_no_name
        for limit in (None, 1):
            (column,) = score(files, label="y", score="s", memory_limit=limit)
            assert (column.roc_auc.estimate, column.n) == (0.75, 4)
    assert not any((tmp_path / "copies").iterdir())


def test_folders_name_columns(tmp_path):
    """As Hive, Spark and Arrow write them: integers if all of them are."""
    for day, code, s in [(3, "007", 1), (10, "a b", 2)]:
        folder = tmp_path / f"day={day}" / f"code={quote(code)}"
        touch(folder / "x.csv", f"y,s,code\n0,{s},in the file\n1,{s},in the file\n")
    columns = read_columns([tmp_path], ["s", "code", "day"], numeric=["day"])
    assert columns["day"].tolist() == [10, 10, 3, 3]
    assert columns["code"].tolist() == ["a b"] * 2 + ["007"] * 2
    assert columns["s"].tolist() == [2, 2, 1, 1]
    (chunk, *_) = stream_columns([tmp_path / "day=*" / "*" / "*.csv"], ["y", "day"])
    assert chunk.columns["day"].tolist() == [10, 10]
    (tmp_path / "day=10").rename(tmp_path / "day=__HIVE_DEFAULT_PARTITION__")
    for columns, numeric, said in (
        (["y", "day"], [], "column 'day', row 1 is null"),
        (["code"], [], "its folders name all of the columns code"),
        (["y", "code"], ["code"], "'code' has type text in the name of its folder; expected"),
        (["z"], [], "no column 'z'; there are 'y', 's', 'code', 'day', 'code'"),
    ):
        assert said in refusal_of(read_columns, tmp_path, columns, numeric=numeric)


@pytest.mark.check("unusual paths")
def test_null_character():
    assert "x\0.csv: " in refusal("x\0.csv")


# Links ------------------------------------------------------------------------------------------


@pytest.fixture
def links(tmp_path):
    try:
        (tmp_path / "probe").symlink_to(tmp_path)
    except OSError:
        pytest.skip("links need a right that this user does not have")
    (tmp_path / "probe").unlink()
    return tmp_path


@pytest.mark.check("unusual paths")
@pytest.mark.parametrize("target", [".", "..", "sub", "loop"])
def test_loops_of_links_end(links, target):
    touch(links / "top" / "sub" / "x.csv")
    loop = links / "top" / "sub" / "loop"
    loop.symlink_to(target, target_is_directory=True)
    assert names([links / "top"], links) == [os.path.join("top", "sub", "x.csv")]


@pytest.mark.check("unusual paths")
def test_linked_folders_and_files_are_followed(links):
    touch(links / "elsewhere" / "x.csv")
    touch(links / "other" / "y.csv")
    (links / "top").mkdir()
    (links / "top" / "part").symlink_to(links / "elsewhere", target_is_directory=True)
    (links / "top" / "z.csv").symlink_to(links / "other" / "y.csv")
    assert len(find([links / "top"])) == 2
    (links / "top" / "again.csv").symlink_to(links / "other" / "y.csv")
    assert "named twice" in refusal(links / "top")


@pytest.mark.check("unusual paths")
def test_broken_link_in_a_folder(links):
    (links / "x.csv").symlink_to(links / "gone.csv")
    assert "x.csv: No such file or directory" in refusal(links)


@pytest.mark.check("unusual paths")
@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX knows them")
def test_folder_that_may_not_be_read(tmp_path):
    (tmp_path / "sub").mkdir(mode=0)
    if os.access(tmp_path / "sub", os.R_OK):
        pytest.skip("this user may read everything")
    assert refusal(tmp_path).endswith("sub: Permission denied")


# Contexts and fingerprints ----------------------------------------------------------------------


def test_fingerprint_tells_changes(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.zeros((100_000, 1)))
    (source,) = find([path])
    first = fingerprint(source)
    assert first == fingerprint(source)
    assert first.size == path.stat().st_size
    os.utime(path, ns=(1, 1))
    assert fingerprint(source)._replace(mtime_ns=first.mtime_ns) == first
    assert fingerprint(source) != first
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(1, 1))
    assert fingerprint(source).digest != first.digest
    path.unlink()
    with pytest.raises(DataError, match="No such file"):
        fingerprint(source)


# URLs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "beginning", ["file://", "file://localhost", "file:", "FILE://", "File://LOCALHOST"]
)
def test_urls_of_local_files_are_their_paths(tmp_path, beginning):
    for name in ("a b.csv", "ü.csv", "p#1.csv"):
        path = touch(tmp_path / "in" / name)
        (source,) = find([beginning + quote(path.as_posix())])
        assert source.path == source.shown == str(path)
    assert names([f"{beginning}{quote((tmp_path / 'in').as_posix())}/*.csv"], tmp_path / "in") == [
        "a b.csv",
        "p#1.csv",
        "ü.csv",
    ]
    assert refusal(f"{beginning}{tmp_path}/nothing.csv").endswith("No such file or directory")
    both = [tmp_path / "in" / "a b.csv", f"{beginning}{tmp_path}/in/a%20b.csv"]
    assert "the file is named twice" in refusal(*both)


def test_a_file_of_another_machine_is_refused():
    assert refusal("file://elsewhere/x.csv").startswith("file://elsewhere/x.csv: URLs of this kind")


SECRETS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
# Each has a part of its own, so that chance finds none of it elsewhere.
MARKED = st.lists(SECRETS, min_size=1, max_size=3).map(lambda parts: "Xq7".join(["", *parts, ""]))


@law
@example(
    secret="Xq7\x1fXq7", scheme="s3", tail="@bucket/*.csv?region=a", option="--out=", slashes="//"
)
@given(
    secret=MARKED | MARKED.map(quote) | MARKED.map(lambda text: quote(text, safe="")),
    scheme=st.sampled_from(["s3", "gs", "hdfs", "https"]),
    tail=st.sampled_from(["@bucket/x.csv", "@bucket/*.csv?region=a", "@bucket", "", "@b/a@b.csv"]),
    option=st.sampled_from(["", "--out=", "--state=", "--bogus="]),
    slashes=st.sampled_from(["//", "//", "/", "///"]),
)
def test_no_part_of_a_secret_is_shown(capsys, monkeypatch, secret, scheme, tail, option, slashes):
    """Neither by errors, ours and those of the file system, nor by the names of files."""

    class Unreachable:
        @staticmethod
        def from_uri(url):
            user, _, place = url.partition("://")[2].rpartition("@")
            raise OSError(f"cannot parse {url!r}, {url}: {user} of {place}, password {user[4:]}")

    monkeypatch.setattr("pyarrow.fs.FileSystem", Unreachable)
    url = f"{scheme}:{slashes}key:{secret}{tail}"
    shown = [describe([url]), refusal(url), str(find_or_say(url, "x.csv"))]
    arguments = [url] if not option else ["x.csv", option + url]
    with contextlib.suppress(SystemExit):
        assert main(["score", *arguments, "--label=y", "--score=s"]) == 1
    out, err = capsys.readouterr()
    assert all("Xq7" not in text and "key" not in text for text in [*shown, out, err])


def find_or_say(*paths):
    try:
        return find(paths)
    except DataError as error:
        return error


@pytest.mark.parametrize("url", ["s3:/bucket/x.csv", "gs:///bucket/x.csv", "hdfs:/x.csv"])
def test_urls_of_other_slashes(tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    scheme = url.partition(":")[0]
    assert refusal(url) == f"{url}: expected two slashes after {scheme}:"
    path = tmp_path / url
    path.parent.mkdir(parents=True)
    path.write_text("y,s\n0,1\n")
    assert [source.path for source in find([url])] == [str(path)]  # a folder of this name


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://bucket/a@b.csv", "s3://bucket/a@b.csv"),
        ("s3://key@bucket/a@b.csv?x=1", "s3://bucket/a@b.csv"),
        ("s3://key:secret@bucket/a.csv?x=1", "s3://bucket/a.csv"),
        ("hdfs://host:8020/a@b.csv", "hdfs://host:8020/a@b.csv"),
        ("hdfs://user@host:8020/a@b.csv", "hdfs://host:8020/a@b.csv"),
        ("gs://bucket", "gs://bucket"),
    ],
)
def test_the_names_of_urls(url, shown):
    assert describe([url]) == shown


@pytest.mark.parametrize("day", ["007", "00", "-0", "01", "1_0", "+1", "1" * 19])
def test_what_is_no_integer_as_it_is_written_stays_text(tmp_path, day):
    """ "007" as 7 would be another value; 19 digits need not fit into an int64."""
    touch(tmp_path / f"day={day}" / "x.csv")
    touch(tmp_path / "day=1" / "x.csv")
    found = read_columns([tmp_path], ["y", "day"])["day"].tolist()
    assert sorted(found) == sorted([day, "1"])


def test_integers_as_they_are_written_are_integers(tmp_path):
    days = [0, -1, 10, 10**17, -(10**17)]
    for day in days:
        touch(tmp_path / f"day={day}" / "x.csv")
    assert sorted(read_columns([tmp_path], ["y", "day"])["day"].tolist()) == sorted(days)
