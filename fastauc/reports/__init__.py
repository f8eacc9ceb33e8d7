"""The HTML report of a score."""

from fastauc.reports._report import HtmlReport, report

__all__ = ["HtmlReport", "report"]


def __dir__() -> list[str]:
    return __all__
