internal import HarkClient

/// The counters of an app, all of them first, and then each change; again all of them after a reconnection.
final class CounterUpdates: Sendable {
    private let lifetime: StreamLifetime

    init(_ recorder: EventRecorder) {
        let params = recorder.params.json
        lifetime = StreamLifetime(
            StreamThread(recorder.link.places, "counter.subscribe", params: { params }, deliversReplies: true))
    }

    func next() async -> CounterUpdate? {
        while let message = await lifetime.thread.next() {
            switch message.method {
            case StreamThread.reply: return snapshot(message.params)
            case "counter.changed":
                guard let name = message.params.member("name")?.string else { continue }
                return .changed(
                    name, message.params.member("value").map { Value($0) } ?? .null,
                    isTrigger: ["trigger", "set"].contains(message.params.member("cause")?.string))
            default: continue
            }
        }
        return nil
    }

    private func snapshot(_ reply: JSONText) -> CounterUpdate {
        var values: [String: Value] = [:]
        var initial: Set<String> = []
        for counter in reply.member("counters")?.elements ?? [] {
            guard let name = counter.member("name")?.string else { continue }
            let value = counter.member("value").map { Value($0) } ?? .null
            values[name] = value
            if counter.member("initial").map({ Value($0) }) == value { initial.insert(name) }
        }
        return .all(values, initial: initial, revision: reply.member("revision")?.int ?? 0)
    }
}
