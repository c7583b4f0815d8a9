import HarkWire

extension JournalSource {
    /// As `daemon.status` tells it.
    func write(to json: inout JSONWriter) {
        let state = problem != nil ? JournalState.failed : hasAll ? .waiting : .reading
        json.beginObject()
        json.key("name")
        json.string(settings.name)
        json.key("state")
        json.string(state.rawValue)
        json.key("upTo")
        if let place {
            json.timestamp(Timestamp(milliseconds: Int64(clamping: place.seen / 1_000)))
        } else {
            json.null()
        }
        json.key("taken")
        json.int(counts.taken)
        json.key("refused")
        json.int(counts.refused)
        json.key("gaps")
        json.int(counts.gaps)
        json.endObject()
    }
}
