"""The style of SVG pictures: a light and a dark palette, and the style rules that use them.

No information depends on colour alone: stones differ by fill and outline, owners of boxes by their letters, the last
move by a ring or a spot, and a drawn edge by its width. The module uses the classes of elements, but no position.
"""

from __future__ import annotations

import re

# the palette of Okabe and Ito (Color Universal Design, 2008), made lighter so that letters on it are readable
_OWNER_COLOURS = ("#9fd4f2", "#f2b8a0", "#f5eba0", "#e3b6cf", "#93dcc4", "#c9c9c9")
_DARK_OWNER_COLOURS = ("#86bbd9", "#d99f86", "#dcd28c", "#c99bb6", "#7cc3ab", "#b0b0b0")

LIGHT_PALETTE = {
    "ground": "#ecd3a0", "grain": "#e7cb95", "line": "#6b5330", "ink": "#2b2216", "faint": "#5f4a2b", "dot": "#3c2f1b",
    "black": "#171717", "white": "#fdfdfb", "rim": "#171717", "on-black": "#ffffff", "on-white": "#111111",
    "accent": "#0b5cad", "heat": "#56b4e9", "open": "#a98d5d",
    **{f"owner-{number}": colour for number, colour in enumerate(_OWNER_COLOURS)},
}  # fmt: skip
DARK_PALETTE = {  # the board is only slightly darker than in LIGHT_PALETTE, because black stones must contrast with it
    "ground": "#b5925c", "grain": "#b08c56", "line": "#4a3820", "ink": "#1c150b", "faint": "#3a2b14", "dot": "#2b2010",
    "black": "#0a0a0a", "white": "#f4f1ea", "rim": "#171717", "on-black": "#ffffff", "on-white": "#111111",
    "accent": "#083f80", "heat": "#6db8e6", "open": "#6f5630",
    **{f"owner-{number}": colour for number, colour in enumerate(_DARK_OWNER_COLOURS)},
}  # fmt: skip
OWNER_COLOUR_COUNT = len(_OWNER_COLOURS)

_CSS_RULES = """
.gomogo-board { font-family: system-ui, "DejaVu Sans", Arial, sans-serif; max-width: 100%; height: auto; }
.gomogo-board .ground { fill: $ground; }
.gomogo-board .line { stroke: $line; stroke-width: 1.2; stroke-linecap: square; }
.gomogo-board .star { fill: $line; }
.gomogo-board text { text-anchor: middle; dominant-baseline: central; fill: $ink; font-size: 15px; }
.gomogo-board .coordinate { fill: $faint; font-size: 15px; }
.gomogo-board .name, .gomogo-board .on-edge { stroke: $ground; stroke-linejoin: round; paint-order: stroke; }
.gomogo-board .name { fill: $faint; font-size: 12px; stroke-width: 9; }
.gomogo-board .ghost + .name { fill: $ink; }
.gomogo-board .player { text-anchor: start; }
.gomogo-board .stone { stroke: $rim; stroke-width: 1.5; }
.gomogo-board .stone.black { fill: $black; }
.gomogo-board .stone.white { fill: $white; }
.gomogo-board .drawn.ghost { opacity: 0.5; }
.gomogo-board .stone.ghost { fill-opacity: 0.6; stroke-width: 2.5; stroke-dasharray: 5 3; }
.gomogo-board .sign { fill: #a11818; stroke: #fff; stroke-width: 1.5; pointer-events: none; }
.gomogo-board .sign-words { fill: #fff; font-size: 14px; font-weight: 700; pointer-events: none; }
.gomogo-board .last { fill: none; stroke: $accent; stroke-width: 3; }
.gomogo-board .black + .last { stroke: $on-black; }
.gomogo-board .white + .last { stroke: $on-white; }
.gomogo-board .won { fill: none; stroke: $accent; stroke-width: 4; }
.gomogo-board .number { font-size: 14px; }
.gomogo-board .number.on-black { fill: $on-black; }
.gomogo-board .number.on-white { fill: $on-white; }
.gomogo-board .number.on-edge { font-size: 13px; stroke-width: 5; }
.gomogo-board .dead { stroke-width: 4; stroke-linecap: round; }
.gomogo-board .dead.on-black { stroke: $on-black; }
.gomogo-board .dead.on-white { stroke: $on-white; }
.gomogo-board .ko { fill: none; stroke: $ink; stroke-width: 2.5; }
.gomogo-board .territory { stroke: $rim; stroke-width: 1; }
.gomogo-board .territory.black { fill: $black; }
.gomogo-board .territory.white { fill: $white; }
.gomogo-board .heat { fill: $heat; stroke: $ink; stroke-width: 1; }
.gomogo-board .value { font-size: 11px; }
.gomogo-board .shaft { stroke: $accent; stroke-width: 4; }
.gomogo-board .head { fill: $accent; }
.gomogo-board .dot { fill: $dot; }
.gomogo-board .edge .open { stroke: $open; stroke-width: 2; stroke-dasharray: 3 6; }
.gomogo-board .edge .drawn { stroke: $ink; stroke-width: 6; stroke-linecap: round; }
.gomogo-board .edge .latest { stroke-width: 13; }
.gomogo-board .edge .author { stroke-width: 7; stroke-linecap: round; }
.gomogo-board .edge .middle { fill: $ground; stroke: $ink; stroke-width: 2; }
.gomogo-board .edge .heat { fill: $white; }
.gomogo-board .box { stroke: none; }
$owners
.gomogo-board .owner { font-size: 26px; font-weight: 700; }
.gomogo-board .swatch .owner { font-size: 15px; }
.gomogo-board .hit { fill: transparent; stroke: none; }
.gomogo-board [role=button] { cursor: pointer; outline: none; }
.gomogo-board [role=button]:hover .hit, .gomogo-board [role=button]:focus-visible .hit
  { stroke: $accent; stroke-width: 3; }
.gomogo-board [role=button]:focus-visible .hit { stroke-width: 5; }
""".replace(
    "$owners",
    "\n".join(
        f".gomogo-board .owner-{n} {{ fill: $owner-{n}; }}\n.gomogo-board .edge .owner-{n} {{ stroke: $owner-{n}; }}"
        for n in range(OWNER_COLOUR_COUNT)
    ),
)


def _fill_in(rules: str, palette: dict[str, str]) -> str:
    return re.sub(r"\$([a-z]+(?:-[a-z0-9]+)?)", lambda match: palette[match[1]], rules)


def embedded_style() -> str:
    """Return the style rules for a single picture, with plain colours: light, or dark if the viewer prefers that."""
    coloured = "\n".join(
        f"{match[1]} {{ {' '.join(declarations)} }}"
        for match in re.finditer(r"^(\S[^{}]*?)\s*\{([^}]*)\}", _CSS_RULES, re.MULTILINE)
        if (declarations := re.findall(r"(?:fill|stroke): \$[a-z0-9-]+;", match[2]))
    )
    light, dark = _fill_in(_CSS_RULES, LIGHT_PALETTE), _fill_in(coloured, DARK_PALETTE)
    return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def stylesheet() -> str:
    """Return the style rules for a page with many pictures and its own theme.

    The colours are custom properties (`--board-ground` …). They are light, or dark if the viewer prefers that. The root
    element's `data-theme` ("light" or "dark") takes precedence.
    """
    light, dark = (
        " ".join(f"--board-{name}: {value};" for name, value in p.items()) for p in (LIGHT_PALETTE, DARK_PALETTE)
    )
    themes = (
        f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f":root[data-theme=light] {{ {light} }}\n:root[data-theme=dark] {{ {dark} }}\n"
    )
    return themes + _fill_in(_CSS_RULES, {name: f"var(--board-{name})" for name in LIGHT_PALETTE})
