"""What scripts/convergence measures: studies, their settings, and the page."""
