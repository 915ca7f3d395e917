"""All texts of the app, in the user's language."""
