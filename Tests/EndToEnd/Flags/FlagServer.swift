import Foundation

/// A server that returns flags for a key, from the files next to it, and logs its answers.
final class FlagServer {
    static let key = "sc_0123456789abcdef-do-not-tell"

    private let files: TemporaryFiles
    private let prefix: [String]
    private var child: Child?
    private var port = "0"

    private static let program = """
        import web
        class Handler(web.Handler):
            def do_GET(self):
                body, status = open("body", "rb").read(), int(open("status").read())
                if self.path != "/api/config": status = 404
                if self.headers.get("x-api-key") != open("key").read(): status = 401
                status = self.reply_tagged(status, b"refused" if status >= 400 else body)
                open("answers", "a").write(str(status) + "\\n")
        web.serve(Handler)
        """

    /// - Parameter prefix: The command that runs the server, as in `DaemonHome`.
    init(_ flags: String, prefix: [String] = []) throws {
        files = try TemporaryFiles()
        self.prefix = prefix
        try files.write(FlagServer.program, to: "server.py")
        try expect(key: FlagServer.key)
        try serve(flags)
        try start()
    }

    var host: String { "http://127.0.0.1:\(port)" }
    var answers: [Substring] { get throws { try files.text("answers").split(separator: "\n") } }

    func serve(_ flags: String, status: Int = 200) throws {
        try files.write(flags, to: "body")
        try files.write("\(status)", to: "status")
        if (try? files.text("answers")) == nil { try files.write("", to: "answers") }
    }

    func expect(key: String) throws { try files.write(key, to: "key") }

    func stop() {
        child?.kill()
        child = nil
    }

    /// Starts it, again at the same port.
    func start() throws {
        unlink(files.path("port"))
        let line = "cd '\(files.path)' && \(TestPython.program) server.py \(port)"
        child = try Child(prefix + ["sh", "-c", line])
        try waitUntil("the server listens") { access(files.path("port"), F_OK) == 0 }
        port = try files.text("port")
    }
}
