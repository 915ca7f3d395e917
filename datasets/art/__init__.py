"""Card faces for rendered pictures."""
