"""Every figure and table of the papers on single impacts, compared with the printed values: `scripts/study impacts`."""
