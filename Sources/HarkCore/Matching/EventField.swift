internal import HarkWire

/// A value of an event that a condition can test: a property, or a field that every event has.
///
/// A property is written as its name. The fields of every event begin with `@`, because a property may have any name. A property
/// whose own name begins with `@` is written with one more.
package enum EventField: Hashable, Sendable {
    /// The event's name, number, and the uid and pid of its sender.
    case name, sequence, uid, pid
    /// The session's app, user and id; `user` is missing for an anonymous session.
    case app, user, session
    /// The origin on a hub: missing for the hub's own events; `group` is also missing for a machine without a group.
    case machine, group
    case property(ExactName)

    private static let known: [(word: String, field: EventField)] = [
        ("@name", .name), ("@user", .user), ("@app", .app), ("@session", .session), ("@uid", .uid), ("@pid", .pid),
        ("@seq", .sequence), ("@machine", .machine), ("@group", .group),
    ]

    /// A list for messages: `@name, @user, …`
    package static let words = known.map(\.word).joined(separator: ", ")

    /// - Throws: a message about the fault of the name.
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

    /// The value of `machine` or `group` on a hub, for an event that comes from a machine and has no property of that
    /// name.
    func origin(of machine: MachineIdentity?) -> String? {
        guard let machine, case .property(let name) = self else { return nil }
        return switch name.text {
        case "machine": machine.name
        case "group": machine.group
        default: nil
        }
    }
}
