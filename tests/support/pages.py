"""What the tests of pages and of displays share.

An HTML page is read strictly: every element is closed, in order. For displays: samples, what each
needs, and what can be asked of axes.
"""

from html.parser import HTMLParser

from fastauc import plotting

VOID = {"meta"}


class Page(HTMLParser):
    """The elements of a page with their attributes, the texts, and the tables cell by cell."""

    def __init__(self, content):
        super().__init__()
        self.open, self.elements, self.texts, self.tables = [], [], [], []
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("th", "td"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] in ("th", "td"):
            self.tables[-1][-1][-1] += text
        if text.strip() and self.open[-1] != "style":
            self.texts.append(text)

    def of(self, tag):
        """Return the attributes of all elements of a name."""
        return [attributes for name, attributes in self.elements if name == tag]


SEVEN = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
TEN = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.7, 0.7, 0.2, 0.4, 0.2, 0.3, 0.1, 0.5, 0.2, 0.1]
WEIGHTS = [1, 2, 3, 1, 2, 1, 4, 1, 2, 1]
MONEY = {"cost": 1, "revenue": 3}

# Each display with what it needs, and the attributes that are those of a curve function.
CURVES = {
    "RocCurveDisplay": ("roc_curve", ("fpr", "tpr"), {}),
    "PrecisionRecallDisplay": ("precision_recall_curve", ("precision", "recall"), {}),
    "DetCurveDisplay": ("det_curve", ("fpr", "fnr"), {}),
    "GainCurveDisplay": ("gain_curve", ("share", "tpr"), {}),
    "LiftCurveDisplay": ("lift_curve", ("share", "lift"), {}),
    "KsDisplay": ("ks_curve", ("share", "tpr", "fpr"), {}),
    "ProfitCurveDisplay": ("profit_curve", ("share", "profit"), MONEY),
}
OTHERS = ("ScoreDistributionDisplay", "GainsTableDisplay", "ThresholdDisplay", "CalibrationDisplay")
NAMES = [*CURVES, *OTHERS]
# These and one for probabilities alone.
ALL = [*NAMES, "NetBenefitCurveDisplay"]


def options_of(name):
    return CURVES[name][2] if name in CURVES else {}


def display_of(name):
    return getattr(plotting, name)


def draw(ax):
    """Do all of the work of a picture but its pixels; warnings are errors."""
    ax.figure.draw_without_rendering()


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]
