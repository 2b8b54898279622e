"""SVG pictures as PNG, and several as one animated GIF.

Uses pictures only; needs the extra `png`: resvg, which renders them, and Pillow, which joins them.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from gomogo_core.errors import UserError

_WIDEST = 8192  # pixels
_LAST = 4.0  # the last frame stays this many times as long


def render_png(picture: str, width: int | None = None) -> bytes:
    """Render the picture as PNG, `width` pixels wide, or in its own width. Raises UserError without the extra `png`."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise _missing_package_error("PNG") from None
    return bytes(svg_to_bytes(svg_string=picture, width=_check_width(width)))


def render_gif(pictures: Sequence[str], seconds: float, width: int | None = None) -> bytes:
    """Join the pictures to a looping animation; each stays equally long, the last one longer.

    Pictures should have one size; all are shown in that of the first. Raises UserError without the extra `png`.
    """
    try:
        from PIL import Image
    except ImportError:
        raise _missing_package_error("GIF") from None
    frames = [Image.open(io.BytesIO(render_png(picture, width))).convert("RGB") for picture in pictures]
    frames = [frame if frame.size == frames[0].size else frame.resize(frames[0].size) for frame in frames]
    palette = frames[-1].quantize(128)  # the fullest board has all colours
    shown = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    each = round(seconds * 1000)
    written = io.BytesIO()
    shown[0].save(
        written,
        "GIF",
        save_all=True,
        append_images=shown[1:],
        duration=[each] * (len(shown) - 1) + [round(each * _LAST)],
        loop=0,
    )
    return written.getvalue()


def _check_width(width: int | None) -> int | None:
    if width is not None and not 1 <= width <= _WIDEST:
        raise UserError(f"A picture cannot be {width} pixels wide.", f"Give 1 to {_WIDEST}.")
    return width


def _missing_package_error(form: str) -> UserError:
    return UserError(
        f"To draw {form}, resvg and Pillow are needed, and they are not installed.",
        "Install them by `pip install 'gomogo[png]'` (in a clone: pip install -e '.[png]'), or draw SVG.",
    )
