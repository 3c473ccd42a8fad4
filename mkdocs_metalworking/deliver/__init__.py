"""Bytes that match the lock: the store, the resolver and the transports that bring them."""
