"""Workspaces of the sets of clothes with pictures in which a chosen set of criteria holds."""

from __future__ import annotations

import json
from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("pictures_good",)
ROLES = {"top": "上衣", "bottom": "裤子", "shoes": "鞋子"}
OTHER_ROLES = {"top": "upper", "bottom": "lower", "shoes": "footwear"}
OTHER_CATEGORIES = {"上衣": "shirt", "裤子": "trousers", "鞋子": "sneakers"}
GENDERS = ("female", "male", "female", "male")
OTHER_GENDERS = {"female": "woman", "male": "man"}


def build(world: World) -> None:
    """Write the truth, the sets and one picture a set; pieces are numbered set by set."""
    truth = [_set(number, gender) for number, gender in enumerate(GENDERS)]
    mapping = {piece["original_file"]: piece for outfit in truth for role, piece in outfit.items() if role in ROLES}
    world.write("gt/ground_truth.json", json.dumps({"outfits": truth, "photo_mapping": mapping}))
    place = "results/outfits.json" if world.holds("outfits_out") else "results/sets.json"
    world.write(place, json.dumps({"outfits": _understood(world, truth)}))
    for number in range(1, 5):
        name = f"model_outfit_{number}" if world.holds("images_out") else f"look_{number}"
        world.write(f"results/{name}.png", b"." * 10_001)
    whole = all(map(world.holds, ("full_body", "on_model", "pictures_good")))
    world.judge(
        {
            "gender_correct": float(world.holds("on_model")),
            "outfit_match": float(world.holds("per_outfit")),
            "quality": float(whole),
        }
    )


def _set(number: int, gender: str) -> dict[str, Any]:
    pieces = {
        role: {"original_file": f"item_{3 * number + place:02}.jpg", "category": category}
        for place, (role, category) in enumerate(ROLES.items(), start=1)
    }
    return {"gender": gender, **pieces}


def _understood(world: World, truth: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The right sets, with whatever an agent gets wrong that lacks an intention."""
    sets = truth if world.holds("four_sets") else truth[:3]
    found = []
    for outfit in sets:
        gender = outfit["gender"] if world.holds("gender_names") else OTHER_GENDERS[outfit["gender"]]
        entry: dict[str, Any] = {"gender" if world.holds("gender_field") else "for": gender}
        for role in ROLES:
            if role == "shoes" and not world.holds("one_of_each"):
                continue
            source = outfit if world.holds("no_repeat") or role != "shoes" else truth[0]
            entry[role if world.holds("role_fields") else OTHER_ROLES[role]] = _piece(world, source[role])
        found.append(entry)
    return found


def _piece(world: World, piece: dict[str, str]) -> dict[str, str]:
    category = piece["category"] if world.holds("category_names") else OTHER_CATEGORIES[piece["category"]]
    return {
        "original_file" if world.holds("file_field") else "file": piece["original_file"],
        "category" if world.holds("category_field") else "kind": category,
    }
