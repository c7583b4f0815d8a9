import HarkAsking
import HarkClient
import HarkWire

extension Examination {
    /// Below this much free space, immediate action is needed.
    private static let littleRoom: UInt64 = 16 << 20
    /// Below this much free space, a warning is due.
    private static let scarceRoom: UInt64 = 256 << 20

    /// The free space for the data.
    var disk: [Finding] {
        let id = "disk"
        // A folder that does not exist yet will be made in its nearest existing parent.
        var path = stateFolder
        while machine.room(path) == nil, path != "/", path != "." { path = Examination.folder(of: path) }
        guard let room = machine.room(path) else { return [] }
        let free = DurationText.bytes(Int64(clamping: room.free))
        let text =
            "\(free) of \(DurationText.bytes(Int64(clamping: room.total))) are free on the disk of \(stateFolder)"
        let look = Finding.Advice.look(asOwner("du -xah \(Examination.quoted(path)) | sort -h | tail"))
        if room.free < Examination.littleRoom { return [.fault(id, text + ", which is too little", look)] }
        if room.free < min(Examination.scarceRoom, room.total / 20) { return [.warning(id, text, look)] }
        return [.ok(id, text)]
    }

    /// The daemon's report about its store and its clock.
    func store(_ status: DaemonStatusInfo) -> [Finding] {
        var all: [Finding] = []
        if status.state == DaemonState.degraded.rawValue {
            let reason = status.degradedReason.map { ": \($0)" } ?? ""
            // The daemon retries by itself.
            all.append(.fault("store", "the daemon runs, but cannot store anything\(reason)", .look("hark status")))
        } else {
            all.append(.ok("store", "the daemon stores records"))
        }
        // Only permitted users see the rest.
        guard let store = status.store else { return all }
        all += disk
        let (count, records) = (store.unreadable, store.lostRecords)
        if count > 0 {
            let lost = records > 0 ? ", with up to \(Plural.count(records, "record"))" : ""
            all.append(
                .fault(
                    "unreadable",
                    "\(Plural.count(count, "piece")) of the store cannot be read and \(count == 1 ? "is" : "are") passed "
                        + "over\(lost)",
                    .mend(asOwner("hark repair"))))
        }
        if let note = ClockNote.text(status.believedTime) {
            all.append(.warning("clock", note, .mend(asOwner("hark retention apply --trust-clock"))))
        } else {
            all.append(.ok("clock", "the machine's clock is trusted"))
        }
        return all
    }

    /// Problems that the daemon reports.
    func problems(_ status: DaemonStatusInfo) -> [Finding] {
        (status.problems ?? []).compactMap { problem in
            let (about, message) = (problem.about, problem.message)
            // The finding about the fleet says it better.
            if about == "fleet", !fleet.isEmpty { return nil }
            // The person who should see these surveys may just not have logged in yet.
            if about == "waiting surveys" { return .warning("surveys", message, .look("hark surveys")) }
            return .fault("problem", "\(about): \(message)", .look("hark status"))
        }
    }
}
