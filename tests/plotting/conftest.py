"""Figures that nothing but one test knows, and nothing that is shown."""

import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure(figsize=(4, 3)).subplots()
