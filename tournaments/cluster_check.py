"""Connect to a scheduler, and check that a worker can play: the same Gomogo, the same agents, enough speed.

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
from tournaments.slow_workers import MIN_SPEED, slow_workers

SCHEDULER_TIMEOUT = 10.0  # seconds that a scheduler may take to answer, at the start and later

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[^/:\s]+):\d{1,5}")


def connect(address: str) -> Any:
    """Connect to the scheduler. Raises UserError if `distributed` is missing, or the scheduler does not answer."""
    if not _ADDRESS.fullmatch(address):
        raise UserError(f"{address!r} is not the address of a scheduler.", "Write --cluster tcp://HOST:8786.")
    try:
        from distributed import Client
    except ModuleNotFoundError as missing:
        raise UserError(
            f"--cluster needs the package {missing.name}, which is not installed.", "pip install 'gomogo[cluster]'"
        ) from None
    client: Any = Client
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # Gomogo reports its errors itself
    try:
        return client(address, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
    except (OSError, TypeError, ValueError, RuntimeError) as fault:  # missing certificates, for example
        raise silent_scheduler_error(address, fault) from None


def silent_scheduler_error(address: str, fault: BaseException) -> UserError:
    """Return the error for a scheduler that does not answer."""
    reason = next(iter(str(fault).splitlines()), "") or type(fault).__name__
    return UserError(
        f"The scheduler at {address} does not answer: {reason[:200].rstrip('.')}.",
        "Start one there (`dask scheduler`), or correct the address.",
    )


def check_worker(name: str, info: WorkerInfo | BaseException, agents: Sequence[str]) -> None:
    """Raise UserError unless this worker can play these agents and has the same files of the agents as this machine."""
    if isinstance(info, BaseException):
        raise UserError(
            f"Worker {name} cannot run Gomogo: {type(info).__name__}: {info}.",
            "Install Gomogo on that machine, in the environment of `dask worker`.",
        )
    if info.version != __version__:
        raise UserError(
            f"Worker {name} has Gomogo {info.version}; this machine has {__version__}.",
            "Install the same version on both.",
        )
    for agent in agents:
        if agent in info.unplayable:
            raise UserError(
                f"Worker {name} on {info.host} cannot play {agent}: {info.unplayable[agent]}",
                "Put the agents' folder in the same place on every machine.",
            )
        if info.fingerprints[agent] != agent_fingerprint(agent):
            raise UserError(
                f"Worker {name} on {info.host} has another version of {agent}.", "Copy the agents' folder there again."
            )


def worker_refusals(
    infos: Mapping[str, WorkerInfo | BaseException], agents: Sequence[str], speeds: dict[str, float]
) -> dict[str, str]:
    """Return, by its name, the reason for each new worker that may not play.

    infos: the description of each new worker, or the error that occurred instead. speeds: the speed of each worker that
    plays; this function adds the accepted workers to it.
    """
    refusals = {}
    for name, facts in infos.items():
        try:
            check_worker(name, facts, agents)
        except UserError as fault:
            refusals[name] = f"Worker {name} is not used. {fault.problem}"
        if isinstance(facts, WorkerInfo):
            speeds[name] = facts.speed
    for name in slow_workers(speeds):
        if name in infos:
            share = speeds[name] / max(speeds.values())
            refusals.setdefault(
                name,
                f"Worker {name} is not used: it has less than {MIN_SPEED:g} times the median speed, "
                f"{share:.0%} of the fastest.",
            )
    for name in refusals:
        speeds.pop(name, None)
    return refusals
