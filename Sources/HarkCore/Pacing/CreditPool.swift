package import HarkWire

/// Deals a quota's answers of one period to the machines of a hub's fleet.
///
/// The credits of all machines together never exceed the limits, because each machine can only use its own. Nothing is
/// taken from a machine: it returns credits, or was silent for so long that it may not use them any more (`lapse`).
package struct CreditPool: Sendable, Equatable {
    /// A log of a machine: another disk has another log, and holds no credits of the log before. A copy of a disk has
    /// the same log at another machine.
    package struct Log: Sendable, Hashable {
        package let machine: String
        package let id: Identifier

        package init(machine: String, id: Identifier) { (self.machine, self.id) = (machine, id) }
    }

    package struct Holder: Sendable, Equatable {
        package var account: CreditAccount
        /// The time until which it may use its credits, by the clock of this hub, plus a margin.
        package var until: Timestamp
        /// The waiting surveys there: the cells of each, and their number.
        package private(set) var wants: [[String]: Int] = [:]

        package init(account: CreditAccount, until: Timestamp) {
            (self.account, self.until) = (account, until)
        }

        /// A cell is named once, and the work is bounded, even for a machine that sends false reports.
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
    /// The machines with waiting surveys, the longest waiting first.
    private var waiting: [Log] = []
    /// The machines that were asked to return unneeded credits, and have not reported a change since.
    private var recalled: Set<Log> = []
    /// The answers, and further allowed answers, of all machines.
    private(set) var held: [String: Int] = [:]
    private(set) var used: [String: Int] = [:]
    /// The further allowed answers of all machines.
    private var left: [String: Int] = [:]

    /// The most credits dealt ahead of demand, and the most waiting surveys of a machine that count.
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

    /// Whether a survey waits without a credit.
    package var isWaiting: Bool { !waiting.isEmpty }
    /// Whether the pool must be looked at again after some time.
    package var isUnsettled: Bool { isWaiting || !recalled.isEmpty }

    /// The result of a report.
    package struct Heard: Sendable, Equatable {
        /// Whether it must be stored.
        package var isNew = false
        /// The machine has been dealt more than this hub has ever dealt it: the hub's store was set back, or replaced.
        package var isMore = false
    }

    /// How long a hub leaves a machine its credits, given the lease that the machine measures: an eighth longer, because clocks
    /// differ and not every renewal is stored.
    package static func patience(_ lease: Int64) -> Int64 { lease + lease / 8 }

    /// Handles a machine's report of its account and of its waiting surveys.
    ///
    /// - Parameter lease: how long it may use its credits from now on, in milliseconds.
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

    /// Deals the free credits: one after the other to machines with waiting surveys, and some ahead to machines that have just
    /// reported.
    ///
    /// - Parameters:
    ///   - limits: the number of answers allowed by now, by cell.
    ///   - machines: the number of machines that share them.
    ///   - logs: the logs of the machines that reported.
    /// - Returns: the logs to which something was dealt.
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

    /// Returns the logs that must return unneeded credits, because surveys wait elsewhere, or because the quota was made smaller.
    /// A log is asked again only after it has reported a change, or after `forgetRecalls`.
    ///
    /// - Parameter isHere: whether the machine can be reached now.
    package mutating func recall(_ limits: [String: Int], _ isHere: (Log) -> Bool) -> Set<Log> {
        guard limits.keys.contains(where: { (left[$0] ?? 0) > 0 }) else { return [] }
        var some: Set<Log> = []
        for name in limits.keys where free(name, limits) < 0 {
            some.formUnion(holders.filter { $0.value.account[name].left > 0 && isHere($0.key) }.keys)
        }
        // A log without a credit for a cell has none to return, so all have the same givers.
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

    /// Forgets which logs were asked, after some time, so that logs that did not get the message are asked again.
    package mutating func forgetRecalls() { recalled = [] }

    private static let mostRecalled = 32

    /// The most logs handled together, because their answers are read from the store.
    private static let mostLapsed = 64

    /// Takes back the credits of machines that were silent for so long that they may not use them any more by their own clocks.
    /// Credits that they have used without a report that arrived here are unknown.
    ///
    /// - Parameter answers: the number of answers of a log that are here, by cell.
    /// - Returns: the logs from which credits were taken.
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

/// The waiting surveys of a machine, compared with its credits.
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

    /// The credits that its waiting surveys do not need.
    func spare(_ name: String) -> Int { left[name] ?? 0 }

    /// The waiting surveys without enough credits, and the cells that lack one.
    var unmet: [(cells: [String], missing: [String])] {
        wants.filter { $0.count > 0 }.map { ($0.cells, missing($0.cells)) }
    }

    /// Notes that the missing credits were dealt.
    mutating func meet(_ cells: [String]) {
        guard let place = wants.firstIndex(where: { $0.cells == cells }) else { return }
        for name in missing(cells) { left[name, default: 0] += 1 }
        use(place)
    }
}
