"""The timeline of a film, made from its story: where people sit, and how their hands move the cards."""
