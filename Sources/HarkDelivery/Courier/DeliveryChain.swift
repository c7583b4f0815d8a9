internal import HarkCore

/// Records that are sent one parcel after the other.
struct DeliveryChain {
    var rest: ArraySlice<Record>
    /// Halves of parcels that were split after a failure, the next one last.
    var halves: [ArraySlice<Record>] = []
    var state = State.ready

    enum State {
        case ready
        case handingOver(ArraySlice<Record>, period: Int)
        /// Its parcel has a result, which must be stored, or is being stored, before the next parcel.
        case unaccounted, accounting
        case over
    }

    mutating func nextParcel(_ limits: BatchLimits) -> ArraySlice<Record>? {
        if let half = halves.popLast() { return half }
        let parcel = following(limits)
        guard !parcel.isEmpty else { return nil }
        rest = rest.dropFirst(parcel.count)
        return parcel
    }

    /// The next parcel if the current one succeeds; empty if there is none.
    func following(_ limits: BatchLimits) -> ArraySlice<Record> {
        if let half = halves.last { return half }
        let count = rest.prefix(limits.entries).inPlace { records in
            var (bytes, count) = (0, 0)
            while count < records.count {
                bytes += records.weight(count)
                if count > 0, bytes > limits.bytes { break }
                count += 1
            }
            return count
        }
        return rest.prefix(count)
    }
}
