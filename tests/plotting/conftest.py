"""Figures that nothing but one test knows, and nothing that is shown."""

import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure(figsize=(4, 3)).subplots()
