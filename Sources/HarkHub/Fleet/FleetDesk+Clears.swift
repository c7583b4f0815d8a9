package import HarkCore
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

extension FleetHub {
    /// A clear that a machine has reported.
    package struct ClearRequest {
        package let machine: MachineIdentity
        package let record: MachineRecord
    }
}

/// Follows the clears of machines on the hub.
extension FleetDesk {
    /// The hub's own event that records a machine's clear, whether the hub followed it or not.
    static let clearEvent = "fleet.clear"

    package func hear(_ request: FleetHub.ClearRequest) {
        guard let notice = ClearNotice(record: request.record.properties) else {
            return Log.warning("fleet: a clear on \(request.machine.name) cannot be read, and nothing was done")
        }
        DaemonActor.task { [self] in
            do throws(WireError) {
                let sessions = settings.followsClears ? try await clear(notice, of: request) : nil
                try await record(notice, of: request.machine, sessions: sessions)
            } catch {
                Log.error("fleet: a clear on \(request.machine.name) could not be followed: \(error.message)")
            }
        }
    }

    /// Removes the matching records that the machine had sent before.
    ///
    /// - Returns: The number of removed sessions.
    private func clear(_ notice: ClearNotice, of request: FleetHub.ClearRequest) async throws(WireError) -> Int {
        let machine = request.machine
        let query = MachineClear(
            name: machine.name, log: machine.log, uid: notice.uid, target: notice.target, told: request.record.session)
        guard !hasDaemonEnded else { return 0 }
        // The account of a showing is known only by its session, so showings are removed first.
        try await sweeper.removeShowings { reader throws(StoreError) in
            try reader.showings(of: query, limit: FleetDesk.clearedAtOnce)
        }
        var count = 0
        while true {
            let rows: [Int64]
            do throws(StoreError) {
                rows = try await ledger.store.readAside { reader throws(StoreError) in
                    try reader.sessions(of: query, limit: FleetDesk.clearedAtOnce)
                }
            } catch {
                throw WireError(error)
            }
            guard !rows.isEmpty else { break }
            count += try await sweeper.remove(rows)
        }
        return count
    }

    private nonisolated static let clearedAtOnce = 1_000

    private func record(_ notice: ClearNotice, of machine: MachineIdentity, sessions: Int?) async throws(WireError) {
        var properties = Properties([
            ("machine", .string(machine.name)), ("target", .string(notice.word)), ("followed", .bool(sessions != nil)),
        ])
        if let sessions { properties.append("sessions", .integer(Int64(sessions))) }
        try await record(FleetDesk.clearEvent, properties)
    }
}
