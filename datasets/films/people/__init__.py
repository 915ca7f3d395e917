"""Whole people at the table of a film: bodies, clothes and hair in 3D over the drawn table.

`art` fetches the bodies, and `figures` makes random people of them. `rig` bends a skeleton and its skin,
`hands` bends fingers, and `body` bends a whole person. `acting` extends the stage: where hands rest, how a
fan is held, what people do besides the game. `poses` turns a timeline into poses, `drawing` draws them, and
`picture` lays them over the frames of the table. `masks` writes down what covers which card.

Lengths are millimetres. The origin of the frame of a seat is the middle of the table. Its x points to the
right of the player, y towards the player, z up. So a seat at the bottom edge has the frame of the table.
"""
