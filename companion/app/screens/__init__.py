"""The Kivy screens: one .py and one .kv each. They show and ask; they hold no rules."""
