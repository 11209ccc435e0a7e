"""What scripts/study convergence measures: studies, their settings, and the page."""
