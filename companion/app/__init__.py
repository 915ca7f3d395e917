"""The window: a Kivy application."""
