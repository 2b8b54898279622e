"""The HTML page for a student: the preparation of the submission, its results, and its games.

The page shows the moves of opponents, but not their output. The module escapes all text from programs and files, and
the page loads no other file. The module knows grades and records, but no store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from gomogo_core.drawing.text import printable
from gomogo_core.games.base import Seat
from gomogo_core.records.game_record import PlayedGame
from tournaments.submissions.grading import Grade, OpponentResult
from tournaments.submissions.intake import Submission
from tournaments.submissions.preparing import PreparationStep

_MAX_OUTPUT = 8_000  # the most characters that are shown of a program's output in one game
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { border: 1px solid #bbb; padding: .2rem .6rem; text-align: left; }
pre { background: #f4f4f4; color: #111; overflow: auto; padding: .6rem; } details { margin: .3rem 0; }
.yes { color: #060; } .no { color: #a00; } :root { color-scheme: light dark; }
"""
_SIGNS = {True: '<span class="yes">passed</span>', False: '<span class="no">failed</span>', None: "left out"}


def student_page(
    grade: Grade, run: str, games: Iterable[PlayedGame], display_names: Mapping[str, str]
) -> Iterator[str]:
    """Yield the page in parts. games: the games of the student. display_names: each player's name on the page, by
    spec.
    """
    title = f"{_escape_line(grade.prepared.submission.entry_name)}: {_escape_line(run)}"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n<style>{_STYLE}</style>\n'
    yield f"</head>\n<body>\n<h1>{title}</h1>\n"
    digest = grade.prepared.submission.hash
    yield f"<p>Version {_escape_line(digest)}.</p>\n" if digest else ""
    yield from _steps(grade.prepared.steps)
    if grade.entrant is None:
        yield "<p>The submission did not play, so it has no results.</p>\n"
    else:
        yield from _results_table(grade.opponent_results, display_names)
    if grade.entrant is not None:
        yield "<h2>Games</h2>\n"
        player = grade.entrant.stored_name
        for game in sorted(games, key=lambda game: _opponents_key(game, player, display_names)):
            yield from _game_section(game, player, display_names, grade.prepared.submission)
    yield "</body>\n</html>\n"


def _steps(steps: Sequence[PreparationStep]) -> Iterator[str]:
    yield "<h2>The submission</h2>\n<table>\n"
    for step in steps:
        said = f"<br>{_escape_line(step.message)}" if step.message else ""
        opened = "" if step.passed else " open"
        printed = (
            f"<details{opened}><summary>output</summary>{_escape_block(step.output)}</details>" if step.output else ""
        )
        yield f"<tr><td>{_escape_line(step.name)}</td><td>{_SIGNS[step.passed]}{said}{printed}</td></tr>\n"
    yield "</table>\n"


def _results_table(results: Sequence[OpponentResult], display_names: Mapping[str, str]) -> Iterator[str]:
    yield "<h2>Results</h2>\n<table>\n<tr><th>opponent</th><th>games</th><th>won</th><th>drawn</th><th>lost</th>"
    yield "<th>required</th><th>reasons</th></tr>\n"
    # the opponents are sorted by public names, because the order of real names or of times could identify students
    for one in sorted(results, key=lambda one: _sort_key(display_names[one.opponent.stored_name])):
        asked = ""
        if one.required is not None:
            sign = "open" if one.is_fulfilled is None else _SIGNS[one.is_fulfilled]
            asked = f"{one.required} won: {sign}"
        counts = "".join(
            f"<td>{count}</td>" for count in (f"{one.games} of {one.planned}", one.wins, one.draws, one.losses)
        )
        who = _escape_line(display_names[one.opponent.stored_name])
        yield f"<tr><td>{who}</td>{counts}<td>{asked}</td><td>{_escape_line(one.reasons_text)}</td></tr>\n"
    yield "</table>\n"


def _game_section(
    game: PlayedGame, player: str, display_names: Mapping[str, str], submission: Submission
) -> Iterator[str]:
    own = game.specs.index(player) + 1
    names = [display_names.get(spec, "somebody") for spec in game.specs]
    others = " and ".join(name for seat, name in enumerate(names, 1) if seat != own)
    ranks = game.outcome.ranks
    result = "drawn" if ranks.count(1) > 1 and ranks[own - 1] == 1 else "won" if ranks[own - 1] == 1 else "lost"
    ending = _ending_text(game, own)
    ending = _escape_line(submission.hide_folder(ending))
    yield f"<details><summary>{result} against {_escape_line(others)}, seat {own}: {ending}</summary>\n"
    yield f"<p>Game {_escape_line(game.key)}. {_escape_line(' '.join(_numbered_moves(game)))}</p>\n"
    if game.doubtful and own in game.forfeits:
        yield "<p>This loss is doubtful: the machine was busy. Your teacher can have the game played again.</p>\n"
    for plies, seat, what in game.warnings:
        if seat == own:
            what = submission.hide_folder(what)
            yield f"<p>Warning after {plies} moves: your program {_escape_line(what)}.</p>\n"
    yield _escape_block(game.positions()[-1].diagram())
    if printed := game.outputs[own - 1] if len(game.outputs) >= own else "":
        yield f"<p>Output of your program:</p>{_escape_block(_cut_output(submission.hide_folder(printed)))}"
    yield "</details>\n"


def _opponents_key(game: PlayedGame, player: str, display_names: Mapping[str, str]) -> list[tuple[bool, str, int]]:
    """Return the sort key of a game, which consists of its opponents. Games with equal keys stay in the order of
    time.
    """
    return sorted(_sort_key(display_names.get(spec, "")) for spec in game.specs if spec != player)


def _sort_key(name: str) -> tuple[bool, str, int]:
    """Return a sort key that places arena agents first, and student-9 before student-10."""
    plain, _, number = name.rpartition("-")
    numbered = number.isdecimal() and plain == "student"
    return (numbered, "" if numbered else name, int(number) if numbered else 0)


def _ending_text(game: PlayedGame, own: Seat) -> str:
    """Return the reason for the end of the game. Details of another player's fault are not shown, because they may
    quote that player's output.
    """
    forfeits = game.forfeits
    if own in forfeits:
        left = (leaver.detail for leaver in game.departed if leaver.seat == own)
        return f"your program's fault, {_reason_words(forfeits[own].value)}: {next(left, game.outcome.detail)}"
    if forfeits:
        faults = " and ".join(f"seat {seat} {_reason_words(why.value)}" for seat, why in sorted(forfeits.items()))
        return f"another program's fault: {faults}"
    reason, detail = _reason_words(game.outcome.reason.value), game.outcome.detail
    return f"{reason}, {detail}" if detail not in ("", reason) else reason


def _reason_words(value: str) -> str:
    return value.replace("_", " ")


def _numbered_moves(game: PlayedGame) -> Iterator[str]:
    """Yield the moves with their numbers. Moves of the opening are in brackets."""
    for number, ply in enumerate(game.plies, 1):
        move = f"{number}. {ply.move}"
        yield f"[{move}]" if number <= game.opening else move


def _cut_output(text: str) -> str:
    return text if len(text) <= _MAX_OUTPUT else f"[...]\n{text[-_MAX_OUTPUT:]}"


def _escape_line(text: str) -> str:
    """Return one line of untrusted text as escaped HTML."""
    return escape(printable(text))


def _escape_block(text: str) -> str:
    """Return untrusted text as escaped HTML that keeps its lines."""
    return f"<pre>{chr(10).join(_escape_line(line) for line in text.splitlines())}</pre>\n"
