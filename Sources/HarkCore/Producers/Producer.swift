/// Who numbers what it sends, so that what is sent again is recorded once: a till, a run of a script, a program.
///
/// The same id in another app, or of another uid, is another producer.
package struct Producer: Hashable, Sendable {
    package let scope: Scope
    package let id: ExactName

    package init(_ id: String, in scope: Scope) {
        self.scope = scope
        self.id = ExactName(id)
    }
}

/// One numbered send of a producer.
package struct ProducerSend: Sendable {
    package let producer: Producer
    /// At least 1, and greater than that of every send before it.
    package let number: Int64

    package init(_ producer: Producer, number: Int64) {
        self.producer = producer
        self.number = number
    }
}

/// The newest send of a producer that was recorded.
package struct ProducerMark: Sendable, Equatable {
    package let number: Int64
    /// What was recorded with it; nil where that is not known any more, as it was removed.
    package let recorded: Recorded?
    /// The number of that record, which stays when the record goes.
    package let sequence: UInt64

    package init(number: Int64, sequence: UInt64, recorded: Recorded?) {
        self.number = number
        self.sequence = sequence
        self.recorded = recorded
    }
}

/// A mark as the store keeps it.
package struct ProducerRow: Sendable {
    package let producer: Producer
    package let mark: ProducerMark
}

/// What becomes of producers in the store, beside how far they have come.
package enum ProducerRemoval: FamilyRow {
    /// Forgets all producers of a uid; nil for everybody's.
    case all(uid: UInt32?)
    /// Keeps only so many producers of a uid, those that recorded last.
    case trim(uid: UInt32, keep: Int)
}

extension Holding {
    /// Producers that are known, whose repeated sends are recorded once.
    package static let producers = Holding(Producer.self)
}

/// What became of something that a client wants recorded.
package enum Receipt: Sendable {
    case recorded(Recorded)
    /// It was recorded before; what it is, as far as that is still known.
    case repeated(Recorded?)

    package var recorded: Recorded? {
        switch self {
        case .recorded(let recorded): recorded
        case .repeated(let recorded): recorded
        }
    }

    package var isRepeated: Bool { if case .repeated = self { true } else { false } }
}
