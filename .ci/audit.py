"""Looks up the pinned versions in a database of known vulnerabilities, by pip-audit.

A finding fails. A database that does not answer is said, and does not: whoever checks
out this code without a network can still work on it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PINS = Path(__file__).parent.parent / "constraints.txt"
FIRST = "pip==25.3\n"
"""Looked up before all others: does the database answer?"""

OPTIONS = ["--no-deps", "--disable-pip", "--format", "json", "--timeout", "5"]


def main() -> int:
    """Audit, and return the exit status."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as one:
        one.write(FIRST)
        one.flush()
        probe = look_up(Path(one.name))
    if all("skip_reason" in package for package in probe):
        print("dependencies not audited: no database of vulnerabilities answers")
        return 0
    return tell(look_up(PINS))


def look_up(file: Path) -> list[dict[str, Any]]:
    """Return what is known of the packages of a requirements file; [] if nothing is."""
    words = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off"]
    done = subprocess.run(
        [*words, "--requirement", str(file), *OPTIONS], capture_output=True, text=True
    )
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return []
    return found


def tell(packages: list[dict[str, Any]]) -> int:
    """Print the findings and return 1 if there are some."""
    audited = [package for package in packages if "skip_reason" not in package]
    known = [(package, one) for package in audited for one in package["vulns"]]
    for package, one in known:
        fixed = ", ".join(one["fix_versions"]) or "none yet"
        print(f"{package['name']} {package['version']}: {one['id']}, fixed in {fixed}")
    left = len(packages) - len(audited)
    more = f", {left} could not be looked up" if left or not packages else ""
    print(f"{len(audited)} dependencies audited, {len(known)} findings{more}")
    return int(bool(known))


if __name__ == "__main__":
    sys.exit(main())
