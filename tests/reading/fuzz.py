"""Coverage-guided fuzzing of every parser, by atheris: python -m tests.reading.fuzz [PARSER ...] [--seconds N].

Knows the list of parsers; not what they read. Each has a process of its own, since a fuzzer ends by leaving; its seeds
are the parser's own examples and the earlier findings. Findings go to found/PARSER, where the tests read them
again: fix the parser, and commit the input with the fix.
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
_LONGEST = 4096  # bytes of an input; other tests try huge ones
_MAX_MEMORY, _SLOWEST = 1024, 60  # limits for one input: megabytes, and seconds on a busy machine


def main() -> int:
    """Fuzz the parsers that are named, or all, and say what became of each; 1 where something was found."""
    asked = argparse.ArgumentParser(description="Fuzz the parsers of foreign input.")
    asked.add_argument("parsers", nargs="*", metavar="PARSER", help="by default all")
    asked.add_argument("--seconds", type=int, default=10, help="for each (10)")
    asked.add_argument("--seed", type=int, default=0, help="try the same inputs in the same order as with this number")
    asked.add_argument("--jobs", type=int, default=1, help="parsers at a time (1)")
    asked.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = asked.parse_args()
    if arguments.here:
        _fuzz(arguments.parsers[0], arguments.seconds, arguments.seed)
    from tests.reading._parsers import parsers

    known_parsers = parsers()
    if unknown := set(arguments.parsers) - known_parsers.keys():
        asked.error(f"there is no parser {', '.join(unknown)}; there is {', '.join(known_parsers)}")
    with ThreadPoolExecutor(arguments.jobs) as jobs:
        well = list(
            jobs.map(
                lambda name: _in_its_own_process(name, arguments.seconds, arguments.seed),
                arguments.parsers or known_parsers,
            )
        )
    return 0 if all(well) else 1


def _in_its_own_process(name: str, seconds: int, seed: int) -> bool:
    """Fuzz one, and print how much was tried, or the exception and the input where something was found."""
    from tests.reading._of_files import in_memory

    words = [sys.executable, "-m", "tests.reading.fuzz", "--here", name, "--seconds", str(seconds)]
    words += ["--seed", str(seed)]
    with tempfile.TemporaryDirectory(dir=in_memory()) as place:  # the fuzzer exits without cleanup
        steady = {**os.environ, "PYTHONHASHSEED": "0", "TMPDIR": place}
        result = subprocess.run(
            words, cwd=_ROOT, env=steady, capture_output=True, text=True, errors="replace", check=False
        )
    error_lines = result.stderr.splitlines()
    if result.returncode:
        exception = result.stdout.strip()  # atheris prints it there
        print(f"{name}: something was found\n{exception}\n" + "\n".join(error_lines[-5:]), flush=True)
        return False
    tried = next((line.split()[1] for line in reversed(error_lines) if line.startswith("Done ")), "?")
    print(f"{name}: {tried} inputs, nothing found", flush=True)
    return True


def _fuzz(name: str, seconds: int, seed: int) -> None:
    """Fuzz in this process, and leave with it."""
    import atheris

    with atheris.instrument_imports(include=_OURS):
        from tests.reading._parsers import FOUND_INPUTS_FOLDER, parsers

        parser = parsers()[name]
    (FOUND_INPUTS_FOLDER / name).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for number, content in enumerate(
            (*parser.accepted, *parser.refused, *(p.read_bytes() for p in parser.found_inputs()))
        ):
            (Path(corpus) / str(number)).write_bytes(content[:_LONGEST])
        limits = [f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={_LONGEST}", f"-timeout={_SLOWEST}"]
        limits += [f"-rss_limit_mb={_MAX_MEMORY}", f"-artifact_prefix={FOUND_INPUTS_FOLDER / name}/", "-verbosity=1"]
        atheris.Setup([sys.argv[0], *limits, corpus], parser.survives)
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
