"""The parts of scripts/study convergence: studies, their settings, and the page."""
