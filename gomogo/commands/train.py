"""The command `gomogo train`: train agents that learn, draw their curves, and export their networks.

Handles options and prints progress; the package `training`, which needs the extra `train`, does the learning.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from filelock import FileLock, Timeout

from gomogo.command_group import CommandGroup
from gomogo.options import game_name_option, game_of
from gomogo_core.errors import UserError
from gomogo_core.folders import data_folder

if TYPE_CHECKING:
    from training import imitation
    from training.learning import Learner

# default sizes of the games except Gomoku, whose rules have a default size
_SIZES = {"go": 7, "capture_go": 7, "robogo": 7, "dots_and_boxes": 5}
_ENGINES = {"gomoku": "gomoku", "dots_and_boxes": "boxes"}  # engine modules of games that do not use `go`
_SELF_PLAY_STEPS, _SELF_PLAY_RATE = 2000, 0.0005  # number of steps and learning rate of self-play in gomoku
_GAMES_PER_MESSAGE = 100  # the command reports its progress after this many games of the champion
_folder = click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for the training's checkpoint and statistics. Default: training/AGENT in the data folder.",
)
_seed = click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed of a new training. Default: 0.")
_device = click.option(
    "--device",
    default="auto",
    type=click.Choice(["auto", "cpu", "cuda"]),
    help="Device for the network. Default: a GPU if there is one.",
)
_threads = click.option(
    "--threads", type=click.IntRange(min=1), default=2, show_default=True, help="Number of threads of PyTorch."
)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per round.")


@click.group(cls=CommandGroup, short_help="Train agents that learn, draw their curves, and export their networks.")
def command() -> None:
    """Train agents that learn. Needs the extra `train`."""


@command.command("mm_ai")
@click.option("--against", type=click.Choice(["greedy"]), help="Opponent in the games of --games. Default: greedy.")
@click.option("--games", type=click.IntRange(min=1), metavar="N", help="Total number of games against the opponent.")
@click.option(
    "--self-play", type=click.IntRange(min=1), metavar="N", help="Total number of games of mm_ai against itself."
)
@click.option(
    "--from",
    "exported",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.onnx",
    help="Exported network to start a new training with. Default: random weights.",
)
@_folder
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Settings of a new training. Default: training/mm_ai.toml.",
)
@_seed
@_device
@_threads
@_as_json
def mm_ai(
    against: str | None,
    games: int | None,
    self_play: int | None,
    exported: Path | None,
    folder: Path | None,
    settings_file: Path | None,
    seed: int | None,
    device: str,
    threads: int,
    as_json: bool,
) -> None:
    """Train mm_ai with games against greedy, then with games of mm_ai against itself.

    The same command continues an interrupted training after its last round. N is the total number of games: to continue
    a finished training, use a larger N. --from is used only if no round has been played yet.
    """
    if against is not None and games is None:
        raise UserError("--against needs --games.", f"Add a number: --against {against} --games 3000.")
    if games is None and self_play is None:
        raise UserError("The number of games is missing.", "Add --against greedy --games 3000, or --self-play 1000.")
    _require_packages("torch", "numba", *(("onnx", "onnxruntime") if exported else ()))
    import torch

    from training import checkpoint

    folder_path = _training_folder(folder, "mm_ai")
    torch.set_num_threads(threads)
    with _lock_training(folder_path):
        learner = _load_learner(folder_path, settings_file, seed, _choose_device(device))
        if exported is not None and learner.rounds == 0:
            from training.export import load_exported

            load_exported(exported, learner.network)
        rows = checkpoint.statistics_up_to(folder_path, learner.rounds)
        for opponent, wanted in ((against or "greedy", games), ("self", self_play)):
            done = sum(row["games"] for row in rows if row["opponent"] == opponent)
            began, at_first = time.monotonic(), done
            while wanted is not None and done < wanted:
                row = learner.play_round(opponent, min(learner.settings.learning.round, wanted - done))
                checkpoint.append_statistics(folder_path, row)
                checkpoint.save(folder_path, learner)
                done += row.games
                if as_json:
                    click.echo(json.dumps({"schema": 1, **checkpoint.row_as_json(row)}))
                left = (time.monotonic() - began) / (done - at_first) * (wanted - done)
                click.echo(_progress_line(checkpoint.row_as_json(row), done, wanted, left), err=True)
    click.echo(f"Learnt from {learner.games} games: {folder_path}", err=True)


@command.command("neural")
@game_name_option(f"The game that neural learns: gomoku, {', '.join(_SIZES)}.")
@click.option(
    "--size",
    type=click.IntRange(2, 19),
    metavar="N",
    help="Points along each side (default: 7), or boxes in dots_and_boxes (2 to 6; default: 5). Not for gomoku.",
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    metavar="N",
    help="Games that the strongest engine plays against itself. Default: 3300 in gomoku, 1500 in other games.",
)
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Nodes or playouts per search while new games are played. Default: 2500 in gomoku, 1000 in other games.",
)
@click.option(
    "--self-play",
    type=click.IntRange(min=1),
    metavar="N",
    help="Games of the network against itself before each later round. Default: 128; in gomoku, none.",
)
@click.option("--steps", type=click.IntRange(min=1), metavar="N", help="Steps of a new training. Default: 4000.")
@click.option(
    "--self-play-steps",
    type=click.IntRange(min=1),
    metavar="N",
    help="In gomoku, further steps on the games of --self-play, after those of --steps. Default: 2000.",
)
@click.option(
    "--selection",
    type=click.Choice(["puct", "gumbel"]),
    help="Method to choose the moves to visit in the network's games against itself. Default: puct.",
)
@_folder
@_seed
@_device
@_threads
@_as_json
def neural(
    game_name: str,
    size: int | None,
    games: int | None,
    nodes: int | None,
    self_play: int | None,
    steps: int | None,
    self_play_steps: int | None,
    selection: str | None,
    folder: Path | None,
    seed: int | None,
    device: str,
    threads: int,
    as_json: bool,
) -> None:
    """Train neural on games of the strongest engine, then on its own games; in gomoku, only with --self-play.

    The engine plays its games first. After an interruption, the same command continues these games, then the training.
    In gomoku, neural plays against itself only after all steps of the first training (--steps); these games are stored
    in the folder self_play inside --folder.
    """
    if game_name == "gomoku" and size:
        raise UserError("--size cannot be used for gomoku.", "Leave it out, or name another --game.")
    if self_play_steps and (game_name != "gomoku" or not self_play):
        raise UserError("--self-play-steps is for gomoku with --self-play.", "Use --steps, or add --self-play.")
    if selection and game_name == "gomoku" and not self_play:
        raise UserError("--selection needs --self-play.", "Add the number of games: --self-play 128.")
    if game_name not in ("gomoku", *_SIZES):
        game_of(game_name, ())  # raises UserError for an unknown game
        raise UserError(f"neural cannot learn {game_name}.", f"Choose one of: gomoku, {', '.join(_SIZES)}.")
    if size is not None and not (2 <= size <= 6 if game_name == "dots_and_boxes" else size >= 5):
        raise UserError(
            f"neural cannot learn {game_name} with --size {size}.",
            "Use 2 to 6 for dots_and_boxes, 5 to 19 for another game.",
        )
    _require_packages("torch", "numba", "onnx")
    import torch

    torch.set_num_threads(threads)
    folder_path = _training_folder(
        folder, "neural" if game_name == "gomoku" else f"neural-{game_name}-{size or _SIZES[game_name]}"
    )
    with _lock_training(folder_path):
        used = _choose_device(device)
        chosen: dict[str, Any] = {"games": self_play, "selection": selection}
        if game_name == "gomoku":
            rounds = _learn_gomoku(folder_path, games or 3300, nodes or 2500, steps, seed, used)
            if self_play:
                chosen |= {"steps": self_play_steps}
                rounds = chain(rounds, _learn_gomoku_by_self_play(folder_path, chosen, used))
        else:
            chosen |= {"size": size, "engine_games": games, "playouts": nodes, "steps": steps}
            rounds = _learn_by_self_play(folder_path, game_name, chosen, {"size": _SIZES[game_name]}, seed, used)
        for wanted, row in rounds:
            if as_json:
                click.echo(json.dumps({"schema": 1, **row._asdict()}))
            click.echo(
                f"{row.steps}/{wanted} steps; losses {row.policy_loss:.3f} and {row.value_loss:.3f}; "
                f"held-out games {row.held_out_policy_loss:.3f} and {row.held_out_value_loss:.3f}, "
                f"{row.held_out_moves:.0%} of the moves",
                err=True,
            )
    click.echo(f"The training is complete: {folder_path}", err=True)


def _learn_gomoku(
    folder_path: Path, games: int, nodes: int, steps: int | None, seed: int | None, device: str
) -> Iterator[tuple[int, imitation.Round]]:
    """Let the champion play the missing games, then learn. Yields the total number of steps and each round."""
    from gomogo_core.engines import compiling
    from gomogo_core.games.gomoku import Gomoku
    from training import champion_games, imitation

    learner = imitation.load_learner(folder_path, imitation.Imitation, device)
    if learner is None:
        settings = imitation.ImitationSettings(steps=steps) if steps else imitation.ImitationSettings()
        learner = imitation.Imitation(settings, seed or 0, device)
    _check_same("seed", seed, learner.seed, folder_path)
    _check_same("steps", steps, learner.settings.steps, folder_path)
    path = folder_path / champion_games.GAMES
    known = len(champion_games.read_lines(path))
    if known < games:
        module = compiling.load("gomogo_core.engines.gomoku")
        made = champion_games.own_games(module, Gomoku(), learner.seed, nodes, known)
        while known < games:
            known = min(games, known + _GAMES_PER_MESSAGE)
            champion_games.append_up_to(path, known, made)
            click.echo(f"{known}/{games} games of the champion", err=True)
    positions = imitation.positions_of(champion_games.read_lines(path)[:games])
    while learner.steps < learner.settings.steps:
        row = learner.learn(positions, min(imitation.ROUND, learner.settings.steps - learner.steps))
        imitation.save(folder_path, learner, row)
        yield learner.settings.steps, row


def _learn_gomoku_by_self_play(
    folder_path: Path, chosen: Mapping[str, Any], device: str
) -> Iterator[tuple[int, imitation.Round]]:
    """Continue the finished training of a folder with games against itself, mixed with the champion's last games."""
    from gomogo_core.games.gomoku import Gomoku
    from training import champion_games, imitation, self_play

    teacher = imitation.load_learner(folder_path, imitation.Imitation, device)
    assert teacher is not None
    inner, champions = folder_path / "self_play", champion_games.read_lines(folder_path / champion_games.GAMES)
    window = self_play.SelfPlaySettings(game="gomoku").window
    champions = champions[-window:]
    inner.mkdir(exist_ok=True)
    records = self_play.records_of_champion(champions, Gomoku())
    champion_games.append_up_to(inner / self_play.GAMES, len(champions), records)
    defaults = {"steps": _SELF_PLAY_STEPS, "rate": _SELF_PLAY_RATE, "size": Gomoku().size}
    defaults |= {"engine_games": len(champions), "engine_rounds": 0}
    yield from _learn_by_self_play(inner, "gomoku", chosen, defaults, teacher.seed, device, teacher)


def _learn_by_self_play(
    folder_path: Path,
    name: str,
    chosen: Mapping[str, Any],
    defaults: Mapping[str, Any],
    seed: int | None,
    device: str,
    teacher: imitation.Imitation | None = None,
) -> Iterator[tuple[int, imitation.Round]]:
    """Play the missing games of each round, then learn.

    Yields the total number of steps and each round. chosen: settings of a new training, None for those of `defaults`,
    or else of `SelfPlaySettings`; a continued training must have the same settings. teacher: the learner whose network
    a new training begins with.
    """
    from gomogo_core.engines import compiling
    from gomogo_core.search.planes import network_view_of
    from training import imitation, self_play
    from training.champion_games import append_up_to, read_lines
    from training.policy_value import PolicyValueSettings

    learner = imitation.load_learner(folder_path, self_play.SelfPlay, device)
    if learner is None:
        given = {**defaults, **{key: value for key, value in chosen.items() if value is not None}}
        view = network_view_of(name)
        network = PolicyValueSettings(planes=view.planes, has_pass=view.has_pass, auxiliary=True)
        if teacher is not None:
            network = teacher.settings.network
        learner = self_play.SelfPlay(self_play.SelfPlaySettings(game=name, network=network, **given), seed or 0, device)
        if teacher is not None:
            learner.network.load_state_dict(teacher.network.state_dict())
    settings = learner.settings
    if settings.game != name:
        raise UserError(f"The training in {folder_path} is of {settings.game}.", f"Name another --folder for {name}.")
    _check_same("seed", seed, learner.seed, folder_path)
    names = {"engine_games": "games", "playouts": "nodes", "games": "self-play"}
    names |= {"steps": "self-play-steps"} if teacher else {}
    for field, value in chosen.items():
        _check_same(names.get(field, field), value, getattr(settings, field), folder_path)
    sizes = ("rows", "cols") if name == "dots_and_boxes" else ("size",)
    game: Any = game_of(name, [f"{option}={settings.size}" for option in sizes])
    engine = f"gomogo_core.engines.{_ENGINES.get(name, 'go')}"
    path = folder_path / self_play.GAMES
    while learner.steps < settings.steps:
        count = len(read_lines(path))
        made = self_play.missing_games(learner, game, lambda: compiling.load(engine), count)
        append_up_to(path, learner.games_wanted, made)
        records = read_lines(path)[: learner.games_wanted]
        first = max(0, len(records) - settings.window)
        known_games = self_play.examples_of(records[first:], game, first)
        row = learner.learn(known_games, min(imitation.ROUND, settings.steps - learner.steps))
        imitation.save(folder_path, learner, row)
        yield settings.steps, row


@command.command()
@click.argument("folders", nargs=-1, type=click.Path(file_okay=False, path_type=Path), metavar="[DIR]...")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default="training.svg",
    show_default=True,
    metavar="FILE",
    help="The picture: .svg, .png or .pdf.",
)
def plot(folders: tuple[Path, ...], output: Path) -> None:
    """Draw the curves of trainings: results, missed fives, accuracy and losses.

    Several folders are compared in one picture. Needs the extra `report` (matplotlib), not `train`.
    """
    if output.suffix not in (".svg", ".png", ".pdf"):
        raise UserError(f"{output} is not a picture format.", "Choose a name that ends in .svg, .png or .pdf.")
    if find_spec("matplotlib") is None:
        raise UserError("Drawing needs matplotlib, which is not installed.", "Run: pip install 'gomogo[report]'")
    from training.plot import draw
    from training.statistics import read

    draw({str(folder_path): read(folder_path) for folder_path in folders or (_training_folder(None, "mm_ai"),)}, output)
    click.echo(output)


@command.command()
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.onnx")
@_folder
def export(output: Path, folder: Path | None) -> None:
    """Write the trained network to FILE.onnx. Its agent reads it: mm_ai?network=FILE.onnx.

    --folder names the training, of mm_ai or of neural. Default: the training of mm_ai. The file also contains the
    number of games, the seed and the settings of the training. The outputs of the exported network are compared with
    those of the trained one on 1,000 boards.
    """
    _require_packages("torch", "numba", "onnx", "onnxruntime")
    from training import champion_games, checkpoint, imitation, self_play
    from training.export import export as write
    from training.export import export_policy_value

    folder_path = _training_folder(folder, "mm_ai")
    learner: imitation.Imitation | None = None
    path = folder_path / self_play.GAMES
    if path.exists():
        learner = imitation.load_learner(folder_path, self_play.SelfPlay)
    elif (folder_path / imitation.STATISTICS).exists():
        learner, path = imitation.load_learner(folder_path, imitation.Imitation), folder_path / champion_games.GAMES
    if learner is not None:
        difference = export_policy_value(learner, path.read_bytes(), output)
    else:
        difference = write(checkpoint.load(folder_path), output)
    click.echo(output)
    click.echo(f"{output.stat().st_size:,} bytes; largest difference between outputs: {difference:.1e}", err=True)


@command.command()
@click.option(
    "--training",
    "of_training",
    is_flag=True,
    help="Tune the settings of network, optimiser and learning, not the table. Each candidate is trained briefly.",
)
@click.option(
    "--generations",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of generations.",
)
@click.option(
    "--tables",
    type=click.IntRange(min=4),
    default=24,
    show_default=True,
    metavar="N",
    help="Number of candidates in each generation.",
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    metavar="N",
    help="Number of games of each table in each seat, or of each training.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Seed of the search."
)
@_threads
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Settings from which the search starts. Default: training/mm_ai.toml.",
)
def tune(
    of_training: bool,
    generations: int,
    tables: int,
    games: int,
    seed: int,
    threads: int,
    settings_file: Path | None,
) -> None:
    """Search for better settings of mm_ai with a genetic algorithm: a table of move scores or, with --training, others.

    Each table plays against greedy without a network. Trainings are compared by the rewards of their moves and the
    games that they win in the second half of their games. Prints the best candidate as TOML, and the progress on
    stderr.
    """
    _require_packages(*(("torch", "numba") if of_training else ("numba",)))
    from training import load_boards, settings

    load_boards()
    from training.tuner import Generation, as_toml, tune, tune_training

    found: Generation[Any] | None = None
    start = settings.read(settings_file or settings.HERE / "mm_ai.toml")
    search: Iterator[Generation[Any]]
    if of_training:
        import torch

        torch.set_num_threads(threads)
        search, words = tune_training(start, generations, tables, games, seed), "{:.1%} of the best reward, {:.1%} won"
    else:
        search = tune(start.scores, generations, tables, games, seed)
        words = "{:.1%} as first, {:.1%} as second player"
    try:
        for found in search:
            click.echo(f"generation {found.number}: {words.format(found.first, found.second)}", err=True)
    finally:  # print the best candidate after an interrupt, too
        if found is not None:
            click.echo(as_toml(found.settings), nl=False)


def _training_folder(folder: Path | None, agent: str) -> Path:
    return folder or data_folder() / "training" / agent


@contextmanager
def _lock_training(folder_path: Path) -> Iterator[None]:
    """Create the folder of a training, and lock it during the context. Raises UserError if another process trains
    there.
    """
    from training.statistics import LOCK

    lock = FileLock(folder_path / LOCK, blocking=False)
    try:
        folder_path.mkdir(parents=True, exist_ok=True)
        lock.acquire()  # the system releases it when the process ends
    except Timeout:
        raise UserError(
            f"Another process trains in {folder_path}.", "Wait until it ends, or name another --folder."
        ) from None
    except OSError as fault:
        raise UserError(
            f"Nothing can be written to {folder_path}: {fault.strerror}.", "Name another --folder."
        ) from None
    try:
        yield
    finally:
        lock.release()


def _check_same(option: str, requested: object, stored: object, folder_path: Path) -> None:
    """Raise UserError if an option differs from the stored training that it would continue."""
    if requested not in (None, stored):
        raise UserError(
            f"The training in {folder_path} has {option} {stored}.", f"Leave out --{option}, or name another --folder."
        )


def _require_packages(*packages: str) -> None:
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise UserError(f"Training needs {missing[0]}, which is not installed.", "Run: pip install 'gomogo[train]'")


def _choose_device(requested: str) -> str:
    import torch

    has_gpu = torch.cuda.is_available()
    if requested == "cuda" and not has_gpu:
        raise UserError("PyTorch finds no GPU here.", "Use --device cpu.")
    return "cuda" if has_gpu and requested != "cpu" else "cpu"


def _load_learner(folder_path: Path, settings_file: Path | None, seed: int | None, device: str) -> Learner:
    """Return the learner of the checkpoint, or a new one. Raises UserError if the options differ from the
    checkpoint.
    """
    from training import load_boards, settings

    load_boards()
    from training import checkpoint
    from training.learning import Learner

    if not checkpoint.has_checkpoint(folder_path):
        folder_path.mkdir(parents=True, exist_ok=True)
        return Learner(settings.read(settings_file or settings.HERE / "mm_ai.toml"), seed or 0, device)
    learner = checkpoint.load(folder_path, device)
    _check_same("seed", seed, learner.seed, folder_path)
    if settings_file is not None and settings.read(settings_file) != learner.settings:
        raise UserError(
            f"The training in {folder_path} has other settings than {settings_file}.",
            "Leave out --settings, or name another --folder.",
        )
    return learner


def _progress_line(row: Mapping[str, Any], completed: int, total: int, seconds_left: float) -> str:
    second = row["games"] - row["first_games"]
    won = f"{row['first_wins'] / max(row['first_games'], 1):4.0%} as first"
    if second:
        won += f", {(row['wins'] - row['first_wins']) / second:4.0%} as second"
    return (
        f"{row['opponent']}: {completed}/{total} games, won {won}; losses {row['short_loss']:.5f} and "
        f"{row['long_loss']:.3f}; missed {row['missed_wins']}+{row['missed_blocks']} fives; "
        f"{seconds_left / 60:.0f} min left"
    )
