internal import HarkClient
internal import HarkWire

/// The counters of an app: first all of them, then each change; all of them again after a reconnection.
final class CounterUpdates: Sendable {
    private let lifetime: StreamLifetime

    init(_ recorder: EventRecorder) {
        let params = recorder.params
        lifetime = StreamLifetime(
            StreamThread(
                recorder.link.places, .counterSubscribe, params: { params.json }, deliversReplies: true,
                following: { reply in
                    guard let next = reply.member("next")?.string else { return nil }
                    return (.counterList, params.with(.afterCounter, next).json)
                }))
    }

    func next() async -> CounterUpdate? {
        var snapshot = Snapshot()
        while let message = await lifetime.thread.next() {
            switch message.method {
            case StreamThread.reply:
                // The next message is the next page, or a new beginning if the connection ended in between.
                if message.params.member("subscription") != nil { snapshot = Snapshot() }
                snapshot.add(message.params)
                if message.params.member("next")?.string == nil { return snapshot.update }
            case NotificationShape.counterChanged.name:
                guard let name = message.params.member("name")?.string else { continue }
                return .changed(
                    name, message.params.member("value").map { Value($0) } ?? .null,
                    isTrigger: ["trigger", "set"].contains(message.params.member("cause")?.string))
            default: continue
            }
        }
        return nil
    }

    /// All counters, assembled from pages.
    private struct Snapshot {
        private var values: [String: Value] = [:]
        private var initial: Set<String> = []
        private var revision: Int64 = 0

        mutating func add(_ page: JSONText) {
            if let revision = page.member("revision")?.int { self.revision = revision }
            for counter in page.member("counters")?.elements ?? [] {
                guard let name = counter.member("name")?.string else { continue }
                let value = counter.member("value").map { Value($0) } ?? .null
                values[name] = value
                if counter.member("initial").map({ Value($0) }) == value { initial.insert(name) }
            }
        }

        var update: CounterUpdate { .all(values, initial: initial, revision: revision) }
    }
}
