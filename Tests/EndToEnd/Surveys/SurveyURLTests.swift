import Foundation
import HarkWire
import Testing

/// Surveys that come from a server.
@Suite(.endToEnd) struct SurveyURLTests {
    private let home: DaemonHome
    private let server: Child
    private let port: String

    /// A server that serves the file `body` with the status in the file `status` and an ETag, and writes down what it
    /// answered. With 302 the body is elsewhere on it, with 0 there is no answer until the status changes.
    private static let program = """
        import time, web
        def note(text): open("answers", "a").write(text + "\\n")
        class Handler(web.Handler):
            def do_GET(self):
                status = int(open("status").read())
                if status == 0: note("0")
                while status == 0:
                    time.sleep(0.05)
                    status = int(open("status").read())
                body = open("body", "rb").read()
                if status == 302:
                    if self.path == "/surveys.json":
                        self.reply(302, headers={"Location": "/moved.json"})
                        return note("302")
                    status = 200
                try: note(str(self.reply_tagged(status, body)))
                except OSError: note("gone")
        web.serve(Handler)
        """

    init() throws {
        home = try DaemonHome()
        try home.files.write(Self.program, to: "server.py")
        try Self.serve("first", to: home)
        server = try Child(["sh", "-c", "cd '\(home.files.path)' && \(TestPython.program) server.py 0"])
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

    @Test("S11: a body of 50 MB, a redirect and a server that does not answer leave the daemon and the last good alone")
    func troubles() throws {
        let client = try home.start().connect()
        try waitUntil("the first surveys are there") { try surveys(client) == ["first"] }

        let huge = #"{"surveys":[]}"# + String(repeating: " ", count: 50_000_000)
        try home.files.write(huge, to: "body.new")
        try check("rename") { rename(home.files.path("body.new"), home.files.path("body")) }
        try waitUntil("it is too much") { try !problems(client).isEmpty }
        #expect(try surveys(client) == ["first"])
        let memory = try daemonMemory(client)
        #expect(memory < 60_000_000, "\(memory) bytes")

        try Self.serve("moved", status: 302, to: home)
        try waitUntil("the redirect is followed") { try surveys(client) == ["moved"] }
        try waitUntil("nothing is wrong any more") { try problems(client).isEmpty }
        #expect(try answers.contains("302"))

        try Self.serve("late", status: 0, to: home)
        try waitUntil("the server says nothing") { try answers.last == "0" }
        #expect(try client.call("event.record", #"{"name":"e"}"#)["seq"] != nil)
        #expect(try client.waitForOne("ready")["surveyId"] == "moved")
        try Self.serve("late", to: home)
        try waitUntil("it answers after all") { try surveys(client) == ["late"] }
    }

    private func problems(_ client: SocketClient) throws -> [JSONValue] {
        try client.call("survey.list")["problems"]?.arrayValue ?? []
    }

    private func daemonMemory(_ client: SocketClient) throws -> Int64 {
        try client.call("daemon.status")["memoryBytes"]?.intValue ?? .max
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
        try waitUntil("the fault is told") { try !problems(client).isEmpty }
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
