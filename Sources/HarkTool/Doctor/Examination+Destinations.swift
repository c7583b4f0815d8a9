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
                return .fault(
                    "destination", "\(name): \(error)\(lag)",
                    .mend(asOwner("hark delivery resume \(Examination.quoted(name))")))
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
}
