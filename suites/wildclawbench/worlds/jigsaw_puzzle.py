"""Workspaces of the three jigsaws, small, medium and hard, in which a chosen set of criteria holds."""

from __future__ import annotations

import ast
import io
import json
from typing import Any

from PIL import Image

from pytest_talk2agent.execution.world import World

VARIES = ("solved",)

TURN = {"rotate_90": "rotate_270", "rotate_180": "rotate_180", "rotate_270": "rotate_90"}


def build(world: World) -> None:
    """Lay out the answer file and the assembled picture."""
    cells, turns, strays = (truth(world.grader, name) for name in ("gt_solution", "gt_transforms", "gt_distractors"))
    order = [cells[place] for place in sorted(cells)]
    side = round(len(order) ** 0.5)
    world.write(
        "results/result.json" if world.holds("result_path") else "result.json",
        json.dumps(
            {
                "grid" if world.holds("grid_field") else "layout": grid(world, order, side),
                "transforms" if world.holds("transforms_field") else "turned": transforms(world, order, turns),
                "distractors" if world.holds("distractors_field") else "rest": distractors(world, order, strays),
            }
        ),
    )
    path = "results/assembled.png" if world.holds("picture_path") else "results/whole.png"
    tiles = side if world.holds("grid_shape") else side - 1
    world.write(path, picture(600 if world.holds("picture_size") else 480, tiles))
    world.judge(lambda _: {"assembled": count(world.root.joinpath(path).read_bytes()) == side * side})


def truth(grader: str, name: str) -> Any:
    """A table of the user's own copy of the grader, so that no solution stands here."""
    for node in ast.walk(ast.parse(grader)):
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            return ast.literal_eval(node.value)
    raise LookupError(f"the grader has no table {name}")


def named(world: World, piece: str) -> str:
    """A piece as the agent writes it: by its file name or by its number only."""
    return piece if world.holds("file_names") else piece.removesuffix(".png").removeprefix("piece_")


def grid(world: World, order: list[str], side: int) -> list[Any]:
    """Rows of pieces; moved on by one where the picture is wrong or turned, a plain list where the shape is lost."""
    right = world.holds("solved") and world.holds("upright")
    pieces = [named(world, piece) for piece in (order if right else order[1:] + order[:1])]
    if not world.holds("grid_shape"):
        return pieces
    rows = [pieces[start : start + side] for start in range(0, len(pieces), side)]
    return rows if world.holds("row_first") else [list(column) for column in zip(*rows, strict=True)]


def transforms(world: World, order: list[str], turns: dict[str, str]) -> dict[str, str]:
    """The angle of every piece that is turned; all pieces where the others need not be left out."""
    angles = {piece: int(turns.get(piece, "rotate_0").removeprefix("rotate_")) for piece in order}
    if not (world.holds("solved") and world.holds("upright")):
        angles = {piece: (angle + 90) % 360 for piece, angle in angles.items()}
    names = {piece: f"rotate_{angle}" for piece, angle in angles.items() if angle or not world.holds("only_rotated")}
    if not world.holds("clockwise"):
        names = {piece: TURN.get(name, name) for piece, name in names.items()}
    if not world.holds("rotation_names"):
        names = {piece: name.removeprefix("rotate_") for piece, name in names.items()}
    kept = list(names)[: None if world.holds("rotated_count") else -1]
    return {named(world, piece): names[piece] for piece in kept}


def distractors(world: World, order: list[str], strays: set[str]) -> list[str]:
    """The pieces that belong nowhere; pieces of the picture where it was not solved."""
    found = sorted(strays) if world.holds("solved") else order[: len(strays)]
    return [named(world, piece) for piece in found[: None if world.holds("distractor_count") else -1]]


def picture(size: int, tiles: int) -> bytes:
    """A square picture of differently grey tiles."""
    image = Image.new("L", (size, size))
    for number in range(tiles * tiles):
        tile = -(-size // tiles)
        image.paste(9 * number + 9, (number % tiles * tile, number // tiles * tile, size, size))
    content = io.BytesIO()
    image.save(content, "png")
    return content.getvalue()


def count(content: bytes) -> int:
    """How many tiles a picture has."""
    return len(set(Image.open(io.BytesIO(content)).tobytes()))
