"""What scripts/study two_laws measures: flows under both laws of friction, their contacts, and the tables."""
