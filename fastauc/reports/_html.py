"""Self-contained HTML pages: no scripts, no network; for light and dark screens, and for print.

Everything that comes from files or from the user goes through ``escaped``.
"""

from collections.abc import Sequence
from pathlib import Path

from fastauc._tables import escaped

# Rows of a table that are blocks of lines on a phone.
_MOST_STACKED = 12
# Letters of a name, such as a date, that is on one line in a column of such names.
_LONGEST_UNBROKEN = 12


def style_sheet(name: str) -> str:
    """Return a style sheet of this package; the import of it reads none."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def page(title: str, body: str, style: str = "") -> str:
    """Return a whole page; ``body`` is HTML, and ``style`` is CSS that only this page needs."""
    shown = escaped(title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown}</title>\n<style>\n{style_sheet('page.css')}{style}</style></head>\n"
        f"<body><main>\n<h1>{shown}</h1>\n{body}</main></body></html>\n"
    )


def section(heading: str, body: str) -> str:
    """Return a section of a page; ``body`` is HTML."""
    return f"<section><h2>{escaped(heading)}</h2>\n{body}</section>\n"


def figure(heading: str, picture: str, caption: str, *, is_wide: bool = False) -> str:
    """Return a picture, which is HTML, with its heading and caption."""
    kind = ' class="wide"' if is_wide else ""
    return (
        f"<figure{kind}><h3>{escaped(heading)}</h3>{picture}"
        f"<figcaption>{escaped(caption)}</figcaption></figure>\n"
    )


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text; ``kind`` is "", "soft" or "notice"."""
    return f'<p class="{kind}">{escaped(text)}</p>\n' if kind else f"<p>{escaped(text)}</p>\n"


def table_of(
    columns: Sequence[str] | None, rows: Sequence[Sequence[str]], *, is_wide: bool = False
) -> str:
    """Return a table of texts. Without columns, it is a list of names and values.

    On a phone, each row of a small table becomes a block of lines; one that ``is_wide``, or long,
    scrolls by itself, and its edge shows that there is more.
    """
    if columns is None:
        pairs = "".join(
            f'<tr><th scope="row">{escaped(name)}</th><td>{escaped(value)}</td></tr>\n'
            for name, value in rows
        )
        return f'<table class="facts"><tbody>{pairs}</tbody></table>\n'
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in columns)
    stacks = not is_wide and len(rows) <= _MOST_STACKED
    labels = [f' data-label="{escaped(name)}"' if stacks else "" for name in columns]
    if max((len(row[0]) for row in rows), default=0) <= _LONGEST_UNBROKEN:
        labels[0] += ' class="unbroken"'
    lines = (
        "".join(f"<td{label}>{escaped(cell)}</td>" for label, cell in zip(labels, row, strict=True))
        for row in rows
    )
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    kind = "scroll stack" if stacks else "scroll"
    return (
        f'<div class="{kind}" tabindex="0"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>\n"
    )
