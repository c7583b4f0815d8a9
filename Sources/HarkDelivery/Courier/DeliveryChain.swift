internal import HarkCore

/// Records that go one parcel after the other.
struct DeliveryChain {
    var rest: ArraySlice<Record>
    /// Halves of parcels that did not pass as a whole, the next one last.
    var halves: [ArraySlice<Record>] = []
    var state = State.ready

    enum State {
        case ready
        case handingOver(ArraySlice<Record>, spell: Int)
        /// Its parcel has come to something: an account of that is to be stored, or being stored, before the next.
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

    /// What the next parcel will be if the one before it passes; empty if there is none.
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
