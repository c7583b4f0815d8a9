import Foundation
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub

/// A study on several machines: each asks by itself, and their hub counts all prompts.
@Suite(.timeLimit(.minutes(45))) struct FleetStudyTests {
    private static let surveys = """
        {"surveys":[{"id":"mood","title":"How are you?","message":"?","options":["Good","Bad"],"expireAfterSeconds":900,
        "trigger":{"schedule":{"times":["09:00","12:00"],"timeZone":"Etc/UTC","firstDay":"next","forDays":2}}}]}
        """

    private static func kiosk(_ name: String) -> FleetStage.Kiosk {
        FleetStage.Kiosk(name: name, settings: #","notify":null"#, surveys: surveys)
    }

    /// Lets all prompts of a participant's days come, and answers some of them.
    @DaemonActor
    private static func takePart(
        _ machine: DaemonFixture, _ user: String, answering isAnswered: (Int) -> Bool
    ) async throws {
        let client = try machine.connect()
        try await client.call("study.join", #"{"surveyId":"mood","userId":"\#(user)","group":"pair 1"}"#)
        try await client.call("session.start", #"{"userId":"\#(user)"}"#)
        let plan = try await client.call("study.plan", #"{"surveyId":"mood","userId":"\#(user)","days":4}"#)
        let prompts = (plan["days"]?.arrayValue ?? []).flatMap { $0["prompts"]?.arrayValue ?? [] }
            .compactMap { $0.stringValue.flatMap { Timestamp($0) } }
        try #require(prompts.count == 4)
        for (number, prompt) in prompts.enumerated() {
            let wait = Double(prompt.milliseconds - machine.clock.now.milliseconds) / 1_000
            machine.clock.advance(seconds: wait + 1)
            try await eventually("prompt \(number) of \(user) comes") {
                machine.daemon.surveys.lookAtClock()
                return try await client.call("survey.history", #"{"surveyId":"mood"}"#)["presentations"]?.arrayValue?
                    .count
                    == number + 1
            }
            guard isAnswered(number) else { continue }
            let id = try #require(try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue)
            try await client.call("survey.answer", #"{"presentationId":"\#(id)","option":"Good"}"#)
        }
        machine.clock.advance(seconds: 86_400)
        try await eventually("the study of \(user) is over") {
            machine.daemon.surveys.lookAtClock()
            return try await client.call("study.list")["participants"]?[0]?["state"] == "ended"
        }
    }

    @Test("is told on the hub by machine and participant, planned = rows there as well")
    func hub() async throws {
        try await FleetStage.run([Self.kiosk("kiosk-1"), Self.kiosk("kiosk-2")]) { stage in
            try await Self.takePart(stage.machines[0], "ada") { $0 != 1 }
            try await Self.takePart(stage.machines[1], "bob") { $0 == 2 }
            try await stage.settle()
            let hub = stage.hub
            try await hub.connect().wait(for: "survey.history", #"{"surveyId":"mood"}"#) {
                ($0["presentations"]?.arrayValue ?? []).count { $0["state"] != "ready" } == 8
            }
            let status = try await hub.hark(["study", "status", "mood", "--csv"]).components(separatedBy: "\r\n")
            let header = try #require(status.first).components(separatedBy: ",")
            let rows = status.dropFirst().filter { !$0.isEmpty }.map {
                Dictionary(zip(header, $0.components(separatedBy: ","))) { first, _ in first }
            }
            let told = rows.map { row in
                ["machine", "participant", "planned", "answered"].map { row[$0] ?? "?" }.joined(separator: " ")
            }
            #expect(told.sorted() == ["kiosk-1 ada 4 3", "kiosk-2 bob 4 1"], "\(status)")
            let some = try await hub.hark(["study", "status", "mood", "--csv", "--machine", "kiosk-2"])
            #expect(some.contains("bob") && !some.contains("ada"))
            let answers = try await hub.hark(["answers", "mood", "--csv"])
            #expect(answers.components(separatedBy: "\r\n").count == 10)
            #expect(answers.contains("pair 1"))
        }
    }
}
