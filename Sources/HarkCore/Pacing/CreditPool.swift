package import HarkWire

/// How a hub deals a quota's answers of one period to the machines of its fleet.
///
/// What machines hold together never exceeds the limits, whatever they do, as each can only use what it holds. Nothing is
/// taken from a machine: it gives back, or was silent for so long that it may not use its credits any more (`lapse`).
package struct CreditPool: Sendable, Equatable {
    /// A log of a machine: another disk has another, and holds nothing of what the one before held. A copy of a disk has
    /// the same at another machine.
    package struct Log: Sendable, Hashable {
        package let machine: String
        package let id: Identifier

        package init(machine: String, id: Identifier) { (self.machine, self.id) = (machine, id) }
    }

    package struct Holder: Sendable, Equatable {
        package var account: CreditAccount
        /// Until when it may use what it holds, by the clock of this hub, and some time longer.
        package var until: Timestamp
        /// What waits there to be asked: the cells of each, and how many.
        package private(set) var wants: [[String]: Int] = [:]

        package init(account: CreditAccount, until: Timestamp) {
            (self.account, self.until) = (account, until)
        }

        /// A cell is named once, and the work is bounded, even for a machine that lies.
        mutating func want(_ wants: [[String]: Int]) {
            self.wants = [:]
            var rest = CreditPool.mostAhead
            for (cells, count) in wants.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) where rest > 0 {
                let some = min(count, rest)
                guard some > 0 else { continue }
                self.wants[Set(cells).sorted(), default: 0] += some
                rest -= some
            }
        }
    }

    package let begins: Timestamp?
    package private(set) var holders: [Log: Holder] = [:]
    /// In the order in which they have come to wait.
    private var waiting: [Log] = []
    /// Those that were asked to give back what they do not need, and have told of no change since.
    private var recalled: Set<Log> = []
    /// What all hold together.
    private(set) var held: [String: Int] = [:]
    private(set) var used: [String: Int] = [:]
    /// What all may ask for beside what they have used.
    private var left: [String: Int] = [:]

    /// So much is dealt at most for what does not wait yet, and for what a machine says to wait.
    package static let mostAhead = 64

    package init(begins: Timestamp?, holders: [Log: Holder] = [:]) {
        self.begins = begins
        for (log, holder) in holders { put(holder, of: log) }
    }

    private mutating func put(_ holder: Holder, of log: Log) {
        let before = holders.updateValue(holder, forKey: log)
        for (name, cell) in before?.account.cells ?? [:] {
            held[name, default: 0] -= cell.held
            used[name, default: 0] -= cell.used
            left[name, default: 0] -= cell.left
        }
        for (name, cell) in holder.account.cells {
            held[name, default: 0] += cell.held
            used[name, default: 0] += cell.used
            left[name, default: 0] += cell.left
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
    /// Whether anything is to be looked at again after some time.
    package var isUnsettled: Bool { isWaiting || !recalled.isEmpty }

    /// What came of a report.
    package struct Heard: Sendable, Equatable {
        /// Whether the store has to know.
        package var isNew = false
        /// The machine has been dealt more than this hub has ever dealt it: the hub's store was set back, or replaced.
        package var isMore = false
    }

    /// How long a hub leaves a machine what it holds, whose lease is counted by the machine: an eighth longer, for the clocks
    /// and for what the store is spared.
    package static func patience(_ lease: Int64) -> Int64 { lease + lease / 8 }

    /// A machine has told of its account and of what waits there.
    ///
    /// - Parameter lease: how long it may use what it holds from now on; milliseconds.
    package mutating func heard(
        _ log: Log, _ account: CreditAccount, wants: [[String]: Int], at now: Timestamp, lease: Int64
    ) -> Heard {
        let known = holders[log]
        var holder = known ?? Holder(account: CreditAccount(begins: begins), until: now)
        let (before, wanted) = (holder.account, holder.wants)
        holder.account.merge(account)
        var heard = Heard(isNew: holder.account != before)
        heard.isMore = account.cells.contains { $0.value.dealt > before[$0.key].dealt }
        if known == nil || holder.until < now.adding(milliseconds: lease + lease / 16) {
            holder.until = max(holder.until, now.adding(milliseconds: CreditPool.patience(lease)))
            heard.isNew = true
        }
        holder.want(wants)
        put(holder, of: log)
        if holder.account != before || holder.wants != wanted { recalled.remove(log) }
        waiting.removeAll { $0 == log && holder.wants.isEmpty }
        if !holder.wants.isEmpty, !waiting.contains(log) { waiting.append(log) }
        return heard
    }

    private func free(_ name: String, _ limits: [String: Int]) -> Int { (limits[name] ?? 0) - (held[name] ?? 0) }

    private mutating func deal(_ count: Int, of name: String, to log: Log) {
        guard count > 0, var holder = holders[log] else { return }
        holder.account[name].dealt += count
        put(holder, of: log)
    }

    /// Deals what is free: one after the other to those where something waits, and something ahead to machines that have just
    /// been heard of.
    ///
    /// - Parameters:
    ///   - limits: how many answers there may be by now, by cell.
    ///   - machines: how many there are to share.
    ///   - logs: of the machines that were heard of.
    /// - Returns: to whom something was dealt.
    package mutating func deal(_ limits: [String: Int], among machines: Int, ahead logs: some Sequence<Log>) -> Set<Log>
    {
        guard limits.keys.contains(where: { free($0, limits) > 0 }) else { return [] }
        var dealt: Set<Log> = []
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
        guard waiting.isEmpty else { return dealt }
        for log in logs {
            guard let account = holders[log]?.account else { continue }
            for name in limits.keys {
                let machines = max(machines, 1)
                let (free, left) = (free(name, limits), account[name].left)
                let share = min((free + machines) / (2 * machines), CreditPool.mostAhead)
                guard share > left, free > 0 else { continue }
                deal(min(share - left, free), of: name, to: log)
                dealt.insert(log)
            }
        }
        return dealt
    }

    /// Who is to give back what it does not need, as something waits elsewhere, or as the quota was made smaller. Nobody is
    /// asked again before it has told of a change, or `forgetRecalls`.
    ///
    /// - Parameter isHere: whether a machine can be told now.
    package mutating func recall(_ limits: [String: Int], _ isHere: (Log) -> Bool) -> Set<Log> {
        guard limits.keys.contains(where: { (left[$0] ?? 0) > 0 }) else { return [] }
        var some: Set<Log> = []
        for name in limits.keys where free(name, limits) < 0 {
            some.formUnion(holders.filter { $0.value.account[name].left > 0 && isHere($0.key) }.keys)
        }
        // Who lacks a place in a cell has none to give, so all have the same givers.
        var givers: [String: Set<Log>] = [:]
        for log in waiting {
            guard let holder = holders[log] else { continue }
            for item in Claim(log, holder, limits).unmet {
                let short = item.missing.filter { free($0, limits) <= 0 }
                for name in short where givers[name] == nil { givers[name] = self.givers(of: name, limits, isHere) }
                guard short.allSatisfy({ !(givers[$0] ?? []).isEmpty }) else { continue }
                for name in short { some.formUnion(givers[name] ?? []) }
            }
            if some.count >= CreditPool.mostRecalled { break }
        }
        some.subtract(recalled)
        recalled.formUnion(some)
        return some
    }

    private func givers(of name: String, _ limits: [String: Int], _ isHere: (Log) -> Bool) -> Set<Log> {
        guard (left[name] ?? 0) > 0 else { return [] }
        let all = holders.filter { log, holder in
            holder.account[name].left > 0 && isHere(log) && Claim(log, holder, limits).spare(name) > 0
        }
        return Set(all.keys.prefix(CreditPool.mostRecalled))
    }

    /// Some time has passed: whom a word has not reached is asked again.
    package mutating func forgetRecalls() { recalled = [] }

    private static let mostRecalled = 32

    /// The most that are looked at together, as their answers are read.
    private static let mostLapsed = 64

    /// Takes back what machines hold that were silent for so long that they may not use it any more by their own clocks.
    /// What they have used without a word of it ever coming here is not known.
    ///
    /// - Parameter answers: how many answers of a log are here, by cell.
    /// - Returns: those from whom something was taken.
    package mutating func lapse<Failure: Error>(
        at now: Timestamp, answers: (Log) throws(Failure) -> [String: Int]
    ) throws(Failure) -> Set<Log> {
        guard left.values.contains(where: { $0 > 0 }) else { return [] }
        var lapsed: Set<Log> = []
        for (log, var holder) in holders where holder.until < now {
            guard lapsed.count < CreditPool.mostLapsed else { break }
            guard holder.account.cells.contains(where: { $0.value.left > 0 }) else { continue }
            for (name, count) in try answers(log) where count > holder.account[name].used {
                holder.account[name].spent = holder.account[name].freed + count
            }
            for (name, cell) in holder.account.cells { holder.account[name].returned += cell.left }
            lapsed.insert(log)
            holder.want([:])
            put(holder, of: log)
            waiting.removeAll { $0 == log }
        }
        return lapsed
    }
}

/// What waits at a machine, set against what the machine holds.
private struct Claim {
    let log: CreditPool.Log
    private var left: [String: Int]
    private var wants: [(cells: [String], count: Int)]

    init(_ log: CreditPool.Log, _ holder: CreditPool.Holder, _ limits: [String: Int]) {
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
