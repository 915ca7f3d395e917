"""From pictures to what happened on the table. Knows cards and tables; never asks what is legal."""
