"""Parts of scripts/release: builds the binaries and tries them out."""
