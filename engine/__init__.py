"""The rules of Shithead: pure, standard library only; no clock, no camera, no screen."""
