"""Converts an SVG picture to PNG, and several pictures to an animated GIF.

The module uses pictures only. It needs the extra `png`: resvg renders the pictures, and Pillow writes the animation.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from gomogo_core.errors import UserError

_MAX_WIDTH = 8192  # pixels
_LAST_FRAME_FACTOR = 4.0  # a GIF shows the last frame this many times as long as the others


def render_png(picture: str, width: int | None = None) -> bytes:
    """Convert an SVG picture to PNG. width: the width in pixels; None for the picture's own width.

    Raises UserError if the width is out of range, or without the extra `png`.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise _missing_package_error("PNG") from None
    return bytes(svg_to_bytes(svg_string=picture, width=_check_width(width)))


def render_gif(pictures: Sequence[str], seconds: float, width: int | None = None) -> bytes:
    """Join SVG pictures to a GIF animation that repeats, in the size of the first picture.

    seconds: the time for each picture; the animation shows the last picture longer. Raises UserError without the extra
    `png`.
    """
    try:
        from PIL import Image
    except ImportError:
        raise _missing_package_error("GIF") from None
    frames = [Image.open(io.BytesIO(render_png(picture, width))).convert("RGB") for picture in pictures]
    frames = [frame if frame.size == frames[0].size else frame.resize(frames[0].size) for frame in frames]
    palette = frames[-1].quantize(128)  # the last board has the most pieces, and so all colours
    palette_frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    milliseconds = round(seconds * 1000)
    gif_file = io.BytesIO()
    palette_frames[0].save(
        gif_file,
        "GIF",
        save_all=True,
        append_images=palette_frames[1:],
        duration=[milliseconds] * (len(palette_frames) - 1) + [round(milliseconds * _LAST_FRAME_FACTOR)],
        loop=0,
    )
    return gif_file.getvalue()


def _check_width(width: int | None) -> int | None:
    if width is not None and not 1 <= width <= _MAX_WIDTH:
        raise UserError(f"A picture cannot be {width} pixels wide.", f"Choose a width from 1 to {_MAX_WIDTH}.")
    return width


def _missing_package_error(format_name: str) -> UserError:
    return UserError(
        f"{format_name} pictures need resvg and Pillow, which are not installed.",
        "Install them by `pip install 'gomogo[png]'` (in a clone: pip install -e '.[png]'), or draw SVG.",
    )
