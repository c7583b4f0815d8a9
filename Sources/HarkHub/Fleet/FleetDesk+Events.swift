import Glibc
package import HarkCore
import HarkLedger
import HarkSystem
package import HarkWire

/// The events that a hub records itself.
extension FleetDesk {
    static let awayEvent = "machine.away"
    static let backEvent = "machine.back"
    private static let app = "hark"
    /// The owner of the events.
    package static var scope: Scope { Scope(uid: getuid(), app: app) }
    package static var source: Source { Source(uid: getuid(), pid: 0) }

    /// Records that a machine stays away or is back; the same commit notes that this was recorded.
    package func tell(_ news: FleetHub.Attendance) {
        guard !hasDaemonEnded else { return }
        var properties = Properties([("machine", .string(news.machine))])
        if let group = news.group { properties.append("group", .string(group)) }
        properties.append("since", .string(news.since.description))
        if !news.isAway {
            let seconds = Double(max(0, ledger.now.milliseconds - news.since.milliseconds)) / 1_000
            properties.append("seconds", .double(seconds))
        }
        let name = news.isAway ? FleetDesk.awayEvent : FleetDesk.backEvent
        let row = FleetPlaceRow.away(machine: news.machine, since: news.isAway ? news.since : nil)
        DaemonActor.task { [self, properties] in
            do throws(WireError) {
                try await record(name, properties, with: row)
            } catch {
                Log.error("fleet: \(name) of \(news.machine) could not be recorded: \(error.message)")
            }
        }
    }

    /// Records an event of the daemon's own account.
    package func record(
        _ name: String, _ properties: Properties, with row: FleetPlaceRow? = nil
    ) async throws(WireError) {
        let scope = FleetDesk.scope
        guard !hasDaemonEnded else { return }
        let need = try ledger.need(toRecord: name, in: scope, isUnattended: true)
        try await ledger.decide(needing: need) { engine, changes, now throws(WireError) in
            if let row { engine.keep(row, into: &changes) }
            return try engine.record(
                name, properties: properties, in: scope, isUnattended: true, source: FleetDesk.source, now: now,
                into: &changes)
        }.stored()
    }
}
