import HarkWire

extension JournalSource {
    /// The object in `daemon.status`.
    var status: JournalStatus {
        var status = JournalStatus()
        status.name = settings.name
        status.state = (problem != nil ? JournalState.failed : hasAll ? .waiting : .reading).rawValue
        status.upTo = place.map { Timestamp(milliseconds: Int64(clamping: $0.seen / 1_000)) }
        status.taken = Int64(counts.taken)
        status.refused = Int64(counts.refused)
        status.gaps = Int64(counts.gaps)
        return status
    }
}
