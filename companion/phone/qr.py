"""QR codes of the page's addresses: for a terminal, and as a grid of squares for a window."""

from __future__ import annotations

import io


def qr_text(address: str) -> str:
    """Return the code as lines of text, two rows of squares in each."""
    import segno

    out = io.StringIO()
    segno.make_qr(address, error="m").terminal(out, compact=True, border=2)
    return out.getvalue()


def qr_squares(address: str) -> list[list[bool]]:
    """Return the code as rows of squares from the top, True for dark, with the light border it needs."""
    import segno

    return [
        [bool(square) for square in row] for row in segno.make_qr(address, error="m").matrix_iter(border=4)
    ]
