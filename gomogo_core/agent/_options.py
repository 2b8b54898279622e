"""The options of a function `choose`, which are its keyword-only arguments. Their defaults determine their types."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from gomogo_core.errors import UserError, suggest_name

Choose = Callable[..., Any]


def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the keyword-only options of a function, with their defaults."""
    return dict(getattr(function, "__kwdefaults__", None) or {})


def read_options(defaults: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """Convert the texts of options to the types of their defaults.

    Raises UserError for an option that `defaults` does not have, or a text that cannot be read.
    """
    options: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in defaults:
            remedy = suggest_name(name, defaults) if defaults else "This agent has no options: leave the option out."
            raise UserError(f"This agent has no option {name!r}.", remedy)
        options[name] = _convert_value(name, text, defaults[name])
    return options


def _convert_value(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        boolean_words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.casefold() in boolean_words:
            return boolean_words[text.casefold()]
    elif isinstance(default, (int, float)):
        with contextlib.suppress(ValueError):
            return type(default)(text)
    else:
        return text
    expected_type = {bool: "true or false", int: "a whole number"}.get(type(default), "a number")
    raise UserError(f"{name}={text} is not {expected_type}.", f"Write for example {name}={default}.")
