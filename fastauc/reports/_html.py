"""Self-contained HTML pages: no scripts, no network; for light and dark screens, and for print.

Everything that comes from files or from the user goes through ``escaped``.
"""

from collections.abc import Sequence

from fastauc._tables import escaped

# Rows of a table that are blocks of lines on a phone.
_MOST_STACKED = 12

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c2126; --soft: #59636e; --rule: #d4dae0;
  --panel: #f5f7f9; --shade: #0003; }
@media screen and (prefers-color-scheme: dark) { :root { --back: #14181c; --text: #e6e9ec;
  --soft: #a3adb7; --rule: #3a424b; --panel: #1c2228; --shade: #fff4; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; padding-top: .5rem; overflow-wrap: anywhere;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; overflow-wrap: anywhere; }
p { margin: .4rem 0; max-width: 48rem; overflow-wrap: anywhere; }
.soft, figcaption, footer { color: var(--soft); font-size: .875rem; }
.notice { border-left: .3rem solid var(--soft); background: var(--panel); padding: .5rem .75rem; }
.scroll { overflow-x: auto; margin: .5rem 0; background:
  linear-gradient(90deg, var(--back) 30%, transparent) 0 0 / 3rem 100% no-repeat local,
  linear-gradient(-90deg, var(--back) 30%, transparent) 100% 0 / 3rem 100% no-repeat local,
  linear-gradient(90deg, var(--shade), transparent) 0 0 / .75rem 100% no-repeat scroll,
  linear-gradient(-90deg, var(--shade), transparent) 100% 0 / .75rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .5rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--soft); vertical-align: bottom; white-space: normal; }
td:first-child, th:first-child { text-align: left; position: sticky; left: 0;
  background: var(--back); white-space: normal; overflow-wrap: break-word; min-width: 3rem;
  max-width: 20rem; }
.facts th, .facts td { text-align: left; white-space: normal; overflow-wrap: anywhere;
  position: static; max-width: 44rem; vertical-align: top; }
.facts th { width: 9rem; }
.facts, .facts td { width: auto; }
footer { margin-top: 2rem; border-top: 1px solid var(--rule); padding-top: .5rem; }
@media screen and (max-width: 40rem) {
  .stack thead { display: none; }
  .stack table, .stack tbody, .stack tr { display: block; }
  .stack tr { padding: .3rem 0; border-bottom: 1px solid var(--rule); }
  .stack td { display: flex; justify-content: space-between; gap: 1rem; border: 0;
    padding: .1rem 0; }
  .stack td::before { content: attr(data-label); color: var(--soft); text-align: left; }
  .stack td:first-child { position: static; max-width: none; font-weight: 600; }
  .stack td:first-child::before { content: none; }
}
@media print {
  :root { color-scheme: light; }
  @page { margin: 12mm; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; }
  .scroll { overflow: visible; background: none; break-inside: avoid; }
  table { font-size: 7pt; } th, td { padding: .15rem .25rem; }
  td:first-child, th:first-child { position: static; }
  h2, h3, h3 + p { break-after: avoid; }
  tr { break-inside: avoid; }
}
"""


def page(title: str, body: str, style: str = "") -> str:
    """Return a whole page; ``body`` is HTML, and ``style`` is CSS that only this page needs."""
    shown = escaped(title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown}</title>\n<style>{_STYLE}{style}</style></head>\n"
        f"<body><main>\n<h1>{shown}</h1>\n{body}</main></body></html>\n"
    )


def section(heading: str, body: str) -> str:
    """Return a section of a page; ``body`` is HTML."""
    return f"<section><h2>{escaped(heading)}</h2>\n{body}</section>\n"


def figure(heading: str, picture: str, caption: str) -> str:
    """Return a picture, which is HTML, with its heading and caption."""
    return (
        f"<figure><h3>{escaped(heading)}</h3>{picture}"
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
