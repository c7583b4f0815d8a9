/// The maximum length of a message for the broker, as far as known: the broker announces it (MQTT 5), refuses a
/// message, or ends the connection over one. Pure.
///
/// A connection may also end by chance. So a conclusion only makes batches shorter, and is relaxed step by step. A
/// record is given up only if the broker has said so, or after several ends in a row over that record alone.
package struct BrokerLimit: Sendable, Equatable {
    /// The length below which a message never causes the end of a connection.
    package static let shortest = 4_096
    /// The number of ends over a message after which its length counts as the cause.
    static let mostEnds = 2
    /// The number of ends over a message that cannot be split, if others were delivered.
    static let mostEndsOfOne = 4
    /// The time in milliseconds within which a broker ends a connection after it has seen a message's length.
    static let promptness: Int64 = 5_000
    /// The time in milliseconds without such an end after which twice the length is tried.
    static let relief: Int64 = 3_600_000

    /// The longest payload that the broker has announced.
    package private(set) var announced: Int?
    /// The shortest payload that the broker refused on this connection.
    private(set) var refused: Int?
    /// The maximum length concluded from ended connections, and when.
    private var concluded: (bytes: Int, at: Int64)?
    /// The longest unconfirmed message, and when it was sent.
    private var underway: (bytes: Int, at: Int64)?
    /// The number of ends over a message in a row, and the length of the last one.
    private var ends = 0
    private var endedOver = 0
    /// The longest delivered message since the start, and on this connection.
    private var longestPassed = 0
    package private(set) var longestPassedNow = 0

    package init() {}

    package static func == (left: BrokerLimit, right: BrokerLimit) -> Bool {
        left.announced == right.announced && left.refused == right.refused && left.ends == right.ends
            && left.concluded?.bytes == right.concluded?.bytes
    }

    /// - Parameter announced: The longest packet, less its overhead besides the payload.
    package mutating func connected(announced: Int?) {
        self.announced = announced
        // A changed limit requires a restart of the broker, and so a new connection.
        refused = nil
        underway = nil
        longestPassedNow = 0
    }

    package mutating func sent(_ bytes: Int, at now: Int64) {
        guard bytes >= underway?.bytes ?? 0 else { return }
        underway = (bytes, now)
    }

    /// Notes that a message of this length was delivered.
    package mutating func passed(_ bytes: Int) {
        longestPassedNow = max(longestPassedNow, bytes)
        longestPassed = max(longestPassed, bytes)
        if let underway, underway.bytes <= bytes { self.underway = nil }
        if bytes >= endedOver { ends = 0 }
    }

    /// Notes that the broker has refused a message of this length.
    package mutating func refuse(_ bytes: Int, at now: Int64) {
        refused = min(refused ?? .max, bytes)
        underway = nil
        concluded = (max(1, min(bytes, mostBytes(at: now)) / 2), now)
    }

    /// Notes that the broker has ended the connection.
    package mutating func ended(at now: Int64) {
        defer { underway = nil }
        guard let underway, underway.bytes >= Self.shortest, now - underway.at <= Self.promptness else { return }
        ends = endedOver == underway.bytes || ends < Self.mostEnds ? ends + 1 : Self.mostEnds
        endedOver = underway.bytes
        if ends >= Self.mostEnds { shorten(below: underway.bytes, at: now) }
    }

    /// Notes another message without an answer: a broker may drop a message that is too long. It is no proof, because
    /// the hub may be the cause.
    package mutating func unanswered(at now: Int64) {
        if let underway, underway.bytes > longestPassed { shorten(below: underway.bytes, at: now) }
        underway = nil
    }

    private mutating func shorten(below bytes: Int, at now: Int64) {
        concluded = (max(Self.shortest, min(bytes, mostBytes(at: now)) / 2), now)
    }

    /// The maximum length of batches; `Int.max` if nothing is known.
    package func mostBytes(at now: Int64) -> Int {
        let steps = concluded.map { max(0, now - $0.at) / Self.relief } ?? 0
        let tried = concluded.map { steps > 20 ? Int.max : $0.bytes << Int(steps) } ?? .max
        return min(tried, announced ?? .max, refused.map { max(1, $0 - 1) } ?? .max)
    }

    /// The limit that a message of this length certainly exceeds, if it cannot be split; nil: it may be tried.
    package func bound(for bytes: Int, at now: Int64) -> Int? {
        if let announced, bytes > announced { return announced }
        if let refused, bytes >= refused { return max(0, refused - 1) }
        guard longestPassed > 0, ends >= Self.mostEndsOfOne, endedOver <= bytes, let concluded,
            now - concluded.at < Self.relief
        else { return nil }
        return endedOver - 1
    }

    /// Whether connections have ended over messages, so that shorter ones are tried.
    package var isDoubted: Bool { ends >= Self.mostEnds }
}
