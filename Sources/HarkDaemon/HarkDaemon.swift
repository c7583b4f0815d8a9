package enum HarkDaemon {}
