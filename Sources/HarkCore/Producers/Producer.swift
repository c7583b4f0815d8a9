/// A client that numbers its sends, so that a repeated send is recorded once: a till, a run of a script, a program.
///
/// The same id in another app, or under another uid, is another producer.
package struct Producer: Hashable, Sendable {
    package let scope: Scope
    package let id: ExactName

    package init(_ id: String, in scope: Scope) {
        self.scope = scope
        self.id = ExactName(id)
    }
}

/// A numbered send of a producer.
package struct ProducerSend: Sendable {
    package let producer: Producer
    /// At least 1, and greater than in every earlier send.
    package let number: Int64

    package init(_ producer: Producer, number: Int64) {
        self.producer = producer
        self.number = number
    }
}

/// The newest recorded send of a producer.
package struct ProducerMark: Sendable, Equatable {
    package let number: Int64
    /// The resulting record; nil if it was removed since.
    package let recorded: Recorded?
    /// The record's number, which is kept when the record is removed.
    package let sequence: UInt64

    package init(number: Int64, sequence: UInt64, recorded: Recorded?) {
        self.number = number
        self.sequence = sequence
        self.recorded = recorded
    }
}

/// A producer's mark as a row of the store.
package struct ProducerRow: Sendable {
    package let producer: Producer
    package let mark: ProducerMark
}

/// The removal of producers from the store.
package enum ProducerRemoval: FamilyRow {
    /// Deletes all producers of a uid; nil for all users.
    case all(uid: UInt32?)
    /// Keeps only the `keep` producers of a uid that recorded last.
    case trim(uid: UInt32, keep: Int)
}

extension Holding {
    /// Known producers, whose repeated sends are recorded once.
    package static let producers = Holding(Producer.self)
}

/// The result of a request to record something.
package enum Receipt: Sendable {
    case recorded(Recorded)
    /// Recorded before; with the record, if it still exists.
    case repeated(Recorded?)

    package var recorded: Recorded? {
        switch self {
        case .recorded(let recorded): recorded
        case .repeated(let recorded): recorded
        }
    }

    package var isRepeated: Bool { if case .repeated = self { true } else { false } }
}
