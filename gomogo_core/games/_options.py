"""Options of a game: their declaration, and the parsing of values given as text.

The module depends on no game. It does not use dataclasses, because they import inspect, which adds 20 ms to every
agent's start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

from gomogo_core.errors import UserError, suggest_name

_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class BadOption(UserError):
    """The user gave a game an option that it does not have, or a value that the option does not accept."""


class ReadOnlyOptions(dict[str, Any]):
    """The options of a game. It is a dict, so that JSON can contain it, but it cannot be changed."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the options of a game cannot change: load the game with other options")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[ReadOnlyOptions], tuple[dict[str, Any]]]:
        return type(self), (dict(self),)


class Option(NamedTuple):
    """One option: its default, a description, and its possible values: numbers from `low` to `high`, or `choices`.

    A number must be a multiple of `step`. If the default depends on options that are declared before this one,
    `default_from` computes it from a mapping of their values, and `default_formula` describes the computation. Then
    `default` is the result for the default values of those options.
    """

    name: str
    default: Any
    description: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    step: float | None = None
    default_from: Callable[[Mapping[str, Any]], Any] | None = None
    default_formula: str = ""

    def default_for(self, earlier_options: Mapping[str, Any]) -> Any:
        """Return the default, which may depend on the values of the options declared before this one."""
        return self.default if self.default_from is None else self.default_from(earlier_options)

    def parse(self, game_name: str, value: Any) -> Any:
        """Convert a user's value to the type of the default. Raises BadOption, which names the game."""
        name, default = self.name, self.default

        def refusal(reason: str, remedy: str) -> BadOption:
            return BadOption(f"{name} {value} {reason}", remedy)

        if isinstance(default, bool):
            boolean = _BOOLEANS.get(str(value).casefold())
            if boolean is None:
                raise refusal(
                    f"is neither true nor false: {game_name} needs one of them", f"Give {name}=true or {name}=false."
                )
            return boolean
        if isinstance(default, (int, float)):
            kind = "a whole number" if isinstance(default, int) else "a number"
            try:
                if isinstance(value, bool) or (isinstance(default, int) and isinstance(value, float) and value % 1):
                    raise ValueError
                number = type(default)(value)
                if number != number or number in (float("inf"), float("-inf")):
                    raise ValueError
            except (TypeError, ValueError, OverflowError):
                raise refusal(f"is not {kind}", f"Give {name}=N with N {kind}, for example {name}={default}.") from None
            low, high = self.low, self.high
            range_text = f"{game_name} needs {low} {'or more' if high is None else f'to {high}'}"
            if low is not None and number < low:
                raise refusal(f"is too small: {range_text}", f"Try {name}={low} or more.")
            if high is not None and number > high:
                raise refusal(f"is too large: {range_text}", f"Try {name}={high} or less.")
            if self.step is not None and number % self.step:
                nearest_multiple = round(number / self.step) * self.step
                raise refusal(f"is not a multiple of {self.step:g}", f"Try {name}={nearest_multiple:g}.")
            return number
        word = str(value).casefold()
        if word not in self.choices:
            raise refusal(
                f"is not known: {game_name} accepts {', '.join(self.choices)}", suggest_name(word, self.choices)
            )
        return word


def option(
    default: Any,
    description: str,
    *,
    low: int | None = None,
    high: int | None = None,
    choices: tuple[str, ...] = (),
    step: float | None = None,
    default_from: Callable[[Mapping[str, Any]], Any] | None = None,
    default_formula: str = "",
) -> Any:
    """Declare an option of a game as a class attribute; the attribute's name is the option's name.

    The parameters are the fields of Option.
    """
    return Option("", default, description, low, high, choices, step, default_from, default_formula)
