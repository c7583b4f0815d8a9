import HarkDelivery
package import HarkFleet
import HarkLedger
import HarkSettings
import HarkSystem
package import HarkWire

/// The state of a machine in its fleet.
extension FleetMember {
    package var state: FleetState {
        switch course.phase {
        case .disconnected: .connecting
        case .alone: .alone
        case .greeting, .verifying, .forking: .greeting
        // Until the courier's rewind is done, the machine is not ready.
        case .ready: rewinds == 0 ? .ready : .greeting
        }
    }

    /// Why nothing is delivered; nil if delivery works.
    package var problem: String? {
        if let problem = link.problem { return problem }
        switch course.phase {
        case .disconnected: return link.notYet
        case .alone:
            return
                "no hub is there; start one (harkd with \"fleet\": {\"role\": \"hub\"}), or look at its 'hark fleet status'"
        case .greeting where isUnanswered:
            return
                "the hub does not answer; look at its 'hark fleet status', and whether the broker lets '\(machine)' write "
                + "\(topics.hello(of: machine)) and read \(topics.acknowledgements(to: machine))"
        case .greeting, .verifying, .forking, .ready: break
        }
        guard isUnacknowledged else { return nil }
        return
            "the hub does not acknowledge what is sent; look at its 'hark fleet status', and whether the broker lets '\(machine)' "
            + "write \(topics.records(of: machine)), and messages as long as they are"
    }

    /// The category of the problem, if it concerns the broker.
    package var cause: FleetCause? { link.cause }

    package var pending: Int? { courier?.pending }
    package var cursor: UInt64 { courier?.progress.cursor ?? 0 }

    var willMessage: MQTTClient.Message {
        MQTTClient.Message(topic: topics.hello(of: machine), payload: goneHello.payload)
    }

    var goneHello: FleetHello {
        var hello = FleetHello(log: course.log, run: link.run)
        hello.isGone = true
        return hello
    }

    /// Handles the hub's message about credits, once it is known that its copy of this log is this log.
    package func hear(_ payload: [UInt8]) {
        guard let word = FleetCreditWord(payload: payload), course.phase == .ready, word.run == course.hub?.run,
            word.store == course.hub?.store, word.log == course.log
        else { return }
        onCredits(word)
    }

    package func sayHello(_ number: UInt64, credits: FleetHello.Credits? = nil) {
        var hello = FleetHello(log: course.log, run: link.run)
        hello.number = number
        hello.credits = credits
        hello.group = settings.group
        hello.cursor = courier?.progress.cursor ?? 0
        hello.newest = ledger.committedSequence
        hello.pending = courier?.pending.map { UInt64(max(0, $0)) }
        hello.version = Version.current
        hello.reads = paths.reads
        hello.documents = documents()
        hello.answersPings = true
        hello.knowsCredits = true
        // With QoS 1, the broker must answer, and so reports when it rejects the message.
        link.publish(topics.hello(of: machine), hello.payload, qos: 1)
    }
}
