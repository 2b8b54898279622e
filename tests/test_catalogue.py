"""Specs of agents: built-in names, files, folders, command lines; and every refusal in two lines."""

from __future__ import annotations

import gc
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gomogo_core.catalogue import Agent, agent, agents, check_agents, check_program
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from tests.project._tracked import house_agents

BOT = (
    '"""A bot for tests."""\nGAMES = ("gomoku",)\ndef choose(position, clock, *, depth: int = 2, name="x"):\n    ...\n'
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bot, a program and a folder that is an agent; the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "polls.py").write_text("while True: pass\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "agent.toml").write_text('command = "python {here}/x.py {team}"\n')
    return tmp_path


def toml(place: Path, text: str) -> Agent:
    (place / "folder" / "agent.toml").write_text(text)
    return agent("folder")


def test_every_built_in_agent_is_found_and_describes_itself() -> None:
    assert {"random_mover", "greedy", "minimax", "alpha_beta", "iterative_deepening", "human"} <= set(agents())
    for name in house_agents():
        assert agent(name).summary
        assert agent(name).says_ready


def test_an_agent_file_declares_its_games_and_options(place: Path) -> None:
    bot = agent("bot.py?depth=3&name=y")
    assert (bot.summary, bot.games, bot.name) == ("A bot for tests.", ("gomoku",), "bot-depth-3-name-y")
    assert bot.command_line("A")[-3:] == ["A", "depth=3", "name=y"]
    assert not bot.keeps_running


def test_a_command_line_knows_its_team_and_finds_its_files_from_anywhere(place: Path) -> None:
    program = agent("files:TEAM:python polls.py {team} --fast")
    assert program.command_line("TEAM") == ["python", str(place / "polls.py"), "TEAM", "--fast"]
    assert (program.name, program.says_ready, program.knows_history) == ("TEAM", None, False)


def test_an_agent_folder_substitutes_here_and_team(place: Path) -> None:
    assert agent("folder").command_line("A") == ["python", f"{place}/folder/x.py", "A"]
    assert toml(place, 'name = "My Bot!"\ncommand = ["a", "b c"]\nready = true').name == "My-Bot"


@pytest.mark.parametrize(
    "spec", ["greedy", "bot.py", "folder", "files:TEAM:python polls.py", "json:python polls.py", "gtp:python polls.py"]
)
def test_every_program_accepts_memory_and_cores(place: Path, spec: str) -> None:
    plain, limited = agent(spec), agent(f"{spec}?memory_mb=200&threads=3&ponders=true")
    assert (limited.settings.memory_mb, limited.core_count, limited.ponders) == (200, 3, True)
    assert (plain.settings.memory_mb, plain.core_count, plain.ponders) == (None, 1, False)
    assert limited.command == plain.command  # the program need not know the limit


@pytest.mark.parametrize("spec", ["greedy", "folder", "json:python polls.py"])
def test_every_program_accepts_another_name(place: Path, spec: str) -> None:
    assert agent(f"{spec}?name=old").name == "old"
    assert agent(f"{spec}?memory_mb=9").name.endswith("-memory_mb-9")


@pytest.mark.parametrize("spec", ["bot.py?name=/a/b/round-7.onnx&depth=3", "folder?network=/a/round-7.onnx&depth=3"])
def test_a_file_in_the_settings_is_named_by_its_stem(place: Path, spec: str) -> None:
    toml(place, 'command = "x"\nprotocol = "gomocup"')
    assert agent(spec).name == f"{spec.partition('?')[0].removesuffix('.py')}-round-7-depth-3"


@pytest.mark.parametrize("spec", ["greedy", "folder", "files:TEAM:python polls.py", "gomocup:python polls.py"])
def test_every_program_accepts_its_own_times(place: Path, spec: str) -> None:
    usual = TimeControl(10.0, grace=0.2)
    assert agent(spec).time_control(usual) == usual
    timed = agent(f"{spec}?time=0.5&total=60&increment=1")
    assert timed.time_control(usual) == TimeControl(0.5, 60.0, 1.0, grace=0.2)
    assert agent(f"{spec}?total=60").time_control(usual) == TimeControl(None, 60.0, grace=0.2)
    assert agent(f"{spec}?time=none").time_control(usual) == TimeControl(None, grace=0.2)
    assert timed.settings == agent(spec).settings  # the program receives its time as usual, and nothing else


def test_an_option_of_choose_can_be_called_time(place: Path) -> None:
    (place / "timed.py").write_text("def choose(position, clock, *, time: int = 3): ...")
    own = agent("timed.py?time=5")
    assert (own.command_line("A")[-1], own.own_time_control, own.name) == ("time=5", None, "timed-time-5")


def test_settings_of_a_spec_override_those_of_the_toml(place: Path) -> None:
    toml(place, 'command = "x"\nprotocol = "gomocup"\ndepth = 3\nmemory_mb = 100\n[options]\nstyle = "wild"')
    settings = agent("folder?depth=5&style=calm").settings
    assert (settings.depth, settings.memory_mb, settings.options) == (5, 100, (("style", "calm"),))


def test_a_question_mark_can_belong_to_a_command(place: Path) -> None:
    assert agent("files:TEAM:python polls.py page?x=1").command_line("TEAM")[-1] == "page?x=1"


@pytest.mark.needs("sh")
@pytest.mark.parametrize("command", ["./made --fast", "made --fast"])
def test_a_program_built_later_belongs_to_its_folder(place: Path, command: str) -> None:
    (place / "made").touch()  # a file of that name is in the current folder
    built = toml(place, f'command = "{command}"\nbuild = "cc -o made made.c"')
    assert built.command_line("A") == [str(place / "folder" / "made"), "--fast"]
    assert toml(place, 'command = "sh {here}/x.sh"\nbuild = "true"').command_line("A") == ["sh", f"{place}/folder/x.sh"]


REFUSED = {
    "alpha_bet": "Did you mean alpha_beta?",
    "alpha_beta:depth=2": "Options follow a question mark",
    "alpha_beta,depth=2": "Options follow a question mark",
    "alpha_beta?deph=2": "Did you mean depth?",
    "alpha_beta?depth=two": "depth=two is not a whole number",
    "bot": "write bot.py",
    "polls.py": "files:TEAM:python",
    "no/where.py": "There is no agent at no/where.py",
    "folder?depth=2": "folder?depth=2: depth is only for engines that play over pipes",
    "folder?memory_mb=all": "memory_mb=all is not a whole number",
    "bot.py?classic_pace=maybe": "classic_pace=maybe is neither true nor false",
    "files:A:python?name=B": "the name of a program that plays by files is its team, A.",
    "files:A:python?thread=2": "thread is not a setting of a program that plays by files.",
    "bot.py?ponders=maybe": "ponders=maybe is neither true nor false",
    "greedy?memory=200": "no option 'memory'",
    "human?memory_mb=200": "a human has no limits",
    "greedy?time=soon": "time=soon is not a number of seconds",
    "greedy?time=0": "The time per move must be greater than 0, not 0.0.",
    "greedy?increment=1": "An increment needs a total time",
    "gtp:gnugo?name=a&level": "'name=a&level' is not a list of settings.",
    "gtpx:gnugo": "no protocol called 'gtpx'",
    "files:A": "names no program",
    "files:a/b:x": "cannot be a team's name",
    'files:A:x "y': "Close every quotation mark",
}


@pytest.mark.parametrize(("spec", "words"), REFUSED.items())
def test_a_spec_without_an_agent_is_refused(place: Path, spec: str, words: str) -> None:
    with pytest.raises(UserError) as error_info:
        agent(spec)
    assert words in str(error_info.value)
    assert len(str(error_info.value).splitlines()) == 2


TOMLS = {
    'comand = "x"': "Did you mean command?",
    'name = "x"': "names no command",
    'command = "   "': "names no command",
    'command = ["", "bot"]': "names no command",
    "command = []": "names no command",
    "command = 3": "has the wrong type",
    'command = "x {teem}"': "{teem} has no meaning in a command",
    'command = "x"\ngames = ["gomuko"]': "Did you mean gomoku?",
    'command = "x"\nprotocol = "gtpp"': "no protocol 'gtpp'",
    "command = ": "is not valid TOML",
}


@pytest.mark.parametrize(("text", "words"), TOMLS.items())
def test_an_invalid_agent_toml_is_refused(place: Path, text: str, words: str) -> None:
    with pytest.raises(UserError) as error_info:
        toml(place, text)
    assert words in str(error_info.value)


def test_a_program_that_cannot_be_started_is_refused_before_the_game(place: Path) -> None:
    check_program(agent(f"files:A:{sys.executable} polls.py"))
    with pytest.raises(UserError, match="no such program"):
        check_program(agent("files:A:no-such-program-here"))
    with pytest.raises(UserError, match=r"chmod \+x"):
        check_program(agent("files:A:./polls.py"))


def test_an_agent_that_cannot_play_is_refused() -> None:
    found_agent = agent("random_mover")
    with pytest.raises(UserError, match="for 2 players"):
        check_agents(load("gomoku"), [found_agent])
    other = Agent("x", "x", "", ("x",), Path(), games=("go",))
    with pytest.raises(UserError, match="does not play gomoku"):
        check_agents(load("gomoku"), [found_agent, other])


def test_an_agent_without_its_libraries_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo_core.catalogue._agent.find_spec", lambda library: None)
    with pytest.raises(UserError, match=r"champion needs the extra 'engines', which is not installed") as error_info:
        check_agents(load("gomoku"), [agent("champion"), agent("greedy")])
    assert error_info.value.remedy == "Run: pip install 'gomogo[engines]'"
    with pytest.raises(UserError, match="mm_ai needs the extra 'neural'"):
        check_agents(load("gomoku"), [agent("mm_ai")] * 2)
    check_agents(load("gomoku"), [agent("greedy"), agent("iterative_deepening")])


def test_agents_are_found_by_several_threads_at_once(tmp_path: Path) -> None:
    """Python 3.11 raises SystemError where a thread begins to read a file while another one reads."""
    bots = [tmp_path / f"bot{number}.py" for number in range(40)]
    for bot in bots:
        bot.write_text("def choose(position, clock):\n    return " + "+".join(["(1 + (2 * (3 - 4)))"] * 30) + "\n")
    usual = gc.get_threshold()

    def change_threads(*_: object) -> None:
        time.sleep(0.0002)

    gc.callbacks.append(change_threads)
    gc.set_threshold(50)
    try:
        with ThreadPoolExecutor(4) as threads:
            names_found = list(threads.map(lambda bot: agent(str(bot)).name, bots))
    finally:
        gc.callbacks.remove(change_threads)
        gc.set_threshold(*usual)
    assert names_found == [bot.stem for bot in bots]
