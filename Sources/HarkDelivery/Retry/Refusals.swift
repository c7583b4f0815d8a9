/// Whether a parcel that was refused is taken apart, so that only what the server means becomes a dead letter. Pure.
///
/// A server that refuses everything would be asked twice for each record, so after many in a row parcels go as a whole,
/// until one is accepted. It is not kept: a new start, or new settings, may have mended what was wrong.
package struct Refusals: Sendable, Equatable {
    /// Parcels in a row that were refused and not taken apart, as a rule of one record.
    private var inARow = 0

    static let most = 16

    package init() {}

    var areWorthSplitting: Bool { inARow < Refusals.most }

    mutating func refused() { inARow += 1 }
    mutating func accepted() { inARow = 0 }
}
