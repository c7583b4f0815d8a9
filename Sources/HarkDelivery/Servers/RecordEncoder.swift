package import HarkCore
package import HarkWire

/// How a kind of server wants records.
package protocol RecordEncoder: Sendable {
    /// The type of the body.
    var contentType: String { get }

    /// Why nothing can be sent as yet; nil: it can.
    var problem: String? { get }

    /// Where the request goes for these, where servers are at `url`.
    func url(for records: ArraySlice<Record>, at url: String) -> String

    /// The body of one request.
    func body(of records: ArraySlice<Record>) -> [UInt8]

    /// What a 2xx answer means; `body` is its JSON, if it is JSON.
    func outcome(of records: ArraySlice<Record>, answer body: JSONValue?) -> DeliveryOutcome

    /// Whether the answer to a 2xx matters.
    var readsAnswers: Bool { get }
}

extension RecordEncoder {
    package func outcome(of records: ArraySlice<Record>, answer body: JSONValue?) -> DeliveryOutcome { .accepted }
    package func url(for records: ArraySlice<Record>, at url: String) -> String { url }
    package var readsAnswers: Bool { false }
    package var problem: String? { nil }
}
