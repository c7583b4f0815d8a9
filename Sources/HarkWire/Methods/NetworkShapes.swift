/// The shapes of `network.*`.
extension MethodShape {
    package static let networkStatus = MethodShape("network.status", result: NetworkResult.members)

    package static let networkSubscribe = MethodShape(
        "network.subscribe", result: NetworkSubscribed.members, notifications: [.networkChanged])
}

extension NotificationShape {
    package static let networkChanged = NotificationShape(
        "network.changed", "The network is another", params: NetworkChanged.members)
}
