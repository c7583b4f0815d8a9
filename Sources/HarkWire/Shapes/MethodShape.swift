/// The definition of a method, shared by daemon and clients: its name, parameters and result.
package struct MethodShape: Sendable {
    package let name: String
    // Made on demand, because a caller of a method needs only its name.
    private let makeParameters: @Sendable () -> [Parameter]
    private let makeResult: @Sendable () -> [Shape.Member]
    private let makeNotifications: @Sendable () -> [NotificationShape]

    package init(
        _ name: String, _ parameters: @autoclosure @escaping @Sendable () -> [Parameter] = [],
        result: @autoclosure @escaping @Sendable () -> [Shape.Member],
        notifications: @autoclosure @escaping @Sendable () -> [NotificationShape] = []
    ) {
        self.name = name
        makeParameters = parameters
        makeResult = result
        makeNotifications = notifications
    }

    package var parameters: [Parameter] { makeParameters() }
    /// The members of the result.
    package var result: [Shape.Member] { makeResult() }
    /// The notifications that follow the reply, without end.
    package var notifications: [NotificationShape] { makeNotifications() }

    /// A parameter of a method.
    package struct Parameter: Sendable {
        package let name: String
        package let type: Shape
        package let isRequired: Bool
        package let meaning: String

        package init(name: String, type: Shape, isRequired: Bool = false, meaning: String) {
            self.name = name
            self.type = type
            self.isRequired = isRequired
            self.meaning = meaning
        }
    }
}

/// The definition of a subscription's notification, shared by daemon and clients.
package struct NotificationShape: Sendable {
    package let name: String
    /// One sentence without a full stop.
    package let meaning: String
    /// The params other than `subscription`, which all notifications have.
    package let params: [Shape.Member]

    package init(_ name: String, _ meaning: String, params: [Shape.Member]) {
        self.name = name
        self.meaning = meaning
        self.params = params
    }
}
