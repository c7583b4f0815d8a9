/// JSON stored in a member: a parsed value, or text that is passed on unparsed.
package struct AnyJSON: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case value(JSONValue)
        case text([UInt8])
    }

    package let content: Content
    /// The path in the request, for errors.
    package var path = "$"

    package init(_ value: JSONValue) { content = .value(value) }

    /// - Parameter text: One JSON value on one line.
    package init(text: [UInt8]) { content = .text(text) }

    /// - Parameter write: Writes one value.
    package init(writing write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        self.init(text: json.bytes)
    }

    package init(_ object: some WireObject) { self.init(text: object.json) }

    package init(_ object: JSONObject) { self.init(.object(object)) }

    /// The members; nil if it is no object.
    package var object: JSONObject? { value?.objectValue }

    /// The parsed value; nil if the text is not JSON.
    package var value: JSONValue? {
        switch content {
        case .value(let value): value
        case .text(let text): (try? JSONDocument(text, .json))?.value
        }
    }
}
