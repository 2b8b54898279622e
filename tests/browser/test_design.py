"""The page is forgiving and nothing in it jumps: layout, forms, touch, invitations, endings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from gomogo_core import games
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Moved, Started
from gomogo_core.records.live_format import LiveFile
from gomogo_core.records.store import Store
from tests._games import create_record
from tests.browser._served import ServerProcess, server_for_module
from tests.browser.conftest import NewPage, Screenshot
from tests.browser.test_page import MOVES, STATUS, begin, place, resign

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

SIZES = [(1366, 768), (1920, 1080), (1024, 768)]


served = server_for_module("--agents", "greedy")


def box(page: Page, selector: str) -> dict[str, float]:
    bounding_box: Any = None
    while bounding_box is None:  # the page may replace it at this moment
        bounding_box = page.locator(selector).bounding_box()
    return {name: round(value, 1) for name, value in bounding_box.items()}


def boxes(page: Page, selectors: Iterable[str]) -> list[dict[str, float]]:
    return [box(page, selector) for selector in selectors]


def bottom(bounds: dict[str, float]) -> float:
    return bounds["y"] + bounds["height"]


def right(bounds: dict[str, float]) -> float:
    return bounds["x"] + bounds["width"]


def middle(bounds: dict[str, float]) -> list[float]:
    return [bounds["x"] + bounds["width"] / 2, bounds["y"] + bounds["height"] / 2]


HEIGHTS = "name => [...document.querySelectorAll(name)].map(part => part.getBoundingClientRect().height)"


def overflowing(page: Page) -> list[str]:
    """Return the visible parts of the page that reach over its right or left edge, unless an ancestor scrolls."""
    overflows: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter(part => {
            const box = part.getBoundingClientRect();
            if (!box.width || (box.right <= innerWidth + 1 && box.left >= -1) || part.closest(".unseen")) return false;
            for (let over = part.parentElement; over !== document.body; over = over.parentElement)
                if (["auto", "scroll"].includes(getComputedStyle(over).overflowX)) return false;
            return true;
        }).map(part => part.outerHTML.slice(0, 80))"""
    )
    return overflows


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_board_takes_the_height_and_never_moves(
    served: ServerProcess, new_page: NewPage, width: int, height: int
) -> None:
    page = new_page(width, height)
    begin(page, served, "gomoku", "greedy")
    boxes_before = box(page, ".board svg")
    assert boxes_before["height"] >= 0.85 * height
    places = {name: box(page, name) for name in ("button.undo", "button.hint", "#typed", ".moves")}
    place(page, "h8")
    expect(page.locator(MOVES)).to_have_count(2)
    place(page, "h8")
    expect(page.locator("#said")).to_contain_text("occupied")
    page.click("button.explain")
    expect(page.locator("#said.help")).not_to_be_empty()
    page.click("button.hint")
    expect(page.locator(".hinted")).to_have_count(1)
    assert box(page, ".board svg") == boxes_before
    assert {name: box(page, name) for name in places} == places
    assert page.evaluate("document.documentElement.scrollHeight") <= height
    resign(page)
    expect(page.locator(STATUS)).to_contain_text("resigned")
    assert box(page, ".board svg") == boxes_before


@pytest.mark.parametrize("size", [(800, 600), (1024, 768)])
def test_the_players_are_visible_in_a_small_window(
    served: ServerProcess, new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(*size)
    begin(page, served, "gomoku", "here", clock="5+3")
    place(page, "h8")
    expect(page.locator(f"{MOVES}")).to_have_count(1)
    for selector in (".players.top .clock", ".players.bottom .clock", "button.undo", ".acts > .menu"):
        visible_players = page.evaluate(
            """selector => {
                const one = document.querySelector(selector);
                const box = one.getBoundingClientRect();
                return one.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
            }""",
            selector,
        )
        assert visible_players, f"{selector} is covered"
    side, acts = box(page, ".players.bottom"), box(page, ".acts > .menu")
    assert right(acts) <= right(side), "the buttons fit into the side column"


def test_the_end_of_a_game_of_go_shows_the_whole_score_and_its_review_the_territory(
    served: ServerProcess, new_page: NewPage
) -> None:
    page = new_page(1366, 768)
    page.goto(f"{served.address}/?game=go&option-size=5&moves=b1+d1+b2+d2+b3+d3+b4+d4+b5+d5+pass")
    page.click('text="Two people here"')
    page.click('[data-testid="begin"]')
    page.click('.choices button:has-text("Pass")')
    expect(page.locator(STATUS)).to_contain_text("A draw")
    expect(page.locator(".told")).to_contain_text("capture dead stones before you pass.")
    assert (
        page.evaluate(
            "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.told'))"
        )
        <= 0
    )
    expect(page.locator(".board .territory")).to_have_count(10)
    page.click('.links a:text("Replay")')
    page.wait_for_url(re.compile("/games/"))
    expect(page.locator(".board .territory")).to_have_count(10)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".board .territory")).to_have_count(0)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(page.url.partition("?")[0] + "?review=1")
    expect(page.locator(".players .has", has_text=re.compile(r"accuracy \d+ %"))).to_have_count(1)  # of the one move
    texts_outside = page.locator(".players li > *").evaluate_all(
        """parts => parts.filter(part => {
            const [box, line] = [part, part.parentElement].map(one => one.getBoundingClientRect());
            return box.width > 1 && (box.bottom > line.bottom + 1 || box.right > line.right + 1);
        }).map(part => part.outerHTML)"""
    )
    assert texts_outside == [], "the players' lines reach over their places"


@pytest.mark.parametrize(("width", "height"), [(667, 375), (740, 360), (844, 390)])
def test_a_phone_held_sideways_shows_the_whole_board(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, width: int, height: int
) -> None:
    page = new_page(width, height, has_touch=True, is_mobile=True)

    def check(name: str, *parts: str) -> None:
        screenshot(page, f"{width}-{name}")
        board = box(page, ".board svg")
        assert board["height"] >= 0.85 * height
        assert bottom(board) <= height
        for part_box in boxes(page, parts):
            assert part_box["x"] >= right(board), "beside the board"
            assert part_box["y"] >= 0
            assert right(part_box) <= width
            assert bottom(part_box) <= height
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert box(page, ".board svg")["y"] + board["height"] <= height, "the board stays in the window"
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    begin(page, served, "go", "greedy", option_size="19")
    page.tap('[data-point="d4"]')
    check("game", ".players.top", STATUS, "#confirm-yes", ".players.bottom", ".moves", "button.hint")
    page.tap("#confirm-yes")
    expect(page.locator(MOVES)).to_have_count(2)
    page.goto(f"{served.address}/analysis?game=go&moves=e5")
    check("analysis", STATUS, "#engine", "nav.steps")
    page.goto(f"{served.address}/learn/go")
    check("lesson", STATUS, "#next", "nav.steps")
    page.goto(f"{served.address}/puzzles/gomoku?level=easy")
    check("puzzle", STATUS, "#verdict", "#hint", "nav.steps")
    begin(page, served, "gomoku", "greedy")
    page.tap('[data-point="h8"]')
    page.tap("#confirm-yes")
    resign(page)
    page.click('.links a:text("Review")')
    check("review", ".players.top", STATUS, ".players.bottom", ".moves", "nav.steps")


@pytest.mark.parametrize("size", [(1366, 768), (360, 740)])
def test_the_end_of_a_game_shows_the_whole_sentence_on_the_last_moves(
    served: ServerProcess, new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(*size)
    page.goto(f"{served.address}/?game=dots_and_boxes&option-rows=1&option-cols=3&opponent=here&seat=2")
    page.fill("#name", "Maximiliane Oberhammer-Schmidt")
    page.click('[data-testid="begin"]')
    expect(page.locator("#live[data-version]")).to_have_count(1)
    for number, edge in enumerate(("v0", "v3", "h0", "h1", "h2", "h3", "h4", "v1", "v2", "h5"), 1):
        buttons_top = box(page, ".choices")["y"]
        page.locator(f'[data-edge="{edge}"]').dispatch_event("click")
        expect(page.locator(MOVES)).to_have_count(number)
    expect(page.locator("#told")).to_have_text(re.compile("takes 1 box and moves again.*takes the last box.$"))
    expect(page.locator(".links a").first).to_be_visible()
    assert page.locator(".told").evaluate("told => told.scrollHeight <= told.clientHeight")
    said, told = box(page, ".said-panel"), box(page, ".told")
    assert bottom(said) <= told["y"], "the result covers the sentence"
    if size[0] > 500:  # on a phone the row of buttons has no room of its own before
        assert box(page, ".choices")["y"] == buttons_top


def test_after_resigning_no_destructive_button_is_under_the_pointer(served: ServerProcess, page: Page) -> None:
    begin(page, served, "gomoku", "greedy")
    place(page, "h8")
    page.click(".menu summary")
    pointer_position = box(page, "button.resign")
    page.click("button.resign")
    page.click(".sure .danger")
    expect(page.locator(STATUS)).to_contain_text("resigned")
    button_under_pointer = "([x, y]) => document.elementFromPoint(x, y)?.closest('button')?.className ?? ''"
    assert "delete" not in page.evaluate(
        button_under_pointer,
        middle(pointer_position),
    )
    assert page.locator(".players .to-move").count() == 0
    page.goto(served.address)
    expect(page.locator(".list li").first).to_contain_text("over")
    assert "is to move" not in page.locator(".list").first.inner_text()


def test_a_destructive_button_asks_for_confirmation_in_place(served: ServerProcess, page: Page) -> None:
    begin(page, served, "gomoku", "greedy")
    page.focus(".menu summary")
    page.keyboard.press("Enter")
    page.focus("button.resign")
    pointer_position, menu = box(page, "button.resign"), box(page, ".menu > div")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Resign this game?")).to_be_visible()
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_focused()
    assert box(page, ".menu > div")["width"] == menu["width"]
    button_under_pointer = "([x, y]) => document.elementFromPoint(x, y).textContent"
    assert (
        page.evaluate(
            button_under_pointer,
            middle(pointer_position),
        )
        == "Cancel"
    )
    page.keyboard.press("Escape")
    expect(page.locator("button.resign")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(STATUS)).to_contain_text("resigned")


def test_a_forbidden_move_is_confirmed_beside_the_board(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/?game=gomoku&option-renju=true&moves=g8+a1+i8+a3+h7+a5+h9+a7")
    page.click('text="Two people here"')
    page.click('[data-testid="begin"]')
    expect(page.locator("#live[data-version]")).to_have_count(1)
    for sure in (False, True):
        page.focus('[data-point="h8"]')
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_contain_text("Play it anyway?")
        expect(page.locator("#confirm-no")).to_be_focused()
        page.keyboard.press("Tab" if sure else "Escape")
        if sure:
            page.keyboard.press("Enter")
            expect(page.locator(STATUS)).to_contain_text("won")
        else:
            expect(page.locator('[data-point="h8"]')).to_be_focused()
            expect(page.locator('[data-point="h8"] .stone')).to_have_count(0)


def test_a_form_offers_as_many_turns_as_there_are_players(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/?game=dots_and_boxes")
    turns = page.locator('label:has([name="seat"]):visible')
    expect(turns).to_have_text(["First", "Second", "Random"])
    page.click("form summary")
    page.select_option("#opponent-2", "level-1")
    expect(turns).to_have_text(["First", "Second", "Third", "Random"])
    page.check('[name="seat"][value="3"]', force=True)
    page.select_option("#opponent-2", "nobody")
    expect(turns).to_have_text(["First", "Second", "Random"])
    assert page.is_checked('[name="seat"][value="1"]')


def test_the_board_beside_the_form_has_the_chosen_size(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/?game=go")
    shown = page.locator(".preview svg")
    expect(shown).to_have_attribute("data-rows", "9")
    page.check('[name="size"][value="size=19"]', force=True)
    expect(shown).to_have_attribute("data-rows", "19")
    page.click("form summary")
    page.fill("#option-size", "7")
    page.keyboard.press("Tab")
    expect(shown).to_have_attribute("data-rows", "7")
    assert page.is_checked('[name="size"][value="size=19"]')


def test_a_refused_form_shows_the_reason_beside_the_field(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(clean=False)  # the browser writes every refusal on its console
    page.goto(f"{served.address}/?game=gomoku")
    page.click("form summary")
    page.fill("#name", "Ann B")
    page.check('input[name="opponent"][value="level-5"]', force=True)
    page.fill("#option-line", "4")
    page.fill("#option-size", "8")
    page.eval_on_selector("form.new", "form => form.noValidate = true")
    page.fill("#seconds", "900")
    with page.expect_response(re.compile("/play$")) as answer:
        page.click('[data-testid="begin"]')
    assert answer.value.status == 400
    expect(page.locator("#seconds ~ .wrong")).to_contain_text("is not a valid time per move")
    assert page.input_value("#name") == "Ann B"
    assert page.input_value("#option-line") == "4"
    assert page.input_value("#option-size") == "8"
    assert page.is_checked('input[name="opponent"][value="level-5"]')


@pytest.fixture
def finger(new_page: NewPage) -> Page:
    """A phone."""
    return new_page(360, 740, has_touch=True, is_mobile=True)


def test_a_small_point_needs_a_second_tap(served: ServerProcess, finger: Page, screenshot: Screenshot) -> None:
    begin(finger, served, "go", "here", option_size="19")
    finger.tap('[data-point="k10"]')
    expect(finger.locator("#confirm-yes")).to_have_text("Play L10")
    expect(finger.locator('[data-point="k10"] .ghost')).to_have_count(1)
    screenshot(finger, "360-ghost")
    finger.route("**/hint", lambda route: route.fulfill(json={"said": "d4: a corner."}))
    finger.tap("button.hint")
    expect(finger.locator("#said")).to_have_text("D16: a corner.")
    expect(finger.locator("#confirm-yes")).to_have_text("Play L10")
    expect(finger.locator('[data-point="k10"] .ghost')).to_have_count(1)
    screenshot(finger, "360-ghost-hint")
    finger.tap("#confirm-no")
    expect(finger.locator(".ghost")).to_have_count(0)
    finger.tap('[data-point="d4"]')
    finger.tap('[data-point="e4"]')
    expect(finger.locator("#confirm-yes")).to_have_text("Play E16")
    finger.tap("#confirm-yes")
    expect(finger.locator(MOVES)).to_have_text(["E16"])
    begin(finger, served, "go", "here", option_size="5")
    finger.tap('[data-point="c3"]')
    expect(finger.locator(MOVES)).to_have_text(["C3"])


@pytest.mark.parametrize("rules", ["gomoku", "go&option-size=13", "go&option-size=19", "gomoku&option-size=25"])
def test_coordinates_are_legible_on_a_phone(served: ServerProcess, finger: Page, rules: str) -> None:
    finger.goto(f"{served.address}/analysis?game={rules}")
    sizes, distance = finger.evaluate(
        """() => {
            const board = document.querySelector(".board svg");
            const scale = board.getBoundingClientRect().width / board.viewBox.baseVal.width;
            const labels = [...board.querySelectorAll(".coordinate")];
            const [around, ...boxes] = [board, ...labels].map(part => part.getBoundingClientRect());
            const inside = one => one.left >= around.left - 1 && one.right <= around.right + 1 &&
                one.top >= around.top - 1 && one.bottom <= around.bottom + 1;
            const apart = (one, other) => one.right <= other.left || other.right <= one.left ||
                one.bottom <= other.top || other.bottom <= one.top;
            return [
                labels.map(label => parseFloat(getComputedStyle(label).fontSize) * scale),
                boxes.every((one, at) => inside(one) && boxes.slice(at + 1).every(other => apart(one, other))),
            ];
        }"""
    )
    assert min(sizes) >= 10
    assert distance, "labels overlap, or are cut"


def test_the_phone_layout_is_stable_during_a_game(served: ServerProcess, finger: Page) -> None:
    begin(finger, served, "go", "greedy", option_size="9")
    names = [".board", ".said-panel", ".choices", ".told", ".record"]
    parts = boxes(finger, names)
    finger.tap('[data-point="e5"]')
    expect(finger.locator(MOVES)).to_have_count(2)
    finger.click("button.explain")
    expect(finger.locator("#said")).to_contain_text("Black E5")
    current_boxes = boxes(finger, names)
    for current_box, former in zip(current_boxes[:1] + current_boxes[2:], parts[:1] + parts[2:], strict=True):
        assert current_box == pytest.approx(former, abs=0.2)
    panel, words_below = current_boxes[1], current_boxes[3]  # the explanation covers the words below it
    assert panel["y"] == parts[1]["y"]
    assert bottom(panel) == pytest.approx(bottom(words_below), abs=1)
    resign(finger)
    expect(finger.locator(".links .button")).to_have_text(["Review", "Replay", "New game"])
    assert boxes(finger, names) == parts
    assert overflowing(finger) == []
    moves, controls = box(finger, ".record"), box(finger, ".controls")
    assert bottom(moves) <= controls["y"], "the controls cover the moves"
    finger.click("text=Review")
    expect(finger.locator('[data-step="mistake"], .told:has-text("no mistakes")').first).to_be_visible()
    parts = boxes(finger, names)
    finger.click('[data-step="first"]')
    expect(finger.locator(STATUS)).to_have_text("Before the first move.")
    assert boxes(finger, names) == parts
    targets = "header :is(nav a, button), .choices .button, .extras > *, .steps :is(a, button, select), .times a"
    assert min(finger.evaluate(HEIGHTS, targets)) >= 40
    for height in (740, 640):
        finger.set_viewport_size({"width": 360, "height": height})
        for upper_box, lower_box in itertools.pairwise(boxes(finger, (".choices", ".curve", ".steps"))):
            assert bottom(upper_box) <= lower_box["y"], "the bar hides a part of the review"


@pytest.mark.parametrize("height", [740, 640])
@pytest.mark.parametrize("game", ["gomoku", "go"])
def test_the_board_of_a_review_stays_wide_on_a_phone(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, game: str, height: int
) -> None:
    points = [f"{column}{row}" for row in (1, 3, 5, 7, 9) for column in "acegibdfh"]
    with Store.open(str(served.store)) as store:
        store.add(create_record(f"wide-{game}-{height}", " ".join(points), game=game, size=9))
    page = new_page(360, height, has_touch=True, is_mobile=True)
    page.goto(f"{served.address}/games/wide-{game}-{height}?review=1&both=1&move={len(points)}")
    expect(page.locator("[data-reviewing]")).to_have_count(0)
    screenshot(page, f"review-{game}-{height}")
    assert box(page, ".board svg")["width"] >= 320
    names = [".players.bottom", ".choices", ".curve", ".told", ".extras", "nav.steps"]
    parts = boxes(page, names)
    for upper_box, lower_box in itertools.pairwise(parts[:-1]):
        assert bottom(upper_box) <= lower_box["y"] + 0.5, "a part covers another one"
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    buttons, bar = box(page, ".extras"), box(page, "nav.steps")
    assert bottom(buttons) <= bar["y"] + 0.5, "the bar hides the buttons"
    assert bottom(bar) <= height
    page.evaluate("scrollTo(0, 0)")
    page.locator(".all-moves summary").tap()
    choices, moves = boxes(page, (".choices", ".moves"))
    assert bottom(choices) <= moves["y"], "the list of all moves covers the buttons or the board"
    assert bottom(moves) <= box(page, "nav.steps")["y"]
    assert moves["height"] >= 70, "two rows, also in a low window"
    page.locator(".moves a", has_text=points[-1]).tap(trial=True)
    page.locator(".all-moves summary").tap()
    assert overflowing(page) == []
    missing_width = page.locator("#speed").evaluate(
        """select => {
            const copy = select.cloneNode(true);
            copy.style.width = "max-content";
            select.after(copy);
            const width = copy.getBoundingClientRect().width;
            copy.remove();
            return width - select.getBoundingClientRect().width;
        }"""
    )
    assert missing_width <= 0.5, "the chosen speed is cut"


@pytest.mark.parametrize("size", [(360, 740), (768, 1024), (1366, 600), *SIZES])
def test_nothing_moves_in_a_review_of_both_players(
    served: ServerProcess, new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(*size)
    begin(page, served, "gomoku", "greedy")
    for number, name in enumerate(("a1", "o1", "a15", "o15", "a8")):
        place(page, name)
        expect(page.locator(MOVES)).to_have_count(2 * number + 2)
    expect(page.locator(STATUS)).to_contain_text("You lost")
    page.click('.links a:text("Review")')
    page.click('[data-step="mistake"]')
    expect(page.locator(".finding")).to_be_visible()
    page.locator('.told [data-step="better"]').click(trial=True)  # nothing covers it
    if size[0] < 500:
        page.wait_for_function(  # the sign of the mistake is legible; the script may replace it at any moment
            """() => {
                const sign = document.querySelector(".sign-words");
                return parseFloat(getComputedStyle(sign).fontSize) * sign.getScreenCTM().a >= 8;
            }"""
        )
    names = (".board", ".choices", '[data-step="both"]', ".curve", ".record", ".steps")
    boxes_before = boxes(page, names)
    extras, steps = box(page, ".extras"), box(page, ".steps")
    assert bottom(extras) <= steps["y"] + 0.5, "the controls cover the other buttons"
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0, "a part lies under the window"
    page.click('[data-step="both"]')
    expect(page.locator('[data-step="both"][aria-current]')).to_have_count(1)
    assert boxes(page, names) == boxes_before
    page.click('[data-step="first"]')
    expect(page.locator(STATUS)).to_have_text("Before the first move.")
    parts = [place | {"x": 0, "width": 0} for place in boxes(page, names)]  # a label may be longer
    assert parts == [place | {"x": 0, "width": 0} for place in boxes_before], "a mistake moves the buttons"


@pytest.mark.parametrize(
    "path",
    ["/?game=go", "/games", "/analysis?game=go&option-size=9", "/puzzles", "/puzzles/go?level=easy", "/learn/go"],
)
def test_a_finger_hits_every_button_of_a_phone(served: ServerProcess, finger: Page, path: str) -> None:
    finger.goto(served.address + path)
    if path.startswith("/analysis"):
        finger.click("#engine")
        expect(finger.locator(".candidates button").first).to_be_visible()
    low_buttons = finger.evaluate(
        """() => [...document.querySelectorAll("button, .button, select, .menu > summary")].filter(button =>
            button.checkVisibility() && button.getBoundingClientRect().height < 40).map(button => button.outerHTML)"""
    )
    assert low_buttons == []
    assert overflowing(finger) == []
    if finger.locator("nav.steps").count():
        assert 740 - 4 <= bottom(box(finger, "nav.steps")) <= 740, "the bar is at the lower edge of the window"


@pytest.mark.parametrize("game", ["gomoku", "go", "capture_go", "robogo", "dots_and_boxes"])
def test_every_lesson_fits_a_small_phone(served: ServerProcess, new_page: NewPage, game: str) -> None:
    page = new_page(360, 640, has_touch=True, is_mobile=True)
    page.goto(f"{served.address}/learn/{game}")
    urls = page.eval_on_selector_all(".steps-list a", "links => links.map(link => link.href)")
    boards = []
    for url in urls:
        page.goto(url)
        boards.append(box(page, ".board"))
        buttons, bar = box(page, ".choices"), box(page, "nav.steps")
        assert bottom(buttons) <= bar["y"], f"the bar hides the buttons of {url}"
        assert page.locator(".said-panel").evaluate("panel => panel.scrollHeight <= panel.clientHeight"), url
    assert all(board == boards[0] for board in boards), "the board moves from step to step"


@pytest.mark.parametrize("size", SIZES)
def test_an_explanation_moves_nothing_beside_the_board(
    served: ServerProcess, new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(*size)
    begin(page, served, "go", "here", option_size="9")
    place(page, "e5")
    expect(page.locator(MOVES)).to_have_count(1)
    names = (".board", ".choices", ".record", ".controls", ".players.bottom")
    boxes_before = boxes(page, names)
    page.click("button.explain")
    expect(page.locator("#said")).to_contain_text("Black E5")
    assert boxes(page, names) == boxes_before


def test_the_analysis_leaves_room_for_the_tree_of_moves(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(1366, 768)
    page.goto(f"{served.address}/analysis?game=go&option-size=9&moves=e5+c3")
    assert box(page, ".tree")["height"] >= 220  # the lines and their reasons have the rest
    page.evaluate("""() => document.getElementById("play-here").insertAdjacentHTML("beforebegin",
        '<a class="button" href="/">Back to the review</a>')""")
    tops = page.locator(".exchange > :visible").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert len(tops) == 5
    assert len(set(tops)) == 1, "the buttons have one row, also after a review"


def test_a_placed_stone_is_shown_at_once_and_removed_when_refused(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(clean=False)
    begin(page, served, "gomoku", "here", option_size="7")
    page.route("**/move", lambda route: None)  # this request is never answered
    place(page, "d4")
    expect(page.locator('[data-point="d4"] .stone.black')).to_have_count(1)
    page.reload()
    page.route("**/move", lambda route: route.fulfill(json={"refused": "No: not there.", "remedy": "Try another."}))
    place(page, "c3")
    expect(page.locator("#said")).to_contain_text("not there")
    expect(page.locator('[data-point="c3"] .stone')).to_have_count(0)


def test_the_pointer_shows_the_stone_that_a_click_would_place(served: ServerProcess, page: Page) -> None:
    begin(page, served, "gomoku", "here", option_size="7")
    fill = "point => getComputedStyle(document.querySelector(`[data-point=${point}] .hit`)).fill"
    for point, colour in (("c3", "rgb(17, 17, 17)"), ("d4", "rgb(255, 255, 255)")):
        page.hover(f'[data-point="{point}"]')
        assert page.evaluate(fill, point) == colour
        place(page, point)
        expect(page.locator(f'[data-point="{point}"] .stone')).to_have_count(1)
        expect(page.locator(".board")).to_have_attribute("data-turn", "white" if point == "c3" else "black")
        assert page.evaluate(fill, point) == "rgba(0, 0, 0, 0)", "a stone hides the other"


def test_an_invitation_names_its_audience_and_can_be_copied(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    begin(page, served, "gomoku", "link")
    expect(page.locator(".waiting")).to_contain_text("Only this computer can open this link")
    expect(page.locator(".waiting")).to_contain_text("gomogo serve --host 0.0.0.0")
    page.click("button.copy")
    expect(page.locator("button.copy")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.input_value(".invite input")


def test_the_start_page_fits_a_phone(served: ServerProcess, finger: Page, screenshot: Screenshot) -> None:
    begin(finger, served, "gomoku", "greedy", name="Maximiliane Oberhammer-Schmidt")
    finger.goto(served.address)
    assert max(finger.evaluate(HEIGHTS, ".continue li")) < 100, "an unfinished game takes too much of the screen"
    expect(finger.locator(".continue a")).to_have_text("Gomoku 15×15 against greedy")
    expect(finger.locator(".grid .card")).to_have_count(len(games.names()))
    screenshot(finger, "360-home")
    assert overflowing(finger) == []
    assert min(finger.evaluate(HEIGHTS, ".card .button")) >= 40
    assert max(finger.evaluate(HEIGHTS, ".grid .card")) < 740 / 3, "a card is taller than a third of the screen"
    finger.tap(".card:first-child .button")
    expect(finger.locator("form.new")).to_be_visible()
    assert overflowing(finger) == []
    assert min(finger.evaluate(HEIGHTS, '[data-testid="begin"], .new .options label')) >= 40
    tops = "labels => new Set(labels.map(label => label.getBoundingClientRect().top)).size"
    assert finger.eval_on_selector_all('.options label:has([name="seat"])', tops) == 1, "the sides are in one row"


def test_an_invitation_fits_a_phone_on_both_sides(
    served: ServerProcess, finger: Page, new_page: NewPage, screenshot: Screenshot
) -> None:
    begin(finger, served, "gomoku", "link", name="Ann")
    expect(finger.locator(".waiting")).to_contain_text("Only this computer can open this link")
    screenshot(finger, "360-invitation")
    assert overflowing(finger) == []
    assert min(finger.evaluate(HEIGHTS, ".waiting button")) >= 40
    guest = new_page(360, 740, has_touch=True, is_mobile=True)
    guest.goto(finger.input_value(".invite input"))
    expect(guest.locator("h1")).to_have_text("You are invited")
    screenshot(guest, "360-join")
    assert overflowing(guest) == []
    assert min(guest.evaluate(HEIGHTS, "#name, [data-testid=begin]")) >= 40
    guest.fill("#name", "Bob")
    guest.tap('[data-testid="begin"]')
    expect(guest.locator(".players.bottom .who")).to_have_text("Bob")
    expect(finger.locator(".waiting")).to_be_hidden()
    assert overflowing(finger) == overflowing(guest) == []


def test_the_title_shows_the_turn_and_the_list_follows_the_moves(served: ServerProcess, page: Page) -> None:
    begin(page, served, "gomoku", "here", option_size="15")
    expect(page).to_have_title(re.compile("^● Your turn – Gomoku: "))
    for number in range(60):
        place(page, f"{'abcdefghijklmno'[number % 15]}{2 * (number // 15) + 1}")
        expect(page.locator(MOVES)).to_have_count(number + 1)
    for _ in range(2):
        last_move = f"{MOVES}:last-child"
        assert page.locator(last_move).evaluate(
            "li => { const [a, b] = [li.getBoundingClientRect(), li.parentElement.getBoundingClientRect()];"
            " return a.bottom <= b.bottom + 1 && a.top >= b.top - 1 }"
        ), "the last move is out of sight"
        page.reload()


def run_with_boards(served: ServerProcess, count: int, players: int = 8) -> str:
    """A tournament with a table of so many players, and so many running games; its name."""
    name = f"spring-{count}"
    names = [f"player_with_a_long_name_{number}" for number in range(players)]
    asked = {
        "game": "gomoku",
        "options": {},
        "players": [{"player": f"spec-{name}", "name": name} for name in names],
        "format": "round_robin",
    }
    with Store.open(served.store) as store:
        assert store.insert_run(name, name, asked, 99) is not None
    rules = games.load("gomoku")
    for number in range(count):
        live = LiveFile(served.folder / "live", f"{name}-{number}", name)
        setup = GameSetup(rules, (names[0], names[1]), (TimeControl(5.0),) * 2, ())
        live(Started(setup, rules.start()))
        live(Moved(1, "h8", rules.start().play(rules.parse("h8")), 0.1, None))
    return name


@pytest.mark.parametrize("count", [1, 5, 12])
def test_a_tournament_fits_the_window(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, count: int
) -> None:
    name = run_with_boards(served, count)
    try:
        for width, height in SIZES:
            page = new_page(width, height)
            page.goto(f"{served.address}/runs/{name}")
            expect(page.locator("#live[data-version]")).to_have_count(1)
            expect(page.locator(".boards svg")).to_have_count(count)
            screenshot(page, f"run-{count}-{width}")
            assert page.evaluate("document.documentElement.scrollHeight") <= height
            cut = page.evaluate(
                """() => [...document.querySelectorAll(".run, .boards, .boards li, .boards svg, td")].filter(part => {
                    const box = part.getBoundingClientRect(), hidden = part.closest(".run > :first-child");
                    return box.right > innerWidth + 1 || (!hidden && box.bottom > innerHeight + 1)
                }).map(part => part.outerHTML.slice(0, 80))"""
            )
            assert cut == []
            sides = page.evaluate("[...document.querySelectorAll('.boards svg')].map(svg => svg.clientHeight)")
            assert min(sides) >= 0.8 * max(sides)
            # at 1366 x 768 five boards beside the table are 150 points high
            assert min(sides) >= {1: 400, 5: 150, 12: 90}[count]
        phone = new_page(360, 740)
        phone.goto(f"{served.address}/runs/{name}")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360
        wall = new_page(1024, 768)
        for width, height in ((1024, 768), (1920, 1080), (3840, 2160)):
            wall.set_viewport_size({"width": width, "height": height})
            wall.goto(f"{served.address}/wall")
            screenshot(wall, f"wall-{count}-{width}")
            assert wall.evaluate(
                "(({ scrollHeight, scrollWidth }) => [scrollHeight <= innerHeight, scrollWidth <= innerWidth])"
                "(document.documentElement)"
            ) == [True, True]
    finally:
        for path in (served.folder / "live").glob(f"{name}-*"):
            path.unlink()


def test_two_people_agree_on_takeback_and_rematch(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot
) -> None:
    ann, bob = new_page(), new_page(360, 740)
    begin(ann, served, "gomoku", "link", option_size="5", option_line="3", name="Аня")
    bob.goto(ann.input_value(".invite input"))
    bob.fill("#name", "李雷")
    bob.click('[data-testid="begin"]')
    expect(ann.locator(".players")).not_to_contain_text(["away", "away"])
    expect(ann.locator(".players.top .who")).to_have_text("李雷")
    place(ann, "a1")
    expect(bob).to_have_title(re.compile("^● Your turn"))
    ann.click("button.undo")
    expect(ann.locator(".told")).to_contain_text("李雷 was asked")
    expect(bob.locator(".told")).to_contain_text("Аня asks to take back a move.")
    bob.click("text=Agree")
    expect(ann.locator(MOVES)).to_have_count(0)
    expect(ann.locator(".table")).not_to_contain_text("was asked")
    for page, point in ((ann, "a1"), (bob, "b1"), (ann, "a2"), (bob, "b2"), (ann, "a3")):
        place(page, point)
        for player_page in (ann, bob):
            expect(player_page.locator(f'[data-point="{point}"] .stone')).to_have_count(1)
    ann.get_by_role("button", name="Rematch").click()
    expect(bob.locator(".told")).to_contain_text("Аня would like a rematch.")
    screenshot(bob, "360-rematch")
    bob.get_by_role("button", name="Accept the rematch").click()
    expect(ann.locator(STATUS)).to_contain_text("李雷 (black) is to move")
    expect(bob.locator(STATUS)).to_contain_text("Your turn (black)")
    bob.goto(served.address)
    expect(ann.locator(".players.top")).to_contain_text("away")


def test_a_link_to_an_analysis_does_not_scroll_a_phone(served: ServerProcess, finger: Page) -> None:
    """Only the list of moves scrolls to the shown move."""
    moves = "+".join(f"{column}{row}" for row in (3, 5, 7) for column in "abcdefghi")
    finger.goto(f"{served.address}/analysis?game=gomoku&option-size=9&moves={moves}")
    expect(finger.locator("[aria-current=step]")).to_have_count(1)
    assert finger.evaluate("scrollY") == 0


def test_dots_and_boxes_leaves_no_empty_strip_on_a_phone(served: ServerProcess, finger: Page) -> None:
    """Without passes, the place of the choices was empty, and so was that of the last moves: 80 px."""
    finger.set_viewport_size({"width": 360, "height": 740})
    begin(finger, served, "dots_and_boxes", "here")
    parts = boxes(finger, (".said-panel", ".told", ".moves", ".controls"))
    for upper_box, lower_box in itertools.pairwise(parts):
        assert 0 <= lower_box["y"] - bottom(upper_box) <= 8
    assert 740 - 8 <= bottom(parts[-1]) <= 740
    expect(finger.locator(".told")).to_contain_text("A player who closes a box owns it")
