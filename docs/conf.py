"""Sphinx settings; the build works offline and treats warnings as errors."""

from importlib.metadata import version as installed

project = "cotenant"
author = "The cotenant developers"
copyright = "The cotenant developers"
release = installed("cotenant")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Docstrings put code in single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
numpydoc_show_class_members = False

exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"cotenant {release}"
