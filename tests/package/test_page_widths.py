"""No page is wider than its window, on a desktop or a phone: measured by Chromium, every night."""

import functools
import html
import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fastauc._cli.main import main

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)

# Loads pages one by one in a frame, and notes what is wider than it: the page, and lines of code.
_MEASURE = """<body><script>
(async () => {
  const found = {};
  for (const page of PAGES) {
    const frame = document.createElement("iframe");
    frame.style = "width: WIDTHpx; height: 900px; border: 0";
    await new Promise(loaded => { frame.onload = loaded; frame.src = page;
      document.body.append(frame); });
    const inside = frame.contentDocument, wide = [];
    const over = element => element.scrollWidth - element.clientWidth;
    if (over(inside.documentElement) > 0) wide.push("page");
    if (WIDTH > 1000) for (const code of inside.querySelectorAll("pre"))
      if (over(code) > 0) wide.push(code.textContent.slice(0, 60));
    if (wide.length) found[page] = wide;
    frame.remove();
  }
  document.body.textContent = "measured " + JSON.stringify(found);
})();
</script>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("sphinx")
    pytest.importorskip("furo")
    folder = tmp_path_factory.mktemp("pages")
    build = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(ROOT / "docs"), str(folder)]
    subprocess.run(build, check=True)
    loans = [str(ROOT / "tests" / "data" / "loans.csv"), "--label=outcome", "--pos-label=bad"]
    loans += ["--score=new", "--score=old"]
    money = ["--cost=50", "--revenue=400", "--cost-fp=1", "--cost-fn=5"]
    assert main(["report", *loans, *money, "--by=segment", "-o", str(folder / "report.html")]) == 0
    return folder


@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
@pytest.mark.parametrize("width", [390, 1300])
def test_no_page_is_wider_than_its_window(folder, width, tmp_path):
    pages = sorted(path.name for path in folder.glob("*.html"))
    assert len(pages) > 20
    measure = _MEASURE.replace("PAGES", json.dumps(pages)).replace("WIDTH", str(width))
    (folder / "measure.htm").write_text(measure)
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
        command += [f"--user-data-dir={tmp_path}", "--virtual-time-budget=600000"]
        command += ["--window-size=1400,1000"]
        address = f"http://127.0.0.1:{server.server_port}/measure.htm"
        run = subprocess.run([*command, address], capture_output=True, text=True, timeout=300)
        server.shutdown()
    measured = re.search(r"measured (\{.*\})", html.unescape(run.stdout))
    assert measured, run.stdout[-1000:]
    assert json.loads(measured[1]) == {}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that prints nothing."""

    def log_message(self, *arguments):
        """Print nothing."""
