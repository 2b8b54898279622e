"""The analysis board in a browser: variations by clicks and keys, live lines with ghost stones, SGF and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gomogo_core.engines import compiling
from gomogo_core.records.store import Store
from tests._games import create_record
from tests.analysis.test_dead_stones import WHITE_ROW, moves_of
from tests.browser._served import ServerProcess, server_for_module
from tests.browser.conftest import FindViolations, NewPage, Screenshot

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

MOVES = "#tree a"


served = server_for_module("--agents", "random_mover")


def place(page: Page, name: str) -> None:
    page.click(f'[data-point="{name}"], [data-edge="{name}"]')
    expect(page.locator('#tree [aria-current="step"]')).to_contain_text(name)


def test_the_tree_of_moves_has_at_least_six_lines_on_a_laptop(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(1366, 768)
    page.goto(f"{served.address}/analysis?game=go&option-size=9&moves=e5+c3")
    expect(page).to_have_title("Go: Black to move – Analysis – Gomogo")
    tree = page.locator("#tree")
    lines = "tree => tree.clientHeight / parseFloat(getComputedStyle(tree).lineHeight)"
    assert tree.evaluate(lines) >= 6
    page.click("#engine")
    expect(page.locator("#candidates li")).to_have_count(3)
    assert tree.evaluate(lines) >= 6
    board = page.locator(".board svg").bounding_box()
    assert board is not None
    assert board["height"] >= 0.85 * 768


def test_each_line_of_go_shows_its_points_and_a_search_without_owners_says_so(
    served: ServerProcess, new_page: NewPage
) -> None:
    compiling.load("gomogo_core.engines.go")
    page = new_page(1366, 768)
    page.goto(f"{served.address}/analysis?game=go&option-size=9&moves=e5")
    page.check("#owners")
    page.click("#engine")
    rows = page.get_by_test_id("candidates").locator("li")
    expect(page.get_by_test_id("candidates-legend")).to_have_text("Best for White: chance, lead, playouts")
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_have_text(re.compile(r"%[BW]\+\d+\.\d"))
    page.click("#engine")
    page.select_option("#agent", "mcts")
    page.click('[data-point="c3"]')
    page.click("#engine")
    expect(page.get_by_test_id("lead")).to_have_text("No owners from this agent.")


@pytest.mark.parametrize("size", [(360, 740), (1366, 768), (1920, 1080)])
def test_the_expected_end_of_go_is_shown_in_points_and_by_owners(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, size: tuple[int, int]
) -> None:
    compiling.load("gomogo_core.engines.go")
    page = new_page(*size)
    moves = "+".join(map(str, moves_of(WHITE_ROW[0], turn=1)))
    page.goto(f"{served.address}/analysis?game=go&option-size=9&moves={moves}")
    below, tree = page.locator("#tree"), page.locator("#tree").bounding_box()
    lead, owned = page.get_by_test_id("lead"), page.locator(".owned")
    page.check("#owners")
    expect(lead).to_have_text("Owners: click Analyse.")
    page.uncheck("#owners")
    expect(lead).to_have_text("")
    page.click("#engine")
    expect(lead).to_have_text(re.compile(r"^Black leads by (about )?\d+(\.5)? points\.$"))
    expect(page.locator(".looks-dead")).to_have_count(4)
    expect(owned).to_have_count(0)
    page.check("#owners")
    expect(page.locator('[data-point="c4"] .owned.black')).to_be_visible()
    expect(page.locator('[data-point="b9"] .owned')).to_have_count(0)  # a living stone needs no square
    expect(page.locator(".looks-dead")).to_have_count(0)
    assert below.bounding_box() == tree, "nothing has moved"
    screenshot(page, f"analysis-owners-{size[0]}x{size[1]}")
    page.reload()
    expect(page.locator("#owners")).to_be_checked()
    expect(page.locator('[data-point="c4"] .owned.black')).to_be_visible()  # the analysis continues
    page.goto(f"{served.address}/analysis?game=go&option-size=9&moves={moves}+pass+pass")
    expect(page.locator(".dead")).to_have_count(4)
    expect(lead).to_have_text("No owners: the game is over.")
    expect(page.locator(".status")).to_contain_text("4 white stones look dead (marked ×); they count")
    screenshot(page, f"analysis-dead-{size[0]}x{size[1]}")
    page.goto(f"{served.address}/analysis?game=capture_go&option-size=9")
    expect(page.locator("#owners")).to_have_count(0)


def test_a_search_is_announced_before_its_first_line(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(360, 740)
    page.route("**/analysis/start", lambda route: None)  # the machine is busy: no line arrives
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=9")
    legend, tree = page.locator("#candidates-legend"), page.locator("#tree")
    before = tree.bounding_box()
    page.click("#engine")
    expect(legend).to_have_text("Searching …")
    assert tree.bounding_box() == before
    page.click("#engine")
    expect(legend).to_have_text("")


@pytest.mark.parametrize("size", [(360, 740), (768, 1024), (1366, 768), (1920, 1080)])
def test_variations_live_lines_and_an_sgf_file_work(
    served: ServerProcess,
    new_page: NewPage,
    screenshot: Screenshot,
    find_serious_violations: FindViolations,
    size: tuple[int, int],
    tmp_path: Path,
) -> None:
    page = new_page(*size)
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=9&moves=c3+a1")
    place(page, "d3")
    place(page, "a9")
    page.keyboard.press("ArrowLeft")
    expect(page.locator('#tree [aria-current="step"]')).to_have_text("3 d3")
    place(page, "i9")
    expect(page.locator(".variation")).to_have_text("4 i9")
    page.fill("#comment", "a quiet answer")
    below, board = page.locator("#tree").bounding_box(), page.locator(".board svg").bounding_box()
    bar = page.locator("#evaluation")
    expect(bar).to_be_hidden()
    page.click("#engine")
    expect(page.locator("#candidates li")).to_have_count(3)
    expect(page.locator(".stone.ghost.analysed").first).to_be_visible()
    expect(page.locator("#effort")).to_contain_text("nodes")
    letters = page.evaluate(
        """() => [...document.querySelectorAll(".badge")].map(badge => {
            const [around, letter] = [badge, badge.nextElementSibling].map(one => one.getBBox());
            const size = parseFloat(getComputedStyle(badge.nextElementSibling).fontSize);
            return around.height - Math.max(1.2 * letter.width, size);
        })"""
    )
    assert all(room >= 0 for room in letters), "each letter fits into its spot"
    expect(page.locator("#candidates button").first).to_have_attribute("title", re.compile(r": \w\d \w\d"))
    expect(page.locator("#candidates")).to_contain_text("Black wins")
    expect(bar).to_have_attribute("aria-valuenow", "100")
    expect(bar).to_have_attribute("aria-valuetext", re.compile(r"100 %; Black wins$"))
    beside = bar.bounding_box()
    assert board is not None
    assert beside is not None
    assert page.locator(".board svg").bounding_box() == board, "the bar does not move the board"
    assert 0 <= beside["x"] < beside["x"] + beside["width"] <= board["x"]
    assert abs(beside["height"] - board["height"]) <= 2
    if size[0] < size[1]:
        assert page.locator("#tree").bounding_box() == below, "a running analysis moves nothing below it"
    screenshot(page, f"analysis-{size[0]}")
    assert find_serious_violations(page) == []
    legend = page.locator("#candidates-legend")
    expect(legend).to_have_text("Best for Black, with Black's win chance")
    page.click("#candidates li:first-child b")
    expect(page.locator("#tree a")).to_have_count(6)
    expect(legend).to_have_text("Best for White, with White's win chance")
    expect(page.locator("#candidates li").first).to_have_text(re.compile(r"^A\w+0 %Black wins"))
    for letter in "BC"[: page.locator("#candidates li").count() - 1]:  # two moves may be all that matter
        expect(page.locator(".letter", has_text=letter)).to_be_visible()  # also on a numbered stone
    page.click("#engine")
    expect(page.locator("#engine")).to_have_text("Analyse")
    expect(page.locator("#effort")).not_to_have_text("")
    page.keyboard.press("ArrowLeft")
    expect(bar).to_be_hidden()
    expect(page.locator("#effort")).to_have_text("")  # the figures of another position
    with page.expect_download() as download:
        page.click("#save")
    path = tmp_path / "tree.sgf"
    download.value.save_as(path)
    assert "a quiet answer" in path.read_text()
    page.goto(f"{served.address}/analysis?game=go")
    page.set_input_files("#open", path)
    page.wait_for_url("**/analysis?game=gomoku&option-size=9*")
    expect(page.locator("#tree a")).to_have_count(6)


def test_the_names_and_marks_of_a_file_are_shown_and_kept(
    served: ServerProcess, page: Page, screenshot: Screenshot, tmp_path: Path
) -> None:
    path = tmp_path / "game.sgf"
    path.write_bytes(
        "(;SZ[9]CA[GB2312]PB[柯洁]PW[Lee]RE[B+R]DT[2020-02-01];B[ee];W[cc]TR[ee]SQ[cc]CR[gg]MA[ga:ha]LB[dd:A])".encode(
            "gb2312"
        )
    )
    page.goto(f"{served.address}/analysis?game=go")
    page.set_input_files("#open", path)
    expect(page.locator("#said")).to_contain_text("柯洁 (black) – Lee (white), B+R, 2020-02-01.")
    expect(page.locator("path.file-mark")).to_have_count(5)
    expect(page.locator('[data-point="e5"] .file-mark.on-black')).to_have_count(1)
    expect(page.locator('[data-point="d4"] text.file-mark')).to_have_text("A")
    screenshot(page, "marks-of-a-file")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".file-mark")).to_have_count(0)
    page.click('[data-point="c3"]')
    expect(page.locator(".file-mark")).to_have_count(6)
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(path)
    assert all(
        property_text in path.read_text()
        for property_text in ("PB[柯洁]", "RE[B+R]", "DT[2020-02-01]", "LB[dd:A]", "MA[ga:ha]")
    )


def test_a_file_with_options_in_any_order_is_opened(served: ServerProcess, page: Page, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]FF[4]SZ[9]KM[6.5];B[ee];W[gc];B[cg])")
    page.goto(f"{served.address}/analysis?game=go")
    page.set_input_files("#open", path)
    page.wait_for_url("**option-size=9*")
    expect(page.locator("#tree a")).to_have_count(3)


def test_a_file_with_a_handicap_begins_with_its_stones(served: ServerProcess, page: Page, tmp_path: Path) -> None:
    path = tmp_path / "handicap.sgf"
    path.write_text("(;SZ[9]KM[0.5]HA[2]AB[gc][cg];W[ee];B[cc])")
    page.goto(f"{served.address}/analysis")
    page.set_input_files("#open", path)
    expect(page.locator("#said")).to_contain_text("The file has 2 moves. It begins with stones on the board.")
    moves = ["1 E5", "2 C7"]  # in the coordinates of books
    expect(page.locator(MOVES)).to_have_text(moves)
    page.keyboard.press("Home")
    expect(page.locator('[data-testid="status"]')).to_contain_text("Move 1: white is to move")
    expect(page.locator(".stone.black")).to_have_count(2)
    expect(page.locator("#cut")).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    page.click('[data-point="f6"]')
    expect(page.locator(".variation")).to_have_text("1 F4 ")
    page.reload()
    expect(page.locator(MOVES)).to_have_count(3)
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(path)
    assert re.search(r"AB\[(cg|gc)\]\[(cg|gc)\]", path.read_text())


def test_another_game_is_shown_at_once_and_no_tree_is_lost(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=9&moves=c3+d4")
    page.keyboard.press("ArrowLeft")
    place(page, "e5")
    page.fill("#comment", "better")
    page.select_option("#choose-game", "go")
    page.wait_for_url("**/analysis?game=go&*")  # written by the script, so that no click comes before it
    expect(page.locator(MOVES)).to_have_count(0)
    page.click('[data-point="c3"]')
    expect(page.locator(MOVES)).to_have_count(1)
    page.select_option("#choose-game", "gomoku")
    page.wait_for_url("**/analysis?game=gomoku*")
    expect(page.locator(".variation")).to_contain_text("2 e5")
    expect(page.locator("#comment")).to_have_value("better")
    expect(page.locator("#choose-game")).to_have_value("gomoku")
    page.select_option("#choose-game", "go")
    page.wait_for_url("**/analysis?game=go&*")  # written by the script, so that no click comes before it
    expect(page.locator(MOVES)).to_have_count(1)
    page.click('button:text("New board")')
    expect(page.locator(MOVES)).to_have_count(0)
    page.click("#boards summary")
    expect(page.locator("#boards button")).to_have_text(
        [re.compile(r"^Go 9×9, 1 move, \d"), re.compile("^Gomoku 9×9, 2 moves, ")]
    )
    page.click("#boards button >> nth=0")
    expect(page.locator(MOVES)).to_have_count(1)


def test_two_tabs_with_one_link_keep_both_trees(served: ServerProcess, page: Page) -> None:
    link = f"{served.address}/analysis?game=gomoku&option-size=9&moves=e5+c3"
    page.goto(link)
    place(page, "g7")
    other = page.context.new_page()
    other.goto(link)
    place(other, "g3")
    place(page, "c7")
    for tab, own, foreign in ((page, "c7", "g3"), (other, "g3", "c7")):
        tab.reload()
        expect(tab.locator("#tree")).to_contain_text(own)
        expect(tab.locator("#tree")).not_to_contain_text(foreign)
    other.close()


def test_a_link_opens_its_own_board_and_the_boards_before_stay_in_a_list(
    served: ServerProcess, page: Page, screenshot: Screenshot
) -> None:
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=9&moves=c3+d4+e5")
    place(page, "f6")
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=9&moves=c3+e3+e4&at=2")
    expect(page.locator(MOVES)).to_have_text(["1 c3", "2 e3", "3 e4"])
    expect(page.locator(".variation")).to_have_count(0)
    page.click("#boards summary")
    screenshot(page, "analysis-boards")
    page.keyboard.press("Escape")  # a click on the board would only close the list
    place(page, "g7")  # the list stays after a move, and after each step
    expect(page.locator(".variation")).to_have_text("3 g7 ")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#boards button")).to_have_text(re.compile("Gomoku 9×9, 4 moves"))
    page.go_back()
    expect(page.locator(MOVES)).to_have_text(["1 c3", "2 d4", "3 e5", "4 f6"])
    page.click("#boards summary")
    page.click("#boards button")
    expect(page.locator(".variation")).to_have_text("3 g7 ")
    page.go_back()
    expect(page.locator(MOVES)).to_have_text(["1 c3", "2 d4", "3 e5", "4 f6"])
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=9&moves=c3+e3+e4")  # the same link, the same board
    expect(page.locator(".variation")).to_have_text("3 g7 ")
    page.goto(f"{served.address}/games")
    page.click('nav a:text("Analysis")')
    page.wait_for_url("**/analysis?game=gomoku*")
    expect(page.locator(".variation")).to_have_text("3 g7 ")


def test_edges_are_played_and_predicted_edges_are_dashed(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{served.address}/analysis?game=dots_and_boxes&option-rows=2&option-cols=2")
    place(page, "h0")
    page.click("#engine")
    expect(page.locator(".edge .expected").first).to_be_attached()
    page.reload()
    expect(page.locator("#tree a")).to_have_count(1)


@pytest.mark.parametrize("size", [(360, 640), (1366, 640)])
def test_each_edge_of_boxes_has_its_proved_result(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, size: tuple[int, int]
) -> None:
    compiling.load("gomogo_core.engines.boxes")
    page = new_page(*size, has_touch=True)
    page.goto(f"{served.address}/analysis?game=dots_and_boxes&option-rows=3&option-cols=3&moves=v2+h1+h10+v4+h11")
    page.click("#engine")
    leads = page.locator(".edge .lead")
    expect(leads).to_have_count(19)
    expect(page.locator('[data-edge="h3"] .lead')).to_have_text("+3")
    expect(page.locator('[data-edge="v3"] .lead')).to_have_text("+1")
    legend = page.get_by_test_id("candidates-legend")
    expect(legend).to_have_text("Proved. On each edge: Orange's final lead")
    assert legend.evaluate("one => one.scrollHeight < 2 * parseFloat(getComputedStyle(one).fontSize)"), "one line"
    expect(page.get_by_test_id("candidates")).not_to_contain_text("%")
    expect(page.get_by_test_id("effort")).to_have_text(re.compile(r"^Complete: depth 19, .* s$"))
    screenshot(page, f"analysis-boxes-{size[0]}x{size[1]}")
    page.locator("#candidates li").nth(1).hover()
    expect(leads).to_have_count(0)
    expect(page.locator(".edge .expected").first).to_be_attached()
    page.locator("#tree").hover()
    expect(leads).to_have_count(19)
    expect(page.get_by_test_id("reason")).to_contain_text(re.compile(r"^A \w+ (takes|leaves|is|opens|lets) .* B \w+ "))
    page.locator("#candidates b").nth(1).tap()
    expect(legend).to_have_text(re.compile(r"^Touch line B again to play \w+$"))
    expect(page.locator(".edge .number:not(.lead)", has_text=re.compile("^1$"))).to_have_count(1)
    page.locator("#candidates b").nth(1).tap()
    expect(page.locator("#tree a")).to_have_count(6)
    page.goto(f"{served.address}/analysis?game=dots_and_boxes&option-rows=6&option-cols=6")
    page.click("#engine")
    expect(legend).to_have_text("Best for Blue, estimated: Blue's win chance")
    overflow = page.evaluate(
        """() => {
            const [effort, engine] = [document.getElementById("effort"), document.querySelector(".engine")];
            effort.textContent = "Complete: depth 27, 706,123 nodes, 12.3 s";
            return effort.getBoundingClientRect().right - engine.getBoundingClientRect().right;
        }"""
    )
    assert overflow <= 0, "the depth runs off the panel"


def test_a_review_starts_automatically_and_its_graph_links_to_mistakes(
    served: ServerProcess, new_page: NewPage, find_serious_violations: FindViolations
) -> None:
    page = new_page(1366, 768)
    page.goto(f"{served.address}/?game=gomoku&option-size=5&option-line=3")
    page.click('text="Two people here"')
    page.click('[data-testid="begin"]')
    expect(page.locator("#live[data-version]")).to_have_count(1)
    for point in ("a1", "e1", "a2", "e3", "d4", "e2"):  # instead of d4, a3 won at once
        page.click(f'[data-point="{point}"]')
        expect(page.locator(f'[data-point="{point}"] .stone:not(.ghost)')).to_have_count(1)
    expect(page.locator('[data-testid="status"]')).to_contain_text("won")
    page.click('.links a:text("Review")')
    expect(page.locator(".moves .mistake.grave")).to_have_count(1)
    expect(page.locator("[data-reviewing]")).to_have_count(0)
    expect(page.locator(".players .has", has_text=re.compile(r"accuracy \d+ %"))).to_have_count(2)
    assert page.evaluate("document.querySelector('.moves').clientHeight") >= 96, "the list of moves has four rows"
    tops = page.locator(".choices .button").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1, "the buttons are in one row"
    overlaps = page.evaluate(
        """() => {
            const [marks, labels] = [".mistake-mark, .mistake-dot", ".sides, text:not(.mistake-mark)"].map(
                kind => [...document.querySelectorAll(`.curve :is(${kind})`)].map(one => one.getBoundingClientRect()));
            return labels.filter(label => marks.some(mark =>
                 mark.bottom > label.top + 2 && mark.top + 2 < label.bottom));
        }"""
    )
    assert overlaps == [], "a label of the graph covers a mark"
    expect(page).to_have_title(re.compile("^Gomoku: .* – .* – Gomogo$"))
    page.click('.chart a[aria-label="Move 5"]')
    expect(page.locator(".told")).to_contain_text("a3 wins at once")
    lines = page.locator(".told").evaluate("one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)")
    assert lines == pytest.approx(round(lines), abs=0.05), "the text is cut through a line"
    expect(page.locator('[data-point="a3"] .ghost')).to_have_count(1)
    for width, height, min_height in ((360, 740, 40), (768, 1024, 110), (1366, 768, 98), (1920, 1080, 138)):
        page.set_viewport_size({"width": width, "height": height})
        graph = page.locator(".chart.review").bounding_box()
        assert graph is not None
        assert graph["height"] >= min_height
        assert graph["width"] >= 320
        assert page.locator(".mistake-dot + .target").bounding_box()["width"] >= 20, "a finger meets a mistake"  # type: ignore[index]
        top_of_steps = page.locator(".steps").evaluate("one => one.getBoundingClientRect().top")
        for part in (".finding", ".extras > .button"):
            assert page.locator(part).evaluate("one => one.getBoundingClientRect().bottom") <= top_of_steps, part
        current = page.locator(".moves li:has([aria-current])").bounding_box()
        moves = page.locator(".moves").bounding_box()
        assert current is not None
        assert moves is not None
        assert moves["x"] <= current["x"], "the number of the move is visible"
        assert current["x"] + current["width"] <= moves["x"] + moves["width"]
    page.set_viewport_size({"width": 1366, "height": 768})
    page.click(".mistake-dot + .target")
    expect(page.locator('[aria-current="step"]')).to_contain_text("d4")
    assert find_serious_violations(page) == []
    page.click('.extras a:text("Analyse")')
    expect(page.locator('#tree [aria-current="step"]')).to_have_text("5 d4 ??")
    page.go_back()
    page.click("#retry")
    expect(page.locator("#status")).to_contain_text("played d4, a blunder. Find a better move.")
    page.click('[data-point="c3"]')
    expect(page.locator(".verdict.wrong")).to_contain_text("After c3 the win chance is")
    expect(page.locator('[data-point="c3"].wrong-move .stone.ghost')).to_have_count(1)
    assert find_serious_violations(page) == []
    page.click('[data-point="a3"]')
    expect(page.locator(".verdict.solved")).to_contain_text("Right: ")
    assert page.evaluate("localStorage.getItem('puzzles')") is None, "a retry is no stored puzzle"
    page.click("#next")
    expect(page.locator('.moves [aria-current="step"]')).to_contain_text("d4")


def test_a_step_back_in_the_browser_leaves_the_better_line(served: ServerProcess, page: Page) -> None:
    with Store.open(served.store) as store:
        store.add(create_record("line", "e4 g4 e5 g5 e6 g6 a1 g7 a9 g3", size=9))  # instead of a1, an open four won
    page.goto(f"{served.address}/games/line?move=7&review=1")
    line = page.locator(".finding.line")
    places = "all => all.map((one) => JSON.stringify(one.getBoundingClientRect()))"
    page.locator('text="Show the better line"').wait_for()
    places_in_game = page.locator(".steps > *").evaluate_all(places)
    page.click('text="Show the better line"')
    expect(line).to_be_visible()
    assert page.locator(".steps > *").evaluate_all(places) == places_in_game, "the buttons stay where they are"
    page.keyboard.press("ArrowRight")
    expect(line.locator("[aria-current]")).to_have_count(1)
    page.go_back()
    expect(line).to_have_count(0)
    expect(page.locator('.moves [aria-current="step"]')).to_contain_text("a1")
    page.go_forward()
    expect(line.locator("[aria-current]")).to_have_count(1)


def test_the_analysis_board_keeps_the_names_and_mistakes_of_a_review(served: ServerProcess, page: Page) -> None:
    with Store.open(served.store) as store:
        store.add(create_record("names", "e5 a1 e6 a9 e7 i1 a5 e4 i9", size=9))
    moves = "moves=e5+a1+e6+a9+e7+i1+a5&option-size=9"
    page.goto(f"{served.address}/analysis?{moves}&reviewed=names&reviewed-move=7&review=1&mistakes=7%3F%3F")
    current = page.locator('#tree [aria-current="step"]')
    expect(current).to_have_text("7 a5 ??")
    page.keyboard.press("ArrowLeft")
    expect(current).to_have_text("6 i1")
    assert sorted(page.locator(".players .who").all_inner_texts()) == ["ann", "bob"]
    page.reload()
    expect(page.locator(MOVES, has_text="7 a5 ??")).to_have_count(1)
    page.click('text="Back to the review"')
    expect(page.locator('.moves [aria-current="step"]')).to_contain_text("a5")


def test_a_position_is_set_up_by_clicks(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/analysis?game=go&option-size=5&moves=a1+b1")
    page.click("#engine")
    expect(page.locator("#candidates li").first).to_be_visible()
    status = page.locator('[data-testid="status"]')
    page.click("#setup summary")
    expect(page.locator("#candidates li, .analysed, #evaluation:visible")).to_have_count(0)
    expect(status).to_have_text("Set up a position.")
    expect(page.locator("#engine")).to_have_text("Analyse")
    page.click("#setup-clear")
    expect(page.locator(".placed")).to_have_count(0)
    page.click("#setup-cancel")
    expect(status).to_contain_text("Move 3: black is to move.")
    page.click("#setup summary")
    for point in ("c3", "d4", "d4", "b1"):  # a black stone, a white one, and an emptied point
        page.click(f'[data-point="{point}"]')
    expect(page.locator('[data-point="c3"] .placed.black')).to_have_count(1)
    expect(page.locator('[data-point="d4"] .placed.white')).to_have_count(1)
    expect(page.locator('[data-point="b1"] .placed')).to_have_count(0)
    page.select_option("#setup-turn", "white")
    page.click("#setup button.go")
    page.wait_for_url(lambda url: "d4" in url)  # wait for the scripts, too: an earlier click would be lost
    expect(page.locator('[data-testid="status"]')).to_contain_text("white is to move")
    expect(page.locator(".stone.black")).to_have_count(2)
    expect(page.locator('[data-point="d4"] .stone.white')).to_have_count(1)
    page.click('[data-point="e5"]')
    expect(page.locator('[data-point="e5"] .stone.white')).to_have_count(1)


@pytest.mark.parametrize("size", [(360, 740), (1366, 768)])
def test_the_form_to_set_up_a_position_is_on_the_screen(
    served: ServerProcess, new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(*size)
    page.goto(f"{served.address}/analysis?game=go&option-komi=7.5&option-size=9&moves=e5+c3+g7")
    page.click("#setup summary")
    assert page.evaluate("document.querySelector('#setup .go').getBoundingClientRect().bottom <= innerHeight")
    setup, board = page.locator("#setup").bounding_box(), page.locator(".board svg").bounding_box()
    assert setup is not None
    assert board is not None
    side_top = board["y"] if size[0] > 1000 else board["y"] + board["height"]
    assert setup["y"] < side_top + 140, "no empty space is above the form"
    page.click('[data-point="g3"]')
    page.click("#setup .go")
    page.wait_for_url(lambda url: "g3" in url)
    expect(page.locator('[data-testid="status"]')).to_contain_text("Move 1: white is to move.")
    expect(page.locator(MOVES)).to_have_count(0)  # the stones are a start position
    expect(page.locator(".stone")).to_have_count(4)
    expect(page.locator(".board .last")).to_have_count(0)
    page.click('[data-point="b2"]')
    expect(page.locator(MOVES)).to_have_text("1 B8")  # as in books
    page.click("#boards summary")
    expect(page.locator("#boards button")).to_have_text(re.compile("Go 9×9, 3 moves"))


def test_typed_moves_texts_of_files_and_links_are_opened(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(1366, 768, clean=False)  # a refusal is an error on the console
    page.goto(f"{served.address}/analysis?game=go")
    current = page.locator('#tree [aria-current="step"]')
    page.fill("#typed", "1. c3 g7 2. g3")
    page.press("#typed", "Enter")
    expect(current).to_have_text("3 G3")
    expect(page.locator("#typed")).to_have_value("")
    page.fill("#typed", "e5 g7")
    page.press("#typed", "Enter")
    expect(page.locator("#typed-wrong")).to_contain_text("Move 5, G7: G7 is occupied by white.")
    expect(page.locator("#typed")).to_have_value("e5 g7")
    expect(current).to_have_text("3 G3")
    page.fill("#typed", "(;GM[4]FF[4]SZ[9];B[ee];W[dd])")
    page.press("#typed", "Enter")
    page.wait_for_url("**/analysis?game=gomoku&option-size=9*")
    expect(page.locator("#tree a")).to_have_count(2)
    page.fill("#typed", f"{served.address}/analysis?game=dots_and_boxes&moves=h0+v1&at=1")
    page.press("#typed", "Enter")
    page.wait_for_url("**/analysis?game=dots_and_boxes*")
    expect(current).to_have_text("1 h0")
    expect(page.locator("#tree a")).to_have_count(2)


def test_a_variation_is_promoted_deleted_and_restored(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(1366, 768)
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=9&moves=c3+d4+e5")
    current = page.locator('#tree [aria-current="step"]')
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")  # two keys before the first answer are two steps
    expect(current).to_have_text("1 c3")
    place(page, "f6")
    place(page, "g7")
    expect(page.locator(".variation")).to_have_text("2 f6 3 g7")
    page.click("#promote")
    expect(page.locator(".variation")).to_have_text("2 d4 3 e5")
    expect(current).to_have_text("3 g7")
    expect(page.locator("#promote")).to_be_disabled()
    page.locator(".board svg").evaluate(
        "one => one.dispatchEvent(new WheelEvent('wheel', {deltaY: -100, bubbles: true}))"
    )
    expect(current).to_have_text("2 f6")
    page.click("#cut")
    expect(current).to_have_text("1 c3")
    expect(page.locator("#said")).to_contain_text("2 moves deleted.")
    expect(page.locator("#tree a")).to_have_count(3)
    page.keyboard.press("ArrowLeft")
    expect(page.locator('[data-testid="status"]')).to_contain_text("Move 1")
    page.click("#said button")  # the button stays after a step
    expect(current).to_have_text("2 f6")
    expect(page.locator("#tree a")).to_have_count(5)
    page.click("#rules summary")
    page.click('.chips a:text("13×13")')
    expect(page.locator("#tree a")).to_have_count(0)
    page.go_back()
    expect(page.locator("#tree a")).to_have_count(5)
    page.click('button:text("New board")')
    expect(page.locator("#tree a")).to_have_count(0)


def test_rules_are_chosen_and_a_link_is_copied(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(360, 740, permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=9&moves=c3")
    page.click("#rules summary")
    page.click('text="Does not win"')
    page.click('text="New board with these rules"')
    page.wait_for_url("**option-exact=true*")
    expect(page.locator('.chips [aria-current="true"]')).to_have_text("9×9")
    place(page, "e5")
    page.click("#copy")
    expect(page.locator("#copy")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.url.endswith("moves=e5")
    expect(page.get_by_text("The link has the shown line only")).to_have_count(0)


def test_variations_and_comments_are_kept_when_a_person_comes_back(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(360, 740, permissions=["clipboard-read", "clipboard-write"])
    link = f"{served.address}/analysis?game=gomoku&option-size=9&moves=c3+d4+e5&at=1"
    page.goto(link)
    place(page, "f6")
    page.fill("#comment", "a side line")
    page.press("#comment", "Tab")
    expect(page.locator(".variation")).to_have_text("2 f6 … ")
    page.click("#copy")
    expect(page.get_by_text("The link has the shown line only")).to_contain_text("Save SGF writes them to a file.")
    later = page.context.new_page()  # another tab, as after the first one was closed
    page.close()
    later.goto(f"{served.address}/analysis")
    expect(later.locator(".variation")).to_have_text("2 f6 … ")
    expect(later.locator("#comment")).to_have_value("a side line")
    later.goto(link)
    expect(later.locator(".variation")).to_have_text("2 f6 … ")


def test_a_click_on_a_later_move_of_a_line_plays_all_moves_up_to_it(served: ServerProcess, page: Page) -> None:
    page.goto(f"{served.address}/analysis?game=gomoku&option-size=7&moves=c3+a1+d3")
    page.click("#engine")
    page.wait_for_function(  # a search draws the lines again and again
        """() => {
            const second = document.querySelector("#candidates li:first-child [data-up-to='2']");
            second?.click();
            return second !== null;
        }"""
    )
    expect(page.locator("#tree a")).to_have_count(5)


def test_a_finger_confirms_a_move_on_a_small_point(served: ServerProcess, new_page: NewPage) -> None:
    page = new_page(360, 740, has_touch=True)
    page.goto(f"{served.address}/analysis?game=gomoku&moves=h8")
    expect(page.locator(MOVES)).to_have_count(1)
    point = page.locator('[data-point="g9"]')
    point.tap()
    expect(page.locator("#confirm-yes")).to_have_text("Play g9")
    expect(point.locator(".stone.white.ghost")).to_have_count(1)
    page.tap("#confirm-no")
    expect(page.locator(".ghost")).to_have_count(0)
    point.tap()
    expect(page.locator(MOVES)).to_have_count(1)
    page.tap("#confirm-yes")  # no bar covers it
    expect(page.locator(MOVES)).to_have_count(2)


def test_edges_are_set_up_by_clicks_and_saved_in_a_file(served: ServerProcess, page: Page, tmp_path: Path) -> None:
    page.goto(f"{served.address}/analysis?game=dots_and_boxes&option-rows=2&option-cols=2&moves=h0+v0")
    page.click("#setup summary")
    expect(page.locator("#setup-edges")).to_have_value("h0 v0")
    for edge in ("v1", "h2", "v0"):  # two are drawn, and one is erased
        page.click(f'[data-edge="{edge}"]')
    expect(page.locator("#setup-edges")).to_have_value("h0 v1 h2")
    expect(page.locator(".edge .drawn")).to_have_count(3)
    page.click("#setup .go")
    page.wait_for_url("**setup=3*")
    expect(page.locator('[data-testid="status"]')).to_contain_text("Move 1: orange is to move.")
    page.click('[data-edge="v0"]')
    expect(page.locator(".box")).to_have_count(1)
    with page.expect_download() as download:
        page.click("#save")
    path = tmp_path / "boxes.json"
    download.value.save_as(path)
    page.goto(f"{served.address}/analysis?game=go")
    page.set_input_files("#open", path)
    expect(page.locator("#said")).to_contain_text("The file has 1 move. It begins with edges on the board.")
    expect(page.locator(".box")).to_have_count(1)
