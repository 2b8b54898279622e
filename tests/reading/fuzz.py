"""Coverage-guided fuzzing of every parser, by atheris: python -m tests.reading.fuzz [PARSER ...] [--seconds N].

Knows the list of parsers; not what they read. Each has a process of its own, since a fuzzer ends by leaving; its seeds
are the parser's own examples and what was found before. What is found lies in found/PARSER, where the tests read it
again: mend the parser, and commit it with the mended code.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_OURS = ["gomogo", "gomogo_core", "tournaments", "sgfmill"]  # whose branches guide the fuzzer
_LONGEST = 4096  # bytes of an input; huge ones are the tests'
_MOST_MEMORY, _SLOWEST = 1024, 10  # megabytes, and seconds for one input


def main() -> int:
    """Fuzz the parsers that are named, or all, and say what became of each; 1 where something was found."""
    asked = argparse.ArgumentParser(description="Fuzz the parsers of what strangers write.")
    asked.add_argument("parsers", nargs="*", metavar="PARSER", help="by default all")
    asked.add_argument("--seconds", type=int, default=10, help="for each (10)")
    asked.add_argument("--runs", type=int, default=0, help="so many inputs for each instead, the same every time")
    asked.add_argument("--jobs", type=int, default=1, help="parsers at a time (1)")
    asked.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.here:
        _fuzz(given.parsers[0], given.seconds, given.runs)
    from tests.reading._parsers import parsers

    known = parsers()
    if unknown := set(given.parsers) - known.keys():
        asked.error(f"there is no parser {', '.join(unknown)}; there is {', '.join(known)}")
    with ThreadPoolExecutor(given.jobs) as jobs:
        well = list(jobs.map(lambda name: _in_its_own_process(name, given.seconds, given.runs), given.parsers or known))
    return 0 if all(well) else 1


def _in_its_own_process(name: str, seconds: int, runs: int) -> bool:
    """Fuzz one, and print how much was tried, or all that was said where something was found."""
    from tests.reading._of_files import in_memory

    words = [sys.executable, "-m", "tests.reading.fuzz", "--here", name, "--seconds", str(seconds)]
    words += ["--runs", str(runs)]
    with tempfile.TemporaryDirectory(dir=in_memory()) as place:  # a fuzzer leaves without tidying up
        steady = {**os.environ, "PYTHONHASHSEED": "0", "TMPDIR": place}
        done = subprocess.run(
            words, cwd=_ROOT, env=steady, capture_output=True, text=True, errors="replace", check=False
        )
    said = done.stderr.splitlines()
    if done.returncode:
        print(f"{name}: something was found\n" + "\n".join(said[-40:]), flush=True)
        return False
    tried = next((line.split()[1] for line in reversed(said) if line.startswith("Done ")), "?")
    print(f"{name}: {tried} inputs, nothing found", flush=True)
    return True


def _fuzz(name: str, seconds: int, runs: int) -> None:
    """Fuzz in this process, and leave with it."""
    import atheris

    with atheris.instrument_imports(include=_OURS):
        from tests.reading._parsers import FOUND, parsers

        parser = parsers()[name]
    (FOUND / name).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate((*parser.accepted, *parser.refused, *(p.read_bytes() for p in parser.found()))):
            (Path(corpus) / str(number)).write_bytes(seed[:_LONGEST])
        limits = [f"-max_total_time={seconds}", f"-max_len={_LONGEST}", f"-timeout={_SLOWEST}"]
        if runs:  # by number alone, so that they are the same on any machine
            limits = [f"-runs={runs}", "-seed=1", f"-max_len={_LONGEST}", f"-timeout={10 * _SLOWEST}"]
        limits += [f"-rss_limit_mb={_MOST_MEMORY}", f"-artifact_prefix={FOUND / name}/", "-verbosity=1"]
        atheris.Setup([sys.argv[0], *limits, corpus], parser.survives)
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
