"""The parts of scripts/study sweeps: scenes, figures, and the page."""
