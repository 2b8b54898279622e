"""The command `gomogo train neural`: train neural on games of the strongest engine, then on its own games.

The package `training` does the learning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomogo.commands.train.common import (
    check_same_value,
    choose_device,
    lock_training,
    require_packages,
    training_folder,
    training_options,
)
from gomogo.options import POSITIVE, game_name_option, load_game
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from training import imitation

# default sizes of the games except Gomoku, whose rules have a default size
_DEFAULT_SIZES = {"go": 7, "capture_go": 7, "robogo": 7, "dots_and_boxes": 5}
_ENGINE_MODULES = {"gomoku": "gomoku", "dots_and_boxes": "boxes"}  # for all other games, the engine module is `go`
_SELF_PLAY_STEPS, _SELF_PLAY_RATE = 2000, 0.0005  # the number of steps and the learning rate of self-play in gomoku
_GAMES_PER_MESSAGE = 100  # the command reports its progress after this many games of the champion


@click.command("neural")
@game_name_option(f"The game that neural learns: gomoku, {', '.join(_DEFAULT_SIZES)}.")
@click.option(
    "--size",
    type=click.IntRange(2, 19),
    metavar="N",
    help="Points along each side (default: 7), or boxes in dots_and_boxes (2 to 6; default: 5). Not for gomoku.",
)
@click.option(
    "--games",
    type=POSITIVE,
    metavar="N",
    help="Games that the strongest engine plays against itself. Default: 3300 in gomoku, 1500 in other games.",
)
@click.option(
    "--nodes",
    type=POSITIVE,
    metavar="N",
    help="Nodes or playouts per search while new games are played. Default: 2500 in gomoku, 1000 in other games.",
)
@click.option(
    "--self-play",
    type=POSITIVE,
    metavar="N",
    help="Games of the network against itself before each later round. Default: 128; in gomoku, none.",
)
@click.option("--steps", type=POSITIVE, metavar="N", help="Steps of a new training. Default: 4000.")
@click.option(
    "--self-play-steps",
    type=POSITIVE,
    metavar="N",
    help="In gomoku, further steps on the games of --self-play, after those of --steps. Default: 2000.",
)
@click.option(
    "--selection",
    type=click.Choice(["puct", "gumbel"]),
    help="Method that selects the moves in the network's games against itself. Default: puct.",
)
@training_options
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
    """Train neural on games of the strongest engine, then (in gomoku only with --self-play) on its own games.

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
    if game_name not in ("gomoku", *_DEFAULT_SIZES):
        load_game(game_name, ())  # raises UserError for an unknown game
        raise UserError(f"neural cannot learn {game_name}.", f"Choose one of: gomoku, {', '.join(_DEFAULT_SIZES)}.")
    if size is not None and not (2 <= size <= 6 if game_name == "dots_and_boxes" else size >= 5):
        raise UserError(
            f"neural cannot learn {game_name} with --size {size}.",
            "Use 2 to 6 for dots_and_boxes, 5 to 19 for another game.",
        )
    require_packages("torch", "numba", "onnx")
    folder_path = training_folder(
        folder, "neural" if game_name == "gomoku" else f"neural-{game_name}-{size or _DEFAULT_SIZES[game_name]}"
    )
    with lock_training(folder_path):
        chosen_device = choose_device(device, threads)
        user_settings: dict[str, Any] = {"games": self_play, "selection": selection}
        if game_name == "gomoku":
            rounds = _learn_gomoku(folder_path, games or 3300, nodes or 2500, steps, seed, chosen_device)
            if self_play:
                user_settings |= {"steps": self_play_steps}
                rounds = chain(rounds, _learn_gomoku_by_self_play(folder_path, user_settings, chosen_device))
        else:
            user_settings |= {"size": size, "engine_games": games, "playouts": nodes, "steps": steps}
            rounds = _learn_by_self_play(
                folder_path, game_name, user_settings, {"size": _DEFAULT_SIZES[game_name]}, seed, chosen_device
            )
        for total_steps, row in rounds:
            if as_json:
                click.echo(json.dumps({"schema": 1, **row._asdict()}))
            click.echo(
                f"{row.steps}/{total_steps} steps; losses {row.policy_loss:.3f} and {row.value_loss:.3f}; "
                f"held-out games {row.held_out_policy_loss:.3f} and {row.held_out_value_loss:.3f}, "
                f"{row.held_out_moves:.0%} of the moves",
                err=True,
            )
    click.echo(f"The training is complete: {folder_path}", err=True)


def _learn_gomoku(
    folder_path: Path, games: int, nodes: int, steps: int | None, seed: int | None, device: str
) -> Iterator[tuple[int, imitation.RoundLosses]]:
    """Let the champion play the missing games, then learn. Yields the total number of steps, with each round."""
    from gomogo_core.engines import compiling
    from gomogo_core.games.gomoku import Gomoku
    from training import champion_games, imitation

    learner = imitation.load_learner(folder_path, imitation.Imitation, device)
    if learner is None:
        settings = imitation.ImitationSettings(steps=steps) if steps else imitation.ImitationSettings()
        learner = imitation.Imitation(settings, seed or 0, device)
    check_same_value("seed", seed, learner.seed, folder_path)
    check_same_value("steps", steps, learner.settings.steps, folder_path)
    path = folder_path / champion_games.GAMES_FILE
    stored_games = len(champion_games.read_lines(path))
    if stored_games < games:
        module = compiling.load("gomogo_core.engines.gomoku")
        new_games = champion_games.self_play_games(module, Gomoku(), learner.seed, nodes, stored_games)
        while stored_games < games:
            stored_games = min(games, stored_games + _GAMES_PER_MESSAGE)
            champion_games.append_until(path, stored_games, new_games)
            click.echo(f"{stored_games}/{games} games of the champion", err=True)
    positions = imitation.imitation_examples(champion_games.read_lines(path)[:games])
    while learner.steps < learner.settings.steps:
        row = learner.learn(positions, min(imitation.STEPS_PER_ROUND, learner.settings.steps - learner.steps))
        imitation.save(folder_path, learner, row)
        yield learner.settings.steps, row


def _learn_gomoku_by_self_play(
    folder_path: Path, user_settings: Mapping[str, Any], device: str
) -> Iterator[tuple[int, imitation.RoundLosses]]:
    """Continue the finished training of a folder with games against itself, mixed with the champion's last games."""
    from gomogo_core.games.gomoku import Gomoku
    from training import champion_games, imitation, self_play

    teacher = imitation.load_learner(folder_path, imitation.Imitation, device)
    assert teacher is not None
    self_play_folder, champion_lines = (
        folder_path / "self_play",
        champion_games.read_lines(folder_path / champion_games.GAMES_FILE),
    )
    window = self_play.SelfPlaySettings(game="gomoku").window
    champion_lines = champion_lines[-window:]
    self_play_folder.mkdir(exist_ok=True)
    records = self_play.records_of_champion(champion_lines, Gomoku())
    champion_games.append_until(self_play_folder / self_play.GAMES_FILE, len(champion_lines), records)
    defaults = {"steps": _SELF_PLAY_STEPS, "rate": _SELF_PLAY_RATE, "size": Gomoku().size}
    defaults |= {"engine_games": len(champion_lines), "engine_rounds": 0}
    yield from _learn_by_self_play(self_play_folder, "gomoku", user_settings, defaults, teacher.seed, device, teacher)


def _learn_by_self_play(
    folder_path: Path,
    name: str,
    user_settings: Mapping[str, Any],
    defaults: Mapping[str, Any],
    seed: int | None,
    device: str,
    teacher: imitation.Imitation | None = None,
) -> Iterator[tuple[int, imitation.RoundLosses]]:
    """Play the missing games of each round, then learn.

    Yields the total number of steps, with each round. user_settings: the user's settings; a setting that is None has
    its value in `defaults`, or else in `SelfPlaySettings`. A continued training must have the same settings. teacher:
    the learner with whose network a new training begins; None for a new network.
    """
    from gomogo_core.engines import compiling
    from gomogo_core.search.planes import network_encoding_of
    from training import imitation, self_play
    from training.champion_games import append_until, read_lines
    from training.policy_value import PolicyValueSettings

    learner = imitation.load_learner(folder_path, self_play.SelfPlay, device)
    if learner is None:
        chosen_settings = {**defaults, **{key: value for key, value in user_settings.items() if value is not None}}
        view = network_encoding_of(name)
        network = PolicyValueSettings(planes=view.planes, has_pass=view.has_pass, auxiliary=True)
        if teacher is not None:
            network = teacher.settings.network
        learner = self_play.SelfPlay(
            self_play.SelfPlaySettings(game=name, network=network, **chosen_settings), seed or 0, device
        )
        if teacher is not None:
            learner.network.load_state_dict(teacher.network.state_dict())
    settings = learner.settings
    if settings.game != name:
        raise UserError(f"The training in {folder_path} is of {settings.game}.", f"Name another --folder for {name}.")
    check_same_value("seed", seed, learner.seed, folder_path)
    option_names = {"engine_games": "games", "playouts": "nodes", "games": "self-play"}
    option_names |= {"steps": "self-play-steps"} if teacher else {}
    for field, value in user_settings.items():
        check_same_value(option_names.get(field, field), value, getattr(settings, field), folder_path)
    sizes = ("rows", "cols") if name == "dots_and_boxes" else ("size",)
    game: Any = load_game(name, [f"{option}={settings.size}" for option in sizes])
    engine_module = f"gomogo_core.engines.{_ENGINE_MODULES.get(name, 'go')}"
    path = folder_path / self_play.GAMES_FILE
    while learner.steps < settings.steps:
        stored_games = len(read_lines(path))
        new_games = self_play.missing_games(learner, game, lambda: compiling.load(engine_module), stored_games)
        append_until(path, learner.required_games, new_games)
        records = read_lines(path)[: learner.required_games]
        first_record = max(0, len(records) - settings.window)
        examples = self_play.self_play_examples(records[first_record:], game, first_record)
        row = learner.learn(examples, min(imitation.STEPS_PER_ROUND, settings.steps - learner.steps))
        imitation.save(folder_path, learner, row)
        yield settings.steps, row
