"""The digests of snapshots: XXH64 of a file, or of its blocks."""

import concurrent.futures
import math
import pathlib
import re

import xxhash

from scree.errors import SnapshotError

DIGEST_HEAD = re.compile(r"# XXH64 of blocks of ([1-9]\d*) bytes")


def digest_of(path, first=0, count=math.inf):
    """XXH64 of at most `count` bytes of a file from the byte `first`."""
    digest = xxhash.xxh64()
    with open(path, "rb") as file:
        file.seek(first)
        while count > 0 and (block := file.read(min(1 << 20, count))):
            digest.update(block)
            count -= len(block)
    return digest.hexdigest()


def _digests_of_blocks(path, text, size):
    """[(computed, expected)] digest of each block of `size` bytes of a file, and of `text`, its .xxh64 file."""
    lines = text.splitlines()
    blocks = range(0, pathlib.Path(path).stat().st_size, size)
    if len(blocks) != len(lines) - 2:
        raise SnapshotError(f"'{path}' is damaged: its length does not match its digests")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        digests = list(pool.map(lambda first: digest_of(path, first, size), blocks))
    lines_digest = xxhash.xxh64("".join(f"{line}\n" for line in lines[:-1])).hexdigest()
    return [*zip(digests, lines[1:-1], strict=True), (lines_digest, lines[-1].split()[0])]


def demand_whole(path):
    """Checks a file against its .xxh64 file, if there is one; raises SnapshotError if it differs."""
    digest_file = pathlib.Path(f"{path}.xxh64")
    for file in (pathlib.Path(path), digest_file):
        if file.exists() and not file.is_file():
            raise SnapshotError(f"'{file}' cannot be read twice; expected a regular file")
    if not digest_file.exists():
        return
    text = digest_file.read_text(errors="replace")
    head = DIGEST_HEAD.match(text)
    if head is None:
        digests = [(digest_of(path), (text.split() or ["none"])[0])]
    else:
        digests = _digests_of_blocks(path, text, int(head[1]))
    for computed, expected in digests:
        if computed != expected:
            raise SnapshotError(f"'{path}' is damaged: its digest is {computed}, expected {expected}")
