package import HarkWire

/// A showing as it lies in the store, of which results need no more than this. What it points to is valid for one call.
package struct ShowingRow {
    package var state: Presentation.State
    package var uid: UInt32
    /// Empty: anonymous.
    package var user: UnsafeBufferPointer<UInt8>
    package var app: UnsafeBufferPointer<UInt8>
    package var locale: UnsafeBufferPointer<UInt8>?
    package var reason: UnsafeBufferPointer<UInt8>?
    package var due: Timestamp
    package var presented: Timestamp?
    package var closed: Timestamp?
    /// As `Answers.packed` and `ShowingTimes.properties` have them.
    package var answers: UnsafeBufferPointer<UInt8>
    package var times: UnsafeBufferPointer<UInt8>
    /// As `Properties` has it; none where nothing is asked of it.
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

    /// Appends what makes its kind: equal bytes are the same kind.
    ///
    /// - Returns: what else its times tell; nil where they are written in another way than by this version.
    func appendKind(to key: inout [UInt8]) -> Facts? {
        key.append(UInt8(state.rawValue))
        key.append(presented == nil ? 0 : isAbandoned ? 2 : 1)
        var facts = Facts()
        var isUnderstood = true
        Properties.forEachMember(in: times) { member in
            switch member.value {
            case .integer(let time) where member.key.isEqual("planned"): facts.planned = Timestamp(milliseconds: time)
            case .string(let text) where member.key.isEqual("surface"): facts.surface = text
            case .string(let text) where member.key.isEqual("zone"): facts.zone = text
            case .string(let text) where member.key.isEqual("items"): facts.items = text
            default: break
            }
        }
        guard presented != nil else { return facts }
        key.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: answers.count >> (8 * $0)) })
        key.append(contentsOf: answers)
        if let items = facts.items {
            isUnderstood = PackedItem.forEach(in: items) { item in
                guard item.shown > 0 else { return }
                key.append(contentsOf: item.question)
                // No byte of UTF-8.
                key.append(0xFF)
            }
        }
        return isUnderstood ? facts : nil
    }

    fileprivate var isAbandoned: Bool {
        state == .dismissed && (reason?.elementsEqual(Presentation.abandonedReason.utf8) ?? false)
    }

    struct Facts {
        var planned: Timestamp?
        var surface: UnsafeBufferPointer<UInt8>?
        var zone: UnsafeBufferPointer<UInt8>?
        fileprivate var items: UnsafeBufferPointer<UInt8>?
    }
}

/// What showings have in common as far as results count it: many of them are of the same kind.
package struct ShowingKind: Sendable {
    let state: Presentation.State
    let isShown: Bool
    let isAbandoned: Bool
    let answers: Answers
    /// The questions that were before the person, in the order in which they first were.
    let seen: [String]

    init(_ presentation: Presentation) {
        state = presentation.state
        isShown = presentation.presentedAt != nil
        isAbandoned = state == .dismissed && presentation.reason == Presentation.abandonedReason
        answers = presentation.answers
        seen = presentation.times.items.filter { $0.shown > 0 }.map(\.question)
    }

    /// - Parameter key: what `ShowingRow.appendKind` has written behind the answers' length.
    init(_ row: ShowingRow, key: [UInt8]) {
        state = row.state
        isShown = row.presented != nil
        isAbandoned = row.isAbandoned
        answers = isShown ? Answers(packed: Properties(bytes: Array(row.answers))) : Answers()
        seen =
            isShown
            ? key.dropFirst(6 + row.answers.count).split(separator: 0xFF).map { String(decoding: $0, as: UTF8.self) }
            : []
    }

    var isAnswered: Bool { isShown && state == .answered }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func isEqual(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount
            && UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).elementsEqual(self)
    }

    /// The text that it is.
    var text: String { String(decoding: self, as: UTF8.self) }
}
