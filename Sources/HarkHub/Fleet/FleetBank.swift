import HarkCore
import HarkFleet
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Deals the answers of quotas to the machines of a fleet (`CreditPool`). Dealt credits are on disk before a machine
/// hears of it.
@DaemonActor
final class FleetBank {
    /// The facts about machines, and the actions on them.
    struct Fleet {
        let count: () -> Int
        /// The maximum number of logs to keep.
        let most: Int
        let isHere: (FleetLogKey) -> Bool
        let say: (FleetLogKey, FleetCreditWord) -> Void
        /// An empty message from this hub to a log.
        let word: (FleetLogKey) -> FleetCreditWord
    }

    private struct PoolKey: Hashable {
        let survey: String
        let begins: Timestamp?
    }

    private struct Pool {
        var value: CreditPool
        /// The quota as the last machine reported it.
        var quota: SurveyQuota
        /// Whether the next commit must remove earlier periods.
        var isNew = true
    }

    private let ledger: Ledger
    private let quotas: FleetQuotas
    private let fleet: Fleet
    /// How long machines may use credits without hearing from the hub, in milliseconds.
    private let lease: Int64
    private var pools: [PoolKey: Pool] = [:]
    private var restarts = 0
    /// The time at which more can be dealt than when machines reported, in milliseconds since the boot.
    private var dealsAt: Int64?
    /// Nothing is dealt before connected machines have reported, as the store may have been set back.
    private var isOpen = false
    private var queue: ArraySlice<(key: FleetLogKey, hello: FleetHello, isKnown: Bool)> = []
    /// The number of accounts in the queue.
    private var queued = 0
    private var isBusy = false
    private var timer: TimerSource?
    private(set) lazy var recount = FleetRecount(ledger: ledger, lease: lease)

    private static let mostQueued = 16_384
    /// The maximum number in memory.
    private static let mostHolders = 200_000
    private static let retry: Int64 = 30_000
    private static let hearing: Int64 = 3_000

    init(ledger: Ledger, loop: EventLoop, documents: FleetPushes, lease: Int64, fleet: Fleet) throws {
        self.ledger = ledger
        quotas = FleetQuotas(documents)
        self.lease = lease
        self.fleet = fleet
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 1_000_000) { [weak self] in self?.retry() }
    }

    func close() {
        timer?.cancel()
        timer = nil
        queue = []
    }

    /// Handles a machine's report of its credits. A report beyond the bound is dropped: the machine repeats it.
    ///
    /// - Parameter isKnown: Whether there are records of that log here. Only a bounded number of other logs is kept, as
    ///   anybody can invent them.
    func heard(_ key: FleetLogKey, _ hello: FleetHello, isKnown: Bool) {
        // A machine of an earlier version holds none.
        if !hello.knowsCredits { recount.heard(CreditPool.Log(key)) }
        guard let count = hello.credits?.list.count, queued + count < FleetBank.mostQueued,
            queue.count < FleetBank.mostQueued
        else { return }
        queue.append((key, hello, isKnown))
        queued += count
        guard !isBusy else { return }
        isBusy = true
        DaemonActor.task { [self] in
            while let (key, hello, isKnown) = queue.popFirst() {
                queued -= hello.credits?.list.count ?? 0
                await answer(key, hello, isKnown)
            }
            queue = []
            isBusy = false
        }
    }

    private func answer(_ key: FleetLogKey, _ hello: FleetHello, _ isKnown: Bool) async {
        guard let report = hello.credits else { return }
        let quotas = await self.quotas.quotas(for: hello.group)
        do throws(WireError) {
            try recount.begin()
            try await prepare(report.list.filter { quotas[ExactName($0.survey)] != nil })
            var told: [FleetCredit] = []
            for credit in report.list {
                guard let quota = quotas[ExactName(credit.survey)],
                    let credit = try take(credit, of: key, quota, isKnown)
                else { continue }
                told.append(credit)
            }
            recount.heard(CreditPool.Log(key))
            var word = fleet.word(key)
            (word.tag, word.lease, word.credits) = (report.tag, lease, told)
            try say(word, to: key)
        } catch {
            pools = [:]
            Log.warning("fleet: the credits of \(key.machine) could not be dealt: \(error.message)")
        }
        rearm()
    }

    /// Accounts that are not on disk yet cannot be read.
    private func prepare(_ credits: [FleetCredit]) async throws(WireError) {
        // Waiting reports are repeated.
        if pools.values.reduce(0, { $0 + $1.value.holders.count }) > FleetBank.mostHolders { pools = [:] }
        guard credits.contains(where: { pools[PoolKey(survey: $0.survey, begins: $0.begins)] == nil }) else { return }
        try await ledger.settle()
    }

    /// - Returns: The message to the machine; nil if it cannot be dealt any credits now.
    private func take(
        _ credit: FleetCredit, of key: FleetLogKey, _ quota: SurveyQuota, _ isKnown: Bool
    ) throws(WireError) -> FleetCredit? {
        let now = ledger.ageClock.now
        // A machine whose clock is in another period waits until that begins here.
        guard credit.begins == quota.begin(at: now) else { return nil }
        let place = PoolKey(survey: credit.survey, begins: credit.begins)
        var pool = try pool(place, quota)
        let log = CreditPool.Log(key)
        guard isKnown || pool.value.holders[log] != nil || pool.value.holders.count < fleet.most else {
            pools[place] = pool
            return nil
        }
        pool.quota = quota
        let before = pool.value.standing(quota.wanted)
        var account = CreditAccount(credit)
        account.cells = account.cells.filter { before[$0.key] != nil }
        let wants = Dictionary(credit.wants.map { ($0.cells, $0.count) }) { max($0, $1) }
        let heard = pool.value.heard(log, account, wants: wants, at: now, lease: lease)
        if heard.isMore { try recount.learned(of: log) }
        try deal(
            place, &pool, changed: heard.isNew ? [log] : [], ahead: fleet.isHere(key) ? [log] : [], before, to: log)
        return pool.value.holders[log].map {
            FleetCredit(place.survey, $0.account, pool.value.standing(quota.wanted))
        }
    }

    /// Deals available credits, stores the changes, and tells all machines but one.
    ///
    /// - Parameter log: The log of the machine that gets an answer anyway.
    private func deal(
        _ place: PoolKey, _ pool: inout Pool, changed: Set<CreditPool.Log>, ahead logs: [CreditPool.Log],
        _ before: [String: CreditStanding], to log: CreditPool.Log?
    ) throws(WireError) {
        let now = ledger.ageClock.now
        let limits = pool.quota.limits(at: now)
        var changed = changed
        var dealt: Set<CreditPool.Log> = []
        if isOpen, try recount.mayDeal(at: now) {
            dealt = pool.value.deal(limits, among: fleet.count(), ahead: logs)
            if pool.value.isWaiting {
                let quota = pool.quota
                changed.formUnion(
                    try pool.value.lapse(at: now) { log throws(WireError) in
                        let answered = try ledger.lookUp { reader throws(StoreError) in
                            try reader.answered(place.survey, of: log.id)
                        }
                        return quota.count(answered, since: place.begins)
                    })
                dealt.formUnion(pool.value.deal(limits, among: fleet.count(), ahead: []))
            }
        }
        changed.formUnion(dealt)
        try store(place, &pool, changed, before)
        let isHere = { [fleet] (log: CreditPool.Log) in fleet.isHere(FleetLogKey(log)) }
        let recalled = pool.value.recall(limits, isHere)
        pools[place] = pool
        let standing = pool.value.standing(pool.quota.wanted)
        // The quota is full, or an answer was taken back: that concerns all machines.
        let isTurned = standing.contains { name, now in
            before[name].map { ($0.used < $0.limit) != (now.used < now.limit) } ?? false
        }
        let others = isTurned ? Set(pool.value.holders.keys.filter(isHere)) : dealt
        for other in others.union(recalled) where other != log || recalled.contains(other) {
            guard let holder = pool.value.holders[other] else { continue }
            let key = FleetLogKey(other)
            var word = fleet.word(key)
            word.credits = [FleetCredit(place.survey, holder.account, standing)]
            if recalled.contains(other) { word.recalled = [place.survey] }
            try say(word, to: key)
        }
    }

    /// One commit has the dealt and the reported credits, and the event for a full quota.
    private func store(
        _ place: PoolKey, _ pool: inout Pool, _ changed: Set<CreditPool.Log>, _ before: [String: CreditStanding]
    ) throws(WireError) {
        guard !changed.isEmpty else { return }
        let rows = changed.compactMap { log in
            pool.value.holders[log].map { FleetCreditRow.put(survey: place.survey, log, $0) }
        }
        let full = pool.value.standing(pool.quota.wanted).filter { name, standing in
            standing.used >= standing.limit && before[name].map { $0.used < $0.limit } ?? true
        }
        let need =
            full.isEmpty ? nil : try ledger.need(toRecord: FleetBank.fullEvent, in: FleetDesk.scope, isUnattended: true)
        let isNew = pool.isNew
        pool.isNew = false
        try ledger.decide(needing: need) { engine, changes, now throws(WireError) in
            for row in rows { engine.keep(row, into: &changes) }
            if isNew { engine.keep(FleetCreditRow.keepPeriods(survey: place.survey), into: &changes) }
            for name in full.keys.sorted() {
                let cell: [(String, PropertyValue)] = name == QuotaCount.all ? [] : [("cell", .string(name))]
                _ = try engine.record(
                    FleetBank.fullEvent, properties: Properties([("id", .string(place.survey))] + cell),
                    in: FleetDesk.scope, isUnattended: true, source: FleetDesk.source, now: now, into: &changes)
            }
        }
    }

    private static let fullEvent = "survey_quota"

    /// Sends a message once all decisions are on disk.
    private func say(_ word: FleetCreditWord, to key: FleetLogKey) throws(WireError) {
        try ledger.decide { _, _, _ in }.then { [weak self] result in
            if case .success = result { self?.fleet.say(key, word) }
        }
    }

    private func pool(_ place: PoolKey, _ quota: SurveyQuota) throws(WireError) -> Pool {
        if restarts != ledger.restarts {
            restarts = ledger.restarts
            pools = [:]
        }
        // Removed meanwhile, so that it is changed in place. After an error all pools are read again.
        if let pool = pools.removeValue(forKey: place) { return pool }
        // Pools of past periods are no longer needed.
        pools = pools.filter {
            $0.key.survey != place.survey || $0.value.quota.begin(at: ledger.ageClock.now) == $0.key.begins
        }
        let stored = try ledger.lookUp { reader throws(StoreError) in
            try reader.creditPool(of: place.survey, begins: place.begins)
        }
        return Pool(value: stored, quota: quota)
    }

    // MARK: What waits

    private func rearm() {
        if !isOpen {
            if dealsAt == nil { dealsAt = FleetHub.now + FleetBank.hearing }
        } else if pools.values.contains(where: \.value.isUnsettled) {
            dealsAt = FleetHub.now + FleetBank.retry
        } else {
            return
        }
        timer?.arm(afterMicroseconds: UInt64(max((dealsAt ?? 0) - FleetHub.now, 1)) * 1_000)
    }

    /// Connected machines have reported, a new period has begun, or credits of silent machines have expired.
    private func retry() {
        let isFirst = !isOpen
        isOpen = true
        do throws(WireError) {
            for (place, known) in pools where (isFirst || known.value.isUnsettled) && restarts == ledger.restarts {
                var pool = known
                guard place.begins == pool.quota.begin(at: ledger.ageClock.now) else { continue }
                pool.value.forgetRecalls()
                let logs = isFirst ? pool.value.holders.keys.filter { fleet.isHere(FleetLogKey($0)) } : []
                try deal(place, &pool, changed: [], ahead: logs, pool.value.standing(pool.quota.wanted), to: nil)
            }
        } catch {
            pools = [:]
            Log.warning("fleet: the answers of quotas could not be dealt: \(error.message)")
        }
        rearm()
    }
}
