import HarkClient
import HarkWire

/// Writes the records of one user other than sessions and events: a line for each, with its kind.
struct PersonExport {
    private let folder: ExportFolder
    private let progress: Progress
    private(set) var items = 0

    init(_ folder: ExportFolder, _ progress: Progress) {
        self.folder = folder
        self.progress = progress
    }

    /// The name of the file in the user's folder.
    static let fileName = "person.jsonl"

    /// - Parameter user: Nil for anonymous records.
    mutating func run(_ user: String?, _ machines: MachineScope, _ connection: inout Connection) throws {
        defer { progress.clear() }
        let folder = folder
        let place = "users/\(UserFolder.name(for: user))"
        try folder.makeFolders(place)
        try folder.replace("\(place)/\(Self.fileName)") { file in
            try writeItems(of: user, machines, to: file, &connection)
            try writeLogs(of: user, machines, to: file, &connection)
        }
    }

    private mutating func writeItems(
        of user: String?, _ machines: MachineScope, to file: OutputFile, _ connection: inout Connection
    ) throws {
        var request = UserExportRequest()
        (request.user, request.machines) = (UserChoice(user), machines.choice)
        try connection.pages(request) { reply in
            for item in reply.value.items.json.elements { try write(item.bytes, to: file) }
            return true
        }
    }

    private mutating func writeLogs(
        of user: String?, _ machines: MachineScope, to file: OutputFile, _ connection: inout Connection
    ) throws {
        let query = EventQuery(kind: .logs, scope: user.map(RecordScope.user) ?? .anonymous, machines: machines)
        let head = Array(#"{"kind":"log","log":"#.utf8)
        try query.forEachLine(&connection) { entry in try write(head + entry + [.closeBrace], to: file) }
    }

    private mutating func write(_ line: some Collection<UInt8>, to file: OutputFile) throws {
        try file.write(line)
        try file.write(CollectionOfOne(.newline))
        items += 1
        progress.show("\(items) more …")
    }
}
