"""The page of trainings. It is offered to the user of this computer only, since a training uses all of a core.

The module uses HTTP requests and trainings, and does not depend on neural networks.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gomogo.design.training_curves import CAPTION, MAX_TRAININGS, training_charts
from gomogo.page.server.context import PageContext, form_field
from gomogo.page.server.sse import LiveView
from gomogo.page.train.trainings import Trainings, missing_package
from gomogo_core.errors import UserError

_POLL_SECONDS = 1.0  # between two readings of the trainings
_DEFAULT_FIELDS = {"name": "mm_ai", "games": "3000", "self-play": "0", "seed": "0"}


class TrainPages:
    """The handlers of the page of trainings."""

    def __init__(self, context: PageContext, trainings: Trainings) -> None:
        self.context, self.trainings = context, trainings

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/train", self.show),
            Route("/train", self.start, methods=["POST"]),
            Route("/train/stop", self.stop, methods=["POST"]),
            Route("/train/events", self.events),
        ]

    def show(self, request: Request, error: UserError | None = None) -> Response:
        """Show all trainings, and the form to start one."""
        chosen = request.query_params.getlist("show")
        status_line, live_part = self._live_part(chosen)
        form = request.state.form
        return self.context.render_page(
            request,
            "train.html",
            "/train",
            status=400 if error else 200,
            fields={name: form_field(form, name) if form else value for name, value in _DEFAULT_FIELDS.items()},
            missing=missing_package(),
            query=f"?{request.url.query}" if request.url.query else "",
            wrong=error,
            status_line=status_line,
            live_part=live_part,
        )

    def _live_part(self, chosen: list[str]) -> tuple[str, str]:
        """Return the status line and the changing part of the page. chosen: names of the trainings whose curves are
        drawn; if empty, the latest ones are drawn.
        """
        found = self.trainings.all()
        drawn = [one for one in found if one.name in chosen] or [one for one in found if one.rows]
        running = sum(one.state == "running" for one in found)
        charts = training_charts({one.name: one.rows for one in drawn[:MAX_TRAININGS]})
        names = [one.name for one in drawn[:MAX_TRAININGS]]
        text = self.context.render_part("_train.html", found=found, drawn=names, charts=charts, caption=CAPTION)
        status = "There are no trainings yet."
        if found:
            status = f"{running or 'No'} training{'s' * (running != 1)} running."
        return status, text

    async def events(self, request: Request) -> Response:
        """Stream the changes of the list of trainings and of the curves."""
        chosen = request.query_params.getlist("show")[:MAX_TRAININGS]

        def view_after(version: int | None) -> LiveView | None:
            status_line, live_part = self._live_part(chosen)
            now = hash((status_line, live_part)) & 0xFFFFFFFF
            return None if now == version else LiveView(now, status_line, live_part)

        name = f"train {' '.join(chosen)[:200]}"
        return self.context.stream_response(self.context.polled_channels.events(name, view_after, _POLL_SECONDS, None))

    def start(self, request: Request) -> Response:
        """Start a training."""
        form = request.state.form
        try:
            games, self_play, seed = (_number(form_field(form, name), name) for name in ("games", "self-play", "seed"))
            self.trainings.start(form_field(form, "name"), games, self_play, seed)
        except UserError as wrong:
            return self.show(request, wrong)
        return RedirectResponse("/train", 303)

    def stop(self, request: Request) -> Response:
        """Stop a training."""
        try:
            self.trainings.stop(form_field(request.state.form, "name"))
        except UserError as wrong:
            return self.context.error_response(request, wrong, "/train")
        return RedirectResponse("/train", 303)


def _number(text: str, field: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise UserError(f"The field {field} needs a number from 0 to 9999999.", "Enter such a number.")
    return int(text)
