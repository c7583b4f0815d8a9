package enum HarkWire {}
