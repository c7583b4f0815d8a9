package enum HarkCore {}
