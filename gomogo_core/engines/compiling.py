"""Manages the cache of code that Numba has compiled, and replaces a missing, outdated, broken or read-only cache.

The module uses files and Numba's settings, but no game. A broken cache costs time, but never a game.

Numba does not notice a change in a file from which a compiled function imports names. The name of the cache's folder
therefore contains a digest of all compiled source files and of the versions of Python and Numba.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from gomogo_core.errors import UserError
from gomogo_core.folders import data_folder

_PROJECT_FOLDER = Path(__file__).resolve().parents[2]  # the folder that holds the package gomogo_core
_FOLDER_PREFIX = "compiled-"
# Packages for which the compiler also combines operations outside of loops into vector instructions; Numba's default is
# off
_VECTORIZED_PACKAGES = ("gomogo_core.engines.gomoku",)
_COMPLETE_FILE = "complete"  # a file that marks a complete cache: every function is compiled

_is_exiting = threading.Event()
_compiler_processes = set[subprocess.Popen[bytes]]()


def load(package: str, replace_cache: Callable[[str], bool] = lambda package: False) -> ModuleType:
    """Import `package`, and call its `compile_functions()`, which compiles every function or reads it from the cache.

    After an error, which a broken cache can cause, the function tries once more. First it calls `replace_cache` with
    the package. If the result is True, the cache is new; otherwise the function empties it. Raises UserError without
    Numba.
    """
    require_numba()
    numba = import_module("numba")
    _import_array_functions()
    must_be_empty = False
    for attempt in range(2):
        folder = _writable_cache_folder(package, must_be_empty)
        numba.config.CACHE_DIR = str(folder)
        numba.config.SLP_VECTORIZE = int(package in _VECTORIZED_PACKAGES)
        try:
            module = import_module(package)
            module.compile_functions()
        except Exception:
            # Numba raises many kinds of errors, for a truncated index or an entry of another machine, for example
            if attempt:
                raise
            for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
                del sys.modules[name]
            must_be_empty = not replace_cache(package)
        else:
            with contextlib.suppress(OSError):
                (folder / _COMPLETE_FILE).touch()
            return module
    raise AssertionError


def _import_array_functions() -> None:
    """Import Numba's array functions without SciPy's linear algebra.

    Numba would import SciPy, if it is installed, only to choose how `np.cov` multiplies. No engine uses that function,
    and the import takes a seventh of the processor time until an engine is ready.
    """

    def reject_blas() -> None:
        raise ImportError("no compiled function needs SciPy's linear algebra")

    linalg = import_module("numba.np.linalg")
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = reject_blas  # type: ignore[attr-defined]
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas  # type: ignore[attr-defined]


def is_compiled(package: str) -> bool:
    """Return whether a cache holds all compiled code of `package`, so that `load` takes only seconds."""
    return any((folder / _COMPLETE_FILE).exists() for folder in cache_folders(package))


def has_numba() -> bool:
    """Return whether Numba is installed."""
    return find_spec("numba") is not None


def require_numba() -> None:
    """Raise UserError if Numba is not installed."""
    if not has_numba():
        raise UserError("Compiled engines need Numba, which is not installed.", "Run: pip install 'gomogo[engines]'")


class BackgroundLoad:
    """Runs `load` in a thread of its own, so that an agent can use a slower search while the engine compiles.

    create: a function that the thread then calls with the package. It builds the object that the agent needs; building
    it during a move would make the move late.

    If the cache is incomplete or broken, another process fills it first: a thread that compiles would often hold
    Python's global lock for so long that a move of 0.1 seconds comes late.
    """

    def __init__(self, package: str, create: Callable[[Any], Any] = lambda package: package) -> None:
        require_numba()
        self._result: Any = None
        self._error: Exception | None = None
        self._lock = threading.Lock()
        self._has_ended = False
        self._end_callbacks = list[Callable[[], object]]()
        self._thread = threading.Thread(target=self._load, args=(package, create), daemon=True)
        self._thread.start()

    def _load(self, package: str, create: Callable[[Any], Any]) -> None:
        try:
            if not is_compiled(package):
                _compile_in_other_process(package)
            if _is_exiting.is_set():
                return
            self._result = create(load(package, _compile_in_other_process))
        except Exception as error:  # `wait` raises it in the waiting thread
            self._error = error
        with self._lock:
            self._has_ended = True
        for function in self._end_callbacks:
            function()

    def call_when_ended(self, function: Callable[[], object]) -> bool:
        """Call `function` in another thread once the load has ended. If it has ended already, only return False."""
        with self._lock:
            if not self._has_ended:
                self._end_callbacks.append(function)
            return not self._has_ended

    def wait(self, seconds: float) -> Any:
        """Wait up to `seconds`. Return the loaded package, or the object that `create` made; None if the load has not
        ended.

        Raises the error that `load` or `create` raised.
        """
        self._thread.join(max(0.0, seconds))
        if self._error is not None:
            raise self._error
        return self._result


def cache_folders(package: str) -> list[Path]:
    """Return the possible cache folders of `package`, the best first: beside the package, and in the user's folder."""
    name = _FOLDER_PREFIX + _source_digest(package)
    return [_source_folder(package) / "__pycache__" / name, data_folder() / "compiled" / name]


def clear_caches(package: str) -> None:
    """Remove the compiled code of this version of `package` and of earlier versions, if the file system permits."""
    for folder in cache_folders(package):
        for old_folder in folder.parent.glob(f"{_FOLDER_PREFIX}*"):
            shutil.rmtree(old_folder, ignore_errors=True)


def _writable_cache_folder(package: str, must_be_empty: bool) -> Path:
    """Return a writable cache folder; with `must_be_empty`, an empty one.

    If none of the cache folders is writable, return a temporary folder with a copy of the files of a read-only folder.
    """
    folders = cache_folders(package)
    for folder in folders:
        if must_be_empty:
            shutil.rmtree(folder, ignore_errors=True)
        if _is_writable(folder):
            return folder
    own_folder = Path(tempfile.mkdtemp(prefix="gomogo-compiled-"))
    atexit.register(shutil.rmtree, own_folder, ignore_errors=True)
    for folder in () if must_be_empty else folders:
        if folder.is_dir():
            with contextlib.suppress(OSError, shutil.Error):
                shutil.copytree(folder, own_folder, dirs_exist_ok=True)
            break
    return own_folder


def _is_writable(folder: Path) -> bool:
    """Create `folder` if it does not exist, and return whether files can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):  # fails in a folder of another user, or on a read-only file system
            return True
    except OSError:
        return False


def _compile_in_other_process(package: str) -> bool:
    """Fill the cache of `package` in another process, wait for its end, and return whether the cache is complete.

    Without a writable cache folder, return at once. The caller loads the package afterwards, and then compiles the
    functions that are still missing.
    """
    if not any(_is_writable(folder) for folder in cache_folders(package)):
        return False
    search_path = os.pathsep.join([str(_PROJECT_FOLDER), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    with contextlib.suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import load; load({package!r})"],
            env={**os.environ, "PYTHONPATH": search_path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _compiler_processes.add(process)
        exit_code = process.wait()
        _compiler_processes.discard(process)
        return exit_code == 0
    return False


@atexit.register
def _end_loads() -> None:
    """End all loads in the background before the interpreter exits.

    LLVM aborts a process that exits while another thread compiles. So this function waits until no thread does, and
    then lets none begin. It waits half a second at most: only a load that compiles in this process takes longer.
    """
    _is_exiting.set()
    for process in tuple(_compiler_processes):
        process.kill()  # the functions that are already compiled stay in the cache
    compiler_lock = getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)
    if compiler_lock is not None:
        locking = threading.Thread(target=compiler_lock.acquire, daemon=True)
        locking.start()
        locking.join(0.5)


def _source_folder(package: str) -> Path:
    return _PROJECT_FOLDER.joinpath(*package.split("."))


def _source_digest(package: str) -> str:
    from importlib import metadata  # this import takes a tenth of the start-up time of a command

    digest = hashlib.sha256(f"{sys.version} {metadata.version('numba')} {os.uname().machine}".encode())
    shared_folder = Path(__file__).parent  # of functions that all engines compile
    for path in sorted([*_source_folder(package).glob("*.py"), *shared_folder.glob("*.py")]):
        # the constants of array_layout.py are part of the compiled code
        if b"from numba" in (source := path.read_bytes()) or path.name == "array_layout.py":
            digest.update(source)
    return digest.hexdigest()[:16]
