"""Job logs on clusters of different speed: allocators and orders side by side."""
