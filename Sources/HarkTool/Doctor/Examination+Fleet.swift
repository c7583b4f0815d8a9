import HarkAsking
import HarkClient
import HarkWire

extension Examination {
    /// The state of this daemon in its fleet; empty if it is in none.
    var fleet: [Finding] {
        guard let told = membership, let role = told.role, let fleet = told.fleet else { return [] }
        return [place(told, fleet, role)] + remarks(told, fleet)
    }

    private func place(_ told: FleetStatus.Result, _ fleet: FleetStatus.Fleet, _ role: FleetRole) -> Finding {
        let id = "fleet"
        let (name, broker) = (fleet.name, fleet.broker)
        let why = fleet.problem.map { ": \($0)" } ?? ""
        let look = Finding.Advice.look(asOwner("hark fleet"))
        switch fleet.state {
        case .connecting, nil:
            let message = "\(name): the broker \(broker) is not reached\(why)\(waiting(told))"
            // A restart of the broker does not fix a setting.
            guard fleet.cause == .unreachable else { return .fault(id, message, look) }
            return .fault(id, message, broker: broker, self)
        case .alone where role == .machine:
            return .fault(id, "\(name): the broker is reached, but there is no hub\(why)\(waiting(told))", look)
        case .greeting:
            return .warning(id, "\(name): the hub has not answered yet\(why)\(waiting(told))", look)
        case .alone: return .warning(id, "\(name): it is not served yet\(why)", look)
        case .ready, .serving, .standby: break
        }
        if !why.isEmpty { return .warning(id, "\(name)\(why)\(waiting(told))", look) }
        switch role {
        case .hub:
            let (count, here) = (told.hub?.machineCount ?? 0, told.hub?.hereCount ?? 0)
            let isServing = fleet.state == .serving
            return .ok(
                id,
                isServing
                    ? "\(name): this is the hub; \(Plural.grouped(here)) of \(Plural.count(count, "machine")) "
                        + "\(here == 1 ? "is" : "are") connected"
                    : "\(name): another hub serves it")
        case .machine: return .ok(id, "\(name): the hub is there\(waiting(told))")
        }
    }

    private func waiting(_ told: FleetStatus.Result) -> String {
        guard let pending = told.own?.pending, pending > 0 else { return "" }
        return ", \(Plural.count(pending, "record")) \(pending == 1 ? "waits" : "wait")"
    }

    /// Documents of the hub that are not in force, and other remarks.
    private func remarks(_ told: FleetStatus.Result, _ fleet: FleetStatus.Fleet) -> [Finding] {
        let documents = fleet.documents.compactMap { document in
            document.problem.map { "\(document.kind.rawValue) from the hub are not in force: \($0)" }
        }
        let count = told.hub?.clears.count ?? 0
        let clears =
            count == 0 ? [] : ["records that machines have cleared are still here: \(Plural.count(count, "clear"))"]
        let notes = told.own?.notes ?? []
        return (documents + held(told, fleet) + clears + notes).map {
            .warning("fleet", $0, .look(asOwner("hark fleet")))
        }
    }

    /// Documents that machines do not get because their Hark is older.
    private func held(_ told: FleetStatus.Result, _ fleet: FleetStatus.Fleet) -> [String] {
        if let count = told.hub?.heldCount, count > 0 {
            return [
                "\(Plural.count(count, "machine")) \(count == 1 ? "has" : "have") an older Hark, which cannot read "
                    + "everything that is pushed; update \(count == 1 ? "it" : "them")"
            ]
        }
        let counts = FleetWords.heldCount(fleet.documents)
        guard !counts.isEmpty else { return [] }
        let lines = fleet.documents.flatMap { FleetWords.held($0) }
        return ["this Hark cannot read \(counts) from the hub; update it: \(lines.joined(separator: "; "))"]
    }
}

extension Finding {
    /// A finding for an unreachable broker; a broker on this machine may have to be started.
    fileprivate static func fault(
        _ id: String, _ message: String, broker: String, _ examination: Examination
    ) -> Finding {
        let authority = broker.split(separator: "/").last.map(String.init) ?? ""
        let isHere = ["127.0.0.1", "localhost", "[::1]"].contains { authority == $0 || authority.hasPrefix($0 + ":") }
        let program = ["mosquitto", "nats-server"].first { examination.machine.program($0) != nil }
        guard isHere, let program else { return .fault(id, message, .look(examination.asOwner("hark fleet"))) }
        return .fault(id, message, .mend(examination.asRoot("systemctl restart \(program)")))
    }
}
