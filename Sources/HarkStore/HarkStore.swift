package enum HarkStore {}
