package enum HarkSystem {}
