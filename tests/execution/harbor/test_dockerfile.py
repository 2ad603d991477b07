from __future__ import annotations

import pytest

from pytest_talk2agent.execution.harbor.dockerfile import Step, read_recipe

WHOLE = """\
# syntax=docker/dockerfile:1
FROM python:3.12-slim AS base
ARG NAME=notes
ENV COLOUR=grey SIZE="a b"
LABEL by="us"
WORKDIR /srv
WORKDIR data

COPY --chown=1000:1000 ${NAME}.txt pictures/ ./
ADD ["a b.txt", "/opt/a.txt"]
RUN echo one && \\
    # a remark
    echo two
RUN ["echo", "a b"]
USER agent
ENV OLD grey words
CMD ["bash"]
"""


def test_what_a_sandbox_can_follow() -> None:
    recipe = read_recipe(WHOLE)
    assert recipe.workdir == "/srv/data"
    assert recipe.environment == {"NAME": "notes", "COLOUR": "grey", "SIZE": "a b", "OLD": "grey words"}
    assert recipe.steps == [
        Step("/srv/data", sources=("notes.txt", "pictures/"), target="/srv/data/"),
        Step("/srv/data", sources=("a b.txt",), target="/opt/a.txt"),
        Step("/srv/data", run="echo one && \n    echo two"),
        Step("/srv/data", run="echo 'a b'"),
    ]
    assert set(recipe.places) == {"/srv/data", "/srv/data/", "/opt/a.txt"}


def test_it_begins_in_the_folder_that_is_given() -> None:
    assert read_recipe("FROM x\nRUN pwd\nWORKDIR y\n", "/app").steps == [Step("/app", run="pwd")]
    assert read_recipe("FROM x\nWORKDIR y\n", "/app").workdir == "/app/y"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("FROM y", "a second FROM"),
        ("COPY --from=x a b", "COPY --from=x"),
        ("ADD https://example.org/a b", "ADD https://example.org/a b"),
        ("COPY ../secret b", "COPY ../secret b"),
        ("COPY a", "COPY a"),
        ("RUN --mount=type=cache,target=/x true", "RUN --mount=type=cache,target=/x"),
        ("RUN <<EOF", "RUN <<EOF"),
        ("IMPORT x", "IMPORT"),
    ],
)
def test_what_it_cannot_follow_is_refused_with_its_line(line: str, what: str) -> None:
    with pytest.raises(ValueError, match=r"Dockerfile:3: no image is built here") as caught:
        read_recipe(f"FROM x\n\n{line}\n")
    assert f"`{what}`" in str(caught.value)


def test_a_source_at_the_root_is_one_of_the_build_folder() -> None:
    assert read_recipe("FROM x\nCOPY /a.txt /b.txt\n").steps == [Step("", sources=("a.txt",), target="/b.txt")]
