import HarkAsking
import HarkClient
import HarkWire

extension Examination {
    /// What leaves the machine: what keeps it here, and what was refused for good.
    func destinations(_ status: JSONText) -> [Finding] {
        (status.member("destinations")?.elements ?? []).compactMap { destination in
            // What is said of the fleet says it better.
            if destination.member("kind")?.string == "fleet", !fleet.isEmpty { return nil }
            let name = destination.member("name")?.string ?? "?"
            let pending = destination.member("pending")?.int ?? 0
            let lag = pending > 0 ? ", \(Plural.count(pending, "record")) wait" : ""
            if let error = destination.member("lastError")?.string {
                let known = Examination.remedy(in: error)
                return .fault(
                    "destination", "\(name): \(known?.message ?? error)\(lag)",
                    .mend(known?.line ?? asOwner("hark delivery resume \(Examination.quoted(name))")))
            }
            if let dead = destination.member("deadLetters")?.int, dead > 0 {
                return .warning(
                    "destination", "\(name): \(Plural.count(dead, "record")) refused for good\(lag)",
                    .look(asOwner("hark delivery dead \(Examination.quoted(name))")))
            }
            let state = destination.member("state")?.string ?? "?"
            return .ok("destination", "\(name): \(state)\(lag)")
        }
    }

    /// An error that says itself what mends it, as `REASON; to let it: 'sudo …', 'sudo …' and 'sudo …'`: to try again would not.
    static func remedy(in error: String) -> (message: String, line: String)? {
        let parts = error.split(separator: "'", omittingEmptySubsequences: false)
        let commands = parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
        guard parts.count % 2 == 1, !commands.isEmpty, commands.allSatisfy({ $0.hasPrefix("sudo ") }),
            let reason = parts[0].split(separator: ";").first
        else { return nil }
        return (String(reason), commands.joined(separator: " && "))
    }
}
