internal import HarkWire

/// A selection of machines. In a query, nil means all of them and the hub itself.
package enum MachineFilter: Sendable, Equatable {
    /// Only the hub's own data, from no machine.
    case own
    /// Machines that match in name and group; nil matches any.
    case of(machine: NamePattern?, group: NamePattern?)

    /// - Parameter machine: nil for the hub's own data, which matches no name and no group.
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
