"""The rooms of the package: a folder imports only from folders below it."""

import ast
import graphlib
import inspect
from pathlib import Path

import fastauc
from support.public import PUBLIC

PACKAGE = Path(fastauc.__file__).parent
FILES = [path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py"]

# What stands on the core, and the rooms whose front it is.
CLIENTS = {"_cli": ("files", "reports")}
CLIENTS |= dict.fromkeys(("reports", "plotting", "files", "sklearn", "boosters"), ())
OF_NAMED_TUPLES = {"_asdict", "_make", "_replace"}

# From the top.
ROOMS = (
    *("__main__", "_cli", "reports", "plotting"),
    *("sklearn", "boosters", "dask", "spark"),
    *("_drawing", "files", "_rows", "_readings", "groups", "streaming", "inference", "learning"),
    *("metrics", "_counts", "_pairs", "_tables", "_runtime", "_starting", "_state_format"),
    *("_validation", "_capi", "_kernels"),
)


def imported(path):
    """Yield (line, file or room) of what a file imports from the package, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} line {node.lineno}: a relative import"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for module in modules:
            package, *names = module.split(".")
            if package == "fastauc" and names != ["__version__"]:
                yield node.lineno, names


def test_a_folder_imports_only_from_folders_below_it():
    assert len(FILES) > 100
    for path in FILES:
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for line, (other, *_) in imported(path):
            below = other == room or ROOMS.index(other) > ROOMS.index(room)
            assert below, f"{path} line {line} imports {other}"


def test_clients_import_the_public_names_of_public_rooms():
    for path in FILES:
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room not in CLIENTS:
            continue
        for line, (other, *names) in imported(path):
            assert other != "_kernels", f"{path} line {line} imports a kernel"
            if other not in (room, *CLIENTS[room]) and not other.startswith("_") and names:
                public = len(names) == 1 and names[0] in getattr(fastauc, other).__all__
                assert public, f"{path} line {line} imports {'.'.join(names)} of {other}"


def test_clients_call_public_methods():
    for path in FILES:
        if path.relative_to(PACKAGE).parts[0] not in CLIENTS.keys() | {"groups"}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name, of = node.func.attr, ast.unparse(node.func.value)
                own = of in ("self", "cls", "super()") or name in OF_NAMED_TUPLES
                called = f"{path} line {node.lineno} calls {of}.{name}"
                assert own or not name.startswith("_") or name == "__init__", called


def test_no_two_files_import_each_other():
    graph = {}
    for path in FILES:
        names = path.relative_to(PACKAGE).with_suffix("").parts
        graph[names] = {tuple(other[:2]) for _, other in imported(path)}
    # It ends where there is no circle.
    assert list(graphlib.TopologicalSorter(graph).static_order())


def test_every_folder_is_a_room():
    folders = {path.parent.name for path in PACKAGE.rglob("*.py")} - {PACKAGE.name}
    files = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert folders | files | {"_capi"} == set(ROOMS)


def test_the_thin_api_is_public_functions_and_nothing_else():
    for path in (PACKAGE / "metrics").glob("_[!_]*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                assert inspect.isfunction(PUBLIC[node.name]), f"{path}: {node.name}"
            else:
                assert isinstance(node, (ast.Expr, ast.Import, ast.ImportFrom)), ast.unparse(node)
