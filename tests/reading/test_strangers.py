"""Whatever a stranger writes is accepted, or refused in words; never a traceback, and never much more than its size."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reading._parsers import FOUND_INPUTS_FOLDER, Parser, parsers

pytestmark = pytest.mark.slow

PARSERS = parsers()
every = pytest.mark.parametrize("parser", PARSERS.values(), ids=lambda parser: parser.name)
# memory, in bytes, for reading a hundred kilobytes: Python's own parsers take a hundred times the size of a text
_ROOM = 64 << 20
_BAD = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\xed\xa0\x80",
    b"9" * 5000,
    b"[" * 500,
    b"-",
    b"\xd9\xa3",
    b"\xc2\xb2",
]


@every
def test_valid_input_is_accepted(parser: Parser) -> None:
    for content in parser.accepted:
        assert parser.survives(content), content[:200]


@every
def test_invalid_input_is_refused_with_a_message(parser: Parser) -> None:
    for content in parser.refused:
        assert not parser.survives(content), content[:200]


@every
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_arbitrary_bytes_are_accepted_or_refused(parser: Parser, content: bytes) -> None:
    parser.survives(content)


@every
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(places=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 8), st.integers(0, 2**16)), max_size=4))
def test_slightly_changed_input_is_accepted_or_refused(parser: Parser, places: list[tuple[int, int, int]]) -> None:
    """Each place: its offset in hundredths, its length, and the replacement."""
    right = (*parser.accepted, *parser.refused)
    content = right[sum(inserted for _, _, inserted in places) % len(right)]
    for hundredth, length, inserted in places:
        start = len(content) * hundredth // 100
        old = content[start : start + length]
        pieces = [*_BAD, b"", old * 3, inserted.to_bytes(3)]
        content = content[:start] + pieces[inserted % len(pieces)] + content[start + length :]
    parser.survives(content)


_HUGE: dict[str, Callable[[bytes], bytes]] = {
    "digits": lambda right: b"9" * 100_000,
    "nothing but blanks": lambda right: b" " * 100_000,
    "line ends": lambda right: b"\n" * 100_000,
    "brackets": lambda right: b"[" * 100_000,
    "braces": lambda right: b'{"a":' * 20_000,
    "letters": lambda right: b"a" * 100_000,
    "the same again and again": lambda right: right * (1 + 100_000 // max(1, len(right))),
    "a long end": lambda right: right + b"x" * 100_000,
}


@pytest.mark.slow
@every
@pytest.mark.parametrize("kind", _HUGE)
def test_a_huge_input_takes_proportional_memory(parser: Parser, kind: str) -> None:
    content = _HUGE[kind](parser.accepted[0])
    tracemalloc.start()
    try:
        parser.survives(content)
        peak_memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_memory < _ROOM


@every
def test_inputs_found_by_fuzzing_are_harmless(parser: Parser) -> None:
    for path in parser.found_inputs():
        parser.survives(path.read_bytes())


def test_every_found_input_belongs_to_a_parser() -> None:
    assert {path.name for path in FOUND_INPUTS_FOLDER.iterdir() if path.is_dir()} <= set(PARSERS)
