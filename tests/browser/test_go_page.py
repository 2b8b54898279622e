"""A game of Go on the page: no frame stays on a stone, a losing pass is confirmed, coordinates of Go books."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from gomogo_core.records.store import Store
from tests._games import create_record
from tests.analysis.test_dead_stones import WHITE_ROW, moves_of
from tests.browser._served import ServerProcess, server_for_module
from tests.browser.conftest import NewPage
from tests.browser.test_page import MOVES, STATUS, begin, place

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]


served = server_for_module("--agents", "greedy")


def frame(page: Page, name: str) -> str:
    """Return the colour of the frame around a point, or "none"."""
    return str(page.eval_on_selector(f'[data-point="{name}"] .hit', "hit => getComputedStyle(hit).stroke"))


def test_a_click_leaves_no_frame_and_the_words_of_a_hint_go_with_its_frame(served: ServerProcess, page: Page) -> None:
    begin(page, served, "go", "here", option_size="9")
    place(page, "e5")
    expect(page.locator(MOVES)).to_have_count(1)
    assert frame(page, "e5") == "none"
    page.keyboard.press("ArrowRight")
    assert frame(page, "f5") != "none"  # the keyboard needs it
    page.click("button.hint")
    expect(page.locator(".hinted")).to_have_count(1)
    page.click("button.explain")
    expect(page.locator("#said")).to_contain_text("Black E5: takes the centre of the board.")
    expect(page.locator(".hinted")).to_have_count(0)


def test_a_losing_pass_is_confirmed_and_the_end_says_that_stones_are_alive(served: ServerProcess, page: Page) -> None:
    begin(page, served, "go", "here", option_size="9")
    place(page, "e5")
    place(page, "d5")
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator("#said")).to_contain_text("If white passes too, white wins by 7.5 points")
    page.click("button.hint")
    expect(page.locator("#confirm-yes")).to_be_hidden()  # under a hint, "Pass anyway" would still pass
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator("#said")).to_contain_text("If white passes too")
    question, moves = (page.locator(part).bounding_box() for part in ("#confirm", ".moves"))
    assert question is not None
    assert moves is not None
    assert question["y"] + question["height"] <= moves["y"], "the question covers the moves"
    page.click("#confirm-no")
    expect(page.locator(MOVES)).to_have_count(2)
    page.get_by_role("button", name="Pass", exact=True).click()
    page.click("#confirm-yes")
    expect(page.locator(MOVES)).to_have_count(3)
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator(STATUS)).to_contain_text("White won by 7.5 points, after 4 moves.")
    expect(page.locator(".told")).to_contain_text("White 8.5: 1 stone + 0 territory + 7.5 komi.")
    expect(page.locator(".told")).to_contain_text("Every stone left on the board counts as alive")


def test_a_pass_is_emphasized_and_the_question_shows_the_area_on_the_board(served: ServerProcess, page: Page) -> None:
    begin(page, served, "go", "here", option_size="9")
    for number, name in enumerate(("e5", "d5"), 1):
        place(page, name)
        expect(page.locator(MOVES)).to_have_count(number)
    expect(page.locator("[data-after-pass]")).to_have_count(0)
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator("#said")).to_contain_text("(black 1, white 8.5)")
    expect(page.locator(".board .territory")).to_have_count(0)  # no empty point touches one colour only
    expect(page.locator('.board [role="button"]')).to_have_count(0)
    page.click("#confirm-yes")
    expect(page.locator(f"{MOVES}.pass")).to_have_text("pass")
    expect(page.locator("[data-after-pass]")).to_have_count(1)
    expect(page.locator(STATUS)).to_contain_text("Black passed. If you pass too, the game ends.")
    place(page, "a1")
    expect(page.locator("[data-after-pass]")).to_have_count(0)
    for name in ("a2", "i9", "b1"):  # black captures a1
        place(page, name)
        expect(page.locator(MOVES).last).to_contain_text(name.replace("i9", "J1")[0], ignore_case=True)
    page.get_by_role("button", name="Pass", exact=True).click()
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator("#confirm-no")).to_be_visible()
    expect(page.locator(".board .territory.black")).to_have_count(1)
    page.click("#confirm-no")
    expect(page.locator(".board .territory")).to_have_count(0)
    expect(page.locator('.board [role="button"]')).not_to_have_count(0)


def test_the_computer_captures_dead_stones_before_a_pass(served: ServerProcess, page: Page) -> None:
    moves = " ".join(map(str, moves_of(WHITE_ROW[0], turn=1)))
    fields = {"game": "go", "option-size": "9", "option-komi": "30", "moves": moves}  # black wins after the captures
    page.goto(f"{served.address}/?{urlencode(fields)}")
    page.select_option("#opponent-1", "greedy")
    page.click('[data-testid="begin"]')
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator("#said")).to_contain_text("4 white stones look dead")
    move_count = page.locator(MOVES).count()
    page.click("#confirm-capture")
    expect(page.locator("#said")).to_contain_text("you can pass now")
    assert page.locator(MOVES).count() > move_count
    expect(page.locator(STATUS)).to_contain_text("Your turn")


def test_a_click_on_the_board_that_closes_the_menu_plays_no_move(served: ServerProcess, page: Page) -> None:
    begin(page, served, "go", "here", option_size="9")
    place(page, "e5")
    expect(page.locator(MOVES)).to_have_count(1)
    page.click(".acts .menu > summary")
    place(page, "a1")
    expect(page.locator(".acts .menu")).not_to_have_attribute("open", "")
    assert page.locator(".laid").count() == 0
    place(page, "d5")
    expect(page.locator(MOVES)).to_have_count(2)
    expect(page.locator(MOVES).last).to_contain_text("D5")


def test_a_text_longer_than_its_place_has_a_sign_and_a_click_shows_the_rest(
    served: ServerProcess, new_page: NewPage
) -> None:
    page = new_page(360, 740)
    begin(page, served, "go", "here", option_size="9")
    panel = page.locator(".said-panel")
    assert "cut" not in (panel.get_attribute("class") or "")
    page.evaluate("() => document.getElementById('said').textContent = 'A long sentence on the board. '.repeat(20)")
    expect(panel).to_have_class(re.compile("cut"))
    panel.click()
    page.wait_for_function("() => document.querySelector('.said-panel').scrollTop > 20")
    panel.evaluate("one => one.scrollTo(0, one.scrollHeight)")
    expect(panel).not_to_have_class(re.compile("cut"))


@pytest.mark.parametrize("size", [(360, 740), (740, 360)])
def test_on_a_phone_the_warning_before_a_losing_pass_is_whole_and_cancel_is_the_default(
    served: ServerProcess, new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(*size, has_touch=True)
    begin(page, served, "go", "here", option_size="9")
    place(page, "e5")
    place(page, "d5")
    expect(page.locator(MOVES)).to_have_count(2)
    button = page.get_by_role("button", name="Pass").bounding_box()
    assert button is not None
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator("#said")).to_have_text(re.compile("^If white passes too.* before you pass\\. Pass anyway\\?$"))
    panel = page.locator(".said-panel")
    assert panel.evaluate("one => one.scrollHeight <= one.clientHeight"), "the text is cut"
    expect(page.locator(".told")).to_be_hidden()  # the warning covers its place
    expect(page.locator("#confirm-no")).to_be_focused()
    expect(page.locator("#confirm-no")).to_have_class("go")
    expect(page.locator("#confirm-yes")).not_to_have_class(re.compile("go"))
    pressed = button["x"] + button["width"] / 2, button["y"] + button["height"] / 2
    under = page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('button')?.id", pressed)
    assert under is None, "a second tap at the same place chooses nothing"
    for name in ("#confirm-no", "#confirm-yes"):
        styles = page.locator(name).evaluate(
            "one => { const box = one.getBoundingClientRect();"
            "return document.elementFromPoint(box.x + box.width / 2, box.y + box.height - 2) === one; }"
        )
        assert styles, f"{name} is covered"
    page.click("#confirm-no")
    expect(page.locator(MOVES)).to_have_count(2)


def test_on_a_phone_the_list_of_moves_stays_at_its_end(served: ServerProcess, new_page: NewPage) -> None:
    """The coordinates of books are wider than those in which the moves arrive."""
    page = new_page(360, 740)
    begin(page, served, "go", "here", option_size="9")
    for number, name in enumerate(f"{letter}{row}" for row in (3, 5) for letter in "abcdefgh"):
        place(page, name)
        expect(page.locator(MOVES)).to_have_count(number + 1)
    assert page.locator(".moves").evaluate("list => list.scrollLeft + list.clientWidth >= list.scrollWidth - 8")


@pytest.mark.parametrize("size", [(360, 740), (768, 1024), (1366, 768)])
def test_the_explanation_of_a_position_is_whole(
    served: ServerProcess, new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(*size)
    begin(page, served, "go", "here", option_size="9")
    for name in ("e5", "e6", "d5", "d6", "c6", "c5"):
        place(page, name)
    page.click("button.explain")
    expect(page.locator("#said")).to_contain_text("White C5")
    panel = page.locator(".said-panel")
    assert panel.evaluate("one => one.scrollHeight <= one.clientHeight"), "the text is cut"
    board = page.locator(".board svg").bounding_box()
    page.click("button.hint")
    expect(page.locator(".hinted")).to_have_count(1)
    assert page.locator(".board svg").bounding_box() == board


def test_go_boards_have_the_coordinates_of_go_books(served: ServerProcess, page: Page) -> None:
    """Players of Go expect columns without I and row 1 at the bottom. The browser stores another choice."""
    begin(page, served, "go", "here", option_size="9")
    place(page, "i1")
    expect(page.locator(MOVES)).to_have_text("J9")
    assert "J" in page.locator(".coordinate").all_text_contents()
    assert "I" not in page.locator(".coordinate").all_text_contents()
    expect(page.locator('[data-point="i1"]')).to_have_attribute("aria-label", re.compile("^J 9, black"))
    page.fill("#typed", "d4")
    page.keyboard.press("Enter")
    expect(page.locator('[data-point="d6"] .stone.white')).to_have_count(1)
    expect(page.locator(f"{MOVES}:nth-child(2)")).to_have_text("D4")
    page.click("button.explain")
    expect(page.locator("#said")).to_contain_text("White played D4.")
    page.click(".menu summary")
    page.click(".coordinates input")
    expect(page.locator(f"{MOVES}:nth-child(2)")).to_have_text("d6")
    expect(page.locator('[data-point="i1"]')).to_have_attribute("aria-label", re.compile("^i 1, black"))
    page.reload()
    expect(page.locator(f"{MOVES}:nth-child(2)")).to_have_text("d6")
    page.click(".menu summary")
    page.click(".coordinates input")
    expect(page.locator(f"{MOVES}:nth-child(2)")).to_have_text("D4")


def test_the_coordinates_of_other_boards_can_be_chosen_too(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/analysis?game=gomoku&moves=i8")
    labels = page.locator(".board .coordinate")
    assert "i" in labels.all_text_contents()
    expect(page.locator("#tree a")).to_have_text("1 i8")
    page.click("#rules summary")
    page.check(".coordinates input")
    assert labels.all_text_contents()[0] == "A"
    expect(page.locator("#tree a")).to_have_text("1 J8")
    page.fill("#typed", "A1")
    page.keyboard.press("Enter")
    expect(page.locator('[data-point="a15"] .stone.white')).to_have_count(1)
    page.goto(f"{served.address}/analysis?game=go")
    page.click("#rules summary")
    page.uncheck(".coordinates input")
    page.goto(f"{served.address}/analysis?game=gomoku&moves=i8")
    expect(page.locator(".coordinates input")).to_be_checked()


def test_a_typed_point_is_read_as_it_is_shown(served: ServerProcess, page: Page) -> None:
    """In files, column i exists: a typed I must not become another point."""
    begin(page, served, "go", "here", option_size="9")
    for typed, words in (("i5", "There is no point I5. Columns are A to J, without I; rows are 1 to 9."), ("k5", "K5")):
        page.fill("#typed", typed)
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_contain_text(words)
        expect(page.locator("#typed")).to_have_value(typed)
    expect(page.locator(".stone:not(.ghost)")).to_have_count(0)
    page.fill("#typed", "4 3")
    page.keyboard.press("Enter")
    expect(page.locator('[data-point="d7"] .stone.black')).to_have_count(1)


def test_a_name_that_looks_like_a_point_stays_as_it_is(served: ServerProcess, page: Page) -> None:
    begin(page, served, "go", "link", name="b2", option_size="9")
    expect(page.locator(".players.bottom")).to_contain_text("b2")
    assert page.evaluate("convertSentence('b2 plays c3.')") == "b2 plays C7."


@pytest.mark.parametrize("url", ["/puzzles", "/puzzles/go", "/learn/robogo", "/analysis?game=capture_go&option-size=7"])
def test_every_go_board_has_the_coordinates_of_go_books(served: ServerProcess, page: Page, url: str) -> None:
    page.goto(served.address + url)
    board = page.locator("svg[data-coordinates=book]").first
    labels = board.locator(".coordinate").all_text_contents()
    rows = board.get_attribute("data-rows")
    assert rows
    assert labels[0] == "A"
    assert labels[-1] == "1"
    assert labels.count(rows) == 2
    on_columns = [label for label in labels if not label.isdigit()]
    assert "I" not in on_columns


def test_a_position_is_set_up_in_the_shown_coordinates(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/analysis?game=go&option-size=9")
    page.click("#setup summary")
    page.click('[data-point="i1"]')
    expect(page.locator("#setup-black")).to_have_value("J9")
    page.fill("#setup-white", "c7 i2")
    expect(page.locator("#setup .wrong")).to_contain_text("There is no point I2.")
    page.fill("#setup-white", "c7")
    expect(page.locator("#setup .wrong")).to_be_empty()
    page.click("#setup button.go")
    expect(page.locator('[data-point="c3"] .stone.white')).to_have_count(1)
    expect(page.locator('[data-point="i1"] .stone.black')).to_have_count(1)


def test_the_form_for_go_shows_the_komi_and_the_possible_handicaps(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/?game=go")
    expect(page.locator("[data-komi]")).to_have_text("7.5")
    page.check('[name="opponent"][value="level-1"]')
    expect(page.locator("#about-level")).to_contain_text("overlooks 75 of 100 moves")
    page.select_option("#opponent-1", "level-4")
    expect(page.locator("#about-level")).to_contain_text("overlooks nothing; scores 75 % against Casual")
    expect(page.locator('[name="handicap"][value="6"]')).to_be_hidden()
    page.check('[name="handicap"][value="4"]')
    expect(page.locator("[data-komi]")).to_have_text("0.5")
    page.check('[name="size"][value="size=19"]')
    page.check('[name="handicap"][value="9"]')
    page.check('[name="size"][value="size=9"]')
    expect(page.locator('[name="handicap"][value="0"]')).to_be_checked()
    expect(page.locator("[data-komi]")).to_have_text("7.5")


def test_a_review_in_words_has_the_coordinates_of_the_board(served: ServerProcess, page: Page) -> None:
    moves = "d6 d7 d5 c6 c7 e3 b6 c5 c4 g3 b5"
    with Store.open(served.store) as store:
        store.add(create_record("words", moves, names=("b2", "bob"), game="capture_go", size=9))
    page.goto(f"{served.address}/games/words/review")
    findings = page.locator(".findings li")
    expect(findings.first).to_contain_text(re.compile(r"\b[A-HJ]\d\b"), timeout=120_000)
    expect(page.locator(".summaries")).to_contain_text("b2")  # a player's name stays as it is
    written = [words.replace("b2", "") for words in findings.all_inner_texts()]
    assert not [words for words in written if re.search(r"\b[a-i]\d\b", words)]
    page.click(".coordinates input")
    expect(findings.first).to_contain_text(re.compile(r"\b[a-i]\d\b"))
