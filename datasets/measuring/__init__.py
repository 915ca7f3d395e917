"""How well whole games are followed: films planned, rendered, watched, scored, summed up; soaks; results.

This package sees all others, and none of them imports it but the commands `measure`, `soak` and `results`.
"""
