drop table checkpoints, log_nodes, log_entries, signing_keys;
