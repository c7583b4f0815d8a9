import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// A client's subscription to the counters of its app.
@DaemonActor
final class CounterSubscription: ClientSubscription {
    let number: Int
    let scope: Scope
    private let name: ExactName?
    private let connection: ClientConnection
    private let desk: CounterDesk
    /// Changes up to this revision were in the reply to the subscription.
    private let startsAfter: UInt64
    private var isCancelled = false

    init(
        number: Int, connection: ClientConnection, desk: CounterDesk, scope: Scope, name: ExactName?,
        startsAfter: UInt64
    ) {
        self.number = number
        self.connection = connection
        self.desk = desk
        self.scope = scope
        self.name = name
        self.startsAfter = startsAfter
    }

    func wants(_ counter: Counter) -> Bool { counter.scope == scope && (name == nil || name == counter.name) }

    func tell(_ change: CounterChange) {
        guard !isCancelled, change.revision > startsAfter, wants(change.counter) else { return }
        connection.notify(.counterChanged, of: number, size: change.members.count) { $0.raw(change.members) }
    }

    func begin() { desk.add(self) }

    func cancel() {
        isCancelled = true
        desk.remove(self)
    }
}

/// A committed change, with what all subscribers get of it.
@DaemonActor
final class CounterChange {
    let counter: Counter
    let revision: UInt64
    private let cause: CounterCause

    init(_ stored: Stored<Counter>, _ cause: CounterCause, _ revision: UInt64) {
        (counter, self.cause, self.revision) = (stored.value, cause, revision)
    }

    /// The members that are the same for all subscribers, written when the first is told. They are shared because a
    /// value may be long and there may be thousands of subscribers; many changes may wait until then.
    private(set) lazy var members: ArraySlice<UInt8> = {
        var json = JSONWriter()
        json.beginObject()
        var told = CounterChanged()
        (told.app, told.name, told.cause) = (counter.scope.app, counter.name.text, cause.rawValue)
        told.value = AnyJSON(counter.value)
        told.writeMembers(to: &json)
        return json.bytes.dropFirst()
    }()
}
