package import HarkWire

/// How a hub deals a quota's answers of one period to the machines of its fleet.
///
/// What machines hold together never exceeds the limits, whatever they do, as each can only use what it holds. Nothing is
/// taken from a machine: it gives back, or was silent for so long that it may not use its credits any more (`lapse`).
package struct CreditPool: Sendable, Equatable {
    /// A log of a machine: another disk has another, and holds nothing of what the one before held.
    package struct Holder: Sendable, Equatable {
        package let machine: String
        package var account: CreditAccount
        /// When it was heard of last, as the store has it.
        package var heardAt: Timestamp
        /// What waits there to be asked: the cells of each, and how many.
        package var wants: [[String]: Int] = [:]

        package init(machine: String, account: CreditAccount, heardAt: Timestamp) {
            (self.machine, self.account, self.heardAt) = (machine, account, heardAt)
        }
    }

    package let begins: Timestamp?
    package private(set) var holders: [Identifier: Holder] = [:]
    /// In the order in which they have come to wait.
    private var waiting: [Identifier] = []
    /// What all hold together.
    private(set) var held: [String: Int] = [:]
    private(set) var used: [String: Int] = [:]

    /// So much is dealt at most for what does not wait yet.
    static let mostAhead = 64

    package init(begins: Timestamp?, holders: [Identifier: Holder] = [:]) {
        self.begins = begins
        for (log, holder) in holders { put(holder, of: log) }
    }

    private mutating func put(_ holder: Holder, of log: Identifier) {
        let before = holders.updateValue(holder, forKey: log)
        for (name, cell) in before?.account.cells ?? [:] {
            held[name, default: 0] -= cell.held
            used[name, default: 0] -= cell.used
        }
        for (name, cell) in holder.account.cells {
            held[name, default: 0] += cell.held
            used[name, default: 0] += cell.used
        }
    }

    package func standing(_ limits: [String: Int]) -> [String: CreditStanding] {
        Dictionary(
            uniqueKeysWithValues: limits.map { name, limit in
                (name, CreditStanding(limit: limit, used: used[name] ?? 0, held: held[name] ?? 0))
            })
    }

    /// Whether something waits that got nothing.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// What came of a report.
    package struct Heard: Sendable, Equatable {
        /// Whether the store has to know.
        package var isNew = false
        /// The machine has been dealt more than this hub has ever dealt it: the hub's store was set back, or replaced.
        package var isMore = false
    }

    /// A machine has told of its account and of what waits there.
    package mutating func heard(
        _ log: Identifier, _ machine: String, _ account: CreditAccount, wants: [[String]: Int], at now: Timestamp,
        staleAfter span: Int64
    ) -> Heard {
        let known = holders[log]
        var holder = known ?? Holder(machine: machine, account: CreditAccount(begins: begins), heardAt: now)
        let before = holder.account
        holder.account.merge(account)
        var heard = Heard(isNew: holder.account != before)
        heard.isMore = account.cells.contains { $0.value.dealt > before[$0.key].dealt }
        if known == nil || holder.heardAt.adding(milliseconds: span) <= now || holder.heardAt > now {
            holder.heardAt = now
            heard.isNew = true
        }
        holder.wants = wants.filter { $0.value > 0 }
        put(holder, of: log)
        waiting.removeAll { $0 == log && holder.wants.isEmpty }
        if !holder.wants.isEmpty, !waiting.contains(log) { waiting.append(log) }
        return heard
    }

    private func free(_ name: String, _ limits: [String: Int]) -> Int { (limits[name] ?? 0) - (held[name] ?? 0) }

    private mutating func deal(_ count: Int, of name: String, to log: Identifier) {
        guard count > 0, var holder = holders[log] else { return }
        holder.account[name].dealt += count
        put(holder, of: log)
    }

    /// Deals what is free: one after the other to those where something waits, and something ahead to a machine that has just
    /// been heard of.
    ///
    /// - Parameters:
    ///   - limits: how many answers there may be by now, by cell.
    ///   - machines: how many there are to share.
    ///   - log: of the machine that was heard of.
    /// - Returns: to whom something was dealt.
    package mutating func deal(_ limits: [String: Int], among machines: Int, ahead log: Identifier?) -> Set<Identifier>
    {
        var dealt: Set<Identifier> = []
        var claims = waiting.compactMap { log in holders[log].map { Claim(log, $0, limits) } }
        var isMore = true
        while isMore {
            isMore = false
            for place in claims.indices {
                let next = claims[place].unmet.first { $0.missing.allSatisfy { free($0, limits) > 0 } }
                guard let next else { continue }
                for name in next.missing { deal(1, of: name, to: claims[place].log) }
                claims[place].meet(next.cells)
                dealt.insert(claims[place].log)
                isMore = true
            }
        }
        let unmet = Set(claims.filter { !$0.unmet.isEmpty }.map(\.log))
        waiting.removeAll { !unmet.contains($0) }
        guard let log, waiting.isEmpty, let account = holders[log]?.account else { return dealt }
        for name in limits.keys {
            let machines = max(machines, 1)
            let (free, left) = (free(name, limits), account[name].left)
            let share = min((free + machines) / (2 * machines), CreditPool.mostAhead)
            guard share > left, free > 0 else { continue }
            deal(min(share - left, free), of: name, to: log)
            dealt.insert(log)
        }
        return dealt
    }

    /// Who is to give back what it does not need, as something waits elsewhere.
    ///
    /// - Parameter isHere: whether a machine can be told now.
    package func recall(_ limits: [String: Int], _ isHere: (Identifier) -> Bool) -> Set<Identifier> {
        var recalled: Set<Identifier> = []
        // The quota was made smaller.
        for name in limits.keys where free(name, limits) < 0 {
            for (log, holder) in holders where holder.account[name].left > 0 && isHere(log) { recalled.insert(log) }
        }
        for log in waiting {
            guard let holder = holders[log] else { continue }
            for item in Claim(log, holder, limits).unmet {
                let short = item.missing.filter { free($0, limits) <= 0 }
                let givers = short.map { name in
                    holders.filter { other, holder in
                        other != log && holder.account[name].left > 0 && isHere(other)
                            && Claim(other, holder, limits).spare(name) > 0
                    }.keys
                }
                guard givers.allSatisfy({ !$0.isEmpty }) else { continue }
                for some in givers { recalled.formUnion(some.prefix(CreditPool.mostRecalled)) }
            }
            if recalled.count >= CreditPool.mostRecalled { break }
        }
        return recalled
    }

    private static let mostRecalled = 32

    /// Takes back what machines hold that were not heard of since a moment, and may not use it any more by their own clocks.
    /// What they have used without a word of it ever coming here is not known.
    ///
    /// - Parameter answers: how many answers of a log are here, by cell.
    /// - Returns: those from whom something was taken.
    package mutating func lapse<Failure: Error>(
        notHeardSince moment: Timestamp, answers: (Identifier) throws(Failure) -> [String: Int]
    ) throws(Failure) -> Set<Identifier> {
        var lapsed: Set<Identifier> = []
        for (log, var holder) in holders where holder.heardAt < moment {
            guard holder.account.cells.contains(where: { $0.value.left > 0 }) else { continue }
            for (name, count) in try answers(log) where count > holder.account[name].used {
                holder.account[name].spent = holder.account[name].freed + count
            }
            for (name, cell) in holder.account.cells { holder.account[name].returned += cell.left }
            lapsed.insert(log)
            holder.wants = [:]
            put(holder, of: log)
            waiting.removeAll { $0 == log }
        }
        return lapsed
    }
}

/// What waits at a machine, set against what the machine holds.
private struct Claim {
    let log: Identifier
    private var left: [String: Int]
    private var wants: [(cells: [String], count: Int)]

    init(_ log: Identifier, _ holder: CreditPool.Holder, _ limits: [String: Int]) {
        self.log = log
        left = holder.account.cells.mapValues(\.left)
        wants = holder.wants.map { (cells: $0.key.filter { limits[$0] != nil }, count: $0.value) }
            .sorted { $0.cells.lexicographicallyPrecedes($1.cells) }
        for place in wants.indices {
            while wants[place].count > 0, missing(wants[place].cells).isEmpty { use(place) }
        }
    }

    private func missing(_ cells: [String]) -> [String] { cells.filter { left[$0, default: 0] <= 0 } }

    private mutating func use(_ place: Int) {
        for name in wants[place].cells { left[name, default: 0] -= 1 }
        wants[place].count -= 1
    }

    /// What it holds beyond what it can ask now.
    func spare(_ name: String) -> Int { left[name] ?? 0 }

    /// What cannot be asked with what there is, and what it takes.
    var unmet: [(cells: [String], missing: [String])] {
        wants.filter { $0.count > 0 }.map { ($0.cells, missing($0.cells)) }
    }

    /// What was missing was dealt.
    mutating func meet(_ cells: [String]) {
        guard let place = wants.firstIndex(where: { $0.cells == cells }) else { return }
        for name in missing(cells) { left[name, default: 0] += 1 }
        use(place)
    }
}
