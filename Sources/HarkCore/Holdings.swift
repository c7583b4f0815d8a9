internal import HarkWire

/// A number of items, and their size in the store.
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

/// A kind of stored data that stays until its user removes it, counted per machine user over all apps. Each family
/// defines its own, and its `StoreFamily` counts it in the store.
package struct Holding: Hashable, Sendable {
    private let kind: ObjectIdentifier

    /// - Parameter kind: the type of the stored items.
    package init(_ kind: any Any.Type) { self.kind = ObjectIdentifier(kind) }
}

/// The limit of a holding per user.
struct HoldingBound: Sendable {
    let of: Holding
    let most: Amount
    let things: String
    /// The advice for too many items, and for too large ones.
    let whenMany: String
    let whenLarge: String
}

/// Limits per user over all apps: a limit per app would be useless, because clients can invent apps.
///
/// A holding is read from the store once and then counted here. The count may be off by the changes of one transaction,
/// never by more: when data of unknown size is removed, the holding is read again.
extension Engine {
    /// The holdings, among the wanted ones, that must be read from the store.
    func unknownHoldings(_ wanted: [Holding], of uid: UInt32) -> [Holding] {
        guard let known = holdings[uid] else { return wanted }
        return wanted.filter { known[$0] == nil }
    }

    /// Sets a user's holding as the store has it.
    package mutating func admit(_ amount: Amount, _ holding: Holding, of uid: UInt32) {
        holdings[uid, default: [:]][holding] = amount
    }

    /// Forgets holdings after a removal of unknown size. The store still counts the removed data until it commits, so
    /// the holdings are then forgotten once more.
    ///
    /// - Parameters:
    ///   - forgotten: nil for all holdings.
    ///   - uid: nil for all users.
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

    /// Adds a change to a holding. An unknown holding stays unknown; the store will be read.
    mutating func hold(_ more: Amount, _ holding: Holding, of uid: UInt32) {
        guard let held = holdings[uid]?[holding] else { return }
        holdings[uid]?[holding] = held + more
    }

    /// - Parameters:
    ///   - more: the growth of the user's holding.
    ///   - paths: the member to name in the error when there are too many items, and when they are too large.
    func checkRoom(
        for more: Amount, _ bound: HoldingBound, of uid: UInt32, paths: (many: String, large: String)
    ) throws(WireError) {
        guard let lack = lack(of: bound, uid, more) else { return }
        throw WireError(.tooLarge, lack.words, path: lack.isMany ? paths.many : paths.large)
    }

    /// The reason why there is no room for more, and whether the number is the reason; nil if there is room.
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
