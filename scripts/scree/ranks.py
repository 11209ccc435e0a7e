"""Agreement between the ranks of a program under mpirun, so that no rank waits forever: see scree.engine."""

from __future__ import annotations

import atexit
import contextlib
import sys
import traceback
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

_duplicates: list[int] = []  # at most one attribute key, under which a communicator stores our duplicate of it
_guards: set[str] = set()  # the guards that are set up: "exceptions", "end"


def handle(comm: Any) -> int | None:
    """The Fortran handle of our duplicate of a communicator; None for None. Raises UsageError."""
    if comm is None:
        _guard("exceptions", "end")
        return None
    try:
        from mpi4py import MPI
    except ImportError:
        raise UsageError("comm: expected a communicator of mpi4py, which is not installed (python3-mpi4py)") from None
    if not isinstance(comm, MPI.Intracomm):
        raise UsageError(f"comm: {comm!r} is not a communicator of mpi4py")
    if not MPI.Get_library_version().startswith(_native.mpi_library()):
        mpi4py_library = MPI.Get_library_version().replace("\n", ",").split(",")[0]
        raise UsageError(f"comm: mpi4py was built with '{mpi4py_library}', Scree with '{_native.mpi_library()}'; expected the same")
    _guard("exceptions")
    if not _duplicates:
        _duplicates.append(MPI.Comm.Create_keyval(delete_fn=lambda _comm, _key, owned: owned.Free()))
    owned: Any = comm.Get_attr(_duplicates[0])
    if owned is None:
        owned = comm.Dup()  # separates our messages from those of the user
        comm.Set_attr(_duplicates[0], owned)
    return owned.py2f()


@contextlib.contextmanager
def agree(handle: int | None, call: str) -> Iterator[list[str]]:
    """Context of the checks of a collective call: an error of one rank becomes an error of all ranks. Collective.

    Yields a list for texts that must be the same on all ranks, as the name of the call must be. After an error of one
    rank, raises UsageError on the others; if texts differ, on all ranks. In both cases the call has no effect.
    """
    shared_texts: list[str] = []
    try:
        yield shared_texts
    except BaseException as error:
        with contextlib.suppress(UsageError):
            _native.agree(handle, call, f"{type(error).__name__}: {error}")
        raise
    _native.agree(handle, " ".join([call, *shared_texts]), "")


# ---- the end of the program on one rank, while other ranks may wait in a collective call


def _guard(*guards: str) -> None:
    """Sets up the guards that are missing, unless the program has only one rank."""
    missing = set(guards) - _guards
    _guards.update(missing)
    if not missing or _native.start_mpi() == 1:
        return
    if "exceptions" in missing:
        previous_hook = sys.excepthook

        def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            if previous_hook is sys.__excepthook__:
                # Python writes a traceback in pieces, between which mpirun may put those of another rank.
                sys.stderr.write("".join(traceback.format_exception(kind, error, trace)))
            else:
                previous_hook(kind, error, trace)
            sys.stderr.flush()
            sys.stdout.flush()
            if _native.mpi_is_running():
                _native.abort_unless_all(_PATIENCE, 1)

        sys.excepthook = report
    if "end" in missing:
        atexit.register(_meet_at_end)


def _meet_at_end() -> None:
    """Answers the calls of other ranks with an error, because this rank has ended, until all ranks have ended."""
    while _native.mpi_is_running():
        with contextlib.suppress(UsageError):
            _native.agree(None, "the end of its program", "")
            return
