import HarkCore
import HarkDelivery
import HarkFleet
import HarkWire

/// How it stands with a machine in its fleet.
extension FleetMember {
    var state: FleetState {
        switch course.phase {
        case .disconnected: .connecting
        case .alone: .alone
        case .greeting, .verifying, .forking: .greeting
        case .ready: .ready
        }
    }

    /// Why nothing is delivered; nil where it is.
    var problem: String? {
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
            + "write \(topics.records(of: machine))"
    }

    var pending: Int? { courier?.pending }
    var cursor: UInt64 { courier?.progress.cursor ?? 0 }

    // MARK: Records

    static let away = "the hub has not said that it is there"
    static let interrupted = "the hub is asked anew where it stands"

    static func reason(of failure: MachineCourse.Failure) -> DeliveryFailure {
        switch failure {
        case .away: DeliveryFailure(.unreachable, "the broker or the hub is away")
        case .unanswered: DeliveryFailure(.unreachable, "the hub did not acknowledge in time")
        case .interrupted: DeliveryFailure(.unreachable, interrupted)
        }
    }

    /// Whether it was left out before, and is tried once more.
    func isDoneWith(_ record: Record) -> Bool {
        guard let progress = courier?.progress else { return false }
        return record.sequence <= progress.cursor || progress.done.contains(record.sequence)
    }
}
