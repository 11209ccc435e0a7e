"""Parts of scripts/release: binaries and their trial."""
