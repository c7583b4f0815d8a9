internal import HarkWire

/// What can be asked of an event: a property, or what is known of every event.
///
/// A property is called by its name. What every event has begins with `@`, as a property may be called anything; a property
/// whose own name begins so is written with one more.
package enum EventField: Hashable, Sendable {
    /// Of the event itself: its name, number, and who recorded it.
    case name, sequence, uid, pid
    /// Of its session: `user` is missing where that is anonymous.
    case app, user, session
    /// Where it comes from, on a hub: missing for what is the hub's own, and `group` for a machine that is in none.
    case machine, group
    case property(ExactName)

    private static let known: [(word: String, field: EventField)] = [
        ("@name", .name), ("@user", .user), ("@app", .app), ("@session", .session), ("@uid", .uid), ("@pid", .pid),
        ("@seq", .sequence), ("@machine", .machine), ("@group", .group),
    ]

    /// For people: `@name, @user, …`
    package static let words = known.map(\.word).joined(separator: ", ")

    /// - Throws: the message of what is wrong with the name.
    package init(_ text: String) throws(ConditionFault) {
        guard text.utf8.first == UInt8(ascii: "@") else {
            self = .property(ExactName(text))
            return
        }
        if text.utf8.dropFirst().first == UInt8(ascii: "@") {
            self = .property(ExactName(String(text.dropFirst())))
            return
        }
        guard let field = EventField.known.first(where: { $0.word.hasSameBytes(as: text) })?.field else {
            let nearest = Suggestion.nearest(to: text, among: EventField.known.map(\.word))
            let shown = text.prefix(40)
            throw ConditionFault(
                "no event has '\(shown)'; "
                    + (nearest.map { "did you mean '\($0)'?" } ?? "there are \(EventField.words).")
                    + " A property whose name begins with @ is written '@\(shown)'")
        }
        self = field
    }

    /// On a hub, what `machine` and `group` mean of an event that comes from a machine and has no property so called.
    func origin(of machine: MachineIdentity?) -> String? {
        guard let machine, case .property(let name) = self else { return nil }
        return switch name.text {
        case "machine": machine.name
        case "group": machine.group
        default: nil
        }
    }
}
