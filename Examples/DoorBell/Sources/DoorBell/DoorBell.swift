import Hark

/// A door bell that tells the daemon who rings, counts how often, and says what it knows.
///
/// `make run` in one terminal, `swift run --package-path Examples/DoorBell` in another.
@main
struct DoorBell {
    static func main() async throws {
        let recorder = EventRecorder.shared
        let notices = recorder.notices
        Task {
            for await notice in notices { print("hark: \(notice)") }
        }

        let session = try await recorder.startSession(userID: "ada", metadata: ["plan": "pro"])
        print("session \(session.id) of \(session.userID ?? "nobody")")

        // Every program of this app sees what is recorded; here it is this one itself.
        let events = recorder.eventsStream(afterSeq: 0)
        let watcher = Task {
            for await event in events where event.sessionID == session.id {
                print("heard \(event.name) \(event.properties)")
                if event.name == "door_closed" { return }
            }
        }

        let counters = CounterTracker.shared
        try await counters.register("rings", scope: .session)
        let (impatience, rungThrice) = AsyncStream.makeStream(of: Void.self)
        counters.addExecution(id: "impatient", listeningTo: ["rings"]) { values in
            (values.integer(for: "rings") ?? 0) >= 3
        } perform: { _, values in
            print("somebody has rung \(values.integer(for: "rings") ?? 0) times")
            rungThrice.finish()
        }

        for ring in 1...3 {
            recorder.record("bell_rung", properties: ["ring": .integer(Int64(ring)), "long": .bool(ring == 3)])
            counters.trigger("rings")
        }
        recorder.log("Nobody opens", level: .warning, metadata: ["rings": 3])
        try await recorder.recordAndWait("door_closed")

        await watcher.value
        for await _ in impatience {}
        await recorder.flush()
        print("\(try await recorder.eventsInCurrentSession().count) events in this session")
        try await recorder.endSession()
    }
}
