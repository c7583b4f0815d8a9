import HarkAsking
import HarkClient
import HarkWire

extension Examination {
    /// The destinations: errors that hold records back, and records refused for good.
    func destinations(_ status: DaemonStatusInfo) -> [Finding] {
        (status.destinations ?? []).compactMap { destination in
            // The finding about the fleet says it better.
            if destination.kind == "fleet", !fleet.isEmpty { return nil }
            let name = destination.name
            let pending = destination.pending ?? 0
            let lag = pending > 0 ? ", \(Plural.count(pending, "record")) wait" : ""
            if let error = destination.lastError {
                let known = Examination.remedy(in: error)
                return .fault(
                    "destination", "\(name): \(known?.message ?? error)\(lag)",
                    .mend(known?.line ?? asOwner("hark delivery resume \(Examination.quoted(name))")))
            }
            if let dead = destination.deadLetters, dead > 0 {
                return .warning(
                    "destination", "\(name): \(Plural.count(dead, "record")) refused for good\(lag)",
                    .look(asOwner("hark delivery dead \(Examination.quoted(name))")))
            }
            return .ok("destination", "\(name): \(destination.state)\(lag)")
        }
    }

    /// The remedy within an error of the form `REASON; to let it: 'sudo …', 'sudo …' and 'sudo …'`. A retry would not
    /// help there.
    static func remedy(in error: String) -> (message: String, line: String)? {
        let parts = error.split(separator: "'", omittingEmptySubsequences: false)
        let commands = parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
        guard parts.count % 2 == 1, !commands.isEmpty, commands.allSatisfy({ $0.hasPrefix("sudo ") }),
            let reason = parts[0].split(separator: ";").first
        else { return nil }
        return (String(reason), commands.joined(separator: " && "))
    }
}
