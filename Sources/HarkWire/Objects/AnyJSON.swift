/// JSON that a member holds as it is: as a value, or as text that is passed on unread.
package struct AnyJSON: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case value(JSONValue)
        case text([UInt8])
    }

    package let content: Content
    /// Where it stands in a request, for the errors about it.
    package var path = "$"

    package init(_ value: JSONValue) { content = .value(value) }

    /// - Parameter text: one JSON value, in one line.
    package init(text: [UInt8]) { content = .text(text) }

    /// The value; nil if its text is no JSON.
    package var value: JSONValue? {
        switch content {
        case .value(let value): value
        case .text(let text): (try? JSONDocument(text, .json))?.value
        }
    }
}
