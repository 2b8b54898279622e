"""Real people's browsers on the page: whole games by clicks and keys, reloads, restarts, two people, watchers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser._served import ServerProcess, server_for_module
from tests.browser.conftest import FindViolations, NewPage, Screenshot

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

HOUSE = Path(__file__).resolve().parents[2]
MOVES = '[data-testid="moves"] li'
STATUS = '[data-testid="status"]'


served = server_for_module(
    "--agents", "random_mover", "--agents", "greedy", "--agents", "mcts", "--class", "--host", "127.0.0.1"
)


def begin(page: Page, served: ServerProcess, game: str, opponent: str = "random_mover", **fields: str) -> None:
    """Fill in the form as a user would, and begin."""
    page.goto(f"{served.address}/?game={game}")
    if not page.locator("form details[open]").count():
        page.click("form summary")
    if opponent in ("here", "link", "auto"):
        page.check(f'input[name="opponent"][value="{opponent}"]')
    else:
        page.select_option("#opponent-1", opponent)
    for name, value in fields.items():
        field = page.locator(f'[name="{name.replace("option_", "option-")}"]')
        if field.count() > 1:
            page.check(f'[name="{name.replace("option_", "option-")}"][value="{value}"]')
        elif field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.click('[data-testid="begin"]')
    expect(page.locator("#live[data-version]")).to_have_count(1)  # the script is loaded, and follows the game


def resign(page: Page) -> None:
    page.click(".menu summary")
    page.click("button.resign")
    page.click(".sure .danger")


def place(page: Page, name: str) -> None:
    page.click(f'[data-point="{name}"], [data-edge="{name}"]')


def play_on(page: Page) -> None:
    """Click the first free place that may be played, or else a button for another move, until the game is over."""
    while True:
        expect(page.locator(STATUS)).to_have_text(re.compile(r"Your turn|(won|lost|draw), after|share"))
        if not page.inner_text(STATUS).startswith("Your turn"):
            return
        move_count = page.locator(MOVES).count()
        free = page.locator('[role="button"][aria-label$="empty"], [role="button"][aria-label$="open"]')
        moved, tried = f"{MOVES}:nth-child({move_count + 1})", 0
        while not page.locator(moved).count():  # an illegal move, for example suicide, is refused
            place = free.nth(tried) if tried < free.count() else page.locator(".choices button")
            place.click()
            question = page.locator("#confirm:not([hidden]) #confirm-yes")  # a pass that loses is asked about
            expect(page.locator(f"{moved}, #said:not(:empty)").or_(question).first).to_be_attached()
            if question.count():
                question.click()
                expect(page.locator(moved)).to_have_count(1)
            tried += 1


@pytest.mark.parametrize(
    ("game", "fields"),
    [
        ("gomoku", {"option_size": "5", "option_line": "4"}),
        ("go", {"option_size": "3", "option_max_moves": "12"}),
        ("capture_go", {"option_size": "4"}),
        ("robogo", {"option_size": "4", "option_line": "3"}),
        ("dots_and_boxes", {"option_rows": "2", "option_cols": "2"}),
    ],
)
def test_a_game_against_an_agent_is_played_by_clicks(
    served: ServerProcess, page: Page, screenshot: Screenshot, game: str, fields: dict[str, str]
) -> None:
    begin(page, served, game, **fields)
    play_on(page)
    screenshot(page, f"played-{game}")
    page.click("text=Replay")
    page.wait_for_url("**/games/*")
    count = page.locator(MOVES).count()
    page.keyboard.press("Home")
    expect(page.locator(STATUS)).to_have_text("Before the first move.")
    page.keyboard.press("ArrowRight")
    expect(page.locator('.moves [aria-current="step"]')).to_have_text(re.compile("."))
    page.keyboard.press("End")
    expect(page.locator(".steps .count")).to_have_text(f"{count} / {count}")


def test_fast_steps_count_from_the_move_requested_last(served: ServerProcess, page: Page) -> None:
    begin(page, served, "gomoku", "here", option_size="5", option_line="3")
    for move in ("a1", "b1", "a2", "b2", "a3"):
        place(page, move)
    page.click("text=Replay")
    page.wait_for_url("**/games/*")
    held_routes: list[Route] = []
    page.route("**/games/*?move=*", lambda route: held_routes.append(route))  # the server is slow
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    assert [route.request.url.partition("?")[2] for route in held_routes] == ["move=4", "move=3", "move=2", "move=3"]
    for route in held_routes:
        route.continue_()
    expect(page.locator(".steps .count")).to_have_text("3 / 5")


def test_an_explanation_waits_for_the_moves_before_it(served: ServerProcess, page: Page) -> None:
    begin(page, served, "go", "here", option_size="9")
    held_routes: list[Route] = []
    page.route("**/move", lambda route: held_routes.append(route), times=1)  # the first move is slow
    for name in ("e5", "e6"):
        place(page, name)
    page.click("button.explain")
    page.wait_for_timeout(500)
    held_routes[0].continue_()
    expect(page.locator(MOVES)).to_have_count(2)
    expect(page.locator("#said")).to_contain_text("White E4")


def test_an_illegal_click_names_the_rule_and_undo_works(
    served: ServerProcess, page: Page, screenshot: Screenshot
) -> None:
    begin(page, served, "gomoku", "greedy", option_size="7")
    place(page, "d4")
    expect(page.locator(MOVES)).to_have_count(2)
    place(page, "d4")
    expect(page.locator("#said")).to_have_text("No: d4 is occupied by black. Try another move.")
    expect(page.locator(STATUS)).to_contain_text("d4 is occupied by black")  # a reader of that element gets it, too
    screenshot(page, "illegal")
    expect(page.locator(MOVES)).to_have_count(2)
    page.click("button.undo")
    expect(page.locator(MOVES)).to_have_count(0)
    expect(page.locator(STATUS)).to_have_text("Your turn (black).")
    page.click("button.hint")
    expect(page.locator(".hinted")).to_have_count(1)
    page.fill("#typed", "C 3")
    page.keyboard.press("Enter")
    expect(page.locator('[data-point="c3"] .stone')).to_have_count(1)
    expect(page.locator(".hinted")).to_have_count(0)


def test_a_game_survives_a_reload_and_a_server_restart(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(clean=False)  # a browser logs that it found no server
    begin(page, served, "gomoku", "greedy", option_size="7")
    place(page, "d4")
    expect(page.locator(MOVES)).to_have_count(2)
    page.reload()
    expect(page.locator(MOVES)).to_have_count(2)
    place(page, "a1") if page.locator('[data-point="a1"] .stone').count() == 0 else place(page, "g7")
    expect(page.locator(MOVES)).to_have_count(4)
    try:
        served.stop()
    finally:
        served.start()  # for the other tests of the module, too
    free = page.locator('[role="button"][aria-label$="empty"]').first
    expect(page.locator(STATUS)).to_have_text("Your turn (black).")
    free.click()  # without a reload
    expect(page.locator(MOVES)).to_have_count(6, timeout=15_000)
    page.goto(served.address)
    page.click(".continue a:has-text('against greedy') >> nth=0")
    expect(page.locator(MOVES)).to_have_count(6)


def test_two_browsers_play_and_a_third_watches(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    ann, bob, eve = new_page(), new_page(width=360, height=740), new_page()
    begin(ann, served, "gomoku", "link", option_size="5", option_line="3", name="ann")
    link = ann.input_value(".invite input")
    screenshot(ann, "invited")
    assert not find_serious_violations(ann)
    bob.goto(link)
    assert not find_serious_violations(bob)
    bob.fill("#name", "bob")
    bob.click('[data-testid="begin"]')
    expect(ann.locator(STATUS)).to_have_text("Your turn (black).")
    expect(ann.locator(".invite")).to_be_hidden()  # the invited player has joined
    eve.goto(ann.url)
    for page, name in ((ann, "a1"), (bob, "b1"), (ann, "a2"), (bob, "b2")):
        place(page, name)
        for other in (ann, bob, eve):
            expect(other.locator(f'[data-point="{name}"] .stone')).to_have_count(1)
    screenshot(bob, "phone-two")
    place(bob, "c3")
    expect(bob.locator("#said")).to_contain_text("It is not your turn.")
    expect(eve.locator('[role="button"]')).to_have_count(0)
    place(ann, "a3")
    expect(ann.locator(STATUS)).to_contain_text("You won, after 5 moves")
    expect(bob.locator(STATUS)).to_contain_text("You lost, after 5 moves")
    expect(eve.locator(STATUS)).to_contain_text("ann won, after 5 moves")


def test_the_board_can_be_played_by_keyboard_alone(served: ServerProcess, page: Page) -> None:
    begin(page, served, "gomoku", "here", option_size="5")
    page.locator('[role="button"][tabindex="0"]').focus()
    for key in ("ArrowLeft", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator('[data-point="b2"] .stone')).to_have_count(1)
    expect(page.locator('[data-point="b2"]')).to_be_focused()
    expect(page.locator('[data-point="b2"]')).to_have_attribute("aria-label", "b 2, black")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator('[data-point="c2"]')).to_have_attribute("aria-label", "c 2, white")
    begin(page, served, "dots_and_boxes", "here", option_rows="2", option_cols="2")
    page.locator('[data-edge="h0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator('[data-edge="h1"]')).to_have_attribute("aria-label", "h 1, drawn")


def test_the_board_as_text_follows_the_game(served: ServerProcess, page: Page) -> None:
    begin(page, served, "gomoku", "here", option_size="5")
    page.click(".menu > summary")
    page.click("text=The board as text")
    for name, text in (("b2", "x"), ("c2", "x o")):
        page.fill("#typed", name)
        page.press("#typed", "Enter")
        expect(page.locator("#diagram")).to_contain_text(text)


def test_the_page_tells_why_an_agent_is_slow(served: ServerProcess, page: Page) -> None:
    begin(page, served, "gomoku", "here", option_size="5")
    page.evaluate("""() => {
        const {dataset} = document.getElementById("thinking");
        Object.assign(dataset, {thinking: Number(dataset.patience) - 1, since: performance.now()});
    }""")
    expect(page.locator("#thinking")).to_have_text(re.compile(r"^ \d\.\d s$"))
    expect(page.locator("#thinking")).to_contain_text("It gets ready for the first time, which takes up to a minute.")


def test_the_thinking_player_and_its_time_are_shown(served: ServerProcess, page: Page) -> None:
    begin(page, served, "go", "mcts", option_size="9", seconds="3")
    place(page, "e5")
    expect(page.locator('[data-point="e5"] .stone')).to_have_count(1)
    expect(page.locator(STATUS)).to_have_text(re.compile(r"mcts \(white\) is thinking \d\.\d s"))
    page.click("button.undo")
    expect(page.locator(STATUS)).to_have_text("Your turn (black).")


def test_pages_can_be_read_without_scripts(served: ServerProcess, page: Page, new_page: NewPage) -> None:
    begin(page, served, "gomoku", "here", option_size="5", option_line="3")
    for name in ("a1", "b1", "a2"):
        place(page, name)
    expect(page.locator(MOVES)).to_have_text(["a1", "b1", "a2"])
    plain = new_page(java_script_enabled=False)
    plain.goto(page.url)
    expect(plain.locator(MOVES)).to_have_text(["a1", "b1", "a2"])
    expect(plain.locator(".stone.black")).to_have_count(2)


def test_a_tournament_is_watched_live(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    (served.folder / "slow.py").write_text(
        "import random\nimport time\n"
        "from gomogo_core.agent import run\n\n"
        "def choose(position, clock):\n    time.sleep(0.3)\n    return random.choice(list(position.moves()))\n\n"
        'if __name__ == "__main__":\n    run(choose)\n'
    )
    (served.folder / "t.toml").write_text(
        'name = "watched"\ngame = "gomoku"\noptions = { size = 8, line = 8 }\nformat = "round_robin"\n'
        'agents = ["slow.py", "random_mover"]\ngames_per_pair = 2\nworkers = 1\nopenings = "random:2"\n'
    )
    page, table = new_page(), new_page(width=1920, height=1080)
    phone = new_page(width=360, height=740, color_scheme="dark")
    page.goto(f"{served.address}/watch")
    words = [sys.executable, "-m", "gomogo", "tournament", "run", "t.toml", "--store", str(served.store)]
    with subprocess.Popen(
        words, cwd=served.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as watch_process:
        try:
            expect(page.locator(".boards .stone").first).to_be_attached()  # the board appears without a reload
            screenshot(page, "watch-boards")
            assert not find_serious_violations(page)
            page.click('.boards a[href^="/watch/"] >> nth=0')
            expect(page.locator(STATUS)).to_contain_text("is thinking")
            move_count = page.locator(MOVES).count()
            assert move_count >= 2, "a late viewer does not see the whole game"
            expect(page.locator(f"{MOVES}:nth-child({move_count + 3})")).to_have_count(1)
            table.goto(f"{served.address}/runs/watched")
            screenshot(page, "watching")
            assert not find_serious_violations(page)
            expect(table.locator(".boards .stone").first).to_be_attached()
            screenshot(table, "wall-1920")
            assert not find_serious_violations(table)
            phone.goto(f"{served.address}/runs/watched")
            assert not find_serious_violations(phone)
            assert phone.evaluate("document.documentElement.scrollWidth") <= 360
            expect(page.locator(STATUS)).to_contain_text("The game is over")
            expect(page.locator("text=Replay")).to_have_count(1)
            expect(table.locator(STATUS)).to_contain_text("2 of 2 games played")
            screenshot(table, "table-1920")
        finally:
            watch_process.terminate()
    expect(table.locator("tbody tr")).to_have_count(2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_serious_accessibility_faults(
    served: ServerProcess,
    new_page: NewPage,
    screenshot: Screenshot,
    find_serious_violations: FindViolations,
    scheme: str,
) -> None:
    narrow = new_page(width=360, height=740, color_scheme=scheme)
    begin(narrow, served, "dots_and_boxes", "here", option_rows="2", option_cols="2")
    for edge in ("h0", "h2", "v0", "v1"):
        place(narrow, edge)
        expect(narrow.locator(f'[data-edge="{edge}"]')).to_have_attribute("aria-label", re.compile("drawn"))
    boxes = narrow.url
    begin(narrow, served, "gomoku", "here", option_size="5", option_line="3")
    for name in ("a1", "b1", "a2", "b2", "a3"):
        place(narrow, name)
        expect(narrow.locator(f'[data-point="{name}"] .stone')).to_have_count(1)
    expect(narrow.locator(STATUS)).to_contain_text("won")
    play = narrow.url
    game = play.replace("/play/", "/games/")
    pages = {
        "home": "/",
        "boxes": boxes,
        "over": play,
        "watch": "/watch",
        "games": "/games",
        "agents": "/agents",
        "game": f"{game}?move=3&numbers=1",
        "review": f"{game}/review",
        "reviewed": f"{game}?review=1&move=3",
        "analysis": "/analysis?game=go&option-size=9&moves=e5%20c3",
        "new": "/?game=go",
        "puzzles": "/puzzles",
        "puzzle": "/puzzles/go?level=easy",
        "learn": "/learn/go",
        "train": "/train",
        "class": "/class",
        "teacher": served.teacher,
    }
    wall = new_page(width=1024, height=768, color_scheme=scheme)
    wall.goto(f"{served.address}/wall")
    expect(wall.locator("#live[data-version]")).to_have_count(1)
    assert not find_serious_violations(wall)
    for name, url in pages.items():
        narrow.goto(url if url.startswith("http") else served.address + url)
        assert not find_serious_violations(narrow), name
        wide_width = narrow.evaluate("document.documentElement.scrollWidth")
        assert wide_width <= 360, f"{name} is cut off, or scrolls sideways: {wide_width} px"
        screenshot(narrow, f"360-{scheme}-{name}")
    lost_page = new_page(clean=False, width=360, height=740, color_scheme=scheme)
    lost_page.goto(f"{served.address}/nowhere")
    assert not find_serious_violations(lost_page)
    narrow.set_viewport_size({"width": 1920, "height": 1080})
    for name in ("home", "boxes", "game", "games"):
        url = pages[name]
        narrow.goto(url if url.startswith("http") else served.address + url)
        screenshot(narrow, f"1920-{scheme}-{name}")


def test_a_page_does_not_navigate_while_the_browser_is_offline(served: ServerProcess, new_page: NewPage) -> None:
    """The browser would show its own error page, and the game would not come back."""
    page = new_page(clean=False)
    begin(page, served, "gomoku", "here")
    page.route("**/explain", lambda route: route.fulfill(json={"said": "An answer."}))
    page.context.set_offline(True)
    expect(page.locator("#lost")).to_contain_text("The server does not answer.")
    page.click("button.explain")
    expect(page.locator("#said")).to_have_text("An answer.")
    page.wait_for_timeout(500)
    assert page.url.startswith(served.address)
    expect(page.locator("#lost")).to_contain_text("The server does not answer.")
    with page.expect_navigation():  # the answer asked for the page's new state
        page.context.set_offline(False)
    expect(page.locator("#lost")).to_be_empty()
    place(page, "h8")
    expect(page.locator(MOVES)).to_have_count(1)


def places_of(page: Page, *selectors: str) -> list[float]:
    """The positions and sizes of elements, in whole pixels, to find out whether something moves."""
    numbers = list[float]()
    for selector in selectors:
        box = page.locator(selector).bounding_box()
        assert box, selector
        numbers += [round(box["x"]), round(box["y"]), round(box["width"]), round(box["height"])]
    return numbers


@pytest.mark.parametrize("size", [(360, 740), (768, 1024)])
@pytest.mark.parametrize("game", ["go", "dots_and_boxes"])
def test_an_explanation_on_a_phone_uses_the_room_of_the_words_below(
    served: ServerProcess, new_page: NewPage, game: str, size: tuple[int, int]
) -> None:
    page = new_page(*size, has_touch=True, is_mobile=True)
    begin(page, served, game, "here")
    place(page, "d4" if game == "go" else "h0")
    expect(page.locator(MOVES)).to_have_count(1)
    parts = (".board", ".players.bottom", ".record", ".controls")
    places = places_of(page, *parts)
    before = page.locator(".said-panel").bounding_box()
    page.tap("button.explain")
    expect(page.locator("#said")).not_to_be_empty()
    after = page.locator(".said-panel").bounding_box()
    assert before
    assert after
    assert after["height"] > before["height"] + 30
    assert places_of(page, *parts) == pytest.approx(places, abs=1)


def test_a_second_tap_on_the_button_that_confirms_a_move_is_no_pass(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(360, 740, has_touch=True, is_mobile=True)
    begin(page, served, "go", "here", option_size="19")
    page.tap('[data-point="d4"]')
    expect(page.locator(".crosshair")).to_have_count(2)  # the finger covers the stone
    cancel, passing = (page.locator(selector).bounding_box() for selector in ("#confirm-no", '.choices [value="pass"]'))
    assert cancel
    assert passing
    assert cancel["x"] + cancel["width"] < passing["x"]
    page.tap("#confirm-yes")
    expect(page.locator(MOVES)).to_have_text(["D16"])
    expect(page.locator(".crosshair")).to_have_count(0)
