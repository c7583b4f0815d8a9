package import HarkWire

/// A showing as a row of the store, with the columns that results need. Its buffers are valid during one call.
package struct ShowingRow {
    package var state: Presentation.State
    package var uid: UInt32
    /// Empty for an anonymous user.
    package var user: UnsafeBufferPointer<UInt8>
    package var app: UnsafeBufferPointer<UInt8>
    package var locale: UnsafeBufferPointer<UInt8>?
    package var reason: UnsafeBufferPointer<UInt8>?
    package var due: Timestamp
    package var presented: Timestamp?
    package var closed: Timestamp?
    /// Packed as by `Answers.packed` and `ShowingTimes.properties`.
    package var answers: UnsafeBufferPointer<UInt8>
    package var times: UnsafeBufferPointer<UInt8>
    /// Packed as `Properties`; empty if no property is needed.
    package var trigger: UnsafeBufferPointer<UInt8>

    package init(
        state: Presentation.State, uid: UInt32, user: UnsafeBufferPointer<UInt8>, app: UnsafeBufferPointer<UInt8>,
        locale: UnsafeBufferPointer<UInt8>?, reason: UnsafeBufferPointer<UInt8>?, due: Timestamp, presented: Timestamp?,
        closed: Timestamp?,
        answers: UnsafeBufferPointer<UInt8>, times: UnsafeBufferPointer<UInt8>,
        trigger: UnsafeBufferPointer<UInt8> = UnsafeBufferPointer(start: nil, count: 0)
    ) {
        (self.state, self.uid, self.user, self.app, self.locale) = (state, uid, user, app, locale)
        (self.reason, self.due, self.presented, self.closed) = (reason, due, presented, closed)
        (self.answers, self.times, self.trigger) = (answers, times, trigger)
    }

    /// Appends the key of the showing's kind: equal bytes mean the same kind.
    ///
    /// - Returns: the showing's times; nil if they cannot be read.
    func appendKind(to key: inout [UInt8]) -> PackedTimes? {
        key.append(UInt8(state.rawValue))
        key.append(presented == nil ? 0 : isAbandoned ? 2 : 1)
        let facts = PackedTimes(times)
        guard presented != nil else { return facts }
        appendAnswers(to: &key)
        guard let items = facts.items else { return facts }
        let isUnderstood = PackedItem.forEach(in: items) { item in
            if item.shown > 0 { key.appendQuestion(item.question) }
        }
        return isUnderstood ? facts : nil
    }

    /// Appends the answers with their length. Texts are emptied, because results only count that they exist.
    private func appendAnswers(to key: inout [UInt8]) {
        let start = key.count
        key.append(contentsOf: repeatElement(0, count: 4))
        var hasTexts = false
        Properties.forEachMember(in: answers) { if $0.isText { hasTexts = true } }
        if hasTexts {
            var given = Properties.none
            Properties.forEachMember(in: answers) { given.append($0, isEmptied: $0.isText) }
            given.withBytes { key.append(contentsOf: $0) }
        } else {
            key.append(contentsOf: answers)
        }
        let count = key.count - start - 4
        for place in 0..<4 { key[start + place] = UInt8(truncatingIfNeeded: count >> (8 * place)) }
    }

    /// The text answers, packed.
    var texts: [UInt8] {
        var texts = Properties.none
        Properties.forEachMember(in: answers) { if $0.isText { texts.append($0) } }
        return texts.bytes
    }

    /// The time from showing to answer, in milliseconds.
    var took: Int64? {
        presented.flatMap { presented in closed.map { $0.milliseconds &- presented.milliseconds } }
    }

    /// When the showing was shown, or else planned or due.
    func time(_ facts: PackedTimes) -> Timestamp { presented ?? facts.planned ?? due }

    /// A hash of the user who answered; nil if anonymous or not answered.
    var person: UInt64? {
        state == .answered && !user.isEmpty ? ShowingRow.person(uid, user) : nil
    }

    static func person(_ uid: UInt32, _ user: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = StableHash()
        hash.mix(UInt64(uid))
        for byte in user { hash.mix(byte) }
        // 0 means no user in the packed form.
        return max(hash.value, 1)
    }

    fileprivate var isAbandoned: Bool {
        state == .dismissed && (reason?.elementsEqual(Presentation.abandonedReason.utf8) ?? false)
    }
}

/// The part of a showing that results count, shared by many showings.
package struct ShowingKind: Sendable {
    let state: Presentation.State
    let isShown: Bool
    let isAbandoned: Bool
    let answers: Answers
    /// The questions that the person saw, in the order in which they first appeared.
    let seen: [String]

    var isAnswered: Bool { isShown && state == .answered }
}

extension ShowingKind {
    /// - Parameter key: a key written by `ShowingRow.appendKind`.
    init(_ key: [UInt8]) {
        state = key.first.flatMap { Presentation.State(rawValue: Int($0)) } ?? .cancelled
        let shown = key.dropFirst().first ?? 0
        (isShown, isAbandoned) = (shown > 0, shown == 2)
        let (answers, seen) = ShowingKind.parts(of: key) ?? ([], [])
        self.answers = answers.withUnsafeBufferPointer { Answers(packed: $0) }
        self.seen = seen.split(separator: 0xFF).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Splits a key into answers and questions; nil if it has neither.
    private static func parts(of key: [UInt8]) -> (answers: ArraySlice<UInt8>, seen: ArraySlice<UInt8>)? {
        guard key.count >= 6 else { return nil }
        let count = (0..<4).reduce(0) { $0 | Int(key[2 + $1]) << (8 * $1) }
        guard count <= key.count - 6 else { return nil }
        return (key[6..<6 + count], key[(6 + count)...])
    }

    /// Whether bytes have the form that `ShowingRow.appendKind` writes.
    static func isKind(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard key.count >= 2, Presentation.State(rawValue: Int(key[0])) != nil, key[1] <= 2 else { return false }
        return key[1] == 0 ? key.count == 2 : parts(of: Array(key)) != nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    func isEqual(_ text: StaticString) -> Bool {
        hasSameBytes(as: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The bytes as a string.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension Properties.Member {
    /// Whether the member is a free-text answer in the form of `Answers.packed`.
    fileprivate var isText: Bool { key.first == UInt8(ascii: "t") }
}

extension [UInt8] {
    fileprivate mutating func appendQuestion(_ id: some Sequence<UInt8>) {
        append(contentsOf: id)
        // Never occurs in UTF-8.
        append(0xFF)
    }
}
