"""`python -m tests.verifier GAMES`: so many random games of each title, and both verifiers agree on every one."""

import sys
from collections import Counter

from rich.console import Console
from rich.progress import track

from domain.catalogue import CATALOGUE
from tests.verifier.agreement import agree

for (name, rules), ruleset in CATALOGUE.items():
    ends: Counter[str] = Counter()
    for number in track(range(int(sys.argv[1])), f"{name} {rules}", console=Console(stderr=True)):
        try:
            game = agree(ruleset, number)
        except Exception:
            sys.stderr.write(f"{name} rules {rules}, game {number}:\n")
            raise
        ends["ended" if game.ended else "going on"] += 1
    sys.stdout.write(f"{name} rules {rules}: both agree on {ends.total()} games: {dict(ends)}\n")
