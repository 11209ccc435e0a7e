"""What scripts/study rheology measures: steady shear flows without walls, and the published laws beside them."""
