internal import HarkClient
internal import HarkWire

/// The counters of an app: first all of them, then each change; all of them again after a reconnection.
final class CounterUpdates: Sendable {
    private let lifetime: StreamLifetime

    init(_ recorder: EventRecorder) {
        let app = recorder.app
        lifetime = StreamLifetime(
            StreamThread(
                recorder.link.places,
                request: {
                    var request = CounterSubscribe()
                    request.app = app
                    return request
                }, deliversReplies: true,
                following: { reply in
                    var request = CounterList()
                    (request.app, request.after) = (app, CounterPage(reply).next)
                    return request.after == nil ? nil : request
                }))
    }

    func next() async -> CounterUpdate? {
        var snapshot = Snapshot()
        while let message = await lifetime.thread.next() {
            switch message.method {
            case StreamThread.reply:
                // The next message is the next page, or a new beginning if the connection ended in between.
                // A page is a reply without the number of a subscription.
                let page = CounterSnapshot(message.params)
                if page.subscription != 0 { snapshot = Snapshot() }
                snapshot.add(page)
                if page.next == nil { return snapshot.update }
            case NotificationShape.counterChanged.name:
                let change = CounterChanged(message.params)
                return .changed(
                    change.name, Value(change.value.json),
                    isTrigger: [CounterCause.trigger.rawValue, CounterCause.set.rawValue].contains(change.cause))
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

        mutating func add(_ page: CounterSnapshot) {
            // A later page has no revision.
            if page.subscription != 0 { revision = page.revision }
            for counter in page.counters {
                let value = Value(counter.value.json)
                values[counter.name] = value
                if Value(counter.initial.json) == value { initial.insert(counter.name) }
            }
        }

        var update: CounterUpdate { .all(values, initial: initial, revision: revision) }
    }
}
