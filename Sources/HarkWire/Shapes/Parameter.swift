/// A parameter of requests: its name, type and meaning, defined once.
///
/// The daemon parses by it, clients write by it, and the documentation is generated from it.
package struct Parameter<Value> {
    package let name: String
    package let type: MemberType<Value>
    /// The meaning in Markdown.
    package let meaning: String

    package init(_ name: String, _ type: MemberType<Value>, _ meaning: String) {
        self.name = name
        self.type = type
        self.meaning = meaning
    }
}

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

        package static func required<Value>(_ parameter: HarkWire.Parameter<Value>) -> Parameter {
            Parameter(name: parameter.name, type: parameter.type.shape, isRequired: true, meaning: parameter.meaning)
        }

        package static func optional<Value>(_ parameter: HarkWire.Parameter<Value>) -> Parameter {
            Parameter(name: parameter.name, type: parameter.type.shape, meaning: parameter.meaning)
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

extension JSONWriter {
    /// Writes a string parameter; nothing if it is nil.
    package mutating func member<Value>(_ parameter: Parameter<Value>, _ text: String?) {
        guard let text else { return }
        key(parameter.name)
        string(text)
    }

    package mutating func member<Value>(_ parameter: Parameter<Value>, _ number: Int64?) {
        guard let number else { return }
        key(parameter.name)
        int(number)
    }

    package mutating func member(_ parameter: Parameter<Bool>, _ flag: Bool) {
        key(parameter.name)
        bool(flag)
    }

    package mutating func member<Value>(_ parameter: Parameter<Value>, value: JSONValue) {
        key(parameter.name)
        self.value(value)
    }

    package mutating func member(_ parameter: Parameter<Timestamp>, _ time: Timestamp?) {
        guard let time else { return }
        key(parameter.name)
        timestamp(time)
    }

    package mutating func member(_ parameter: Parameter<[String]>, _ texts: [String]) {
        key(parameter.name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    /// - Parameter json: A complete value.
    package mutating func member<Value>(_ parameter: Parameter<Value>, raw json: [UInt8]) {
        key(parameter.name)
        raw(json)
    }
}
