"""HTML pages that need nothing but themselves: no script, no network, light and dark, on paper.

Whatever comes from files or from the user goes through ``escaped``.
"""

import html
from collections.abc import Iterable, Sequence

__all__ = ["escaped", "figure", "figures", "page", "paragraph", "section", "table_of"]

# Lines are told apart by colour and by dashes. The colours have 4.5 times the contrast of the
# background, and differ for the colour-blind as well (after Okabe and Ito).
_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c2126; --soft: #59636e; --rule: #d4dae0;
  --panel: #f5f7f9; --c0: #0063a6; --c1: #c04a00; --c2: #007a5a; --c3: #9a3d8f; --c4: #7a6300;
  --c5: #0b7f9e; --c6: #a8123e; --c7: #5c6268; }
@media (prefers-color-scheme: dark) { :root { --back: #14181c; --text: #e6e9ec; --soft: #a3adb7;
  --rule: #3a424b; --panel: #1c2228; --c0: #63b3ed; --c1: #ff9a57; --c2: #3ecf9f; --c3: #e08fd6;
  --c4: #e3c23c; --c5: #58d0e8; --c6: #ff8aa3; --c7: #b6bec6; } }
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
.notice { border-left: .3rem solid var(--c1); background: var(--panel); padding: .5rem .75rem; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .5rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--soft); vertical-align: bottom; }
td:first-child, th:first-child { text-align: left; position: sticky; left: 0;
  background: var(--back); white-space: normal; overflow-wrap: break-word; min-width: 2.5rem;
  max-width: 20rem; }
.wordy td:first-child { min-width: 9.5rem; }
.facts th, .facts td { text-align: left; white-space: normal; overflow-wrap: anywhere;
  position: static; max-width: 44rem; vertical-align: top; }
.facts th { min-width: 9rem; }
.figures { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figure h3 { margin: .25rem 0; }
svg { display: block; width: 100%; height: auto; font: 13px system-ui, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; }
svg text { fill: var(--text); }
svg .tick { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
svg .grid { stroke: var(--rule); stroke-width: 1; fill: none; }
svg .axis { stroke: var(--soft); stroke-width: 1; fill: none; }
svg .chance { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 4; fill: none; }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.area { stroke-width: 1.4; fill-opacity: .25; }
.dot { stroke: var(--back); stroke-width: 1.2; }
.l0 { stroke: var(--c0); } .l1 { stroke: var(--c1); stroke-dasharray: 7 3; }
.l2 { stroke: var(--c2); stroke-dasharray: 2.5 2.5; }
.l3 { stroke: var(--c3); stroke-dasharray: 9 3 2 3; }
.l4 { stroke: var(--c4); stroke-dasharray: 12 4; } .l5 { stroke: var(--c5); }
.l6 { stroke: var(--c6); stroke-dasharray: 5 2; }
.l7 { stroke: var(--c7); stroke-dasharray: 2 2 6 2; }
.f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); } .f3 { fill: var(--c3); }
.f4 { fill: var(--c4); } .f5 { fill: var(--c5); } .f6 { fill: var(--c6); } .f7 { fill: var(--c7); }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; list-style: none; margin: 0;
  padding: 0 0 0 .5rem; font-size: .875rem; }
.legend li { display: flex; align-items: center; gap: .4rem; min-width: 0; }
.legend span { overflow-wrap: anywhere; min-width: 0; }
.legend svg { width: 2rem; height: .75rem; flex: none; }
footer { margin-top: 2rem; border-top: 1px solid var(--rule); padding-top: .5rem; }
@media print {
  :root { color-scheme: light; --back: #fff; --text: #000; --soft: #444; --rule: #ccc;
    --panel: #f5f7f9; --c0: #0063a6; --c1: #c04a00; --c2: #007a5a; --c3: #9a3d8f; --c4: #7a6300;
    --c5: #0b7f9e; --c6: #a8123e; --c7: #5c6268; }
  @page { margin: 12mm; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; } .scroll { overflow: visible; }
  table { font-size: 7pt; } th, td { padding: .15rem .25rem; } th { white-space: normal; }
  td:first-child, th:first-child { position: static; }
  .facts th, .facts td { text-align: left; white-space: normal; overflow-wrap: anywhere;
  position: static; max-width: 44rem; vertical-align: top; }
.facts th { min-width: 9rem; }
.figures { grid-template-columns: 1fr 1fr; } h2, h3 { break-after: avoid; }
  tr { break-inside: avoid; }
}
"""


def escaped(text: object) -> str:
    """Return a text that is nothing but text, in an element or in an attribute."""
    return html.escape(str(text))


def page(title: str, body: str) -> str:
    """Return a whole page; ``body`` is HTML."""
    shown = escaped(title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body><main>\n<h1>{shown}</h1>\n{body}</main></body></html>\n"
    )


def section(heading: str, body: str) -> str:
    """Return a part of a page; ``body`` is HTML."""
    return f"<section><h2>{escaped(heading)}</h2>\n{body}</section>\n"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text; ``kind`` is "", "soft" or "notice"."""
    return f'<p class="{kind}">{escaped(text)}</p>\n' if kind else f"<p>{escaped(text)}</p>\n"


def table_of(
    columns: Iterable[str] | None, rows: Sequence[Sequence[str]], *, is_wordy: bool = False
) -> str:
    """Return a table of texts, which scrolls by itself where the page is narrow.

    Without columns, it is a list of names and of what they stand for. ``is_wordy`` says that a row
    begins with some words, not with a name.
    """
    if columns is None:
        pairs = "".join(
            f'<tr><th scope="row">{escaped(name)}</th><td>{escaped(value)}</td></tr>\n'
            for name, value in rows
        )
        return f'<table class="facts"><tbody>{pairs}</tbody></table>\n'
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{escaped(cell)}</td>' for cell in row)}</tr>\n" for row in rows
    )
    kind = "scroll wordy" if is_wordy else "scroll"
    return (
        f'<div class="{kind}" tabindex="0"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>\n"
    )


def figures(*drawn: str) -> str:
    """Return charts beside each other, as many as the width allows."""
    return f'<div class="figures">{"".join(drawn)}</div>\n'


def figure(heading: str, drawing: str, legend: str, caption: str) -> str:
    """Return a chart with its heading, legend and caption; the drawing and the legend are HTML."""
    return (
        f"<figure><h3>{escaped(heading)}</h3>{drawing}{legend}"
        f"<figcaption>{escaped(caption)}</figcaption></figure>\n"
    )
