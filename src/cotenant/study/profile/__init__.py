"""What is a usage trace like? One function a figure, and all of them told."""
