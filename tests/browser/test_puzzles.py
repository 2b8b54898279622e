"""Puzzles and introductions in a browser: tries, answers, progress that the browser keeps, and keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gomogo_core.puzzles.attempts import judge_attempt
from gomogo_core.puzzles.lessons import lesson_lengths
from gomogo_core.puzzles.puzzle import Puzzle, shipped_puzzles
from gomogo_core.records.store import Store
from tests._games import create_record
from tests.browser._served import ServerProcess, server_for_module
from tests.browser.conftest import NewPage, Screenshot
from tests.browser.test_page import begin, place, places_of

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

NOON = "2026-03-01T12:00:00"  # if midnight passes during a test, it would see another day
PUZZLES = list(shipped_puzzles().values())
CAPTURE = "game=go&option-size=5&moves=c4+c3+b3+a5+d3+e5+b2+pass+d2+c2"  # c1 captures c2 and c3


served = server_for_module()


def puzzle_of(game: str, turns: int) -> Puzzle:
    return next(puzzle for puzzle in PUZZLES if (puzzle.game.name, puzzle.turns) == (game, turns))


def progress(game: str, *, solved: int, end: str = ".") -> str:
    return f"{solved} of {sum(puzzle.game.name == game for puzzle in PUZZLES)} solved{end}"


def refutation_length(puzzle: Puzzle) -> int:
    """The number of ghosts after the wrong move of `names`: the move, and a reply unless it would show the answer."""
    return len(judge_attempt(puzzle, (names(puzzle)[1],)).refutation)


def names(puzzle: Puzzle) -> tuple[list[str], str]:
    """The right first moves, and a wrong one."""
    write, position = puzzle.game.format, puzzle.position
    right = [write(move) for move in puzzle.right_moves(position, puzzle.turns)]
    return right, next(write(move) for move in position.moves() if write(move) not in right)


@pytest.mark.parametrize("size", [(360, 740), (1366, 768), (1920, 1080)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_browser_stores_a_judged_attempt(
    served: ServerProcess,
    new_page: NewPage,
    screenshot: Screenshot,
    find_serious_violations: Callable[[Page], list[str]],
    size: tuple[int, int],
    scheme: str,
) -> None:
    page = new_page(*size, color_scheme=scheme)
    puzzle = puzzle_of("robogo", 1)
    right, _ = names(puzzle)
    page.goto(f"{served.address}/puzzle/{puzzle.key}")
    expect(page.get_by_test_id("status")).to_have_text(puzzle.goal_sentence)
    before = page.locator(".board").bounding_box()
    place(page, right[0])
    expect(page.locator(".verdict.solved")).to_have_text(f"Right: {puzzle.goal_sentence.split()[0].lower()} wins.")
    assert page.locator(".board").bounding_box() == before, "the board has moved"
    screenshot(page, f"puzzle-solved-{size[0]}-{scheme}")
    assert find_serious_violations(page) == []
    page.keyboard.press("Enter")  # the next puzzle has the focus
    page.wait_for_url(lambda url: puzzle.key not in url)
    page.goto(f"{served.address}/puzzle/{puzzle_of('go', 2).key}")
    place(page, names(puzzle_of("go", 2))[1])
    expect(page.locator(".verdict.wrong")).to_contain_text("Try again.")
    expect(page.locator("#part .ghost")).to_have_count(refutation_length(puzzle_of("go", 2)))
    expect(page.locator(".wrong-move .ghost")).to_have_count(1)
    screenshot(page, f"puzzle-wrong-{size[0]}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto(f"{served.address}/puzzles")
    expect(page.locator("#robogo [data-progress]")).to_have_text(progress("robogo", solved=1))
    expect(page.locator("#go [data-progress]")).to_have_text(progress("go", solved=0, end=", 1 missed."))
    screenshot(page, f"puzzles-{size[0]}-{scheme}")
    assert find_serious_violations(page) == []


def test_a_hint_marks_the_area_and_then_the_move(served: ServerProcess, page: Page) -> None:
    puzzle = puzzle_of("go", 2)
    page.goto(f"{served.address}/puzzle/{puzzle.key}")
    expect(page.get_by_test_id("verdict")).to_have_text(puzzle.goal_explanation)
    page.click("#hint")
    expect(page.get_by_test_id("verdict")).to_contain_text("in the marked area")
    area = page.locator(".hint-area").count()
    assert 4 <= area <= 25
    page.click("#hint")
    expect(page.locator(".hint-area")).to_have_count(0)
    expect(page.get_by_test_id("verdict")).to_contain_text("The move was shown, so it does not count as solved")
    marked = page.locator(".hinted")
    assert marked.get_attribute("data-point") in names(puzzle)[0]
    marked.click()
    expect(page.get_by_test_id("verdict")).to_contain_text("Right")


def test_a_hint_removes_a_wrong_move_and_keeps_showing_the_right_one(served: ServerProcess, page: Page) -> None:
    puzzle = puzzle_of("go", 2)
    page.goto(f"{served.address}/puzzle/{puzzle.key}")
    stones, line = page.locator("#part .stone").count(), page.locator("#line").inner_text()
    place(page, names(puzzle)[1])
    expect(page.locator("#part .ghost")).to_have_count(refutation_length(puzzle))
    page.locator("#part [data-point]:has(.stone:not(.ghost))").first.click()
    expect(page.locator("#said")).to_have_text("This point is occupied.")
    page.click("#hint")
    expect(page.locator("#said")).to_be_empty()
    expect(page.locator("#part .ghost, .wrong-move")).to_have_count(0)
    for _ in range(2):
        page.click("#hint")
        expect(page.get_by_test_id("verdict")).to_contain_text("A right move is ")
        expect(page.locator(".hint-area")).to_have_count(0)
        expect(page.locator(".hinted")).to_have_count(1)
    assert page.locator("#line").inner_text() == line
    assert page.locator("#part .stone").count() == stones


NOT_COUNTED = "After a mistake it does not count as solved; it comes back tomorrow."


def test_a_puzzle_with_a_mistake_does_not_count_on_that_day(served: ServerProcess, page: Page) -> None:
    page.clock.set_fixed_time(NOON)
    puzzle = puzzle_of("gomoku", 1)
    right, wrong_name = names(puzzle)
    verdict, result = page.get_by_test_id("verdict"), page.locator("#result")
    page.goto(f"{served.address}/puzzle/{puzzle.key}")
    expect(result).to_have_text(f" · {progress('gomoku', solved=0, end='')}")
    place(page, wrong_name)
    expect(result).to_have_text(f" · {progress('gomoku', solved=0, end=', 1 missed')}")
    expect(verdict).not_to_contain_text(NOT_COUNTED)  # yet: the next try may be wrong, too
    place(page, right[0])
    expect(verdict).to_contain_text(NOT_COUNTED)
    with page.expect_navigation():
        page.click("#again")  # a new attempt on the same day does not count either
    place(page, right[0])
    expect(verdict).to_contain_text("You missed this puzzle earlier today: it does not count as solved")
    page.goto(f"{served.address}/puzzles")
    expect(page.locator("#gomoku [data-progress]")).to_have_text(progress("gomoku", solved=0, end=", 1 missed."))
    expect(page.locator("main")).to_contain_text("each of your moves is right at the first try")
    page.clock.set_fixed_time("2026-03-02T12:00:00")
    page.goto(f"{served.address}/puzzle/{puzzle.key}")
    place(page, right[0])
    expect(verdict).to_have_text("Right: black wins." if puzzle.position.to_move == 1 else "Right: white wins.")
    expect(result).to_have_text(f" · {progress('gomoku', solved=1, end='')}")
    with page.expect_navigation():
        page.click("#again")  # for practice: a solved puzzle stays solved until it is due
    place(page, wrong_name)
    expect(verdict).to_contain_text("Try again")  # until then, a click is not heard
    place(page, right[0])
    expect(page.locator(".verdict.solved")).not_to_contain_text(NOT_COUNTED)
    expect(result).to_have_text(f" · {progress('gomoku', solved=1, end='')}")


def test_a_shown_answer_does_not_count_as_solved(served: ServerProcess, page: Page) -> None:
    puzzle = puzzle_of("gomoku", 2)
    page.goto(f"{served.address}/puzzle/{puzzle.key}")
    page.evaluate("showMessage('h8 is occupied by black.')")
    page.click("#answer")
    expect(page.get_by_test_id("verdict")).to_contain_text("The answer:")
    expect(page.get_by_test_id("verdict")).to_contain_text("The answer was shown, so it does not count as solved")
    expect(page.locator("#said")).to_be_empty()  # a refusal was about an earlier try
    expect(page.locator("#part .ghost")).to_have_count(3)
    for ghost in page.locator("#part .ghost").all():  # a pale stone without an outline is hardly visible on wood
        style = "ghost => [getComputedStyle(ghost).opacity, getComputedStyle(ghost).stroke]"
        assert ghost.evaluate(style) == ["1", "rgb(23, 23, 23)"]
    expect(page.locator("#part .ghost + .number")).to_have_count(3)
    expect(page.locator("#next.go")).to_have_text("Next puzzle", timeout=500)  # not after the last step
    for _ in range(3):
        page.click("#answer-forward")
    expect(page.locator("#part .ghost")).to_have_count(0)
    expect(page.locator("#part .stone ~ .number")).to_have_count(3)
    expect(page.locator("#answer-forward")).to_be_disabled()
    assert page.locator("#part .won").count() > 0
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#part .stone ~ .number")).to_have_count(2)
    page.goto(f"{served.address}/puzzles")
    expect(page.locator("#gomoku [data-progress]")).to_have_text(progress("gomoku", solved=0, end=", 1 missed."))


def test_a_puzzle_is_due_again_on_its_day(served: ServerProcess, page: Page) -> None:
    page.clock.set_fixed_time(NOON)
    puzzle = puzzle_of("robogo", 1)
    page.goto(f"{served.address}/puzzle/{puzzle.key}")
    place(page, names(puzzle)[0][0])
    expect(page.locator("#next")).to_have_text("Next puzzle")
    page.goto(f"{served.address}/puzzles")
    assert puzzle.key not in str(page.get_attribute("#robogo [data-next]", "href"))
    page.evaluate(
        """key => {
            const held = JSON.parse(localStorage.puzzles);
            held.solved[key][1] -= 1;
            localStorage.puzzles = JSON.stringify(held);
        }""",
        puzzle.key,
    )
    page.reload()
    expect(page.locator("#robogo [data-progress]")).to_have_text(progress("robogo", solved=1, end=", 1 due today."))
    assert puzzle.key in str(page.get_attribute("#robogo [data-next]", "href"))


def test_progress_is_exported_to_another_browser(served: ServerProcess, new_page: NewPage, tmp_path: Path) -> None:
    first, second, file = new_page(), new_page(360, 740), tmp_path / "progress.json"
    puzzles = [puzzle_of("robogo", 1), puzzle_of("gomoku", 1)]
    for page, puzzle in zip((first, second), puzzles, strict=True):
        page.goto(f"{served.address}/puzzle/{puzzle.key}")
        place(page, names(puzzle)[0][0])
        expect(page.locator("#next")).to_have_text("Next puzzle")
        page.goto(f"{served.address}/puzzles")
    with first.expect_download() as download:
        first.click("#save-progress")
    download.value.save_as(file)
    second.set_input_files("#open-progress", file)
    for game in ("robogo", "gomoku"):
        expect(second.locator(f"#{game} [data-progress]")).to_have_text(progress(game, solved=1))
    file.write_text("[]")
    second.set_input_files("#open-progress", file)
    expect(second.locator("#progress-said")).to_contain_text("This file holds no progress.")


def test_an_introduction_is_completed_by_keyboard(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/learn/dots_and_boxes")
    expect(page.locator("header [aria-current]")).to_have_count(0)  # a lesson is not one of the puzzles
    expect(page.locator(".about")).to_contain_text("You: Blue")
    for step, answers in enumerate(("h2", "h1", "v1 h3 v4 v3", "v1", "h0", "v1 v3", "v6", "h4", "h8", "v5"), 1):
        expect(page.get_by_test_id("finished")).to_have_count(0 if step < 10 else 1)
        for answer in answers.split():
            page.focus(f'[data-edge="{answer}"]')
            page.keyboard.press("Enter")
            expect(page.locator(f'[data-edge="{answer}"][aria-label$="open"]')).to_have_count(0)
        expect(page.locator(".verdict.solved")).to_be_visible()
        if step < 10:
            page.keyboard.press("Enter")
            page.wait_for_url(f"**step={step + 1}")
            page.wait_for_load_state()  # the script handles the keys
    expect(page.locator("#first-game")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/play/*")  # the button begins a first game
    expect(page.locator(".players")).to_contain_text(["Beginner (level 1)", ""])


@pytest.mark.parametrize("size", [(360, 740), (1366, 768)])
def test_a_finished_introduction_leads_on_and_is_marked_in_the_overviews(
    served: ServerProcess,
    new_page: NewPage,
    find_serious_violations: Callable[[Page], list[str]],
    screenshot: Screenshot,
    size: tuple[int, int],
) -> None:
    page = new_page(*size)
    finished = page.get_by_test_id("finished")
    page.goto(f"{served.address}/learn/capture_go?step=6")
    assert finished.is_hidden()
    place(page, "d4")
    expect(finished.locator("h2")).to_have_text("Last step done, 5 of 6 steps left")
    page.goto(f"{served.address}/puzzles")
    expect(page.locator("#capture_go .done")).to_have_count(0)
    for step, answer in enumerate(("c2", "c2", "c2", "c3", "b1", "d4"), 1):
        page.goto(f"{served.address}/learn/capture_go?step={step}")
        place(page, answer)
        expect(page.locator(".verdict.solved")).to_be_visible()
    expect(finished.locator("h2")).to_have_text("Introduction finished")
    expect(finished).to_contain_text("You know how to capture and save stones")
    expect(finished.locator(".button:visible")).to_have_text(["Easy puzzles", "Learn Go"])
    box = finished.bounding_box()
    assert box is not None
    assert box["width"] >= 300
    assert box["y"] + box["height"] <= size[1] + 1, "the ways on are in the window"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert find_serious_violations(page) == []
    screenshot(page, f"lesson-finished-{size[0]}")
    for address in ("/", "/puzzles"):
        page.goto(served.address + address)
        expect(page.locator("[data-lesson].done")).to_have_count(1)
        expect(page.locator('[data-lesson="capture_go"].done')).to_be_visible()


def test_the_corrected_mistakes_of_a_game_are_counted(served: ServerProcess, page: Page) -> None:
    """Each of the moves 5, 6 and 7 misses a win in one."""
    with Store.open(str(served.store)) as store:
        store.add(create_record("three", "a1 e1 a2 e3 d4 c5 b5 e2", size=5, line=3))
    page.goto(f"{served.address}/games/three?move=7&review=1&both=1")
    expect(page.locator("[data-reviewing]")).to_have_count(0)
    verdict, move = page.get_by_test_id("verdict"), "**move={}&**"
    page.goto(f"{served.address}/games/three/retry?move=7&review=1&both=1")
    expect(page.locator(".about")).to_contain_text("mistake 3 of 3")
    place(page, "a3")
    expect(verdict).to_contain_text("1 of 3 mistakes corrected.")
    page.click("#next")
    page.wait_for_url(move.format(5))  # the first of those that are left
    page.click("#answer")
    expect(verdict).to_contain_text("The answer: a3")
    page.click("#next")
    page.wait_for_url(move.format(6))
    place(page, "e2")
    expect(verdict).to_contain_text("2 of 3 mistakes corrected.")
    page.click("#next")
    page.wait_for_url(move.format(5))
    place(page, "a3")
    expect(verdict).to_contain_text("All 3 mistakes are corrected.")
    expect(page.locator("#next")).to_have_text("Back to the review")


def test_a_skipped_puzzle_comes_back_tomorrow(served: ServerProcess, page: Page) -> None:
    page.clock.set_fixed_time(NOON)
    visited = list[str]()
    for _ in range(3):
        page.goto(f"{served.address}/puzzles")
        page.click("#robogo [data-next]")
        visited.append(page.url)
        expect(page.locator("#next")).to_have_text("Skip")
        expect(page.locator("#result")).not_to_be_empty()  # the script handles the click
        page.click("#next")
        page.wait_for_url(lambda url: url != visited[-1])
    assert len(set(visited)) == 3
    page.goto(f"{served.address}/puzzles")
    expect(page.locator("#robogo [data-progress]")).to_have_text(progress("robogo", solved=0))
    page.clock.set_fixed_time("2026-03-02T12:00:00")
    page.reload()
    expect(page.locator("#robogo [data-progress]")).to_have_text(progress("robogo", solved=0, end=", 3 due today."))


@pytest.mark.parametrize("width", [360, 1366])
def test_an_introduction_marks_its_target_and_has_steps_back_and_forth(
    served: ServerProcess, new_page: NewPage, find_serious_violations: Callable[[Page], list[str]], width: int
) -> None:
    page = new_page(width, 740)
    page.goto(f"{served.address}/learn/dots_and_boxes?step=2")
    assert page.locator(".about").evaluate("about => about.scrollWidth <= about.clientWidth"), "the heading is cut"
    page.goto(f"{served.address}/learn/go")
    expect(page.locator("#previous")).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".without-script")).to_be_hidden()
    expect(page.locator('[data-target][data-point="c3"]')).to_have_count(1)
    places = [page.locator(name).bounding_box() for name in (".board", "#next")]
    page.focus('[data-point="e5"]')
    page.keyboard.press("Enter")
    wrong_verdict = page.locator(".verdict.wrong")
    expect(wrong_verdict).to_have_text(
        "Black has three of the four points beside C3. The fourth is above it. Try again."
    )
    page.focus('[data-point="c2"]')
    page.keyboard.press("Enter")
    expect(page.locator(".verdict.solved")).to_be_visible()
    expect(page.locator("[data-target]")).to_have_count(0)
    assert [page.locator(name).bounding_box() for name in (".board", "#next")] == places, "nothing moves"
    expect(page.locator(".steps-list .done")).to_have_count(1)
    expect(page.locator("#steps-done")).to_have_js_property("value", 1)
    page.keyboard.press("n")
    page.wait_for_url("**step=2")
    expect(page.locator(".steps-list .done")).to_have_count(1)
    assert find_serious_violations(page) == []
    page.keyboard.press("b")
    page.wait_for_url("**step=1")


def test_a_step_of_an_introduction_has_a_hint_in_words_and_then_the_move(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/learn/go?step=8")
    verdict = page.get_by_test_id("verdict")
    page.click("#hint")
    expect(verdict).to_contain_text("Take the last liberty of A5.")  # in the coordinates of books
    expect(page.locator('.hint-area[data-point="a2"]')).to_be_visible()
    expect(page.locator(".hinted")).to_have_count(0)
    page.click("#hint")
    expect(verdict).to_have_text("A right move is A4.")
    page.click('.hinted[data-point="a2"]')
    expect(page.locator(".verdict.solved")).to_be_visible()
    page.click("#next")
    page.click("[data-move=pass]")
    expect(page.locator(".territory.black")).to_have_count(8)
    expect(page.locator(".territory.white")).to_have_count(5)
    expect(verdict).to_contain_text("Black has 7 stones and 8 points of territory: 15.")
    expect(page.locator("#next.go")).to_be_focused()


def test_a_replay_shows_liberties_at_every_step(served: ServerProcess, page: Page) -> None:
    begin(page, served, "go", "here", option_size="9")
    for at, name in enumerate(("a1", "b1"), 1):
        place(page, name)
        expect(page.locator('[data-testid="moves"] li')).to_have_count(at)
    page.click(".menu summary")
    page.click("button.resign")
    page.click(".sure .danger")
    expect(page.locator('[data-testid="status"]')).to_contain_text("resigned")
    page.get_by_role("link", name="Replay", exact=True).first.click()  # the link appears once the game is stored
    page.wait_for_url("**/games/*")
    page.goto(f"{page.url}?move=1")
    page.click(".menu summary")
    page.check("#teach")
    expect(page.locator('[data-point="a1"] .number.taught')).to_have_text("2")
    page.keyboard.press("ArrowRight")
    expect(page.locator('[data-point="a1"] .atari.taught')).to_have_count(1)
    assert page.is_checked("#teach")


def test_a_missed_puzzle_of_a_game_is_due_again(served: ServerProcess, page: Page) -> None:
    url = "/puzzle/position?game=gomoku&option-size=9&moves=e5+a1+d5+i9+c5+i1"
    page.clock.set_fixed_time(NOON)
    page.goto(f"{served.address}/puzzles")
    expect(page.locator("#own")).to_be_hidden()
    page.goto(served.address + url)
    place(page, "a9")
    expect(page.locator(".verdict.wrong")).to_be_visible()
    page.goto(f"{served.address}/puzzles")
    expect(page.locator("#own")).to_contain_text("0 of 1 solved, 1 missed.")
    page.click("#own [data-next]")
    expect(page.locator('[data-testid="status"]')).to_have_text("Black wins in 2.")


def test_one_button_leads_through_the_puzzles_that_are_due_in_all_games(served: ServerProcess, page: Page) -> None:
    own = "/puzzle/position?game=gomoku&option-size=9&moves=e5+a1+d5+i9+c5+i1"
    shipped = [puzzle_of("gomoku", 1), puzzle_of("robogo", 1)]
    page.clock.set_fixed_time(NOON)
    for url, wrong in [(own, "a9"), *((f"/puzzle/{puzzle.key}", names(puzzle)[1]) for puzzle in shipped)]:
        page.goto(served.address + url)
        place(page, wrong)
        expect(page.locator(".verdict.wrong")).to_be_visible()
    button = page.get_by_test_id("review-due")
    page.goto(served.address)
    expect(button).to_be_hidden()  # missed today, due tomorrow
    page.clock.set_fixed_time("2026-03-02T12:00:00")
    for overview in ("/puzzles", "/"):
        page.goto(served.address + overview)
        expect(button).to_have_text("Review due: 3")
    button.click()
    solved, left = {"position": "b5", **{puzzle.key: names(puzzle)[0][0] for puzzle in shipped}}, [2, 1, 0]
    for count in left:
        page.wait_for_url(re.compile(r"/puzzle/.*due=1"))
        place(page, solved.pop(page.url.split("/puzzle/")[1].split("?")[0]))
        page.wait_for_load_state()
        if "position" in page.url:
            page.click("#answer")  # it comes back on the next day
        expect(page.locator("#next.go")).to_have_text(f"Next of {count} due" if count else "Review finished")
        page.click("#next")
    page.wait_for_url("**/puzzles")
    expect(button).to_be_hidden()
    page.clock.set_fixed_time("2026-03-03T12:00:00")
    page.reload()
    expect(button).to_have_text("Review due: 3")


def test_liberties_and_open_boxes_are_drawn_on_request(
    served: ServerProcess, page: Page, screenshot: Screenshot
) -> None:
    page.goto(f"{served.address}/analysis?game=go&option-size=5&moves=a1+b1+c3")
    assert page.locator(".taught").count() == 0
    page.click("#rules summary")
    page.check("#teach")
    page.click("#rules summary")
    expect(page.locator('[data-point="a1"] .atari.taught')).to_have_count(1)
    expect(page.locator('[data-point="c3"] .number.taught')).to_have_text("4")
    page.click('[data-point="a2"]')
    expect(page.locator('[data-point="a1"] .territory.white.taught')).to_have_count(1)
    expect(page.locator(".atari")).to_have_count(0)
    screenshot(page, "liberties")
    page.goto(f"{served.address}/analysis?game=dots_and_boxes&option-rows=2&option-cols=2&moves=h0+v0+v1+v5+h5")
    expect(page.locator('.closes[data-edge="h2"]')).to_have_count(1)
    screenshot(page, "open-boxes")
    page.click("#rules summary")
    page.uncheck("#teach")
    expect(page.locator(".taught, .taught-edge")).to_have_count(0)


@pytest.mark.parametrize("size", [(360, 740), (740, 360), (768, 1024)])
def test_on_a_phone_no_verdict_moves_the_buttons_of_a_puzzle(
    served: ServerProcess, new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(*size, has_touch=True, is_mobile=True)
    puzzle = puzzle_of("capture_go", 2)
    right, wrong_name = names(puzzle)
    parts = ("#part", "#answer", "#next", ".coordinates", "#analysis")
    page.goto(f"{served.address}/puzzle/{puzzle.key}")
    places, verdict = places_of(page, *parts), page.get_by_test_id("verdict")
    letters = "node => getComputedStyle(node).fontSize"
    usual = verdict.evaluate(letters)
    page.tap(f'[data-point="{wrong_name}"]')
    expect(page.locator(".verdict.wrong")).to_be_visible()
    assert places_of(page, *parts) == pytest.approx(places, abs=1)
    page.tap("#hint")
    expect(page.locator(".verdict.hint")).to_be_visible()
    assert verdict.evaluate(letters) == usual
    assert places_of(page, *parts) == pytest.approx(places, abs=1)
    page.tap(f'[data-point="{right[0]}"]')
    expect(page.locator("#line")).not_to_be_empty()
    assert places_of(page, *parts) == pytest.approx(places, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_stones_to_capture_are_marked_on_the_stones(served: ServerProcess, new_page: NewPage, scheme: str) -> None:
    page = new_page(360, 740, color_scheme=scheme, has_touch=True, is_mobile=True)
    page.goto(f"{served.address}/puzzle/position?{CAPTURE}")
    marked = page.locator('[data-target][data-point="c3"]')
    black = marked.locator(".stone.black").count() == 1
    colour = marked.locator(".hit").evaluate("node => getComputedStyle(node).stroke")
    assert colour == ("rgb(255, 255, 255)" if black else "rgb(17, 17, 17)"), "a frame beside the stone is faint on wood"
    mark, stone = (marked.locator(selector).bounding_box() for selector in (".hit", ".stone"))
    assert mark
    assert stone
    assert mark["width"] < stone["width"]
    page.tap('[data-point="c1"]')
    expect(page.locator(".verdict.solved")).to_be_visible()
    expect(page.locator("[data-target]")).to_have_count(0)  # the stones are captured


def test_the_mark_of_the_last_move_is_around_the_mark_of_the_stones_to_capture(
    served: ServerProcess, page: Page
) -> None:
    page.goto(f"{served.address}/puzzle/position?{CAPTURE}")
    marked = page.locator('[data-point="c2"]')
    square, ring = (marked.locator(selector).bounding_box() for selector in (".hit", ".last"))
    assert square
    assert ring
    assert square["width"] * 2**0.5 < ring["width"], "the two marks merge into a blot"


def test_a_finger_confirms_a_move_on_a_small_point_of_a_puzzle(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(360, 740, has_touch=True, is_mobile=True)
    page.goto(f"{served.address}/puzzle/position?game=gomoku&option-size=19&moves=e5+a1+d5+i9+c5+i1")
    page.tap('[data-point="a9"]')
    expect(page.locator("#confirm-yes")).to_have_text("Play a9")
    expect(page.locator('[data-point="a9"] .stone.black.ghost')).to_have_count(1)
    page.tap('[data-point="b5"]')
    expect(page.locator(".ghost")).to_have_count(1)
    page.tap("#confirm-yes")
    expect(page.locator('[data-point="b5"] .stone:not(.ghost)')).to_have_count(1)
    expect(page.locator("#confirm")).to_be_hidden()


@pytest.mark.parametrize("game", ["gomoku", "go", "capture_go", "robogo", "dots_and_boxes"])
def test_each_step_of_an_introduction_fits_on_a_phone(served: ServerProcess, new_page: NewPage, game: str) -> None:
    page = new_page(360, 740, has_touch=True, is_mobile=True)
    for step in range(1, lesson_lengths()[game] + 1):
        page.goto(f"{served.address}/learn/{game}?step={step}")
        assert page.evaluate("document.documentElement.scrollHeight") <= 740, step
        task = "node => node.scrollHeight <= node.clientHeight"
        assert page.locator(".said-panel").evaluate(task), f"the task of step {step} is cut off"
    heights = page.eval_on_selector_all(".steps-list a", "all => all.map(one => one.offsetHeight)")
    assert min(heights) >= 40


def test_a_finger_can_choose_the_difficulty_of_puzzles(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(360, 740, has_touch=True, is_mobile=True)
    page.goto(f"{served.address}/puzzles")
    assert min(page.eval_on_selector_all(".levels a", "all => all.map(one => one.offsetHeight)")) >= 36
