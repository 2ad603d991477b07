"""Workspaces of the product list and post from a launch video in which a chosen set of criteria holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("facts_right", "looks_good")
PRODUCTS = (("Alder 3", "smartphone", 499), ("Birch Watch", "smartwatch", 199), ("Cedar Buds", "earbuds", 99))
UNKNOWN = (("Zzz", "smartphone", 1),)
SERVICES = tuple((f"Plan no. {number}", "smartphone", 1) for number in range(100, 2100))
OTHER_NAMES = {"smartphone": "phone", "smartwatch": "watch", "earbuds": "headphones"}
A4, LETTER = (595, 842), (500, 700)


class Document:
    """A PDF as the grader reads it: pages that have a size and give a picture."""

    def __init__(self, path: str) -> None:
        described = json.loads(Path(path).read_text().splitlines()[0])
        width, height = described["size"]
        picture = SimpleNamespace(tobytes=lambda form: b"picture")
        page = SimpleNamespace(rect=SimpleNamespace(width=width, height=height), get_pixmap=lambda matrix: picture)
        self._pages = [page] * described["pages"]

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pages)

    def __getitem__(self, index: int) -> Any:
        return self._pages[index]

    def close(self) -> None:
        """Nothing is open."""


def build(world: World) -> None:
    """Write the truth, the product list, and a post that says of itself what its pages are like."""
    keys = ("product_name", "category", "starting_price_usd")
    truth = [dict(zip(keys, product, strict=True)) for product in PRODUCTS]
    world.write("gt/ground_truth.json", json.dumps({"products": truth}))
    place = "results/products.json" if world.holds("products_out") else "results/list.json"
    world.write(place, json.dumps({"products" if world.holds("array_key") else "items": _entries(world)}))

    world.module("fitz", open=Document, Matrix=lambda x, y: (x, y))
    post = {"pages": 5 if world.holds("five_pages") else 4, "size": A4 if world.holds("a4") else LETTER}
    name = "promotional_post" if world.holds("post_out") else "flyer"
    world.write(f"results/{name}.pdf", json.dumps(post) + "\n" + "." * 1000)
    accurate = all(map(world.holds, ("highlights", "video_only", "facts_right")))
    world.judge(
        {
            "product_completeness": float(world.holds("all_products")),
            "image_text_match": float(world.holds("images")),
            "text_accuracy": float(accurate),
            "visual_aesthetics": float(world.holds("polished") and world.holds("looks_good")),
        }
    )


def _entries(world: World) -> list[dict[str, Any]]:
    """The entries of the list; enough of software, where it is let in, to take the F1 of the set to 0.00."""
    products = PRODUCTS if world.holds("all_products") else UNKNOWN
    extra = () if world.holds("hardware_only") else SERVICES
    name_key = "product_name" if world.holds("name_field") else "name"
    category_key = "category" if world.holds("category_field") else "type"
    price_key = "starting_price_usd" if world.holds("price_field") else "price"
    surcharge = 0 if world.holds("video_only") and world.holds("facts_right") else 1
    return [
        {
            name_key: name,
            category_key: category if world.holds("categories") else OTHER_NAMES[category],
            price_key: price + surcharge,
        }
        for name, category, price in (*products, *extra)
    ]
