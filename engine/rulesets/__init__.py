"""The five rulesets as data."""
