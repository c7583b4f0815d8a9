import Foundation
import HarkWire

/// A notify hook of a test's own, a shell script that keeps what it was given.
struct SurveyHook {
    let folder: String
    private let script: String

    /// - Parameter body: what it does after it has kept its input and its environment.
    init(in home: DaemonHome, _ body: String) throws {
        folder = home.files.path("hook")
        script = home.files.path("hook.sh")
        try check("mkdir") { [folder] in mkdir(folder, 0o755) }
        try write(body, in: home)
    }

    /// Changes what it does.
    func write(_ body: String, in home: DaemonHome) throws {
        // A run counts from the moment that all of its input is there.
        try home.files.write(
            """
            n=$$
            cat > \(folder)/input-$n.new; env > \(folder)/environment-$n; echo $n > \(folder)/id-$n
            mv \(folder)/input-$n.new \(folder)/input-$n; echo $n >> \(folder)/order
            \(body)
            """, to: "hook.sh")
    }

    func configuration(timeout: Int = 60) -> String {
        #"{"notify":{"command":["sh","\#(script)"],"timeoutSeconds":\#(timeout)}}"#
    }

    /// The process ids of its runs so far.
    var ids: [pid_t] {
        // Before the first run there is no file.
        guard let text = try? String(contentsOfFile: folder + "/order", encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { pid_t($0) }
    }

    var runs: Int { ids.count }

    func input(_ run: Int) throws -> JSONValue {
        try SocketClient.parse(Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/input-\(ids[run])"))))
    }

    func environment(_ run: Int) throws -> String {
        try String(contentsOfFile: folder + "/environment-\(ids[run])", encoding: .utf8)
    }
}
