"""Run the notebook of the manual, and keep what its cells show: ``python docs/run_notebook.py``.

Cells run as in Jupyter, from the folder of the notebook: the value of the last line is shown, and
so are the figures of pyplot.
"""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot

NOTEBOOK = Path(__file__).parent / "loan_book.ipynb"
_MOST_BYTES = 50_000  # a report is shown by Jupyter, but not kept
_LOOK = {"svg.fonttype": "none", "svg.hashsalt": "fastauc", "figure.figsize": (5.2, 4.2)}


def run(notebook: dict[str, Any]) -> None:
    """Run all cells, and put what they show into the notebook."""
    names: dict[str, Any] = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with contextlib.chdir(NOTEBOOK.parent), mpl.rc_context(_LOOK):
        mpl.use("Agg")
        for number, cell in enumerate(cells, start=1):
            value = _value_of("".join(cell["source"]), names)
            cell["execution_count"] = number
            cell["outputs"] = [] if value is None else [_output(value, number)]
            cell["outputs"] += [_picture(pyplot.figure(each)) for each in pyplot.get_fignums()]
            pyplot.close("all")


def _value_of(source: str, names: dict[str, Any]) -> Any:
    """Run a cell, and return the value of its last line if that is an expression."""
    lines = ast.parse(source).body
    last = lines.pop() if isinstance(lines[-1], ast.Expr) else None
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return None if source.rstrip().endswith(";") else value


def _output(value: Any, number: int) -> dict[str, Any]:
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    html = value._repr_html_() if hasattr(value, "_repr_html_") else ""
    if 0 < len(html) < _MOST_BYTES:
        data["text/html"] = html.splitlines(keepends=True)
    kind = {"output_type": "execute_result", "execution_count": number}
    return kind | {"data": data, "metadata": {}}


def _picture(figure: Any) -> dict[str, Any]:
    content = io.StringIO()
    figure.savefig(content, format="svg", bbox_inches="tight", metadata={"Date": None})
    data = {
        "image/svg+xml": content.getvalue().splitlines(keepends=True),
        "text/plain": ["<Figure>"],
    }
    return {"output_type": "display_data", "data": data, "metadata": {}}


if __name__ == "__main__":
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    run(content)
    NOTEBOOK.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
