package enum HarkClient {}
