"""Options that belong together are one parameter, and show one by one."""

from dataclasses import dataclass
from inspect import signature
from typing import Annotated

import typer
from typer.testing import CliRunner

from cotenant.cli.groups import grouped


@dataclass(frozen=True)
class Size:
    width: Annotated[int, typer.Option(help="In cells.")]
    height: Annotated[int, typer.Option(help="In cells.")] = 2


@grouped
def draw(*, name: str, size: Size, fill: str = "x") -> int:
    print(f"{name}: {size.width} by {size.height}, {fill}")
    return 0


def test_the_fields_of_a_group_stand_where_the_group_stood() -> None:
    assert list(signature(draw).parameters) == ["name", "width", "height", "fill"]


def test_a_command_is_given_the_group_whole_with_its_defaults() -> None:
    app = typer.Typer()
    app.command()(draw)
    done = CliRunner().invoke(app, ["box", "--width", "3"])
    assert (done.exit_code, done.output) == (0, "box: 3 by 2, x\n")


def test_a_field_without_a_default_must_be_given() -> None:
    app = typer.Typer()
    app.command()(draw)
    assert "--width" in CliRunner().invoke(app, ["box"]).output
