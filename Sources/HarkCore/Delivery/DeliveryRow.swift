/// What becomes of destinations in the store, and of what they have refused.
package enum DeliveryRow: FamilyRow {
    /// Remembers how far a lane of a destination has come, and what else there is to know about it.
    case setDestination(name: String, cursor: UInt64, state: Properties)
    case putDeadLetters([DeadLetter])
    /// Keeps only so many dead letters of a destination, the newest.
    case trimDeadLetters(destination: String, keep: Int)
    /// Forgets dead letters; nil for all of a destination.
    case removeDeadLetters(destination: String, [UInt64]?)
    /// Has dead letters tried again; nil for all of a destination.
    case replayDeadLetters(destination: String, [UInt64]?)
}
