/// A change in the store to destinations or their dead letters.
package enum DeliveryRow: FamilyRow {
    /// Stores the cursor and other state of a destination's queue.
    case setDestination(name: String, cursor: UInt64, state: Properties)
    case putDeadLetters([DeadLetter])
    /// Keeps only the newest `keep` dead letters of a destination.
    case trimDeadLetters(destination: String, keep: Int)
    /// Deletes dead letters; nil for all of a destination.
    case removeDeadLetters(destination: String, [UInt64]?)
    /// Retries dead letters; nil for all of a destination.
    case replayDeadLetters(destination: String, [UInt64]?)
}
