"""The rooms of the package: a folder imports only from folders below it."""

import ast
from pathlib import Path

import fastauc

PACKAGE = Path(fastauc.__file__).parent

# From the top. Integrations stand side by side; a name of the package itself may be used anywhere
# above what it is made of.
ROOMS = (
    *("__main__", "_cli", "_report", "plotting"),
    *("sklearn", "boosters", "dask", "spark"),
    *("_runtime", "files", "_groups", "_streaming", "_inference"),
    *("_metrics", "_counts", "_pairs", "_validation", "_capi", "_kernels"),
)


def imported(path):
    """Yield (line, room) of everything of the package that a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} line {node.lineno}: a relative import"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        for module in modules:
            package, _, name = f"{module}.".partition(".")
            if package == "fastauc":
                yield node.lineno, name.partition(".")[0]


def test_a_folder_imports_only_from_folders_below_it():
    files = [path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py"]
    assert len(files) > 100
    for path in files:
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for line, other in imported(path):
            if other in ROOMS:  # the others are public names
                below = ROOMS.index(other) > ROOMS.index(room) or other == room
                assert below, f"{path} line {line} imports {other}"


def test_every_folder_is_a_room():
    folders = {path.parent.name for path in PACKAGE.rglob("*.py")} - {PACKAGE.name}
    files = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert folders | files | {"_capi"} == set(ROOMS)
