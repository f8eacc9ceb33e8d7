"""Call a target of tests/support/fuzz_targets.py with bytes that reach new code, until it fails.

    python tests/reliability/fuzz.py read_csv 60 found/

Runs for so many seconds, beginning with the kept corpus of the target, and adds what reaches more
code to a folder. Bytes that fail are written to that folder as crash-..., timeout-... or oom-....
Needs atheris: pip install '.[fuzz]'.
"""

import faulthandler
import os
import resource
import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["fastauc"]):
    import fastauc._cli.main  # noqa: F401
    from support.fuzz_targets import TARGETS, read_corpus


def main():
    """Fuzz; the process ends in here."""
    name, seconds, folder = sys.argv[1:]
    target = TARGETS[name]

    def call(content):
        # libFuzzer's own limit waits for Python; this one says where each thread is.
        faulthandler.dump_traceback_later(60, exit=True)
        target(content)
        faulthandler.cancel_dump_traceback_later()

    # The peak of the memory in use begins with that of the process that has started this one.
    inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    limits = [f"-rss_limit_mb={inherited + 2048}"]
    limits += ["-timeout=30", "-max_len=4096", "-len_control=0"]
    report = "-print_final_stats=1"
    found = f"-artifact_prefix={folder}{os.sep}"
    options = [f"-max_total_time={seconds}", found, report, *limits]
    with tempfile.TemporaryDirectory() as kept:
        for number, content in enumerate(read_corpus(name)):
            Path(kept, str(number)).write_bytes(content)
        atheris.Setup([sys.argv[0], *options, folder, kept], call)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
