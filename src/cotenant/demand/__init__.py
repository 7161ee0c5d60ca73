"""What work asks for: frozen values that know nothing of machines."""
