"""Moving a pin: its places are found, relocated, rewritten in memory and read again, before anything is written."""
