"""The report opened from the disk without a network: every position is as our rules have it, and can be stepped to."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

import gomogo
from gomogo.report._tables import standings_table
from gomogo.report.page import render_report
from gomogo.report.student_pages import generate_class_page, generate_student_page
from gomogo_core.drawing.svg import svg
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Position, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply, last_move
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Store
from gomogo_core.records.turning_point import turning_point
from tests.browser.conftest import FindViolations, NewPage, Screenshot
from tests.tournaments.submissions import test_sheets
from tests.tournaments.submissions.test_sheets import ANNA, BERT, GREEDY, a_grade, against
from tests.tournaments.test_shown import standings_row
from tournaments.ratings import Rating
from tournaments.standings import Standings
from tournaments.submissions.grading import CourseGrades

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

PACKAGE = Path(gomogo.__file__).parent
NAMES = ("<script>alert(1)</script>", "alpha_beta?depth=3", "</script><b>bold</b> and a rather long name")


def a_game(
    name: str, options: dict[str, Any], seed: int, scored: bool = True, thought: dict[str, float] | None = None
) -> PlayedGame:
    """A game of random moves, in which everybody thinks that it stands well until it does not."""
    game, rng = load(name, **options), random.Random(seed)
    position, plies = game.start(), list[Ply]()
    while position.outcome() is None and len(plies) < 40:
        *placing, final_move = position.moves()
        move = rng.choice(placing or [final_move])  # a pass, where there is one, is the last of them
        plies.append(Ply(position.to_move, game.format(move)))
        position = position.play(move)
    names = NAMES[: game.seats]
    return PlayedGame(
        game=name,
        options=dict(game.options),
        specs=names,
        names=names,
        controls=(TimeControl(2.0, 60.0),) * len(names),
        plies=tuple(plies),
        opening_length=2,
        seconds=tuple(round(rng.uniform(0.01, 2), 3) for _ in plies[2:]),
        clocks=tuple(60.0 - number / 2 for number, _ in enumerate(plies[2:])),
        thoughts=tuple("</script><i>so</i>" if number == 3 else None for number, _ in enumerate(plies[2:])),
        scores=tuple(rng.uniform(-9, 9) + 6 - number for number, _ in enumerate(plies[2:])) if scored else (),
        lines=tuple(f"{ply.move} a1 b2" for ply in plies[2:]) if scored else (),
        values=tuple(thought for _ in plies[2:]) if thought else (),
        warnings=((len(plies), 2, "wrote 'zz'"),),
        outcome=position.outcome() or Outcome.won_by(1, Reason.ILLEGAL_MOVE, "zz <b>", game.seats),
        started=1_700_000_000.0 + seed,
        duration=12.5,
        key=f"{seed:032}",
    )


def test_the_standings_of_a_report_fit_a_laptop(new_page: NewPage) -> None:
    faults = {"crashed": 1, "out_of_time": 1, "illegal_move": 1}
    row = standings_row("iterative_deepening", 5, 4, 3, rating=Rating(123.4, -190.0, 400.0), forfeits_by_reason=faults)
    table = standings_table(Standings("spring", (row, replace(row, name="alpha_beta-depth-3")), 12, 12))
    styles = "".join((PACKAGE / name).read_text("utf-8") for name in ("design/design.css", "report/report.css"))
    page = new_page(1200, 800)
    page.set_content(f"<!doctype html><style>{styles}</style>{table}")
    expect(page.locator("td", has_text="−190 to +400")).to_have_count(2)
    assert page.locator(".scroll").evaluate("table => table.scrollWidth <= table.clientWidth")


def test_a_report_shows_all_standings_on_a_phone_and_a_wide_table_fades_at_its_edge(
    written: Written, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    """At 360 px, the table of standings ended in the middle of a column, without a sign that ten columns follow."""
    address, _ = written("gomoku", {"size": 7, "line": 4}, 8)
    page = new_page(360, 740)
    page.goto(address)
    standings = page.locator(".standings")
    assert standings.evaluate("region => region.scrollWidth <= region.clientWidth")
    cells = standings.locator("tbody tr >> nth=0").locator("td:not(:empty)")
    assert cells.count() > 6
    for cell in cells.all():
        box = cell.bounding_box()
        assert box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 360
    names = standings.locator("tbody th")
    before = names.all_inner_texts()
    standings.get_by_role("button", name="score").click()
    standings.get_by_role("button", name="score").click()
    assert names.all_inner_texts() != before, "the titles sort the cards, too"
    screenshot(page, "report-standings-360")
    assert not find_serious_violations(page)
    games = page.locator(".scroll:has(#games)")
    expect(games).not_to_have_class(re.compile("continues"))
    for cell in games.locator("tbody tr >> nth=0").locator(":is(td, th)").all():
        box = cell.bounding_box()
        assert box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 360
    wide = page.get_by_role("region", name="Crosstable")
    wide.evaluate("region => region.style.width = '120px'")
    expect(wide).to_have_class(re.compile("continues"))
    wide.evaluate("region => region.scrollTo({ left: region.scrollWidth })")
    expect(wide).not_to_have_class(re.compile("continues"))
    games.get_by_role("link", name="8").click()
    expect(page.get_by_test_id("status")).to_be_visible()
    expect(page.get_by_text("Home and End")).to_be_hidden()
    screenshot(page, "report-games-360")


@pytest.mark.parametrize("which", ["class", "student"])
def test_pages_of_grades_fit_a_phone(which: str, new_page: NewPage, screenshot: Screenshot) -> None:
    """They were 614 px wide."""
    late = replace(against(0, 10, 5), losses_by_reason={"out_of_time": 9, "crashed": 1}, doubtful_losses=4)
    course_grades = CourseGrades([a_grade(late), a_grade(against(15, 5, 10), entry="Maximiliane-Wolfeschlegelstein")])
    names = {GREEDY.stored_name: "greedy", ANNA.stored_name: "anna", BERT.stored_name: "student-1"}
    games = [test_sheets.a_game(Reason.LINE, "5 in a row", 2)]
    parts = {
        "class": generate_class_page(course_grades, "spring"),
        "student": generate_student_page(course_grades.grades[0], course_grades, "spring", games, names),
    }
    page = new_page(360, 740)
    page.set_content("".join(parts[which]))
    screenshot(page, f"grades-{which}-360")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    titles = page.locator(".cards td:not(:empty)").evaluate_all(
        "cells => cells.map(cell => getComputedStyle(cell, '::before').content)"
    )
    assert '"lost "' in titles, "each cell says what it is"
    if which == "student":
        page.click("summary:has-text('Game 1')")
        page.get_by_role("link", name="Replay").click()
        expect(page.get_by_test_id("status")).to_have_text(
            "Move 2 of 2: student-1 plays i9, 0.1 s. Won: stones in a row."
        )
        page.click("text=Back")
        expect(page.locator("#board .stone")).to_have_count(1)
        screenshot(page, "grades-replay-360")
        assert page.evaluate("document.documentElement.scrollWidth") == 360


KINDS: list[tuple[str, dict[str, Any]]] = [
    ("gomoku", {"size": 7, "line": 4}),
    ("go", {"rows": 4, "cols": 5, "max_moves": 40}),
    ("robogo", {"size": 5}),
    ("dots_and_boxes", {"rows": 2, "cols": 3, "players": 3}),
]
Written = Callable[..., tuple[str, list[PlayedGame]]]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write the report of a few games of a kind: its address, and the games."""

    def of(
        name: str,
        options: dict[str, Any],
        count: int = 4,
        compared: bool = False,
        pairs: Sequence[tuple[str, ...]] = (),
        max_games: int = 5000,
        **key: Any,
    ) -> tuple[str, list[PlayedGame]]:
        games = [a_game(name, options, seed, **key) for seed in range(count)]
        if pairs:
            games = [replace(game, names=pair, specs=pair) for game, pair in zip(games, pairs, strict=True)]
        names = dict.fromkeys(player for game in games for player in game.names)
        players = [{"player": player, "name": player} for player in names]
        asked = {"game": name, "options": games[0].options, "players": players, "format": "round_robin"}
        path = tmp_path / "report.html"
        with Store.open(tmp_path / "games.db") as store:
            run = store.insert_run("spring <b>", "fingerprint", asked, len(games))
            assert run is not None
            for game in games:
                store.add(game, run)
            before = store.insert_run("winter", "fingerprint", asked, 2) if compared else None
            for game in games[:2] if before else ():
                store.add(replace(game, key=f"before-{game.key}"), before)
            path.write_bytes(b"".join(render_report(store, run, max_games, before)))
        return path.as_uri(), games

    return of


def drawn_by_us(position: Position, played: PlayedGame, count: int) -> dict[str, list[str]]:
    """Return the classes of the mark on each point or edge."""
    marked_move = last_move(played.rules(), played.plies[:count])
    root = ElementTree.fromstring(svg(position, last=marked_move, style=False, coordinates=False))
    return _without_names(
        {
            part.get("data-point") or part.attrib["data-edge"]: [child.get("class", "") for child in part]
            for part in root.iter()
            if "data-point" in part.attrib or "data-edge" in part.attrib
        }
    )


def drawn_there(page: Page) -> dict[str, list[str]]:
    drawn_places: dict[str, list[str]] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#board [data-point], #board [data-edge]")].map(
            group => [group.dataset.point ?? group.dataset.edge,
                      [...group.children].map(part => part.getAttribute("class"))]))"""
    )
    return _without_names(drawn_places)


def spoken_by_us(position: Position) -> list[str]:
    """Return each point's or edge's text for screen readers; a report does not name ko."""
    root = ElementTree.fromstring(svg(position, style=False, accessible=True))
    return [part.attrib["aria-label"].removesuffix(", ko") for part in root.iter() if part.get("role") == "img"]


def spoken_there(page: Page) -> list[str]:
    groups = page.locator("#board [data-point], #board [data-edge]")
    labels: list[str] = groups.evaluate_all("groups => groups.map(group => group.getAttribute('aria-label'))")
    return labels


def _without_names(labels: dict[str, list[str]]) -> dict[str, list[str]]:
    """Ko is not drawn in a report, an edge's name only while it is open, and its last one has no dot."""
    left_out = ("ko", "name", "middle", "hit")
    return {name: [kind for kind in kinds if kind not in left_out] for name, kinds in labels.items()}


@pytest.mark.parametrize(("name", "options"), KINDS)
def test_every_position_in_the_report_follows_the_rules(
    name: str, options: dict[str, Any], written: Written, new_page: NewPage
) -> None:
    address, games = written(name, options)
    page = new_page(offline=True)
    page.goto(address)
    page.get_by_role("link", name="2", exact=True).click()
    played = games[1]
    expect(page.locator("#viewer-title")).to_contain_text(f"Game 2: {' – '.join(played.names)}")
    page.keyboard.press("Home")
    for count, position in enumerate(played.positions()):
        assert spoken_there(page) == spoken_by_us(position), f"after {count} moves"
        assert drawn_there(page) == drawn_by_us(position, played, count), f"after {count} moves"
        if isinstance(captures := getattr(position, "captures", None), tuple) and any(captures):
            assert page.locator("#players li").first.text_content().count(f"{captures[0]} captured") == 1  # type: ignore[union-attr]
        if isinstance(scores := getattr(position, "scores", None), tuple):
            assert f", {scores[1]} box" in (page.locator("#players li").nth(1).text_content() or "")
            owners = page.locator("#board .owner").all_text_contents()
            assert sorted(owners) == sorted("xo3"[owner - 1] for owner in position.owners if owner)  # type: ignore[attr-defined]
        page.keyboard.press("ArrowRight")
    assert page.locator("script[src], link, img, iframe").count() == 0


def test_keys_and_buttons_step_and_jump_to_the_turning_point(written: Written, page: Page) -> None:
    address, games = written("gomoku", {"size": 7, "line": 4})
    number = next(i for i, game in enumerate(games) if turning_point(game))
    played, total = games[number], len(games[number].plies)
    page.goto(f"{address}#game-{number + 1}")  # a link into the report
    status = page.get_by_test_id("status")
    expect(status).to_contain_text(f"Move {total} of {total}")
    for press, expected in (("Home", "Start of the game."), ("ArrowRight", "Move 1 of"), ("End", f"Move {total} of")):
        page.keyboard.press(press)
        expect(status).to_contain_text(expected)
    page.get_by_role("button", name="Back").click()
    expect(status).to_contain_text(f"Move {total - 1} of {total}")
    page.get_by_role("button", name="First").click()
    assert page.get_by_role("button", name="Back").is_disabled()
    page.get_by_role("button", name="Forward").click()
    expect(status).to_contain_text("Move 1 of")
    page.get_by_role("button", name="Turning point").click()
    expect(status).to_contain_text(f"Move {turning_point(played)} of")
    page.get_by_test_id("moves").get_by_role("button", name=f"6 {played.plies[5].move}", exact=True).click()
    expect(status).to_contain_text(f"plays {played.plies[5].move}, {played.seconds[3]:g} s")
    expect(page.locator("#thoughts")).to_contain_text("</script><i>so</i>")
    expect(page.locator("#players li").nth(1)).to_contain_text("left")
    assert page.locator("#curve polyline").count() == 2
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(status).to_contain_text("Move 5 of")
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#viewer")).to_be_hidden()
    assert page.evaluate("() => document.activeElement.getAttribute('href')") == f"#game-{number + 1}"


@pytest.mark.parametrize(("name", "options"), [KINDS[0], KINDS[3]])
def test_thoughts_about_the_next_moves_are_shown_on_request(
    name: str, options: dict[str, Any], written: Written, page: Page, screenshot: Screenshot
) -> None:
    rules = load(name, **options)
    first = rules.format(list(rules.start().moves())[-1])
    address, games = written(name, options, thought={first: 0.25, "<b>": 1.0})
    played = games[0]
    page.goto(f"{address}#game-1")
    box, spots = page.get_by_label("Show the values of the next moves"), page.locator("#board .heat")
    page.keyboard.press("Home")
    assert spots.count() == 0
    box.check()
    for number in range(len(played.plies) + 1):
        free = first not in [ply.move for ply in played.plies[:number]]
        has_thoughts = played.opening_length <= number < len(played.plies)
        assert spots.count() == (free and has_thoughts), f"after {number} moves"
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    for _ in range(played.opening_length):
        page.keyboard.press("ArrowRight")
    if spots.count():
        expect(page.locator("#board .value")).to_have_text("0.25")
        screenshot(page, f"report-thoughts-{name}")
    box.uncheck()
    assert spots.count() == 0


def test_a_game_in_the_report_plays_automatically(written: Written, page: Page) -> None:
    address, games = written("gomoku", {"size": 5, "line": 3}, 1)
    page.goto(f"{address}#game-1")
    play, status = page.locator("#play"), page.get_by_test_id("status")
    page.select_option("#speed", "2000")
    play.click()  # from the end it begins at the start
    expect(play).to_have_text("Pause")
    page.select_option("#speed", "300")
    expect(play).to_have_text("Play")  # it stops at the end
    expect(status).to_contain_text(f"Move {len(games[0].plies)} of")
    page.keyboard.press("Home")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    play.click()
    expect(play).to_have_text("Play")


def test_tables_sort_and_games_are_filtered_by_text_and_result(written: Written, page: Page) -> None:
    address, games = written("go", {"size": 5}, 12)
    page.goto(address)
    numbers, moves = page.locator("#games tbody td:first-child"), page.locator("#games tbody td:nth-child(5)")
    for expected in (True, False):
        page.locator("#games").get_by_role("button", name="moves").click()
        counts = [int(text) for text in moves.all_text_contents()]
        assert counts == sorted((len(game.plies) for game in games), reverse=expected)
    expect(page.locator("#games th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    arrow = "one => Number(getComputedStyle(one, '::after').opacity)"
    assert page.locator("#games th:not([aria-sort]) button").first.evaluate(arrow) > 0.3, "a title shows that it sorts"
    page.locator("#games").get_by_role("button", name="players").click()  # text, too
    page.locator("#games").get_by_role("button", name="game", exact=True).click()
    assert numbers.all_text_contents() == [str(number) for number in range(12, 0, -1)]
    reason = page.locator("[data-reason]").first
    count = int(reason.locator("xpath=../td").text_content() or "0")
    reason.get_by_role("button").click()
    expect(page.locator("#found")).to_have_text(f"{count} of 12 games")
    assert page.locator("#games tbody tr:visible").count() == count
    assert page.locator("#games tbody tr:visible").first.text_content().count(reason.text_content() or "?") >= 1  # type: ignore[union-attr]
    page.fill("#wanted", "1")
    colours = page.locator("#games tbody tr:visible").evaluate_all(
        "rows => rows.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(colours) > 2
    assert all(colour != after for colour, after in pairwise(colours)), "stripes"
    page.fill("#wanted", "nobody")
    expect(page.locator("#found")).to_have_text("0 of 12 games")
    page.fill("#wanted", "")
    assert page.locator("#games tbody tr:visible").count() == 12


def test_the_games_of_a_pair_are_found_by_a_cell_and_by_words(written: Written, page: Page) -> None:
    pairs = [("greedy", "random_mover"), ("random_mover", "greedy-2"), ("random_mover", "greedy"), ("greedy-2", "zeus")]
    address, _ = written("gomoku", {"size": 5, "line": 3}, 4, pairs=pairs)
    page.goto(address)
    found, shown = page.locator("#found"), page.locator("#games tbody tr:visible th")
    players = page.locator("th[data-players]").all_text_contents()
    row = page.get_by_role("region", name="Crosstable").locator("tbody tr").nth(players.index("random_mover"))
    row.get_by_role("cell").nth(1 + players.index("greedy")).get_by_role("button").click()
    expect(page.locator("#wanted")).to_have_value("random_mover greedy")
    expect(found).to_have_text("2 of 4 games")
    assert shown.all_text_contents() == ["greedy – random_mover", "random_mover – greedy"]
    page.fill("#wanted", "GREEDY  random_mover")  # words, each of which may be a part of a name
    expect(found).to_have_text("3 of 4 games")
    page.get_by_role("region", name="Standings").get_by_role("button", name="greedy", exact=True).click()
    expect(found).to_have_text("2 of 4 games")
    page.fill("#wanted", "")
    assert shown.count() == 4


def test_games_are_found_with_and_without_accents(written: Written, page: Page) -> None:
    pairs = [("Lukasz-Zak", "greedy"), ("greedy", "Zoë Müller"), ("Anna-Grosse", "greedy")]
    address, _ = written("gomoku", {"size": 5, "line": 3}, 3, pairs=pairs)
    page.goto(address)
    for text, count in (("Łukasz Żak", 1), ("lukasz", 1), ("müller", 1), ("ZOE muller", 1), ("große", 1), ("łódź", 0)):
        page.fill("#wanted", text)
        expect(page.locator("#found")).to_have_text(f"{count} of 3 games")


def test_a_link_opens_the_game_of_its_number_and_escape_closes_it(written: Written, new_page: NewPage) -> None:
    address, games = written("gomoku", {"size": 7, "line": 4}, 4, max_games=2)
    page = new_page(1366, 768)
    page.goto(f"{address}#game-3")
    title, viewer = page.locator("#viewer-title"), page.locator("#viewer")
    expect(title).to_contain_text("Game 3: ")
    expect(page.get_by_test_id("status")).to_contain_text(f" of {len(games[2].plies)}:")
    own = f"{games[2].plies[-1].move} "
    expect(page.locator("#thoughts")).to_contain_text("Expected answers: a1 b2")
    assert own not in page.locator("#thoughts").text_content()  # type: ignore[operator]
    expect(page.locator("#thoughts")).to_contain_text(", in the player's own unit")
    tops = page.locator(".buttons > button:visible, .buttons > select").evaluate_all(
        "buttons => buttons.map(button => button.getBoundingClientRect().top)"
    )
    assert max(tops) - min(tops) < 20, "the buttons are in one row"
    page.keyboard.press("Escape")
    expect(viewer).to_be_hidden()
    assert page.evaluate("() => document.activeElement.getAttribute('href')") == "#game-3"
    page.goto(f"{address}#game-1")  # its moves are not in the page
    expect(viewer).to_be_hidden()


def test_the_standings_of_a_report_scroll_in_place_on_a_tablet(
    written: Written, new_page: NewPage, screenshot: Screenshot
) -> None:
    address, _ = written("gomoku", {"size": 7, "line": 4}, 6)
    page = new_page(768, 1024)
    page.goto(address)
    region = page.get_by_role("region", name="Standings")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 768
    assert region.evaluate("region => region.scrollWidth > region.clientWidth")
    region.evaluate("region => { region.scrollLeft = region.scrollWidth; }")
    box = region.get_by_role("rowheader").first.bounding_box()
    assert box is not None
    assert box["x"] >= 0, "the names stay in sight"
    screenshot(page, "report-768")


def test_the_contents_of_a_report_lead_to_its_sections(
    written: Written, new_page: NewPage, screenshot: Screenshot
) -> None:
    address, _ = written("gomoku", {"size": 7, "line": 4}, 6, compared=True)
    page = new_page(1366, 768)
    page.goto(address)
    contents = page.get_by_role("navigation", name="Contents")
    titles = contents.get_by_role("link").all_text_contents()
    assert titles[:4] == ["Standings", "Comparison", "Crosstable", "How games ended"]
    assert titles[-1] == "Games"
    for title in titles:
        contents.get_by_role("link", name=title, exact=True).click()
        target = page.evaluate("document.querySelector(location.hash).getBoundingClientRect().top")
        assert target < 768, title
    crosstable, ends = (page.locator(name).bounding_box() for name in ("#cross", "#ends"))
    assert crosstable
    assert ends
    assert crosstable["y"] == ends["y"], "narrow tables stand beside each other"
    screenshot(page, "report-1366")


def test_two_runs_are_compared_side_by_side(written: Written, page: Page, screenshot: Screenshot) -> None:
    address, _ = written("gomoku", {"size": 7, "line": 4}, 6, compared=True)
    page.goto(address)
    rows = page.get_by_role("region", name="Comparison").locator("tbody tr")
    assert page.get_by_role("heading", name="Compared with winter").is_visible()
    assert rows.count() == 2
    games, before, score, score_before, change = rows.first.locator("td").all_text_contents()[:5]
    assert (games, before) == ("6", "2")
    assert float(change) == pytest.approx(float(score) - float(score_before), abs=0.0011)
    screenshot(page, "report-compared")
    page.set_viewport_size({"width": 360, "height": 740})
    region = page.get_by_role("region", name="Comparison")
    assert region.evaluate("one => one.scrollWidth <= one.clientWidth"), "on a phone, no column is cut"


def test_a_report_without_evaluations_has_no_curve_and_turning_point(written: Written, page: Page) -> None:
    address, _ = written("go", {"size": 5}, 2, scored=False)
    page.goto(f"{address}#game-1")
    expect(page.get_by_test_id("status")).to_contain_text("Move")
    assert page.locator("#curve svg").count() == 0
    expect(page.get_by_role("button", name="Turning point")).to_be_hidden()
    expect(page.get_by_label("Show the values of the next moves")).to_be_hidden()


def test_hostile_names_are_text_and_nothing_is_fetched(written: Written, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    address, _ = written("gomoku", {"size": 7, "line": 4})
    page.goto(f"{address}#game-1")
    expect(page.locator("#players li").first).to_contain_text(NAMES[0])
    assert page.title().startswith("spring <b>")
    assert page.locator("b, i").count() == 0
    assert page.locator("script").count() == 2
    assert {url.partition("#")[0] for url in asked} == {address}


def test_tables_of_the_report_need_no_scripts(written: Written, new_page: NewPage) -> None:
    address, games = written("gomoku", {"size": 7, "line": 4})
    page = new_page(java_script_enabled=False)
    page.goto(address)
    assert page.locator("#games tbody tr").count() == len(games)
    assert page.get_by_role("heading", name="Standings").is_visible()
    assert page.locator(".chart").count() >= 2  # the ratings of so few games are not drawn


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1920])
def test_the_report_fits_and_is_accessible(
    width: int,
    scheme: str,
    written: Written,
    new_page: NewPage,
    screenshot: Screenshot,
    find_serious_violations: FindViolations,
) -> None:
    name, options = KINDS[1] if width == 360 else KINDS[3]
    address, _ = written(name, options)
    page = new_page(width, color_scheme=scheme)
    page.goto(address)
    screenshot(page, f"report-{width}-{scheme}")
    assert find_serious_violations(page) == []
    page.goto(f"{address}#game-2")
    expect(page.get_by_test_id("status")).to_contain_text("Move")
    assert find_serious_violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    screenshot(page, f"report-game-{width}-{scheme}")
