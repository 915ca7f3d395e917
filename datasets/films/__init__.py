"""Synthetic game films with their truth: a table, a camera, hands, and a whole evening's accidents.

`story` (who does what with which cards) -> `choreography` (who moves what where, in millimetres and
seconds) -> `renderer` (pictures) and `truth` (what really happened). What the seed leaves to chance is what
differs from evening to evening: seats, piles, how straight cards lie, pace, pauses, people, light, camera.

When an event of the truth begins and ends:

- `t_start` is when the hand sets out.
- What comes to lie on the table (`play`, `flip`, `burn`, `exchange`) ends when its last card is let go.
- What leaves the table (`draw`, `pick_up`, `take_up`, `take_down`) ends when the last card is out of the
  picture; cards drawn together are one event with their count, one reach of the arm for each.
- `deal` ends when the pack lies in the middle and nobody's hand cards lie on the table any more.
- `show` ends when the last 3 lies on the burn pile; its answers are part of it. `burn` is the play pile's
  way to the burn pile only: shown 3s have no `burn` of their own.
- `out` and `game_over` take no time; they stand at the end of what caused them.

A hand that reaches in for nothing (it points, or squares the pile) is no event, nor is what a lively company
does beside its game (`liveliness`): a card that is put down and taken back was not played. A card that is
shown, played or taken too early because somebody breaks a rule is filmed like any other; its line says
`"legal": false`.
`verdict` is what a referee can say of an act who sees only what is public: `unproven` where hidden cards
decide.
"""
