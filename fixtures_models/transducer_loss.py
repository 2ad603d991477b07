"""The loss of a token-and-duration transducer in plain torch operations: NeMo's own need CUDA.

After H. Xu et al., Efficient Sequence Transduction by Jointly Predicting Tokens and Durations, ICML 2023. The forward
variables are logarithms and are computed by diagonals, so that the loop runs over
frames plus tokens only; torch derives the gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn.functional import log_softmax, pad

_NEVER = -1e9  # a logarithm of zero whose gradient is zero and not undefined


def tdt_loss(
    logits: torch.Tensor, targets: torch.Tensor, frames: torch.Tensor, tokens: torch.Tensor, durations: Sequence[int]
) -> torch.Tensor:
    """The mean of the negative log-likelihoods, each divided by its number of tokens.

    ``logits``: batch x frame x (token + 1) x (symbols, blank last, then durations). ``targets``: batch x token, padded.
    ``frames`` and ``tokens``: the true lengths of both. ``durations``: 0, 1, 2 and so on, as the model has them.
    """
    count = len(durations)
    symbols = log_softmax(logits[..., :-count], dim=-1)
    skips = log_softmax(logits[..., -count:], dim=-1)
    index = targets[:, None, :, None].expand(-1, symbols.shape[1], -1, -1)
    emit = symbols[:, :, :-1].gather(3, index) + skips[:, :, :-1]
    wait = symbols[..., -1:] + skips
    alpha = _forward(_diagonals(emit, frames), _diagonals(wait, frames), durations)
    rows = torch.arange(len(targets))
    reached = torch.stack(alpha)[frames + tokens, rows, tokens]
    return (-reached / tokens).mean()


def _diagonals(values: torch.Tensor, frames: torch.Tensor) -> torch.Tensor:
    """From batch x frame x token x duration to diagonal (frame + token) x duration x batch x token."""
    _, longest, tokens, _ = values.shape
    diagonal, token = torch.arange(longest + tokens)[:, None], torch.arange(tokens)
    frame = diagonal - token
    inside = (frame >= 0) & (frame < frames[:, None, None])
    laid_out = values[:, frame.clamp(0, longest - 1), token.expand_as(frame)]
    return laid_out.masked_fill(~inside[..., None], _NEVER).permute(1, 3, 0, 2)


def _forward(emit: torch.Tensor, wait: torch.Tensor, durations: Sequence[int]) -> list[torch.Tensor]:
    """Log-probability of having come to each point, for each diagonal: batch x (token + 1)."""
    first = torch.full(tuple(wait.shape[2:]), _NEVER)
    first[:, 0] = 0.0
    alpha = [first]
    for diagonal in range(1, len(wait)):
        ways = []
        for number, duration in enumerate(durations):
            before = diagonal - duration
            if duration and before >= 0:
                ways.append(alpha[before] + wait[before, number])
            if before >= 1 and emit.shape[3]:
                ways.append(pad(alpha[before - 1][:, :-1] + emit[before - 1, number], (1, 0), value=_NEVER))
        alpha.append(torch.logsumexp(torch.stack(ways), dim=0))
    return alpha
