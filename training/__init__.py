"""How the small models inside the product are trained; not part of the installed package."""
