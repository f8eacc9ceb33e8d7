"""Packages of Debian for any processor, in folders: nothing is installed, and nobody need be root.

apt fetches them from the archive that it uses on this system, and checks their signatures.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

# What is fetched and built stays for the next run; remove the folder to have it anew.
KEPT = Path(__file__).resolve().parents[2] / "build" / "platforms"
# numpy, SciPy and scikit-learn in the versions that the tests ask for, for every processor.
RELEASE = "testing"


class Unavailable(Exception):
    """What is missing here, in one line, so that a stage cannot be run."""


def unpack(name, packages, architecture=None):
    """Unpack packages and what they depend on in a folder, and return it.

    They are those of this system, without what is installed; or all of ``RELEASE``, if they are
    for some architecture.
    """
    folder = KEPT / name / "root"
    if not folder.exists():
        options = [] if architecture is None else options_of_release(KEPT / name, architecture)
        run_apt(KEPT / name, *options, "update")
        run_apt(KEPT / name, *options, "install", "--download-only", "--yes", *packages)
        part = folder.with_name("part")
        shutil.rmtree(part, ignore_errors=True)
        (part / "usr" / "lib").mkdir(parents=True)
        # Where programs look for libraries.
        (part / "lib").symlink_to("usr/lib")
        for package in sorted(KEPT.joinpath(name, "archives").glob("*.deb")):
            subprocess.run(["dpkg-deb", "--extract", package, part], check=True)
            package.unlink()
        part.rename(folder)
    return folder


def fetch_source(name, package):
    """Unpack the source of a package of ``RELEASE``, as it was released; return its folder."""
    options = options_of_release(KEPT / name, architecture_here())
    run_apt(KEPT / name, *options, "update")
    run_apt(KEPT / name, *options, "source", "--download-only", "--tar-only", package)
    (archive,) = KEPT.joinpath(name).glob("*.orig.tar.*")
    source = KEPT / name / "source"
    source.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", source, "--strip-components=1"], check=True)
    archive.unlink()
    return source


def architecture_here():
    """Return the name that Debian has for this machine's processor."""
    command = ["dpkg", "--print-architecture"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def options_of_release(folder, architecture):
    """Return options of apt for packages of ``RELEASE``, as if none were installed."""
    format_ = ["--no-release-info", "--format", "$(REPO_URI)", "Created-By: Packages"]
    addresses = run_apt(folder, "indextargets", *format_).split()
    archive = next((each for each in addresses if each.rstrip("/").endswith("/debian")), None)
    if archive is None:
        raise Unavailable("apt knows no archive of Debian here")
    sources, status = folder / "sources.list", folder / "status"
    sources.write_text("".join(f"{kind} {archive} {RELEASE} main\n" for kind in ("deb", "deb-src")))
    status.touch()
    options = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": os.devnull,
        "Dir::State::Status": status,
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
    }
    return [f"-o{name}={value}" for name, value in options.items()]


def run_apt(folder, *arguments):
    """Run apt-get with its lists and archives in a folder; return what it prints."""
    if shutil.which("apt-get") is None:
        raise Unavailable("there is no apt here")
    for name in ("lists", "archives"):
        (folder / name / "partial").mkdir(parents=True, exist_ok=True)
    options = {
        "Dir::State::Lists": folder / "lists",
        "Dir::Cache": folder,
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "true",
    }
    command = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    environment = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        errors = re.findall(r"^E: (.*)", done.stderr, re.MULTILINE) or ["unknown"]
        # Without the address of the archive, which is none of the reader's concern.
        raise Unavailable("apt: " + re.sub(r"\w+://\S+/|\s*\[IP:.*", "", errors[0]))
    return done.stdout
