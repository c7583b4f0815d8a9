import HarkCore
package import HarkFleet
import HarkLedger
package import HarkSettings
import HarkStore
import HarkSystem
package import HarkWire

/// The machines that are connected, and the reports about others.
extension FleetHub {
    /// A machine stays away, or is back.
    package struct Attendance {
        package let machine: String
        package let group: String?
        /// When it was last heard of before.
        package let since: Timestamp
        package let isAway: Bool
    }

    package static var now: Int64 { Int64(SystemClock.boottimeMicroseconds / 1_000) }

    package static func full(_ settings: FleetSettings) -> String {
        "\(settings.mostMachines) logs of machines are kept here, which is the most (fleet.mostMachines), and those of new "
            + "machines are not taken; if they are real, raise it"
    }

    // MARK: Messages of machines

    package func note(_ key: FleetLogKey, _ hello: FleetHello, isKnown: Bool) {
        note(key, isKnown) { $0.heard(hello, at: ledger.now) }
        guard let peer = peers[key] else { return }
        if hello.isGone {
            if !peer.isHere { perform(attendance.left(key.machine, log: key.log, at: FleetHub.now)) }
        } else {
            perform(
                attendance.heard(
                    key.machine, log: key.log, answers: hello.answersPings, isKnown: isKnown, at: FleetHub.now))
        }
    }

    package func note(_ key: FleetLogKey, _ content: FleetDecoder.Content, isKnown: Bool) {
        note(key, isKnown) { $0.heard(content, at: ledger.now) }
        guard peers[key] != nil else { return }
        perform(attendance.heard(key.machine, log: key.log, isKnown: isKnown, at: FleetHub.now))
    }

    /// Unknown machines are remembered only up to the limit of machines, because anybody can send a hello.
    private func note(_ key: FleetLogKey, _ isKnown: Bool, _ body: (inout FleetPeer) -> Void) {
        if peers[key] == nil, !isKnown, peers.count >= settings.mostMachines { return }
        body(&peers[key, default: FleetPeer()])
    }

    // MARK: Effects

    /// Starts or stops watching attendance; call it whenever the hub may have started or stopped serving.
    func attend() {
        guard watch.isServing != isAttending else { return }
        isAttending = watch.isServing
        attendance.end()
        guard isAttending else {
            bell?.disarm()
            return
        }
        for key in peers.keys { peers[key]?.lost() }
        DaemonActor.task { [self] in
            do throws(StoreError) {
                let places = try await ledger.store.readAside { reader throws(StoreError) in try reader.fleetPlaces() }
                guard isAttending, !isClosed else { return }
                begin(places)
            } catch {
                Log.error("fleet: who is away cannot be told: \(error)")
            }
        }
    }

    /// Starts with the logs that are in the store.
    private func begin(_ places: [FleetPlace]) {
        let own = Set(shards)
        var known: [String: FleetPlace] = [:]
        for place in places where own.contains(topics.shard(of: place.machine)) {
            if let other = known[place.machine], other.takenAt > place.takenAt { continue }
            known[place.machine] = place
        }
        for place in known.values { awaySince[place.machine] = place.awaySince }
        seenBefore = known.mapValues(\.takenAt)
        perform(
            attendance.begin(
                known.values.map {
                    FleetAttendance.Known(machine: $0.machine, log: $0.log, isAway: $0.awaySince != nil)
                }, at: FleetHub.now))
    }

    package func perform(_ actions: [FleetAttendance.Action]) {
        for action in actions {
            switch action {
            case .ask(let machine, let log): say(.ping, FleetLogKey(machine: machine, log: log), nil)
            case .gone(let machine, let log): peers[FleetLogKey(machine: machine, log: log)]?.lost()
            case .away(let machine, let log):
                let peer = log.flatMap { peers[FleetLogKey(machine: machine, log: $0)] }
                let since = peer?.seenAt ?? seenBefore[machine] ?? ledger.now
                awaySince[machine] = since
                onAttendance(Attendance(machine: machine, group: peer?.group, since: since, isAway: true))
            case .back(let machine):
                let since = awaySince.removeValue(forKey: machine) ?? ledger.now
                onAttendance(Attendance(machine: machine, group: nil, since: since, isAway: false))
            case .arm(let milliseconds): bell?.arm(afterMicroseconds: UInt64(milliseconds) * 1_000)
            }
        }
    }
}
