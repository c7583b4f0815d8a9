import HarkDelivery
package import HarkFleet
import HarkSystem
package import HarkWire

/// Ensures that only one hub serves at a time, and publishes what it has for all machines.
extension FleetHub {
    /// The name of the probe with which it checks, as a machine would, whether another hub is alive.
    var probeName: String { "hub-\(link.run.description.prefix(8))" }

    package func perform(_ actions: [FleetRivals.Action]) {
        for action in actions {
            switch action {
            case .announce:
                announce(isUp: true)
                for (topic, document) in documents.messages(topics) {
                    link.publish(topic, document.payload, retained: true, qos: 1)
                }
            case .probe(let number):
                var hello = FleetHello(log: store, run: link.run)
                hello.number = number
                hello.isProbe = true
                for shard in shards {
                    link.publish(topics.hello(ofProbe: probeName, shard: shard), hello.payload, qos: 1)
                }
            case .arm(let milliseconds): timer?.arm(afterMicroseconds: UInt64(milliseconds) * 1_000)
            case .disarm: timer?.disarm()
            case .tell(let text): Log.notice("fleet: \(text)")
            }
        }
        attend()
    }

    func announce(isUp: Bool) {
        var presence = presence
        presence.isUp = isUp
        for shard in shards { link.publish(topics.presence(ofShard: shard), presence.payload, retained: true, qos: 1) }
    }

    /// Publishes a new or changed document as a retained message.
    package func publish(_ document: FleetDocument, group: String?) {
        guard watch.isServing else { return }
        link.publish(topics.document(document.kind, group: group), document.payload, retained: true, qos: 1)
    }

    package func say(
        _ kind: FleetAcknowledgement.Kind, _ key: FleetLogKey, _ mark: FleetAcknowledgement.Mark?, hello: UInt64 = 0
    ) {
        guard watch.isServing else { return }
        var word = FleetAcknowledgement(kind, store: store, run: link.run, log: key.log, mark: mark, hello: hello)
        word.dealsCredits = kind == .welcome
        link.publish(topics.acknowledgements(to: key.machine), word.payload)
    }

    // MARK: State

    package var state: FleetState { link.isConnected ? watch.isServing ? .serving : .standby : .connecting }

    package var problem: String? {
        if let problem = link.problem { return problem }
        guard link.isConnected else { return link.notYet }
        if isFull { return FleetHub.full(settings) }
        if let problem = bank?.recount.problem { return problem }
        return watch.rival.map {
            "another hub (its store is \($0)) serves this fleet; this one waits until that is gone. There can be one for each "
                + "shard: see 'serves' in docs/reference/fleet.md"
        }
    }

    /// - Parameter number: The index of the log in the order of the machine's logs, from 0.
    package static func name(_ machine: String, number: Int) -> String {
        number == 0 ? machine : "\(machine)~\(number + 1)"
    }
}
