internal import HarkWire

/// What one user of the machine keeps in all its apps together, of what stays until that user removes it.
package struct Holdings: Sendable, Equatable {
    /// Apps with a session that is open.
    package var apps = 0
    package var counters = 0
    /// Of names and values, as the store keeps them.
    package var counterBytes = 0
    /// Those that were added over the socket.
    package var executions = 0
    package var executionBytes = 0

    package init() {}
}

/// Bounds over all apps of a user: those of an app alone would be none, as anybody can make up apps.
///
/// What is held is asked of the store once and counted on from there. It may be off by what one transaction changes, never
/// by more: wherever something goes of which nobody here knows how much it was, the store is asked anew.
extension Engine {
    package func knowsHoldings(of uid: UInt32) -> Bool { holdings[uid] != nil }

    /// Brings in what a user keeps.
    package mutating func admit(_ held: Holdings, of uid: UInt32) { holdings[uid] = held }

    /// Something changed of which nobody here knows how much it was; nil: for everybody.
    mutating func forgetHoldings(of uid: UInt32?) {
        if let uid { holdings[uid] = nil } else { holdings = [:] }
    }

    /// Counts what is new, or gone; where nothing is known yet, the store will tell.
    mutating func hold(_ uid: UInt32, _ change: (inout Holdings) -> Void) {
        guard var held = holdings[uid] else { return }
        change(&held)
        holdings[uid] = held
    }

    func checkRoomForApp(of uid: UInt32) throws(WireError) {
        guard let held = holdings[uid], held.apps >= Limits.appsPerUser else { return }
        throw WireError(
            .tooLarge,
            "this user has open sessions in \(held.apps) apps, and may have them in \(Limits.appsPerUser); end some "
                + "(session.end), or record into an app that has one", path: "app")
    }

    /// - Parameter growth: by how much the counters of the user grow, in bytes of the store.
    func checkRoomForCounters(of uid: UInt32, more: Int, growth: Int, path: String) throws(WireError) {
        guard let held = holdings[uid] else { return }
        if more > 0, held.counters + more > Limits.countersPerUser {
            throw WireError(
                .tooLarge,
                "this user has \(held.counters) counters over all apps, and may have \(Limits.countersPerUser); use those "
                    + "there are, or remove all that is kept of this user (event.clear with \"all\")", path: "name")
        }
        if growth > 0, held.counterBytes + growth > Limits.counterBytesPerUser {
            throw WireError(
                .tooLarge,
                "the counters of this user take \(held.counterBytes) bytes over all apps, and may take "
                    + "\(Limits.counterBytesPerUser); reset some (counter.reset), or give them smaller values",
                path: path)
        }
    }

    func checkRoomForExecution(of uid: UInt32, more: Int, growth: Int) throws(WireError) {
        guard let held = holdings[uid] else { return }
        if more > 0, held.executions + more > Limits.executionsPerUser {
            throw WireError(
                .tooLarge,
                "this user has \(held.executions) executions over all apps, and may have \(Limits.executionsPerUser); "
                    + "remove some (execution.remove)", path: "id")
        }
        if growth > 0, held.executionBytes + growth > Limits.executionBytesPerUser {
            throw WireError(
                .tooLarge,
                "the executions of this user take \(held.executionBytes) bytes over all apps, and may take "
                    + "\(Limits.executionBytesPerUser); remove some (execution.remove)", path: "id")
        }
    }
}

extension Counter {
    /// How much more the store keeps with this in the place of `before`.
    func growth(over before: Counter?) -> Int {
        var growth = 0
        if before == nil { growth += name.text.utf8.count }
        // What is most often the same is not measured.
        if before?.initial != initial { growth += initial.packed.count - (before?.initial.packed.count ?? 0) }
        if before?.changed != changed { growth += (changed?.packed.count ?? 0) - (before?.changed?.packed.count ?? 0) }
        return growth
    }
}

extension AddedExecution {
    /// What the store keeps of it.
    var size: Int { key.id.text.utf8.count + execution.document.packed.count }
}
