"""Synthetic game films with their truth: a table, a camera, hands, and a whole evening's accidents.

`story` (who does what with which cards) -> `choreography` (who moves what where, in millimetres and
seconds) -> `renderer` (pictures) and `truth` (what really happened).
"""
