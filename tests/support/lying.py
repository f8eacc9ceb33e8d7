"""Parquet files whose metadata are well formed and untrue: Thrift read number by number.

Of the compact protocol of Thrift only what Parquet uses; field numbers as in parquet.thrift.
"""

from typing import NamedTuple

# Fields of the footer that no value of a column follows from.
ROWS, ROWS_OF_GROUP, VALUES_OF_CHUNK = (3,), (4, 3), (4, 1, 3, 5)
BYTES_OF_GROUP, STATISTICS = (4, 2), (4, 1, 3, 12)
_PAGE_BYTES = (3,)


class Place(NamedTuple):
    """A number, a text or a length: the numbers of its fields from the outermost on, its bytes."""

    path: tuple[int, ...]
    kind: str
    start: int
    stop: int

    def is_in(self, path):
        return self.path[: len(path)] == path


def varint(number, size=1):
    """Return a number in as few bytes as there are, but ``size`` at least."""
    content = bytearray()
    while number > 0x7F or len(content) + 1 < size:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*content, number])


def zigzag(number, size=1):
    return varint((number << 1 ^ number >> 63) & (2**64 - 1), size)


def number_at(content, place):
    value, _ = _number(content, place)
    return value >> 1 ^ -(value & 1)


def _number(content, place):
    value = shift = 0
    while True:
        value |= (content[place] & 0x7F) << shift
        shift += 7
        place += 1
        if content[place - 1] < 0x80:
            return value, place


def places_of(content, start):
    """Return the places of a structure, and where it ends."""
    found = []
    return found, _struct(content, start, (), found)


def _struct(content, place, path, found):
    field = 0
    while content[place]:
        header, place = content[place], place + 1
        if header >> 4:
            field += header >> 4
        else:
            field, place = number_at(content, place), _number(content, place)[1]
        place = _value(content, place, header & 15, (*path, field), found)
    return place + 1


def _value(content, place, kind, path, found):
    start = place
    if kind in (1, 2):  # the value is the kind
        return place
    if kind in (4, 5, 6):
        _, place = _number(content, place)
        found.append(Place(path, "number", start, place))
    elif kind == 8:
        length, place = _number(content, place)
        place += length
        found.append(Place(path, "text", start, place))
    elif kind in (9, 10):
        size, of = content[place] >> 4, content[place] & 15
        place += 1
        if size == 15:
            size, place = _number(content, place)
        found.append(Place(path, "length", start, place))
        for _ in range(size):
            # A list of truth values has a byte for each.
            place = place + 1 if of in (1, 2) else _value(content, place, of, path, found)
    elif kind == 12:
        place = _struct(content, place, path, found)
    else:
        place += {3: 1, 7: 8}[kind]
    return place


def footer_of(content):
    """Return where the footer starts."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def with_footer(content, footer):
    return content[: footer_of(content)] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def footer_places(content):
    return places_of(content, footer_of(content))[0]


def page_places(content):
    """Return the places of the headers of all pages, which lie one after the other."""
    found, start = [], 4
    while start < footer_of(content):
        header, start = places_of(content, start)
        found += header
        start += next(number_at(content, p.start) for p in header if p.path == _PAGE_BYTES)
    return found


def lie(content, place, number):
    """Return a file that says another number at a place of the footer; of a text, its length."""
    start = footer_of(content)
    footer = content[start:-8]
    before, after = footer[: place.start - start], footer[place.stop - start :]
    if place.kind == "number":
        said = zigzag(number)
    elif place.kind == "text":
        _, begin = _number(content, place.start)
        said = varint(abs(number)) + content[begin : place.stop]
    else:
        said = bytes([0xF0 | content[place.start] & 15]) + varint(abs(number))
    return with_footer(content, before + said + after)


def rewrite(content, place, text):
    """Return a file with another text at a place of the footer."""
    start = footer_of(content)
    footer = content[start:-8]
    before, after = footer[: place.start - start], footer[place.stop - start :]
    return with_footer(content, before + varint(len(text)) + text + after)


def lie_in_page(content, place, number):
    """Return a file that says another number in the header of a page, in as many bytes."""
    size = place.stop - place.start
    bound = 1 << (7 * size - 1)
    said = zigzag((number + bound) % (2 * bound) - bound, size)
    return content[: place.start] + said + content[place.stop :]
