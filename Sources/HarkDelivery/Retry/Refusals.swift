/// Decides whether a refused parcel is split, so that only the offending record becomes a dead letter. Pure.
///
/// For a server that refuses everything, splitting would double the requests. So after many refusals in a row parcels
/// are not split, until one is accepted. This is not stored: a restart or new settings may have fixed the cause.
package struct Refusals: Sendable, Equatable {
    /// The number of refused parcels in a row that were not split, usually of one record.
    private var inARow = 0

    static let most = 16

    package init() {}

    var areWorthSplitting: Bool { inARow < Refusals.most }

    mutating func refused() { inARow += 1 }
    mutating func accepted() { inARow = 0 }
}
