import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// The counters that a client subscribed to.
struct CounterTerms {
    let scope: Scope
    let name: ExactName?
    /// Changes up to this revision were in the reply to the subscription.
    let startsAfter: UInt64

    func include(_ counter: Counter) -> Bool { counter.scope == scope && (name == nil || name == counter.name) }
}

extension Subscription<CounterTerms> {
    func tell(_ change: CounterChange) {
        guard change.revision > terms.startsAfter, terms.include(change.counter) else { return }
        notify(.counterChanged, bytes: change.members.count + 128) { $0.raw(change.members) }
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
