"""The experiments of Ishakian and Bestavros, CCGrid 2012, redone on public video."""
