import HarkCore
import HarkDelivery
package import HarkFleet
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Compares this log with the one that the hub has.
extension FleetMember {
    package func verify(_ mark: FleetAcknowledgement.Mark) {
        let isOwn: Bool
        do throws(WireError) {
            let record = try ledger.lookUp { reader throws(StoreError) in try reader.record(mark.sequence) }
            // A removed record is indistinguishable from one that never existed, except by its number.
            isOwn = record.map { $0.id == mark.id } ?? (mark.sequence <= ledger.committedSequence)
        } catch {
            Log.warning("fleet: the log cannot be read to compare it with what the hub has: \(error.message)")
            return
        }
        update { $0.verified(mark, isOwn: isOwn) }
    }

    /// Takes a new log id, because the hub knows another log under this one.
    package func fork() {
        let note =
            "the hub has records under this machine's name and log that this store does not have: its disk was set back to an "
            + "earlier state, or another machine runs with a copy of it. What is recorded here is kept apart at the hub from now "
            + "on; if it is a copy, give it a name of its own (fleet.machine)"
        if !notes.contains(note) { notes.append(note) }
        Log.warning("fleet: \(note)")
        DaemonActor.task { [self] in
            do throws(WireError) {
                // The credits were dealt to the other log.
                let log = try await ledger.renewFleetLog()
                update { $0.forked(as: log) }
            } catch {
                Log.error(
                    "fleet: a new id of the log could not be stored, and nothing is sent before: \(error.message)")
                update { $0.disconnected() + $0.connected() }
            }
        }
    }
}
