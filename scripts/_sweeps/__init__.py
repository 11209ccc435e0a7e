"""What scripts/study sweeps runs and measures: scenes, figures, and the page."""
