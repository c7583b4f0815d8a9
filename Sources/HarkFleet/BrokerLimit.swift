/// How long a message may be for the broker, as far as that is known: it says so when it lets somebody in (MQTT 5), it refuses one,
/// or it ends the connection over one. Pure.
///
/// A connection may also end by chance. So what is only concluded makes batches shorter and is given up bit by bit, and a
/// record is given up for what the broker said, or after several ends in a row over that one alone.
package struct BrokerLimit: Sendable, Equatable {
    /// Shorter messages are never what a connection ended over.
    package static let shortest = 4_096
    /// So often a connection must end over a message until that counts for its length.
    static let mostEnds = 2
    /// So often it must end over a message that cannot be parted, where others came through.
    static let mostEndsOfOne = 4
    /// A broker ends a connection as soon as it has seen how long a message is to be; in milliseconds.
    static let promptness: Int64 = 5_000
    /// After so long without such an end, twice as much is tried; in milliseconds.
    static let relief: Int64 = 3_600_000

    /// The longest payload, as the broker said.
    package private(set) var announced: Int?
    /// The shortest payload that this connection's broker refused.
    private(set) var refused: Int?
    /// What is tried at most, concluded from how connections ended, and when.
    private var concluded: (bytes: Int, at: Int64)?
    /// The longest that is under way, and when it was sent.
    private var underway: (bytes: Int, at: Int64)?
    /// How often connections ended over a message in a row, and over which length the last time.
    private var ends = 0
    private var endedOver = 0
    /// The longest that came through since the start, and on this connection.
    private var longestPassed = 0
    package private(set) var longestPassedNow = 0

    package init() {}

    package static func == (left: BrokerLimit, right: BrokerLimit) -> Bool {
        left.announced == right.announced && left.refused == right.refused && left.ends == right.ends
            && left.concluded?.bytes == right.concluded?.bytes
    }

    /// - Parameter announced: the longest packet, less what is in it beside the payload.
    package mutating func connected(announced: Int?) {
        self.announced = announced
        // Who set the limit anew has started the broker anew.
        refused = nil
        underway = nil
        longestPassedNow = 0
    }

    package mutating func sent(_ bytes: Int, at now: Int64) {
        guard bytes >= underway?.bytes ?? 0 else { return }
        underway = (bytes, now)
    }

    /// One of this length has come through.
    package mutating func passed(_ bytes: Int) {
        longestPassedNow = max(longestPassedNow, bytes)
        longestPassed = max(longestPassed, bytes)
        if let underway, underway.bytes <= bytes { self.underway = nil }
        if bytes >= endedOver { ends = 0 }
    }

    /// The broker said that it is too long.
    package mutating func refuse(_ bytes: Int, at now: Int64) {
        refused = min(refused ?? .max, bytes)
        underway = nil
        concluded = (max(1, min(bytes, mostBytes(at: now)) / 2), now)
    }

    /// The broker has ended the connection.
    package mutating func ended(at now: Int64) {
        defer { underway = nil }
        guard let underway, underway.bytes >= Self.shortest, now - underway.at <= Self.promptness else { return }
        ends = endedOver == underway.bytes || ends < Self.mostEnds ? ends + 1 : Self.mostEnds
        endedOver = underway.bytes
        if ends >= Self.mostEnds { shorten(below: underway.bytes, at: now) }
    }

    /// What was sent was not answered, once more: a broker may let go of what is too long without a word. That is no proof, as
    /// it may be the hub that cannot.
    package mutating func unanswered(at now: Int64) {
        if let underway, underway.bytes > longestPassed { shorten(below: underway.bytes, at: now) }
        underway = nil
    }

    private mutating func shorten(below bytes: Int, at now: Int64) {
        concluded = (max(Self.shortest, min(bytes, mostBytes(at: now)) / 2), now)
    }

    /// How long batches may be; `Int.max` where nothing is known.
    package func mostBytes(at now: Int64) -> Int {
        let steps = concluded.map { max(0, now - $0.at) / Self.relief } ?? 0
        let tried = concluded.map { steps > 20 ? Int.max : $0.bytes << Int(steps) } ?? .max
        return min(tried, announced ?? .max, refused.map { max(1, $0 - 1) } ?? .max)
    }

    /// The bound that a message of this length breaks for certain, where it cannot be parted; nil: it may be tried.
    package func bound(for bytes: Int, at now: Int64) -> Int? {
        if let announced, bytes > announced { return announced }
        if let refused, bytes >= refused { return max(0, refused - 1) }
        guard longestPassed > 0, ends >= Self.mostEndsOfOne, endedOver <= bytes, let concluded,
            now - concluded.at < Self.relief
        else { return nil }
        return endedOver - 1
    }

    /// Whether connections ended over what was sent, so that shorter messages are tried.
    package var isDoubted: Bool { ends >= Self.mostEnds }
}
