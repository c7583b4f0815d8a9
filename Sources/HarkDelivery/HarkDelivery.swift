package enum HarkDelivery {}
