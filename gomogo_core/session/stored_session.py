"""The stored form of a session, and the record of its game.

A session that was stored and read again continues where it stopped. The module uses sessions and records, but no
store.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from gomogo_core import games
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.records.game_record import DepartedPlayer, PlayedGame, empty_if_all_none
from gomogo_core.session.actions import Action, SeatInfo, agent_time_control
from gomogo_core.session.game_session import GameSession

SCHEMA = 1  # the version of the stored form


def session_record(session: GameSession, played_game: PlayedGame) -> PlayedGame:
    """Return the record of the whole game. played_game: the record of its last part, since the referee last began."""
    plies = session.referee_plies()
    actions = session.actions[session.opening_length : len(plies)]
    return replace(
        played_game,
        key=session.key,
        names=session.names,
        specs=tuple(seat_info.spec for seat_info in session.seat_infos),
        plies=plies,
        opening_length=session.opening_length,
        controls=tuple(
            session.human_time_control if session.has_clocks and info.is_human else control
            for info, control in zip(session.seat_infos, played_game.controls, strict=True)
        ),
        seconds=tuple(action.seconds_taken for action in actions),
        clocks=tuple(action.clock for action in actions),
        thoughts=tuple(action.thoughts for action in actions),
        scores=empty_if_all_none([action.score for action in actions]),
        lines=empty_if_all_none([action.line for action in actions]),
        values=empty_if_all_none([action.move_values for action in actions]),
        warnings=(*session.warnings, *(action for action in played_game.warnings if action not in session.warnings)),
        departed=tuple(session.departed[:-1] if session.was_resigned else session.departed),
        started=session.started,
        duration=max(0.0, time.time() - session.started),
    )


def adjudicated_record(session: GameSession, outcome: Outcome) -> PlayedGame:
    """Return the record of a game whose outcome somebody decided, so that it does not follow from the moves."""
    record_without_moves = PlayedGame(
        game=session.game.name,
        options=dict(session.game.options),
        specs=(),
        names=(),
        controls=tuple(seat_info.control for seat_info in session.seat_infos),
        plies=(),
        opening_length=0,
        seconds=(),
        clocks=(),
        thoughts=(),
        warnings=(),
        outcome=outcome,
        started=session.started,
        duration=0.0,
    )
    return session_record(session, record_without_moves)


def session_json(session: GameSession) -> dict[str, Any]:
    """Return a session as plain values for JSON, under their stored names; `session_from_json` reads them."""
    return {
        "schema": SCHEMA,
        "game": session.game.name,
        "options": session.game.options,
        "chairs": [_rename_key(asdict(info), "visitor", "sitter") for info in session.seat_infos],
        "key": session.key,
        "started": session.started,
        "made": session.actions,
        "undone": session.warnings,
        "left": [(seat, reason.value, detail) for seat, reason, detail in session.departed],
        "outcome": session.outcome and {**session.outcome._asdict(), "reason": session.outcome.reason.value},
        "note": session.note,
        "version": session.version,
        "stored": session.is_stored,
        "greeting": session.greeting,
        "given_up": sorted(session.deletion_requests),
        "undo_by": session.undo_requested_by,
        "draw_by": sorted(session.draw_offered_by),
        "no_draw_for": session.draw_declined_for,
        "rematch_by": sorted(session.rematch_requested_by),
        "rematch": session.rematch_key,
        "opening": session.opening_length,
        "no_undo": session.why_no_undo,
        "clock": asdict(session.human_time_control),
        "class": session.is_class_game,
        "paused": session.pause_reason,
    }


def session_from_json(json_values: Mapping[str, Any]) -> GameSession:
    """Read a session from the values of `session_json`. Raises ValueError for another schema."""
    if json_values["schema"] != SCHEMA:
        raise ValueError(f"a session of schema {json_values['schema']}; this program reads {SCHEMA}")
    stored_outcome = json_values["outcome"]
    return GameSession(
        games.load(json_values["game"], **json_values["options"]),
        tuple(map(_parse_seat_info, json_values["chairs"])),
        json_values["key"],
        json_values["started"],
        [Action(*values) for values in json_values["made"]],
        [(count, seat, text) for count, seat, text in json_values["undone"]],
        [DepartedPlayer(seat, Reason(reason), text) for seat, reason, text in json_values["left"]],
        stored_outcome
        and Outcome(
            tuple(stored_outcome["ranks"]),
            Reason(stored_outcome["reason"]),
            stored_outcome["detail"],
            stored_outcome["scores"] and tuple(stored_outcome["scores"]),
        ),
        json_values["note"],
        json_values["version"],
        is_stored=json_values["stored"],
        greeting=json_values.get("greeting", ""),
        deletion_requests=set(json_values.get("given_up", ())),
        undo_requested_by=json_values.get("undo_by", ""),
        draw_offered_by=set(json_values.get("draw_by", ())),
        draw_declined_for=json_values.get("no_draw_for", ""),
        rematch_requested_by=set(json_values.get("rematch_by", ())),
        rematch_key=json_values.get("rematch", ""),
        opening_length=json_values.get("opening", 0),
        why_no_undo=json_values.get("no_undo", ""),
        human_time_control=TimeControl(**json_values["clock"]) if "clock" in json_values else NO_LIMIT,
        is_class_game=json_values.get("class", False),
        pause_reason=json_values.get("paused", ""),
    )


def _parse_seat_info(json_values: Mapping[str, Any]) -> SeatInfo:
    """Read a stored seat. Earlier versions of Gomogo stored only the time per move of an agent."""
    fields = _rename_key(json_values, "sitter", "visitor")
    control = TimeControl(**fields.pop("control")) if "control" in fields else agent_time_control(fields.pop("seconds"))
    return SeatInfo(**fields, control=control)


def _rename_key(fields: Mapping[str, Any], old_name: str, new_name: str) -> dict[str, Any]:
    """Rename one key: stored sessions have the older names of some fields."""
    return {new_name if name == old_name else name: value for name, value in fields.items()}
