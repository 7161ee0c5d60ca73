"""The experiments of Janus and Rzadca, SoCC 2017, redone: each grid is a file here."""
