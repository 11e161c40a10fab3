"""`python -m tests.simulation SEED ...`, or `--seeds N` for the seeds 1 to N: simulate, and say what went wrong."""

import argparse
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.simulation.nursery import nursery
from tests.simulation.servers import mortal
from tests.simulation.simulation import simulate


def main() -> int:
    """Simulate every seed asked for; gives 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", type=int, nargs="*", help="the seeds to simulate")
    parser.add_argument("--seeds", type=int, default=0, metavar="N", help="simulate the seeds 1 to N")
    asked = parser.parse_args()
    failed = 0
    with TemporaryDirectory(prefix="slowlight-") as name:
        Path(name).chmod(0o711)
        with mortal(Path(name) / "servers") as servers, nursery() as born:
            for seed in (*asked.seed, *range(1, asked.seeds + 1)):
                began = monotonic()
                faults = asyncio.run(simulate(seed, servers, born))
                print(f"seed {seed}: {'failed' if faults else 'held'}, {monotonic() - began:.1f} s", flush=True)  # noqa: T201
                print(*faults, sep="\n", end="\n" if faults else "", flush=True)  # noqa: T201
                failed += bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
