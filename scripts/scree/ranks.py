"""Agreement of the ranks of a program under mpirun, so that none waits forever for another: see scree.engine."""

from __future__ import annotations

import atexit
import contextlib
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

import scree.native
from scree.errors import UsageError

if TYPE_CHECKING:
    from scree import _native
else:
    _native = scree.native.load("scree.engine")

_PATIENCE = 2.0  # maximum wait for the other ranks after an error that all ranks raise [s]

_duplicates: list[int] = []  # attribute key under which a communicator stores our copy of it; empty: not created yet
_guards: set[str] = set()  # the guards that are set up: "exceptions", "end"


def handle(comm: Any) -> int | None:
    """The Fortran handle of a communicator of our own with the same ranks; None stays None. Raises UsageError."""
    if comm is None:
        _guard("exceptions", "end")
        return None
    try:
        from mpi4py import MPI
    except ImportError:
        raise UsageError("comm: a communicator is one of mpi4py, which is not installed (python3-mpi4py)") from None
    if not isinstance(comm, MPI.Intracomm):
        raise UsageError(f"comm: {comm!r} is not a communicator of mpi4py")
    if not MPI.Get_library_version().startswith(_native.mpi_library()):
        theirs = MPI.Get_library_version().replace("\n", ",").split(",")[0]
        raise UsageError(f"comm: mpi4py was built with '{theirs}', Scree with '{_native.mpi_library()}'; expected the same")
    _guard("exceptions")
    if not _duplicates:
        _duplicates.append(MPI.Comm.Create_keyval(delete_fn=lambda _comm, _key, owned: owned.Free()))
    owned: Any = comm.Get_attr(_duplicates[0])
    if owned is None:
        owned = comm.Dup()  # has separate messages
        comm.Set_attr(_duplicates[0], owned)
    return owned.py2f()


@contextlib.contextmanager
def agree(handle: int | None, call: str) -> Iterator[list[str]]:
    """Context of the checks of a collective call: an error of one rank is raised on all ranks. Collective.

    Yields a list for texts that must be the same on all ranks, like the name of the call. Raises UsageError on the ranks
    without an error, and on all ranks if texts differ. In both cases the call has had no effect.
    """
    shared_texts: list[str] = []
    try:
        yield shared_texts
    except BaseException as error:
        with contextlib.suppress(UsageError):
            _native.agree(handle, call, f"{type(error).__name__}: {error}")
        raise
    _native.agree(handle, " ".join([call, *shared_texts]), "")


# ---- the end of one rank's program, which is outside of any call


def _guard(*guards: str) -> None:
    """Sets up the guards, once, in a program of several ranks."""
    missing = set(guards) - _guards
    _guards.update(missing)
    if not missing or _native.start_mpi() == 1:
        return
    if "exceptions" in missing:
        previous_hook = sys.excepthook

        def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            previous_hook(kind, error, trace)
            sys.stderr.flush()
            sys.stdout.flush()
            if _native.mpi_is_running():
                _native.abort_unless_all(_PATIENCE, 1)

        sys.excepthook = report
    if "end" in missing:
        atexit.register(_meet_at_end)


def _meet_at_end() -> None:
    """Until all ranks have ended, answers their calls with the error that this rank has ended."""
    while _native.mpi_is_running():
        with contextlib.suppress(UsageError):
            _native.agree(None, "the end of its program", "")
            return
