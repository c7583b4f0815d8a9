import Foundation
import HarkWire
import Testing

/// Surveys that come from a server.
@Suite(.endToEnd) struct SurveyURLTests {
    private let home: DaemonHome
    private let server: Child
    private let port: String

    /// A server that serves the file `body` with the status in the file `status` and an ETag, and writes down what it
    /// answered.
    private static let program = """
        import hashlib, http.server, os, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body, status = open("body", "rb").read(), int(open("status").read())
                tag = '"' + hashlib.sha256(body).hexdigest() + '"'
                if status == 200 and self.headers.get("If-None-Match") == tag: status, body = 304, b""
                self.send_response(status)
                self.send_header("ETag", tag)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                open("answers", "a").write(str(status) + "\\n")
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        open("port.new", "w").write(str(server.server_port))
        os.rename("port.new", "port")
        server.serve_forever()
        """

    init() throws {
        home = try DaemonHome()
        try home.files.write(Self.program, to: "server.py")
        try Self.serve("first", to: home)
        server = try Child(["sh", "-c", "cd '\(home.files.path)' && exec /usr/bin/python3 server.py"])
        let home = home
        try waitUntil("the server listens") { access("\(home.files.path)/port", F_OK) == 0 }
        port = try home.files.text("port")
        try home.configure(
            #"{"notify": null, "surveys": {"url": "http://127.0.0.1:\#(port)/surveys.json", "refreshSeconds": 1}}"#)
    }

    private static func serve(_ id: String, status: Int = 200, to home: DaemonHome) throws {
        let survey = #"{"id":"\#(id)","title":"T","message":"M","options":["A"],"trigger":{"event":{"name":"e"}}}"#
        try home.files.write(id == "broken" ? "{" : #"{"surveys":[\#(survey)]}"#, to: "body")
        try home.files.write("\(status)", to: "status")
    }

    private func surveys(_ client: SocketClient) throws -> [String] {
        (try client.call("survey.list")["surveys"]?.arrayValue ?? []).compactMap { $0["surveyId"]?.stringValue }
    }

    private var answers: [Substring] { get throws { try home.files.text("answers").split(separator: "\n") } }

    @Test(
        "S11: surveys from a URL are refreshed, and neither an error, a broken document nor a restart loses the last good"
    )
    func refresh() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try waitUntil("the first surveys are there") { try surveys(client) == ["first"] }
        try waitUntil("nothing new is told by 304") { try answers.contains("304") }
        try Self.serve("second", to: home)
        try waitUntil("the new surveys are there") { try surveys(client) == ["second"] }

        try Self.serve("broken", to: home)
        try waitUntil("the fault is told") { !(try client.call("survey.list")["problems"]?.arrayValue ?? []).isEmpty }
        #expect(try surveys(client) == ["second"])
        try Self.serve("third", status: 500, to: home)
        try waitUntil("the error was met") { try answers.last == "500" }
        #expect(try surveys(client) == ["second"])

        server.kill()
        try daemon.stop()
        let next = try home.start().connect()
        try waitUntil("the last good surveys are in force without the server") { try surveys(next) == ["second"] }
        #expect(try next.call("event.record", #"{"name":"e"}"#)["seq"] != nil)
        #expect(try next.call("survey.pending")["surveys"]?[0]?["surveyId"] == "second")
    }
}
