import Glibc
import HarkClient

/// Finds the sessions of an archive tree on disk.
enum ArchiveFolder {
    /// The folder of one session. `json` is nil if its `session.json` is unusable; `problem` says why.
    struct Session: Sendable {
        let path: String
        let json: JSONText?
        let problem: String?

        var id: String? { json?.member("id")?.string }
    }

    /// Returns the sessions below a folder, in the order in which they began.
    static func sessions(below path: String) throws(ToolError) -> [Session] {
        let users = path + "/users"
        guard let folders = FolderList.names(in: users) else {
            throw ToolError(
                .noInput, "\(path) is no archive: cannot read \(users): \(String(cString: strerror(errno)))",
                hint: "Give the folder that 'hark export' was given.")
        }
        var sessions: [(startedAt: String, session: Session)] = []
        for user in folders {
            for name in FolderList.names(in: "\(users)/\(user)/sessions") ?? [] {
                let session = read("\(users)/\(user)/sessions/\(name)")
                sessions.append((session.json?.member("startedAt")?.string ?? "", session))
            }
        }
        return sessions.sorted { $0.startedAt < $1.startedAt }.map(\.session)
    }

    private static func read(_ folder: String) -> Session {
        let text: JSONText
        do {
            text = JSONText(ArraySlice(try InputFile.readRegular(folder + "/session.json")))
        } catch {
            return Session(path: folder, json: nil, problem: error.message)
        }
        guard text.isOneObject, text.member("id")?.string != nil else {
            return Session(path: folder, json: nil, problem: "this is no JSON object with an id")
        }
        // The file may be formatted over several lines; a request must be one line.
        return Session(path: folder, json: JSONText(ArraySlice(text.line)), problem: nil)
    }
}
