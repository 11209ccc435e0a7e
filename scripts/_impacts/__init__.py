"""Every figure and table of the papers on single impacts, beside what they print: `scripts/study impacts`."""
