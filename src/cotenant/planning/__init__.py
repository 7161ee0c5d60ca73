"""The main job: tasks and machines in, a judged plan out."""
