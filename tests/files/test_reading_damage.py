"""Files that lie or are damaged: one sentence that names the file, or what pyarrow reads."""

import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastauc.files import DataError, stream_columns
from support.file_columns import arrow_bytes, files_of, parquet_bytes, read_columns, reading_threads
from support.reliability import tried

N = 300
RNG = np.random.default_rng(0)
TABLE = pa.table(
    {
        "y": RNG.random(N) < 0.4,
        "s": RNG.normal(size=N),
        "c": pa.array(RNG.choice(["a", "b"], N)).dictionary_encode(),
    }
)


def saved(save, *arrays, **columns):
    sink = io.BytesIO()
    save(sink, *arrays, **columns)
    return sink.getvalue()


GOOD = files_of(TABLE, 100) | {
    "x.npy": saved(np.save, np.zeros(N, dtype=[("y", "?"), ("s", "f8"), ("c", "U1")])),
    "x.npz": saved(np.savez_compressed, y=np.zeros(N), s=np.ones(N), c=np.full(N, "a")),
}


def read(path, content):
    """Return the scores of a file with this content, or the one sentence that refuses it."""
    path.write_bytes(content)
    sentence = ""
    try:
        options = {"numeric": ["s"], "use_threads": False, "batch_rows": 70}
        chunks = list(stream_columns([path], ["s", "y", "c"], **options))
    except DataError as error:
        sentence = str(error)
    assert reading_threads() == []
    if not sentence:
        return np.concatenate([chunk.columns["s"] for chunk in chunks])
    assert sentence.startswith(f"{path}: ")
    return sentence.removeprefix(f"{path}: ")


def refusal(path, content):
    outcome = read(path, content)
    assert isinstance(outcome, str)
    return outcome


@pytest.mark.parametrize("name", GOOD)
def test_the_files_are_good(tmp_path, name):
    assert len(read(tmp_path / name, GOOD[name])) == N


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("name", GOOD)
def test_truncations(tmp_path, name):
    for length in range(0, len(GOOD[name]), 1 + len(GOOD[name]) // 60):
        tried()
        assert refusal(tmp_path / name, GOOD[name][:length])


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("name", GOOD)
def test_wrong_magic(tmp_path, name):
    assert "cannot be read" in refusal(tmp_path / name, b"XXXX" + GOOD[name][4:-4] + b"XXXX")
    assert "cannot be read" in refusal(tmp_path / name, bytes(len(GOOD[name])))
    tried(2)


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("length", [0, 1, 8, 2**16, 2**31 - 1, 2**31, 2**32 - 1])
@pytest.mark.parametrize("name", ["snappy.parquet", "plain.arrow"])
def test_forged_length_of_the_footer(tmp_path, name, length):
    stop = -4 if name.endswith("parquet") else -6
    content = GOOD[name][: stop - 4] + length.to_bytes(4, "little") + GOOD[name][stop:]
    assert "cannot be read" in refusal(tmp_path / name, content)


@pytest.mark.check("malformed files")
def test_rows_that_the_footer_makes_up(tmp_path):
    content = parquet_bytes(TABLE.slice(0, 77), store_schema=False)
    old, new = b"\x16\x9a\x01", b"\x16\x9c\x01"  # 77 and 78 in Thrift
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    first, last = content.index(old, start), content.rindex(old)
    # The number of rows of the file comes first, that of its row group last.
    forged = content[:first] + new + content[first + 3 :]
    assert "the footer says 78 rows, but its row groups [77]" in refusal(
        tmp_path / "x.parquet", forged
    )
    forged = forged[:last] + new + forged[last + 3 :]
    assert "77 rows in row group 0; the footer says 78" in refusal(tmp_path / "x.parquet", forged)


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("name", ["plain.parquet", "plain.arrow"])
def test_the_damaged_part_is_named(tmp_path, name):
    content = bytearray(GOOD[name])
    if name.endswith("parquet"):
        with pq.ParquetFile(io.BytesIO(GOOD[name])) as file:
            place, part = file.metadata.row_group(1).column(1).data_page_offset, "row group 1"
        content[place : place + 8] = b"\xff" * 8
    else:
        # A batch begins with this mark and the length of its description.
        marks = [k for k in range(len(content)) if content[k : k + 4] == b"\xff" * 4]
        place, part = marks[3], "record batch 1"  # after the schema and a dictionary
        content[place + 4 : place + 8] = b"\xff\xff\xff\x7f"
    path = tmp_path / name
    path.write_bytes(bytes(content))
    for use_threads in (False, True):
        options = {"numeric": ["s"], "use_threads": use_threads}
        with pytest.raises(DataError, match=f"{name}: cannot be read: {part}: "):
            list(stream_columns([path], ["s"], batch_rows=100, **options))
        together = part.replace("group 1", "groups 0 to 2")  # small ones
        with pytest.raises(DataError, match=f"{name}: cannot be read: {together}: "):
            read_columns([path], ["s"], **options)


@pytest.mark.check("malformed files")
def test_a_stream_that_does_not_end_or_goes_on(tmp_path):
    content = GOOD["plain.arrows"]
    marks = [k for k in range(len(content)) if content[k : k + 4] == b"\xff" * 4]
    # The schema, a dictionary, three batches and the end.
    for wrong in (content[: marks[4]], content[: marks[5]], content * 2, content + bytes(8)):
        assert "expected the end of the Arrow stream" in refusal(tmp_path / "x.arrow", wrong)


@pytest.mark.check("malformed files")
def test_dictionary_index_out_of_range(tmp_path):
    indices = pa.array(RNG.integers(0, 2, N), pa.int8())
    column = pa.DictionaryArray.from_arrays(indices, ["a"], safe=False)
    content = arrow_bytes(TABLE.set_column(2, "c", column), N)
    assert "out of bounds" in refusal(tmp_path / "x.arrow", content)


@pytest.mark.check("malformed files")
def test_npy_headers_that_lie(tmp_path):
    def with_shape(shape, descr="<f8", body=8 * N):
        header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}"
        header = header.ljust(117) + "\n"
        length = len(header).to_bytes(2, "little")
        return b"\x93NUMPY\x01\x00" + length + header.encode() + bytes(body)

    path = tmp_path / "x.npy"
    assert "no column 's'" in refusal(path, with_shape((N, 1)))
    for shape in [(N + 1, 1), (2**62, 1), (2**62, 2**62), (-5, 1), (), (-1, -300)]:
        assert "the header says shape" in refusal(path, with_shape(shape))
    assert "allow_pickle=False" in refusal(path, with_shape((N,), "|O"))
    assert "one array of shape (300,)" in refusal(path, with_shape((N,)))
    assert "cannot be read" in refusal(path, with_shape((N,), "__import__('os')"))
    for descr in ([("s", "<U0")], [("s", "<f8", (0,))], [("s", "<f8", (3,))], [("s", "V8")]):
        text = [*descr, ("y", "<f8"), ("c", "<f8")]
        assert "column 's' has " in refusal(path, with_shape((7,), text))
    tried(14)


@pytest.mark.check("malformed files")
def test_archive_bomb_of_a_lying_header(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (2**50,)}
    )
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        for name in "ysc":
            archive.writestr(f"{name}.npy", header.getvalue())
    content = (tmp_path / "x.npz").read_bytes()
    assert "x.npz" not in refusal(tmp_path / "x.npz", content)


@pytest.mark.check("malformed files")
def test_checksums_of_pages_are_verified(tmp_path):
    """A score whose bits have changed is another score: only the checksum tells."""
    plain = {"compression": "none", "use_dictionary": False, "store_schema": False}
    content = bytearray(parquet_bytes(TABLE, 100, **plain, write_page_checksum=True))
    path = tmp_path / "x.parquet"
    assert len(read(path, bytes(content))) == N
    content[content.index(np.float64(TABLE["s"][150].as_py()).tobytes())] ^= 1
    assert "row group 1: could not verify page integrity, CRC checksum" in refusal(
        path, bytes(content)
    )
