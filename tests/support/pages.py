"""What an HTML page holds, read strictly: every element is closed, in order."""

from html.parser import HTMLParser

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
