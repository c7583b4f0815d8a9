import HarkWire

/// The machines whose records are meant, on a hub.
struct MachineScope {
    private(set) var name: String?
    private(set) var group: String?

    /// All machines, and the hub itself.
    init() {}

    /// The machines that `--machine` and `--group` name.
    init(_ arguments: Arguments) {
        name = arguments[.machine]
        group = arguments[.group]
    }

    var isAll: Bool { name == nil && group == nil }

    /// The options that ask for the same machines.
    var options: [String] { (name.map { ["--machine=\($0)"] } ?? []) + (group.map { ["--group=\($0)"] } ?? []) }

    var choice: MachineChoice {
        var choice = MachineChoice()
        (choice.machine, choice.group) = (name.map { AnyJSON(.string($0)) }, group)
        return choice
    }
}
