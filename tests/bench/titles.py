"""What titles measure of themselves: scripts that say their figures and exit as their budgets were held or not.

python -m tests.bench.titles
"""

import re
import subprocess
from collections.abc import Iterator
from typing import Final

from tests.bench.beside import PEER_PYTHON
from tests.bench.figures import Figure, alone
from tests.bench.ground import Ground

SCRIPTS: Final = ("tests.bench.novagravity_perft",)


def figures(_ground: Ground) -> Iterator[Figure]:
    """A figure of each script: its last three lines are its own speed, its peer's, and the ratio with its budget."""
    for script in SCRIPTS:
        done = subprocess.run([PEER_PYTHON, "-m", script], check=False, stdout=subprocess.PIPE, text=True)
        own, peer, verdict = done.stdout.splitlines()[-3:]
        found = re.fullmatch(r"ratio: ([\d.]+) \(at least ([\d.]+)\)", verdict)
        assert found is not None, done.stdout
        name, _, absolute = own.partition(": ")
        yield Figure(name, absolute, peer, float(found[1]), f">= {found[2]}", done.returncode == 0)


if __name__ == "__main__":
    alone(figures)
