import Foundation
import HarkWire

/// What lies in an archive tree.
struct ArchiveFiles {
    struct Session {
        let folder: String
        let description: JSONValue
        let lines: [String]
    }

    /// By session id.
    let sessions: [String: Session]

    init(_ root: String) throws {
        var sessions: [String: Session] = [:]
        let users = "\(root)/users"
        for user in try ArchiveFiles.names(users) {
            for id in try ArchiveFiles.names("\(users)/\(user)/sessions") {
                let folder = "\(users)/\(user)/sessions/\(id)"
                let description = try Data(contentsOf: URL(fileURLWithPath: folder + "/session.json"))
                var lines: [String] = []
                if access(folder + "/events.jsonl", F_OK) == 0 {
                    let text = try String(contentsOfFile: folder + "/events.jsonl", encoding: .utf8)
                    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                    // A file of whole lines ends with a newline.
                    guard lines.removeLast().isEmpty else { throw Failure("a torn line in \(folder)") }
                }
                guard sessions[id] == nil else { throw Failure("session \(id) is there twice") }
                sessions[id] = Session(
                    folder: folder, description: try SocketClient.parse(Array(description)), lines: lines)
            }
        }
        self.sessions = sessions
    }

    private static func names(_ folder: String) throws -> [String] {
        guard access(folder, F_OK) == 0 else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    var lines: [String] { sessions.values.flatMap(\.lines) }
}
