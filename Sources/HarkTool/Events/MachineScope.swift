import HarkWire

/// Of which machines something is, on a hub.
struct MachineScope {
    private(set) var name: String?
    private(set) var group: String?

    /// All of them, and the hub itself.
    init() {}

    /// What `--machine` and `--group` name.
    init(_ arguments: Arguments) {
        name = arguments[.machine]
        group = arguments[.group]
    }

    var isAll: Bool { name == nil && group == nil }

    func append(to params: inout JSONWriter) {
        params.member(.onlyMachine, name)
        params.member(.onlyGroup, group)
    }
}
