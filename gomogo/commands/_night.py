"""Plays a night of submissions from the command line: takes them in, prepares them, plays, and writes the grades.

Knows the steps and how they are told; what each does is the affair of `tournaments.submissions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from filelock import FileLock, Timeout

from gomogo.commands._options import Workplace
from gomogo.commands._run import play_run
from gomogo.commands._table import table
from gomogo_core import arena
from gomogo_core.drawing.text import visible
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import Level
from gomogo_core.processes.sandbox import require
from gomogo_core.records.store import Store
from tournaments.spec import Submissions, TournamentSpec
from tournaments.standings import standings
from tournaments.submissions.grading import grades
from tournaments.submissions.intake import Intake, forget_old, take_in, work_folder
from tournaments.submissions.names import aliases
from tournaments.submissions.night import Entrant, Night
from tournaments.submissions.preparing import Prepared, Terms, check_names, prepare
from tournaments.submissions.writing import check_place, write
from tournaments.workers import room

IMPLIED: Level = "bwrap"  # for strangers' programs


def play_night(
    spec: TournamentSpec,
    folder: Path,
    store: Store,
    handed_in: Path,
    place: Path | None,
    *,
    workplace: Workplace,
    log: Path | None,
    extend: bool,
    replay_doubtful: bool,
    by_reason: bool,
    as_json: bool,
) -> None:
    """Take in what lies in the folder `handed_in`, play it, and write the grades, also of a night broken off.

    folder: what paths in the spec are relative to. place: of the grades; None for beside the store.
    """
    if workplace.cluster:
        raise UserError("Submissions are built and played on this machine.", "Leave out --cluster.")
    level = _held(workplace.sandbox)
    place = place or store.folder / f"{spec.name}-grades"
    night = without_students(spec, folder)
    check_place(place)
    work = work_folder(store.folder, spec.name)
    with _alone(work, spec.name):
        for one in night.house:
            arena.prepare(one.agent, level)
        taken = take_in(handed_in, work, night.asks.megabytes)
        _say_what_is_there(taken, handed_in)
        size = workplace.workers or spec.workers or room()
        prepared = prepare(taken.submissions, terms(night, level), size, _say_what_became)
        called = _called(work / ".names.json", night.asks, [one.name for one in taken.submissions])
        night = Night(spec, folder, students(prepared, called))
        night.check()
        forget_old(work, taken)
        try:
            play_run(
                night,
                store,
                workplace=workplace._replace(sandbox=level),
                live=store.folder / "live",
                log=log,
                extend=extend,
                replay_doubtful=replay_doubtful,
                by_reason=by_reason,
                as_json=as_json,
            )
        except click.exceptions.Exit:  # broken off: what there is is graded
            _write(place, night, prepared, called, store)
            raise
        _write(place, night, prepared, called, store)


def _held(asked: Level | None) -> Level:
    """How programs are held. Raises UserError where they cannot be so; a weaker level has to be asked for."""
    level = asked or IMPLIED
    if level == IMPLIED:
        require()
    else:
        click.echo(
            f"Submissions are held by {level} only: they can read what you can, and reach the network.", err=True
        )
    return level


def without_students(spec: TournamentSpec, folder: Path) -> Night:
    """The night as far as it is known before anything is taken in. Raises UserError where the file is wrong."""
    night = Night(spec, folder)
    night.check()
    check_names(_checks(night.asks) or ())
    return night


def _checks(asks: Submissions) -> tuple[str, ...] | None:
    if isinstance(asks.check, bool):
        return None if asks.check else ()
    return asks.check


def terms(night: Night, level: Level = IMPLIED) -> Terms:
    """What submissions are prepared for."""
    opened = bool(night.openings.plies(0))
    asks = night.asks
    return Terms(night.game, opened, asks.build_seconds, _checks(asks), level, asks.memory_mb)


def _called(file: Path, asks: Submissions, names: Sequence[str]) -> Mapping[str, str]:
    return aliases(file, names) if asks.anonymous else {name: name for name in names}


def students(prepared: Sequence[Prepared], called: Mapping[str, str]) -> tuple[Entrant, ...]:
    return tuple(
        Entrant(one.name, called[one.name], one.hash, str(one.program), ready.agent)
        for ready in prepared
        if ready.agent is not None
        for one in (ready.submission,)
    )


@contextmanager
def _alone(work: Path, run: str) -> Iterator[None]:
    """Be the only one who takes in submissions for a run. Raises UserError while another process does."""
    lock = FileLock(work / ".lock", timeout=1.0)
    try:
        work.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UserError(
            f"Submissions for {run!r} are being played by another process.",
            f"Wait for it, or end it by `gomogo tournament stop {run}`.",
        ) from None
    except OSError as fault:
        raise UserError(f"{work} cannot be written: {fault.strerror}.", "Name another store by --store.") from None
    try:
        yield
    finally:
        lock.release()


def _say_what_is_there(taken: Intake, handed_in: Path) -> None:
    count = len(taken.submissions)
    click.echo(f"{handed_in} holds {count} submission{'s' * (count != 1)}.", err=True)
    for other in taken.others:
        click.echo(f"{visible(other)} is left out: it is neither a folder nor a zip nor a Python file.", err=True)


def _say_what_became(done: Prepared) -> None:
    failed = [step for step in done.steps if step.passed is False]
    told = "; ".join(f"{step.name}: {_in_a_line(step.said)}" for step in failed) or "ready"
    fate = "" if done.agent is not None else " It does not play."
    click.echo(f"{done.submission.name}: {told}{fate}", err=True)


def _in_a_line(words: str) -> str:
    return visible(" ".join(words.split()))


def _write(place: Path, night: Night, prepared: Sequence[Prepared], called: Mapping[str, str], store: Store) -> None:
    run = store.run(night.spec.name)
    result = standings(store, run)
    away = [f"{one.submission.name} does not play: {_in_a_line(one.fault)}" for one in prepared if one.agent is None]
    text = "\n".join([table(result), *([""] if away else []), *away])
    write(place, night, grades(night, prepared, called, store, run), result, text, store, run)
    shown = place.relative_to(Path.cwd()) if place.is_relative_to(Path.cwd()) else place
    click.echo(f"Grades, and a page for each student, are in {shown}.", err=True)
