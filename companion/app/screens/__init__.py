"""The Kivy screens: mostly one .py and one .kv each. They show and ask, and hold no rules."""
