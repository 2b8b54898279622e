"""The page of trainings. It is offered to the user of this computer only, since a training uses all of a core.

The module uses HTTP requests and the folders of trainings. It does not import neural networks.
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

_POLL_SECONDS = 1.0  # seconds between two readings of the trainings
_DEFAULT_FIELDS = {"name": "mm_ai", "games": "3000", "self-play": "0", "seed": "0"}


class TrainPages:
    """The handlers of the page of trainings."""

    def __init__(self, context: PageContext, trainings: Trainings) -> None:
        self.context, self.trainings = context, trainings

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/train", self.show_trainings),
            Route("/train", self.start_training, methods=["POST"]),
            Route("/train/stop", self.stop_training, methods=["POST"]),
            Route("/train/events", self.stream_trainings),
        ]

    def show_trainings(self, request: Request, error: UserError | None = None) -> Response:
        """Show all trainings, and the form to start one."""
        chosen_names = request.query_params.getlist("show")
        status_line, live_part = self._render_trainings(chosen_names)
        form = request.state.form
        return self.context.render_page(
            request,
            "train.html",
            "/train",
            status=400 if error else 200,
            fields={name: form_field(form, name) if form else value for name, value in _DEFAULT_FIELDS.items()},
            missing=missing_package(),
            query=f"?{request.url.query}" if request.url.query else "",
            error=error,
            status_line=status_line,
            live_part=live_part,
        )

    def _render_trainings(self, chosen_names: list[str]) -> tuple[str, str]:
        """Return the status line and the changing part of the page.

        chosen_names: the names of the trainings whose curves are drawn; without names, the latest are drawn.
        """
        trainings = self.trainings.list_trainings()
        drawn_trainings = [training for training in trainings if training.name in chosen_names] or [
            training for training in trainings if training.rows
        ]
        running_count = sum(training.state == "running" for training in trainings)
        charts = training_charts({training.name: training.rows for training in drawn_trainings[:MAX_TRAININGS]})
        names = [training.name for training in drawn_trainings[:MAX_TRAININGS]]
        text = self.context.render_part(
            "_train.html", trainings=trainings, drawn_names=names, charts=charts, caption=CAPTION
        )
        status = "There are no trainings yet."
        if trainings:
            status = f"{running_count or 'No'} training{'s' * (running_count != 1)} running."
        return status, text

    async def stream_trainings(self, request: Request) -> Response:
        """Stream the changes of the list of trainings and of the curves."""
        chosen_names = request.query_params.getlist("show")[:MAX_TRAININGS]

        def make_view(version: int | None) -> LiveView | None:
            status_line, live_part = self._render_trainings(chosen_names)
            current = hash((status_line, live_part)) & 0xFFFFFFFF
            return None if current == version else LiveView(current, status_line, live_part)

        name = f"train {' '.join(chosen_names)[:200]}"
        return self.context.stream_response(self.context.polled_channels.events(name, make_view, _POLL_SECONDS, None))

    def start_training(self, request: Request) -> Response:
        """Start a training."""
        form = request.state.form
        try:
            games, self_play, seed = (
                _read_number(form_field(form, name), name) for name in ("games", "self-play", "seed")
            )
            self.trainings.start(form_field(form, "name"), games, self_play, seed)
        except UserError as error:
            return self.show_trainings(request, error)
        return RedirectResponse("/train", 303)

    def stop_training(self, request: Request) -> Response:
        """Stop a training."""
        try:
            self.trainings.stop(form_field(request.state.form, "name"))
        except UserError as error:
            return self.context.error_response(request, error, "/train")
        return RedirectResponse("/train", 303)


def _read_number(text: str, field: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise UserError(f"The field {field} needs a number from 0 to 9999999.", "Enter such a number.")
    return int(text)
