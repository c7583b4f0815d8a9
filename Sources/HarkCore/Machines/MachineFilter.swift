internal import HarkWire

/// Which machines are meant; nil in a query means all of them and the hub itself.
package enum MachineFilter: Sendable, Equatable {
    /// What is the hub's own, and of no machine.
    case own
    /// Of machines whose names fit, and whose groups do; nil for any.
    case of(machine: NamePattern?, group: NamePattern?)

    /// - Parameter machine: nil for what is the hub's own, which no name and no group fits.
    package func includes(_ machine: MachineIdentity?) -> Bool {
        switch self {
        case .own: machine == nil
        case .of(let name, let group):
            if let machine {
                (name?.matches(machine.name) ?? true)
                    && (group.map { group in machine.group.map { group.matches($0) } ?? false } ?? true)
            } else {
                false
            }
        }
    }
}

extension NamePattern {
    package func matches(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { matches($0) }
    }
}
