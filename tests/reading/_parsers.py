"""Everything here that reads what strangers write, each as one function of bytes, with inputs to begin from.

A reader returns, or raises one of its own refusals; anything else is a fault of ours. Knows no fuzzer and no test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gomogo_core.errors import UserError

# inputs that once caused faults, in a folder for each parser; the tests read each of them again
FOUND_INPUTS_FOLDER = Path(__file__).parent / "found"


@dataclass(frozen=True)
class Parser:
    """One reader. read: takes what a stranger wrote. refusals: how it may say no.

    accepted: inputs that it accepts. refused: inputs that it refuses, which lead into its corners.
    """

    name: str
    read: Callable[[bytes], object]
    accepted: tuple[bytes, ...]
    refused: tuple[bytes, ...] = ()
    refusals: tuple[type[Exception], ...] = (UserError,)

    def survives(self, content: bytes) -> bool:
        """Parse it, and return whether it was accepted. Exceptions other than refusals propagate."""
        try:
            self.read(content)
        except self.refusals as error:
            if not str(error).strip():
                raise AssertionError("a refusal says why") from error
            return False
        return True

    def found_inputs(self) -> Iterator[Path]:
        """The inputs that once did harm."""
        return iter(sorted((FOUND_INPUTS_FOLDER / self.name).glob("*")))


def decode_text(content: bytes) -> str:
    """Bytes as a text with all that Python allows in one: lone surrogates too, as JSON and file names bring them."""
    try:
        return content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return content.decode("utf-8", "surrogateescape")


def parsers() -> dict[str, Parser]:
    """All of them, by name."""
    from tests.reading import _of_engines, _of_files, _of_folders, _of_games, _of_pages, _of_players

    every = (
        *_of_games.PARSERS,
        *_of_files.PARSERS,
        *_of_folders.PARSERS,
        *_of_players.PARSERS,
        *_of_engines.PARSERS,
        *_of_pages.PARSERS,
    )
    return {parser.name: parser for parser in every}
