"""Files of an object store, by pyarrow's file systems, from a server that speaks S3."""

import gzip
import os

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest

import fastauc
from fastauc._cli.main import main
from fastauc.files import DataError, find, score
from fastauc.files._formats import format_of
from fastauc.files._opening import fingerprint
from fastauc.files._sources import describe
from support.file_columns import read_columns, refusal
from support.programs import start_program

RNG = np.random.default_rng(0)
N = 20_000
TABLE = pa.table({"y": (RNG.random(N) < 0.3).astype(int), "s": RNG.normal(size=N)})
AUC = fastauc.roc_auc_score(TABLE["y"].to_numpy(), TABLE["s"].to_numpy())


@pytest.fixture(scope="module")
def server():
    """Start a server on this machine: the options of its URLs, and a client that writes."""
    pytest.importorskip("flask", reason="the S3 server needs flask and flask-cors")
    moto = pytest.importorskip("moto.server", reason="moto, the S3 server, is missing")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.lower().endswith("_proxy"):
                patch.delenv(name)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        running.start()
        place = "{}:{}".format(*running.get_host_and_port())
        options = {"endpoint_override": place, "scheme": "http", "region": "us-east-1"}
        client = pyarrow.fs.S3FileSystem(**options, allow_bucket_creation=True)
        fill(client)
        yield "?" + "&".join(f"{name}={value}" for name, value in options.items())
        running.stop()


def fill(client):
    client.create_dir("lake")
    half = N // 2
    for name, part in [("a b", TABLE.slice(0, half)), ("c", TABLE.slice(half))]:
        with client.open_output_stream(f"lake/scores/{name}.parquet") as file:
            pq.write_table(part, file, row_group_size=1_000)
        with (
            client.open_output_stream(f"lake/arrow/{name}.arrow") as file,
            pa.ipc.new_file(file, part.schema) as writer,
        ):
            writer.write_table(part, max_chunksize=1_000)
    lines = "".join(f"{row['y']},{row['s']!r}\n" for row in TABLE.to_pylist())
    for name, content in [
        ("scores/_SUCCESS", b""),
        ("scores/notes.txt", b"no scores"),
        ("scores/_temporary/0/x.parquet", b"PAR1"),
        ("x.csv.gz", gzip.compress(f"y,s\n{lines}".encode())),
        ("empty/x.csv", b""),
        ("x.npy", b"\x93NUMPY"),
        ("delta/_delta_log/0.json", b"{}"),
        ("delta/day=1/x.csv", b"y,s\n1,1\n"),
        ("iceberg/metadata/1.metadata.json", b"{}"),
        ("iceberg/data/day=1/x.csv", b"y,s\n1,1\n"),
    ]:
        # Not by its own compression, which the ending .gz would turn on.
        with client.open_output_stream(f"lake/{name}", compression=None) as file:
            file.write(content)


@pytest.mark.parametrize("limit", [None, 1])
@pytest.mark.parametrize(
    "url",
    [
        "s3://lake/scores",
        "s3://lake/scores/",
        "s3://lake/sc*",
        "s3://lake/scores/*.parquet",
        "s3://lake/*/*.arrow",
        "s3://lake/x.csv.gz",
    ],
)
def test_areas_of_stored_files(server, url, limit):
    (column,) = score([url + server], label="y", score="s", memory_limit=limit)
    assert (column.roc_auc.estimate, column.n) == (AUC, N)
    assert bool(column.passes) == (limit == 1)


def test_one_file_with_a_space(server):
    (source,) = find([f"s3://lake/scores/a%20b.parquet{server}"])
    assert source.path == source.shown == "s3://lake/scores/a b.parquet"
    assert format_of(source).count_rows(source) == N // 2
    half = TABLE["s"][: N // 2].to_pylist()
    assert read_columns([source], ["s"])["s"].tolist() == half
    assert fingerprint(source) == fingerprint(source)
    assert fingerprint(source).mtime_ns > 0


def test_a_job_goes_on_from_its_checkpoint(server, tmp_path):
    path, url = tmp_path / "job", f"s3://lake/scores{server}"
    options = {"label": "y", "score": "s", "memory_limit": 1, "checkpoint": path}
    first = score([url], **options)
    again = score([url], **options)
    assert [each[:9] for each in first] == [each[:9] for each in again]
    assert b"s3://lake/scores/c.parquet" in path.read_bytes()


def test_passwords_are_neither_shown_nor_saved(server, tmp_path):
    url = f"s3://user:secret@lake/scores{server}"
    assert describe([url]) == "s3://lake/scores"
    state = tmp_path / "state"
    score([url], label="y", score="s", state=state)
    assert b"secret" not in state.read_bytes()
    for tail in ("/nothing.csv", "/*.csv", "\\x"):
        assert "secret" not in refusal(find, [f"s3://user:secret@lake{tail}{server}"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing.csv", "there is no such file or folder"),
        ("scores/*.csv", "no file there has a name ending in .csv"),
        ("scores/notes.txt", "unknown format"),
        ("empty/x.csv", "there are no rows"),
        ("x.npy", "NumPy files are read only from local disks"),
    ],
)
def test_refusals(server, capsys, name, message):
    assert main(["score", f"s3://lake/{name}{server}", "--label=y", "--score=s"]) == 1
    assert capsys.readouterr().err.startswith(f"fastauc: error: s3://lake/{name}: {message}")


@pytest.mark.parametrize("way", ["", "/", "/*/x.csv", "/day=1", "/day=1/*.csv", "/d*"])
@pytest.mark.parametrize("table", ["delta", "iceberg"])
def test_tables_of_other_formats(server, table, way):
    way = way.replace("day", "data/day") if table == "iceberg" else way
    way = way.replace("*/x", "*/*/x") if table == "iceberg" else way
    text = refusal(find, [f"s3://lake/{table}{way}{server}"])
    assert text.startswith(f"s3://lake/{table}{way}: s3://lake/{table} is a")
    assert "whose files also hold rows that it has removed" in text


def test_a_file_named_twice(server):
    with pytest.raises(DataError, match="named twice"):
        find([f"s3://lake/scores{server}", f"s3://lake/scores/c.parquet{server}"])


BLOCKED = """
import os, signal, sys, threading, time
import pyarrow.fs

class Blocked:
    def from_uri(url):
        threading.Timer(0.5, os.kill, [os.getpid(), signal.{signal}]).start()
        time.sleep(120)

pyarrow.fs.FileSystem = Blocked
sys.argv = ["fastauc", "score", "gs://lake/x.csv", "--label=y", "--score=s"]
from fastauc.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX knows them")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_store_that_does_not_answer_is_left(heard, name, code):
    """The call goes on for minutes, but the command ends: with its code, and without a word."""
    process = start_program(BLOCKED.format(signal=name))
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == code


def test_a_server_that_is_not_there():
    """A URL that no server answers is one line, not a traceback."""
    url = "s3://lake/x.csv?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1"
    url += "&connect_timeout=1&request_timeout=1"
    with pytest.raises(DataError, match=r"s3://lake/x\.csv: "):
        find([url])
