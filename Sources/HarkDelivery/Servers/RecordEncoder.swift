package import HarkCore
package import HarkWire

/// Encodes records for a kind of server.
package protocol RecordEncoder: Sendable {
    /// The content type of the body.
    var contentType: String { get }

    /// Why nothing can be sent yet; nil if it can.
    var problem: String? { get }

    /// The URL for a request with these records, given the server's `url`.
    func url(for records: ArraySlice<Record>, at url: String) -> String

    /// The body of one request.
    func body(of records: ArraySlice<Record>) -> [UInt8]

    /// The meaning of a 2xx response; `body` is its JSON, if it is JSON.
    func outcome(of records: ArraySlice<Record>, answer body: JSONValue?) -> DeliveryOutcome

    /// Whether the body of a 2xx response matters.
    var readsAnswers: Bool { get }
}

extension RecordEncoder {
    package func outcome(of records: ArraySlice<Record>, answer body: JSONValue?) -> DeliveryOutcome { .accepted }
    package func url(for records: ArraySlice<Record>, at url: String) -> String { url }
    package var readsAnswers: Bool { false }
    package var problem: String? { nil }
}
