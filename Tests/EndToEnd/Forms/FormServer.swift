import Foundation
import HarkTesting
import HarkWire

/// A real web server with questions that takes answers, as well or as badly as a test asks, and writes down each one
/// that comes.
final class FormServer {
    /// Its treatment of an answer that it has read.
    enum Behaviour: Equatable {
        case status(Int, retryAfter: Int? = nil)
        /// Closes the connection without a word.
        case drop
        /// Says nothing for so long.
        case hang(seconds: Double)

        var text: String {
            switch self {
            case .status(let status, nil): #"{"status":\#(status)}"#
            case .status(let status, let seconds?): #"{"status":\#(status),"retryAfter":\#(seconds)}"#
            case .drop: #"{"drop":true}"#
            case .hang(let seconds): #"{"hang":\#(seconds)}"#
            }
        }
    }

    /// An answer that came.
    struct Post {
        let path: String
        let body: String
        let key: String
        let headers: JSONValue
        let behaviour: JSONValue
        var id: JSONValue? { try? JSONReader.read(body)["id"] }
        /// Whether it said that it did not take it.
        var isRefused: Bool { (behaviour["status"]?.intValue).map { !(200..<300).contains($0) } ?? false }
    }

    private let files: TemporaryFiles
    private let prefix: [String]
    private var child: Child?
    private(set) var port = ""

    /// The files: `questions` and `status` for GET; `plan`, with a line for each answer. The last line stays.
    private static let program = """
        import json, threading, time, web
        lock = threading.Lock()
        class Handler(web.Handler):
            protocol_version = "HTTP/1.1"
            def note(self, name, value):
                with open(name, "a") as file: file.write(json.dumps(value) + "\\n")
            def do_GET(self):
                self.note("gets", dict(self.headers))
                self.reply(int(open("status").read()), open("questions", "rb").read())
            def do_POST(self):
                body = self.body.decode()
                with lock:
                    plan = json.load(open("plan"))
                    does = plan[0]
                    if len(plan) > 1: json.dump(plan[1:], open("plan", "w"))
                    self.note("posts", {"path": self.path, "body": body, "key": self.headers["Idempotency-Key"],
                                        "headers": dict(self.headers), "does": does})
                if "drop" in does:
                    self.close_connection = True
                    return
                if "hang" in does: time.sleep(does["hang"])
                headers = {"Retry-After": str(does["retryAfter"])} if "retryAfter" in does else {}
                self.reply(does.get("status", 200), b"", headers)
        web.serve(Handler)
        """

    init(prefix: [String] = []) throws {
        files = try TemporaryFiles()
        self.prefix = prefix
        try files.write(Self.program, to: "server.py")
        try files.write("", to: "posts")
        try files.write("", to: "gets")
        try ask([#"{"id":1,"question":"What is your favourite colour?"}"#, #"{"id":2,"question":"And your food?"}"#])
        try plan(.status(200))
        try start()
    }

    /// Serves, on the port it had before.
    func start() throws {
        unlink(files.path("port"))
        let number = port.isEmpty ? "0" : port
        child = try Child(
            prefix + ["sh", "-c", "cd '\(files.path)' && \(TestPython.program) server.py \(number)"],
            errors: files.path("errors"))
        try waitUntil("the server of forms listens") {
            guard child?.isRunning == true else { throw Failure("it ended: \(try files.text("errors"))") }
            return access(files.path("port"), F_OK) == 0
        }
        port = try files.text("port")
    }

    func stop() { child?.kill() }

    func ask(_ questions: [String], status: Int = 200) throws {
        try files.write("[\(questions.joined(separator: ","))]", to: "questions")
        try files.write("\(status)", to: "status")
    }

    func ask(_ text: String, status: Int = 200) throws {
        try files.write(text, to: "questions")
        try files.write("\(status)", to: "status")
    }

    func plan(_ behaviours: Behaviour...) throws { try plan(behaviours) }

    func plan(_ behaviours: [Behaviour]) throws {
        try files.write("[\(behaviours.map(\.text).joined(separator: ","))]", to: "plan.new")
        try check("rename") { rename(files.path("plan.new"), files.path("plan")) }
    }

    /// All answers that have come, in order.
    var posts: [Post] {
        get throws {
            try lines("posts").map { post in
                Post(
                    path: post["path"]?.stringValue ?? "", body: post["body"]?.stringValue ?? "",
                    key: post["key"]?.stringValue ?? "",
                    headers: post["headers"] ?? .null, behaviour: post["does"] ?? .null)
            }
        }
    }

    /// The headers of the requests for questions.
    var gets: [JSONValue] {
        get throws { try lines("gets") }
    }

    /// The lines that the server has written so far, without an unfinished one.
    private func lines(_ name: String) throws -> [JSONValue] {
        let text = try files.text(name)
        guard let end = text.lastIndex(of: "\n") else { return [] }
        return try text[..<end].split(separator: "\n").map { try JSONReader.read($0) }
    }

    /// A document of forms with one whose questions and answers go by this server.
    func document(_ members: String = "") -> String {
        """
        {"forms":[{"id":"favourites","title":"Your favourites","completionMessage":"Thank you!",
        "questionsURL":"http://127.0.0.1:\(port)/questions","submitURL":"http://127.0.0.1:\(port)/answers"\(members)}]}
        """
    }
}
