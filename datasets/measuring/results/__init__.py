"""The page of results: goals, tables, and the measurements that other commands wrote."""
