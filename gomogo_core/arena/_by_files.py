"""Seats agents that play by files: a folder and a process each, kept for the next game where they say so.

Knows processes, mailboxes and who plays; no verdict.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gomogo_core.arena import _farewells
from gomogo_core.arena._farewells import Farewells, Place
from gomogo_core.arena._holding import Hold
from gomogo_core.catalogue import Agent
from gomogo_core.processes.limits import Level
from gomogo_core.processes.process import Process
from gomogo_core.protocols.files import LATE_START, FilesPlayer
from gomogo_core.wire.mailbox import Mailbox


@dataclass
class SeatedByFiles:
    """A player with its folder, and the folder it came from, when it has played before."""

    agent: Agent
    hold: Hold
    player: FilesPlayer
    mailbox: Mailbox
    came_from: Mailbox | None = None
    remarks: ClassVar[tuple[str, ...]] = ()  # no file tells what an agent says of the game that has ended

    @property
    def printed(self) -> str:
        """What its program printed, as far as that is known."""
        return self.player.process.printed if self.player.process is not None else ""


@dataclass
class _Kept:
    """A process that waits in the folder of its last game to hear of the next."""

    process: Process
    mailbox: Mailbox


class ByFiles:
    """The agents of one arena that play by files."""

    def __init__(self, place: Place, farewells: Farewells, level: Level) -> None:
        self._place, self._farewells, self._level = place, farewells, level
        self._kept: dict[str, list[_Kept]] = {}

    def seat(self, agent: Agent, names: Sequence[str], name: str, number: int) -> SeatedByFiles:
        """Give the agent a folder for game `number`, and a process or the promise of one."""
        hold = Hold(agent, self._level)
        mailbox = Mailbox(self._place.path / str(number) / name, tuple(names), owner=name, user=hold.user)
        kept = self._take_kept(agent) if hold.keeps else None

        def launch() -> Process:
            if kept is not None:
                kept.process.follow(mailbox.folder)
                kept.mailbox.send_on(str(mailbox.folder))
                return kept.process
            return self._place.noted(hold.start(agent.words(name), mailbox.folder))

        person, enclosed = agent.protocol == "human", hold.level == "bwrap"
        player = FilesPlayer(name, mailbox, launch, agent.says_ready, person=person, enclosed=enclosed)
        return SeatedByFiles(agent, hold, player, mailbox, None if kept is None else kept.mailbox)

    def _take_kept(self, agent: Agent) -> _Kept | None:
        waiting = self._kept.get(agent.spec, [])
        while waiting:
            kept = waiting.pop()
            if kept.process.ended() is None:
                return kept
            kept.process.end()
            self._remove(kept.mailbox)
        return None

    def let_go(self, one: SeatedByFiles, *, void: bool, forfeited: bool) -> None:
        """Keep the process for another game, or send it home and end it when its patience is over."""
        process, player = one.player.process, one.player
        one.mailbox.close()
        if one.came_from is not None:
            self._remove(one.came_from)
        if process is None:
            one.hold.close()
            self._remove(one.mailbox)
            return
        if (
            one.agent.keep
            and one.hold.keeps
            and player.says_ready
            and not void
            and not forfeited
            and process.ended() is None
        ):
            self._kept.setdefault(one.agent.spec, []).append(_Kept(process, one.mailbox))
            return
        # an interrupted or void game waits for nobody: our own agents leave at once, others are ended
        patience = 0.0 if void else _farewells.PATIENCE
        self._farewells.say(lambda: self._see_off(one, process, patience))

    def _see_off(self, one: SeatedByFiles, process: Process, patience: float) -> None:
        if process.ended() is None and patience:
            if not one.player.says_ready:
                process.wait(LATE_START)
            one.player.dismiss()
            process.wait(patience)
        process.end()
        self._remove(one.mailbox)

    def _remove(self, mailbox: Mailbox) -> None:
        mailbox.close()
        if self._place.keep is None:
            with contextlib.suppress(OSError):  # what stays is taken away with the whole run's folder
                mailbox.remove()
                mailbox.folder.parent.rmdir()

    def close(self) -> None:
        """Send home who waits for another game, and end who stays."""
        waiting = [kept for several in self._kept.values() for kept in several]
        self._kept.clear()
        for kept in waiting:
            with contextlib.suppress(OSError):
                kept.mailbox.send_on("")
        for kept in waiting:
            kept.process.wait(_farewells.PATIENCE)
            kept.process.end()
            self._remove(kept.mailbox)
