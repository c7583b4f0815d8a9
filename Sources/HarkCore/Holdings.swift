internal import HarkWire

/// So many things, which take so many bytes in the store.
package struct Amount: Sendable, Equatable {
    package var count: Int
    package var bytes: Int

    package init(count: Int = 0, bytes: Int = 0) {
        self.count = count
        self.bytes = bytes
    }

    static func + (left: Amount, right: Amount) -> Amount {
        Amount(count: left.count + right.count, bytes: left.bytes + right.bytes)
    }

    static func - (left: Amount, right: Amount) -> Amount {
        Amount(count: left.count - right.count, bytes: left.bytes - right.bytes)
    }
}

/// What one user of the machine keeps in all its apps together, of what stays until that user removes it. Each family says
/// what it has of that, and in its `StoreFamily` how the store counts it.
package struct Holding: Hashable, Sendable {
    private let kind: ObjectIdentifier

    /// - Parameter kind: what is kept.
    package init(_ kind: any Any.Type) { self.kind = ObjectIdentifier(kind) }
}

/// How much of something a user may keep.
struct HoldingBound: Sendable {
    let of: Holding
    let most: Amount
    let things: String
    /// What to do when there are too many, and when they take too much.
    let whenMany: String
    let whenLarge: String
}

/// Bounds over all apps of a user: those of an app alone would be none, as anybody can make up apps.
///
/// What is held is asked of the store once and counted on from there. It may be off by what one transaction changes, never
/// by more: wherever something goes of which nobody here knows how much it was, the store is asked anew.
extension Engine {
    /// What is to be asked of the store, among some holdings.
    func unknownHoldings(_ wanted: [Holding], of uid: UInt32) -> [Holding] {
        guard let known = holdings[uid] else { return wanted }
        return wanted.filter { known[$0] == nil }
    }

    /// Brings in what a user keeps.
    package mutating func admit(_ amount: Amount, _ holding: Holding, of uid: UInt32) {
        holdings[uid, default: [:]][holding] = amount
    }

    /// Something changed of which nobody here knows how much it was. Until the store has that, it tells of more than there
    /// is, so what it tells is forgotten once more then.
    ///
    /// - Parameters:
    ///   - forgotten: nil: all.
    ///   - uid: nil: for everybody.
    mutating func forget(_ forgotten: [Holding]?, of uid: UInt32?) {
        drop(forgotten, of: uid)
        newForgets.append(ForgottenHoldings(uid: uid, holdings: forgotten))
    }

    struct ForgottenHoldings: Sendable {
        let uid: UInt32?
        let holdings: [Holding]?
    }

    mutating func drop(_ dropped: [Holding]?, of uid: UInt32?) {
        for uid in uid.map({ [$0] }) ?? Array(holdings.keys) {
            guard let dropped else {
                holdings[uid] = nil
                continue
            }
            for holding in dropped { holdings[uid]?[holding] = nil }
        }
    }

    /// Counts what is new, or gone; where nothing is known yet, the store will tell.
    mutating func hold(_ more: Amount, _ holding: Holding, of uid: UInt32) {
        guard let held = holdings[uid]?[holding] else { return }
        holdings[uid]?[holding] = held + more
    }

    /// - Parameters:
    ///   - more: by how much what the user keeps grows.
    ///   - paths: of the member at fault when there are too many, and when they take too much.
    func checkRoom(
        for more: Amount, _ bound: HoldingBound, of uid: UInt32, paths: (many: String, large: String)
    ) throws(WireError) {
        guard let lack = lack(of: bound, uid, more) else { return }
        throw WireError(.tooLarge, lack.words, path: lack.isMany ? paths.many : paths.large)
    }

    /// Why there is no room for more, and whether that is for their number; nil: there is.
    func lack(of bound: HoldingBound, _ uid: UInt32, _ more: Amount) -> (words: String, isMany: Bool)? {
        guard let held = holdings[uid]?[bound.of] else { return nil }
        if more.count > 0, held.count > bound.most.count - more.count {
            return (
                "this user has \(held.count) \(bound.things) over all apps, and may have \(bound.most.count); \(bound.whenMany)",
                true
            )
        }
        if more.bytes > 0, held.bytes > bound.most.bytes - more.bytes {
            return (
                "the \(bound.things) of this user take \(held.bytes) bytes over all apps, and may take "
                    + "\(bound.most.bytes); \(bound.whenLarge)", false
            )
        }
        return nil
    }
}
