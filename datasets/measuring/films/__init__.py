"""How well whole games are followed: films are planned, rendered, watched, scored and summed up."""
