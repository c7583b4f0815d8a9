import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkServer

/// Hundreds of long replies that one commit makes due.
@Suite(.timeLimit(.minutes(45))) struct ManyDueTests {
    private static let prompt = #"{"promptId":"0199e0f4-8c7a-7000-8000-00000000000a"}"#
    private static let clients = 4
    private static let each = 60

    private static func options(_ count: Int) -> String {
        (0..<count).map { #""\#(100 + $0)\#(String(repeating: "é", count: 100))""# }.joined(separator: ",")
    }

    private static let forms = """
        {"forms":[{"id":"f","title":"T","questions":[{"id":"q","type":"single","question":"?","options":[\(options(50))]}]}]}
        """

    /// How many of the waits are left, at the ends of turns in which some but not all are over.
    @DaemonActor private final class Course {
        var left: [Int] = []
        /// The number that was left when another client's request was read from its socket.
        var leftWhenHeard: Int?
    }

    @Test(
        "who records while one commit makes hundreds of long replies due is heard in their midst, and each client is told in order",
        arguments: ["prompt.wait", "form.start"])
    func heard(method: String) async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false,"notify":null}"#, forms: Self.forms) { fixture in
            let server = fixture.daemon.server
            let asker = try fixture.connect()
            let asked = #"{"question":"Now?","options":[\#(Self.options(50))],"keep":true,\#(Self.prompt.dropFirst())"#
            try await asker.call("prompt.ask", asked)
            let known = Set(server.connections.keys)
            let other = try fixture.connect()
            try await other.call("hello")
            let heard = try #require(server.connections.first { !known.contains($0.key) }?.value)
            let clients = try (0..<Self.clients).map { _ in try fixture.connect() }
            for client in clients { try await client.call("hello") }

            // A form is begun in a commit, which all of them wait for.
            let hold = method == "form.start" ? fixture.holdWriter() : nil
            defer { hold?.end() }
            let params = method == "form.start" ? #"{"formId":"f"}"# : Self.prompt
            for client in clients {
                for id in 0..<Self.each {
                    try client.send(#"{"id":\#(id),"method":"\#(method)","params":\#(params)}"# + "\n")
                }
            }
            let waits = { server.connections.values.reduce(0) { $0 + $1.deferredCalls } }
            let all = Self.clients * Self.each
            try await eventually("all wait") { waits() == all }
            // Taken from the socket is not begun.
            for _ in 0..<3 { await earlierJobs() }

            let course = Course()
            var isDue = false
            fixture.daemon.ledger.alsoOnCommit { _, _ in
                guard !isDue else { return }
                isDue = true
                do {
                    try other.send(#"{"id":1,"method":"event.record","params":{"name":"tap"}}"# + "\n")
                } catch { Issue.record(error) }
            }
            let hook = fixture.loop.onTurnEnd {
                guard isDue else { return }
                let left = waits()
                if left > 0, left < all { course.left.append(left) }
                if course.leftWhenHeard == nil, heard.isAwaitingCommit || !heard.flying.isEmpty {
                    course.leftWhenHeard = left
                }
            }
            defer { hook.cancel() }
            if let hold { hold.end() } else { try await asker.call("prompt.cancel", Self.prompt) }
            for client in clients {
                for id in 0..<Self.each {
                    let line = try await client.line()
                    #expect(line.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"result""#) && line.utf8.count > 10_000)
                }
            }
            #expect(try await other.reply()["result"] != nil)
            #expect(course.left.count > 2)
            #expect(course.leftWhenHeard ?? 0 > 0)
        }
    }
}
