import Foundation
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub

/// `hark answers` and `hark results` on a hub: over all machines, over some, and parted by them.
@Suite(.timeLimit(.minutes(45))) struct FleetAnswerTests {
    private static let surveys = """
        {"surveys":[{"id":"rating","title":"How was it?","message":"?","options":["Good","Bad"],"oncePerSession":false,
        "changeableSeconds":600,"trigger":{"event":{"name":"go"}}}]}
        """

    private static func kiosk(_ name: String, _ group: String) -> FleetStage.Kiosk {
        FleetStage.Kiosk(name: name, fleet: #","group":"\#(group)""#, surveys: surveys)
    }

    /// - Returns: the presentation.
    @DaemonActor @discardableResult
    private static func answer(_ machine: DaemonFixture, _ user: String, _ option: String) async throws -> String {
        let client = try machine.connect()
        try await client.call("session.start", #"{"userId":"\#(user)"}"#)
        try await client.call("event.record", #"{"name":"go"}"#)
        let id = try #require(try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue)
        try await client.call("survey.answer", #"{"presentationId":"\#(id)","option":"\#(option)"}"#)
        return id
    }

    /// The rows of a table by the names of its columns.
    @DaemonActor
    private static func table(_ hub: DaemonFixture, _ words: String...) async throws -> [[String: String]] {
        let lines = try await hub.hark(words + ["--csv"]).components(separatedBy: "\r\n").dropLast()
        let header = try #require(lines.first).components(separatedBy: ",")
        return lines.dropFirst().map { line in
            Dictionary(zip(header, line.components(separatedBy: ",")).map { ($0, $1) }) { first, _ in first }
        }
    }

    private static func places(_ rows: [[String: String]], _ column: String) -> [String] {
        rows.map { "\($0["machine"] ?? "?")/\($0["group"] ?? "?"):\($0["participant"] ?? "?")=\($0[column] ?? "?")" }
            .sorted()
    }

    private static let north = ["kiosk-1/north:ada=Good", "kiosk-1/north:bob=Bad"]
    private static let south = ["kiosk-2/south:ada=Bad"]

    @Test("answers and results of all machines are told together, of some alone, and apart from each other")
    func hub() async throws {
        try await FleetStage.run([Self.kiosk("kiosk-1", "north"), Self.kiosk("kiosk-2", "south")]) { stage in
            try await Self.answer(stage.machines[0], "ada", "Good")
            try await Self.answer(stage.machines[0], "bob", "Bad")
            let changed = try await Self.answer(stage.machines[1], "ada", "Good")
            try await stage.machines[1].connect().call(
                "survey.change", #"{"presentationId":"\#(changed)","option":"Bad"}"#)
            try await stage.settle()
            let hub = stage.hub
            try await hub.connect().wait(for: "survey.results", #"{"surveyId":"rating"}"#) { $0["answered"] == 3 }
            let all = try await Self.table(hub, "answers", "rating")
            #expect(Self.places(all, "option") == Self.north + Self.south)
            let versions = try await Self.table(hub, "answers", "rating", "--all-versions")
            #expect(Self.places(versions, "option") == Self.north + Self.south + ["kiosk-2/south:ada=Good"])
            let long = try await Self.table(hub, "answers", "rating", "--long")
            #expect(
                long.count == 3 && long.count { $0["machine"] == "kiosk-1" && $0["group"] == "north" } == 2, "\(long)")
            for (words, told) in [
                (["--machine", "kiosk-1"], Self.north), (["--group", "s*"], Self.south),
                (["--machine=kiosk-*", "--group=north"], Self.north),
            ] {
                let lines = try await hub.hark(["answers", "rating", "--json"] + words).split(separator: "\n")
                #expect(lines.count == told.count, "\(words)")
                let some = try await hub.hark(["answers", "rating", "--csv"] + words)
                #expect(told.allSatisfy { some.contains(",\($0.prefix { $0 != "/" }),") }, "\(words): \(some)")
                let results = try await hub.hark(["results", "rating", "--csv"] + words)
                #expect(results.contains("rating,total,,answered,\(told.count),"), "\(words): \(results)")
            }
            // A survey that nobody showed on these machines may exist.
            let unknown = try await hub.connect().ask("survey.results", #"{"surveyId":"rating","machine":"kiosk-9"}"#)
            #expect(
                unknown["error"]?["message"]?.stringValue?.hasPrefix("no machine that is meant") == true, "\(unknown)")
            // The same name on two machines is two people.
            let results = try await hub.hark(["results", "rating", "--csv"])
            #expect(results.contains("rating,total,,people,3,") && results.contains("rating,answer,option,Bad,2,"))
            for (by, parts) in [
                ("@machine", [("kiosk-1", 2), ("kiosk-2", 1)]), ("@group", [("north", 2), ("south", 1)]),
            ] {
                let rows = try await Self.table(hub, "results", "rating", "--by", by)
                let answered = rows.filter { $0["kind"] == "total" && $0["value"] == "answered" && $0["by"] != "" }
                #expect(
                    answered.map { "\($0["by"] ?? "?") \($0["count"] ?? "?")" }.sorted()
                        == parts.map { "\($0) \($1)" }, "\(rows)")
            }
            // A machine has no column to tell of others.
            let own = try await Self.table(stage.machines[0], "answers", "rating")
            #expect(Self.places(own, "option") == ["/:ada=Good", "/:bob=Bad"])
        }
    }
}
