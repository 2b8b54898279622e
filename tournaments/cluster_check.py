"""Connect to a scheduler, and check that a worker can play: that it has the same Gomogo and agents, and is fast enough.

The module reads the workers' descriptions of themselves, and plays no game.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gomogo_core import __version__
from gomogo_core.errors import UserError
from tournaments.cluster_worker import WorkerInfo, agent_fingerprint
from tournaments.slow_workers import MIN_SPEED_SHARE, find_slow_workers

SCHEDULER_TIMEOUT_SECONDS = 10.0  # seconds that a scheduler may take to answer, at the start and later

_ADDRESS_PATTERN = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[^/:\s]+):\d{1,5}")


def connect(address: str) -> Any:
    """Connect to the scheduler. Raises UserError if `distributed` is missing, or the scheduler does not answer."""
    if not _ADDRESS_PATTERN.fullmatch(address):
        raise UserError(f"{address!r} is not the address of a scheduler.", "Write --cluster tcp://HOST:8786.")
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise UserError(
            f"--cluster needs the package {error.name}, which is not installed.", "pip install 'gomogo[cluster]'"
        ) from None
    client_class: Any = Client
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # Gomogo reports its errors itself
    try:
        return client_class(address, timeout=SCHEDULER_TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, TypeError, ValueError, RuntimeError) as error:  # missing certificates, for example
        raise create_no_answer_error(address, error) from None


def create_no_answer_error(address: str, error: BaseException) -> UserError:
    """Return the error for a scheduler that does not answer."""
    reason = next(iter(str(error).splitlines()), "") or type(error).__name__
    return UserError(
        f"The scheduler at {address} does not answer: {reason[:200].rstrip('.')}.",
        "Start one there (`dask scheduler`), or correct the address.",
    )


def check_worker(name: str, info: WorkerInfo | BaseException, agents: Sequence[str]) -> None:
    """Raise UserError unless this worker can play these agents and has the same files of them as this machine."""
    if isinstance(info, BaseException):
        raise UserError(
            f"Worker {name} cannot run Gomogo: {type(info).__name__}: {info}.",
            "Install Gomogo on that machine, in the environment of `dask worker`.",
        )
    if info.version != __version__:
        problem = f"Worker {name} has Gomogo {info.version}; this machine has {__version__}."
        raise UserError(problem, "Install the same version on both.")
    for agent in agents:
        if agent in info.unplayable_reasons:
            raise UserError(
                f"Worker {name} on {info.host} cannot play {agent}: {info.unplayable_reasons[agent]}",
                "Put the agents' folder in the same place on every machine.",
            )
        if info.fingerprints[agent] != agent_fingerprint(agent):
            problem = f"Worker {name} on {info.host} has another version of {agent}."
            raise UserError(problem, "Copy the agents' folder there again.")


def find_worker_refusals(
    infos: Mapping[str, WorkerInfo | BaseException], agents: Sequence[str], speeds: dict[str, float]
) -> dict[str, str]:
    """Return the sentences about the new workers that may not play, by the names of these workers.

    infos: the description of each new worker, or the error that occurred instead. speeds: the speed of each worker that
    plays; this function adds the accepted workers to it.
    """
    refusals = {}
    for name, info in infos.items():
        try:
            check_worker(name, info, agents)
        except UserError as error:
            refusals[name] = f"Worker {name} is not used. {error.problem}"
        if isinstance(info, WorkerInfo):
            speeds[name] = info.positions_per_second
    for name in find_slow_workers(speeds):
        if name in infos:
            share = speeds[name] / max(speeds.values())
            refusals.setdefault(
                name,
                f"Worker {name} is not used: it has less than {MIN_SPEED_SHARE:g} times the median speed, "
                f"{share:.0%} of the fastest.",
            )
    for name in refusals:
        speeds.pop(name, None)
    return refusals
