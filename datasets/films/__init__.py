"""Synthetic game films with their truth: a table, a camera, hands, and the accidents of an evening.

`story` says who does what with which cards. `choreography` turns it into a `timeline`: what moves where, in
millimetres and seconds. `rendering` draws the frames, and `truth` writes down what happened. The seed decides
what differs between evenings: seats, piles, how straight cards lie, pace, pauses, people, light and camera.

When an event of the truth begins and ends:

- `t_start` is when the hand starts to move. - `play`, `flip`, `burn` and `exchange` put cards on the table.
They end when the hand lets go of the last card. - `draw`, `pick_up`, `take_up` and `take_down` remove cards.
They end when the last card has left the picture. Cards that are drawn together are one event with their
count, and the arm reaches once for each.
- `deal` ends when the pack lies in the middle and no hand cards lie on the table any more.
- `show` ends when the last 3 lies on the burn pile. The answers are part of it. Shown 3s have no `burn`: that
  event is only for the play pile.
- `out` and `game_over` take no time. They come at the end of the event that caused them.

A hand that points or squares the pile is no event. In a lively company (`liveliness`) other things happen
that are no events either: a card that is put down and taken back was not played. A player may break a rule by
showing, playing or taking a card. The film shows it like any other, and its line has `"legal": false`.
`verdict` is the ruling of a referee who sees only public cards: `unproven` if hidden cards decide.
"""
