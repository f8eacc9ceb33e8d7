"""Reports whose tables are asked for: without their pictures."""

import pytest


@pytest.fixture
def without_pictures(monkeypatch):
    """Leave out the pictures, which take nearly all of the time."""
    monkeypatch.setattr("fastauc.reports._pictures._svg", lambda *_: "")
