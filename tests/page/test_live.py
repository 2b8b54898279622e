"""Live events come in order; a late viewer gets all of them, and a viewer who reconnects misses none."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gomogo.page.server.sse import Channel, LiveView, PolledChannels, changed_lines
from gomogo.page.watch.pages import SpectatorPages
from gomogo.page.watch.running_game import RunningGame
from gomogo.page.watch.running_games import MAX_BOARDS, RunningBoards
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ended, GameSetup, Moved, Started
from gomogo_core.records.live_format import LiveFile, live_games, remove_live_files
from tests._games import create_record
from tests.page.conftest import Browser, PageServer, wait_until
from tests.page.test_lobby import WON


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_applying_the_changed_lines_gives_the_new_text(old: list[str], new: list[str]) -> None:
    lines = list(old)
    for begin, end, new_lines in changed_lines(old, new):
        lines[begin:end] = new_lines
    assert lines == new


def view(version: int, *lines: str, last: bool = False) -> LiveView:
    return LiveView(version, f"status {version}", "\n".join(lines), is_last=last)


class PageScript:
    """Apply events as the page's script does."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.versions: list[int] = []
        self.kinds: list[str] = []

    def take(self, event: bytes) -> None:
        fields = dict(line.split(": ", 1) for line in event.decode().strip().splitlines() if not line.startswith(":"))
        if fields.get("event", "retry") in ("retry", "alive", "last"):
            self.kinds.append(fields.get("event", "retry"))
            return
        data = json.loads(fields["data"])
        assert int(fields["id"]) == data["version"]
        self.kinds.append(fields["event"])
        self.versions.append(data["version"])
        if fields["event"] == "whole":
            self.lines = data["text"].split("\n")
        else:
            for begin, end, new_lines in data["hunks"]:
                self.lines[begin:end] = new_lines


async def read(channel: Channel, reader: PageScript, seen_events: int | None = None) -> None:
    async for event in channel.events(seen_events):
        reader.take(event)


def test_a_late_viewer_gets_the_whole_view_and_then_its_changes() -> None:
    async def play() -> PageScript:
        channel, reader = Channel(), PageScript()
        channel.publish(view(1, "a", "b"))
        reading = asyncio.create_task(read(channel, reader))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        channel.publish(view(2, "a", "c", "d"))
        channel.publish(view(2, "never"))
        channel.publish(view(3, "x", last=True))
        await reading
        return reader

    reader = asyncio.run(play())
    assert reader.kinds == ["retry", "whole", "change", "change", "last"]
    assert reader.versions == [1, 2, 3]
    assert reader.lines == ["x"]


def test_a_reconnected_viewer_gets_only_the_missed_events() -> None:
    async def play() -> tuple[PageScript, PageScript, PageScript]:
        channel = Channel()
        for number in range(1, 6):
            channel.publish(view(number, "same", str(number)))
        channel.publish(view(6, "same", "6", last=True))
        back, disconnected, present = PageScript(), PageScript(), PageScript()
        back.lines = ["same", "3"]
        await read(channel, back, 3)
        await read(channel, disconnected, 77)
        await read(channel, present, 6)
        return back, disconnected, present

    back, disconnected, present = asyncio.run(play())
    assert back.kinds == ["retry", "change", "change", "change", "last"]
    assert back.lines == ["same", "6"]
    assert disconnected.kinds == ["retry", "whole", "last"]
    assert present.kinds == ["retry", "last"]


def test_a_viewer_that_does_not_read_is_disconnected_and_delays_no_other() -> None:
    async def play() -> tuple[int, list[int]]:
        channel, reader = Channel(), PageScript()
        channel.publish(view(0, "x"))
        asleep = channel.events()
        await anext(asleep)  # it is not rendered again
        reading = asyncio.create_task(read(channel, reader))
        for number in range(1, 1000):
            channel.publish(view(number, str(number)))
            for _ in range(6):
                await asyncio.sleep(0)
        reader_count = channel.reader_count
        channel.publish(view(1000, "end", last=True))
        await reading
        return reader_count, reader.versions

    reader_count, versions = asyncio.run(play())
    assert reader_count == 1
    assert versions[-1000:] == list(range(1, 1001))


def test_a_hundred_viewers_cause_no_more_reads_than_one() -> None:
    looks = []

    def look(version: int | None) -> LiveView | None:
        looks.append(version)
        number = len(looks)
        return view(number, str(number), last=number == 5)

    async def play() -> list[PageScript]:
        followed, readers = PolledChannels(), [PageScript() for _ in range(100)]

        async def one(reader: PageScript) -> None:
            async for event in followed.events("it", look, 0.02, None):
                reader.take(event)

        await asyncio.gather(*map(one, readers))
        return readers

    readers = asyncio.run(play())
    assert len(looks) == 5
    assert all(reader.versions == sorted(reader.versions) for reader in readers)
    assert all(reader.lines == ["5"] for reader in readers)


@pytest.mark.parametrize("fails", [False, True])
def test_later_readers_are_served_after_the_first_one_left_or_its_view_failed(fails: bool) -> None:
    """A channel without its poll would send nothing to anybody from then on."""
    entered, leave, looks = Event(), Event(), list[int | None]()

    def look(version: int | None) -> LiveView | None:
        looks.append(version)
        if len(looks) == 1:
            entered.set()
            leave.wait(60)
            if fails:
                raise UserError("The store is locked.", "Try again.")
        return view(1, "a") if version is None else view(2, "b", last=True)

    async def play() -> PageScript:
        followed, reader = PolledChannels(), PageScript()

        async def follow(script: PageScript) -> None:
            async for event in followed.events("it", look, 0.01, None):
                script.take(event)

        first = asyncio.create_task(follow(PageScript()))
        await asyncio.to_thread(entered.wait, 60)
        if not fails:
            first.cancel()
        leave.set()
        with suppress(asyncio.CancelledError, UserError):
            await first
        async with asyncio.timeout(20):
            await follow(reader)
        return reader

    assert asyncio.run(play()).lines == ["b"]


def test_a_live_file_is_followed_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    game = load("gomoku", size=5)
    live = LiveFile(tmp_path, "key", "spring")
    controls = (TimeControl(None, 60.0), TimeControl())
    live(Started(GameSetup(game, ("ann", "bob"), controls), game.start()))
    so_far = RunningGame(live.path)
    assert so_far.read_events()
    assert (so_far.status_line, so_far.version) == ("ann (black) is thinking", 1)
    after = game.start().play(game.parse("c3"))
    live(Moved(1, "c3", after, 1.5, 58.5, "good"))
    with live.path.open("a") as file:
        file.write('{"event": "moved", "se')  # still being written
    assert so_far.read_events()
    view = so_far.board_view()
    assert view.moves == ("c3",)
    assert view.player_lines[0].clock == "0:58"
    assert view.effects_text == "ann plays c3 (1.5 s): good"
    assert so_far.status_line == "bob (white) is thinking"
    live(Started(GameSetup(game, ("ann", "bob"), controls), game.start()))  # it is played again, after a void attempt
    assert so_far.read_events()
    assert so_far.moves == []
    live(Ended(Outcome((1, 2), Reason.RESIGNED, "bob resigned"), after))
    assert so_far.read_events()
    assert so_far.status_line == "The game is over: bob resigned."
    remove_live_files(tmp_path, ["key"])
    assert not so_far.read_events()


def test_the_first_running_games_are_boards_and_the_others_lines(tmp_path: Path) -> None:
    game = load("gomoku", size=5)
    boards = RunningBoards(tmp_path)
    for number in range(MAX_BOARDS + 2):
        live = LiveFile(tmp_path, f"key{number}", "spring")
        live(Started(GameSetup(game, (f"ann{number}", "bob"), (TimeControl(None, 60.0),) * 2), game.start()))
    cards, other_games = boards.cards_of(live_games(tmp_path))
    assert [len(cards), len(other_games)] == [MAX_BOARDS, 2]
    assert (cards[0].title, cards[0].status) == ("ann0 – bob", "ann0 (black) is thinking")
    assert [(line.name, line.clock) for line in cards[0].player_lines] == [("ann0", "1:00"), ("bob", "1:00")]
    assert cards[0].clock_end is not None
    assert 0 < cards[0].clock_end - time.time() < 61.0
    assert "stone" not in cards[0].board
    LiveFile(tmp_path, "key0", "spring")(Moved(1, "c3", game.start().play(game.parse("c3")), 1.5, 58.5))
    cards, _ = boards.cards_of(live_games(tmp_path))
    assert "stone black" in cards[0].board
    remove_live_files(tmp_path, ["key0"])
    assert len(boards.cards_of(live_games(tmp_path))[1]) == 1


def test_games_of_the_page_are_watched_while_they_are_played(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="5", option_line="3", name="ann")
    invited = me.begin(game="capture_go", opponent="link")
    assert "Send this link to the other player:" in me.get(f"/play/{invited}")
    assert "The first player with 1 or more captures wins" in me.get("/")
    other = server.browser()
    assert "No games running." in other.get("/watch"), "nothing was done yet"
    me.move(key, "c3")
    wait_until(lambda: "1 game running." in other.get("/watch"))
    page_text = other.get("/watch")
    assert f'href="/play/{key}" title="ann – guest"' in page_text
    assert page_text.count("stone black") == 1
    assert 'guest</span><span class="unseen"> (to move)' in page_text
    assert "Gomoku 5×5, line 3" in page_text
    for move in ("a1", "c4", "a2", "c5"):
        me.move(key, move)
    wait_until(lambda: "No games running." in other.get("/watch"))


def test_a_player_that_leaves_while_the_page_opens_is_absent(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = me.begin(game="gomoku", opponent="link", option_size="5", option_line="3")
    session, context, opens, left_event = server.session(key), server.app.state.context, Event(), Event()
    other_seat = next(seat for seat, info in enumerate(session.seat_infos, 1) if info.is_free)
    server.join(key, "Bob")

    async def come_and_leave() -> None:
        mine, reader = context.session_events(session, (3 - other_seat,), None), PageScript()
        show, loop = context._show_presence, asyncio.get_running_loop()

        async def wait_until(*, away: bool) -> None:
            async with asyncio.timeout(60):
                while any(">away<" in line for line in reader.lines) != away or not reader.lines:
                    reader.take(await anext(mine))

        def show_slowly(*arguments: Any) -> None:
            show(*arguments)
            if not opens.is_set():
                opens.set()
                left_event.wait(120)

        await wait_until(away=True)
        monkeypatch.setattr(context, "_show_presence", show_slowly)
        coming = loop.create_task(anext(context.session_events(session, (other_seat,), None)))
        await asyncio.to_thread(opens.wait, 120)
        await wait_until(away=False)
        coming.cancel()
        left_event.set()
        with suppress(asyncio.CancelledError):
            await coming
        await wait_until(away=True)
        await mine.aclose()

    server.call_on_loop(come_and_leave)


def test_a_restarted_game_is_read_from_the_beginning_of_its_file(tmp_path: Path) -> None:
    game = load("gomoku", size=5)
    started = Started(GameSetup(game, ("ann", "bob"), (TimeControl(), TimeControl())), game.start())
    live = LiveFile(tmp_path, "key")
    live(started)
    so_far = RunningGame(live.path)
    assert so_far.read_events()
    first = so_far.version
    live.append([(started, 5.0), (Moved(1, "c3", game.start().play(game.parse("c3")), 1.5), 6.0)])
    assert so_far.read_events()
    assert so_far.moves == ["c3"]
    assert so_far.version == first + 2, "a version never comes twice"


def test_a_stored_game_is_shown_to_its_end_without_its_live_file(server: PageServer, me: Browser) -> None:
    game = load("gomoku", size=7, line=3)
    live = LiveFile(server.live, "key", "spring")
    live(Started(GameSetup(game, ("ann", "bob"), (TimeControl(), TimeControl())), game.start()))
    page_text = me.get("/watch/key")
    assert "is thinking" in page_text
    assert 'href="/analysis?game=gomoku&amp;option-size=7&amp;option-line=3&amp;moves="' in page_text.replace(
        "option-line=3&amp;option-size=7", "option-size=7&amp;option-line=3"
    )
    watching = SpectatorPages(server.app.state.context, server.live)
    so_far = RunningGame(live.path)
    assert so_far.read_events()
    server.store.add(create_record("key", "a1 b1 a2 b2 a3", size=7, line=3))
    remove_live_files(server.live, ["key"])
    view = watching._view(so_far, so_far.version)
    assert view is not None
    assert view.is_last
    assert view.status.startswith("The game is over: ann won, after 5 moves")
    assert view.text.count("stone black") == 3
    assert '<a class="button go" href="/games/key" title="The moves one after another">Replay</a>' in view.text


@pytest.mark.slow
def test_ctrl_c_ends_the_server_quietly_while_viewers_are_connected(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gomogo", "serve", "--port", "0", "--store", str(tmp_path / "s.db")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server, ExitStack() as stack:
        assert server.stderr is not None
        address = server.stderr.readline().split(" at http://")[1].split("/")[0]
        host, port = address.split(":")
        for _ in range(3):
            follower = stack.enter_context(socket.create_connection((host, int(port)), 60))
            follower.sendall(f"GET /watch/events HTTP/1.1\r\nHost: {address}\r\n\r\n".encode())
            answer = b""
            while b"retry: " not in answer:  # it is followed from now on
                answer += follower.recv(4096)
        server.send_signal(signal.SIGINT)
        error_text = server.stderr.read()
    assert error_text == ""
    assert server.returncode == 0


def test_the_page_of_a_swiss_tournament_has_its_rounds(server: PageServer, me: Browser) -> None:
    players = [{"player": f"spec-{name}", "name": name} for name in ("ann", "bob", "cid")]
    asked = {
        "game": "gomoku",
        "options": {},
        "players": players,
        "format": "swiss",
        "rounds": 1,
        "games_per_pair": 1,
        "seed": 1,
    }
    run = server.store.insert_run("spring", "x", asked, 1)
    assert run is not None
    page_text = me.get("/runs/spring")
    assert page_text.count("<p>Round 1: ") == 1
    assert page_text.count(" has a bye") == 1


def test_a_tournament_without_enough_games_is_ordered_by_points(server: PageServer, me: Browser) -> None:
    players = [{"player": f"spec-{name}", "name": name} for name in ("ann", "bob")]
    asked = {"game": "gomoku", "options": {}, "players": players, "format": "round_robin"}
    run = server.store.insert_run("spring", "x", asked, 9)
    assert run is not None
    server.store.add(create_record("one", WON, size=7, line=3), run)
    page_text = me.get("/runs/spring")
    assert page_text.count("Too few games to rank: each player needs 6.") == 1
    assert page_text.count('data-label="Elo">–<') == 2
    assert page_text.index(">ann</a>") < page_text.index(">bob</a>")
    for number in range(6):
        server.store.add(create_record(f"more-{number}", WON, size=7, line=3), run)
    wait_until(lambda: "Too few games" not in me.get("/runs/spring"))
    page_text = me.get("/runs/spring")
    assert "<b>ann is stronger than bob. Luck alone would hardly give this result.</b>" in page_text
    assert 'data-label="Elo">at least +' in page_text, "ann won every game"
    assert 'data-label="Elo">at most −' in page_text
    assert page_text.index("</table>") < page_text.index("<details>") < page_text.index("p = ")
    assert page_text.count("<b>ann won</b>") == 4, "the last games are shown while none is running"
    for name, lines, first in (("players", 3, "1,ann,7,7,7,0,0,"), ("games", 8, "more-0,ann,bob,ann,line,")):
        link = f"/runs/spring/{name}.csv"
        assert f'href="{link}"' in page_text
        table = me.client.get(link).content.decode("utf-8-sig").splitlines()
        assert len(table) == lines
        assert table[1].startswith(first)
    assert "What Elo means" in me.get("/agents")


def test_the_wall_shows_games_table_and_results(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="5", name="ann")
    me.move(key, "c3")
    server.store.add(create_record("one", WON, size=7, line=3))
    page_text = me.get("/wall")
    assert "1 game running." in page_text
    assert page_text.count("stone black") == 1
    assert "won by ann" in page_text
    assert "<form" not in page_text
