"""What scripts/study schemes measures: scenes, and the page."""
