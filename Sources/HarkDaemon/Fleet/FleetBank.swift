import HarkCore
import HarkFleet
import HarkStore
import HarkSystem
import HarkWire

/// Deals the answers that quotas ask for to the machines of a fleet (`CreditPool`). What is dealt is on disk before a machine
/// hears of it.
@DaemonActor
final class FleetBank {
    /// What it knows of the machines, and does to them.
    struct Fleet {
        let count: () -> Int
        let isHere: (FleetLogKey) -> Bool
        let say: (FleetLogKey, FleetCreditWord) -> Void
        /// An empty word from this hub to a log.
        let word: (FleetLogKey) -> FleetCreditWord
    }

    private struct PoolKey: Hashable {
        let survey: String
        let begins: Timestamp?
    }

    private struct Pool {
        var value: CreditPool
        /// As the machine that was heard of last has it.
        var quota: SurveyQuota
    }

    private let ledger: Ledger
    private let documents: FleetPushes
    private let fleet: Fleet
    /// How long machines may use credits without having heard of the hub; milliseconds.
    private let lease: Int64
    private var pools: [PoolKey: Pool] = [:]
    private var restarts = 0
    private var keys: [Identifier: FleetLogKey] = [:]
    /// By the group of the document.
    private var quotas: [String?: (version: String, quotas: [ExactName: SurveyQuota])] = [:]
    private var queue: ArraySlice<(key: FleetLogKey, hello: FleetHello)> = []
    private var isBusy = false
    private var timer: TimerSource?
    private(set) lazy var recount = CreditRecount(ledger: ledger, lease: lease)

    private static let mostQueued = 16_384
    private static let retrySeconds: UInt64 = 30

    init(ledger: Ledger, loop: EventLoop, documents: FleetPushes, lease: Int64, fleet: Fleet) throws {
        self.ledger = ledger
        self.documents = documents
        self.lease = lease
        self.fleet = fleet
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 1_000_000) { [weak self] in self?.retry() }
    }

    func close() {
        timer?.cancel()
        timer = nil
        queue = []
    }

    /// Handles what a machine tells of its credits. Beyond the bound it is dropped: the machine tells it again.
    func heard(_ key: FleetLogKey, _ hello: FleetHello) {
        // A machine of an earlier version holds none.
        if !hello.knowsCredits { recount.heard(key.log) }
        guard hello.credits != nil else { return }
        guard queue.count < FleetBank.mostQueued else { return }
        queue.append((key, hello))
        guard !isBusy else { return }
        isBusy = true
        DaemonActor.task { [self] in
            while let (key, hello) = queue.popFirst() { await answer(key, hello) }
            queue = []
            isBusy = false
        }
    }

    private func answer(_ key: FleetLogKey, _ hello: FleetHello) async {
        guard let report = hello.credits else { return }
        let quotas = await quotas(for: hello.group)
        keys[key.log] = key
        do throws(WireError) {
            try recount.begin()
            recount.heard(key.log)
            var told: [FleetCredit] = []
            for credit in report.list {
                guard let quota = quotas[ExactName(credit.survey)],
                    let credit = try take(credit, of: key, quota)
                else { continue }
                told.append(credit)
            }
            var word = fleet.word(key)
            (word.tag, word.lease, word.credits) = (report.tag, lease, told)
            try say(word, to: key)
        } catch {
            pools = [:]
            Log.warning("fleet: the credits of \(key.machine) could not be dealt: \(error.message)")
        }
        rearm()
    }

    /// - Returns: what the machine is told; nil for what it cannot be dealt now.
    private func take(_ credit: FleetCredit, of key: FleetLogKey, _ quota: SurveyQuota) throws(WireError)
        -> FleetCredit?
    {
        let now = ledger.ageClock.now
        // A machine whose clock is in another period waits until that begins here.
        guard credit.begins == quota.begin(at: now) else { return nil }
        let place = PoolKey(survey: credit.survey, begins: credit.begins)
        var pool = try pool(place, quota)
        pool.quota = quota
        let before = pool.value.standing(quota.wanted)
        var account = CreditAccount(credit)
        account.cells = account.cells.filter { before[$0.key] != nil }
        let wants = Dictionary(credit.wants.map { ($0.cells, $0.count) }) { max($0, $1) }
        let heard = pool.value.heard(
            key.log, key.machine, account, wants: wants, at: now, staleAfter: lease / 16)
        if heard.isMore { try recount.learned(of: key.machine) }
        try deal(
            place, &pool, changed: heard.isNew ? [key.log] : [], ahead: fleet.isHere(key) ? key.log : nil, before)
        return pool.value.holders[key.log].map {
            FleetCredit(place.survey, $0.account, pool.value.standing(quota.wanted))
        }
    }

    /// Deals what there is, stores what has changed, and tells all machines but one.
    private func deal(
        _ place: PoolKey, _ pool: inout Pool, changed: Set<Identifier>, ahead log: Identifier?,
        _ before: [String: CreditStanding]
    ) throws(WireError) {
        let now = ledger.ageClock.now
        let limits = pool.quota.limits(at: now)
        var changed = changed
        var dealt: Set<Identifier> = []
        if try recount.mayDeal(at: now) {
            dealt = pool.value.deal(limits, among: fleet.count(), ahead: log)
            if pool.value.isWaiting {
                let (quota, moment) = (pool.quota, now.adding(milliseconds: -(lease + lease / 8)))
                changed.formUnion(
                    try pool.value.lapse(notHeardSince: moment) { log throws(WireError) in
                        let answered = try ledger.lookUp { reader throws(StoreError) in
                            try reader.answered(place.survey, of: log)
                        }
                        return quota.count(answered, since: place.begins)
                    })
                dealt.formUnion(pool.value.deal(limits, among: fleet.count(), ahead: nil))
            }
        }
        changed.formUnion(dealt)
        try store(place, pool, changed, before)
        pools[place] = pool
        let isHere = { [keys, fleet] (log: Identifier) in keys[log].map(fleet.isHere) ?? false }
        let recalled = pool.value.recall(limits, isHere)
        let standing = pool.value.standing(pool.quota.wanted)
        // All are in, or an answer was taken back: that concerns everybody.
        let isTurned = standing.contains { name, now in
            before[name].map { ($0.used < $0.limit) != (now.used < now.limit) } ?? false
        }
        let others = isTurned ? Set(pool.value.holders.keys.filter(isHere)) : dealt
        for other in others.union(recalled) where other != log || recalled.contains(other) {
            guard let key = keys[other], let holder = pool.value.holders[other] else { continue }
            var word = fleet.word(key)
            word.credits = [FleetCredit(place.survey, holder.account, standing)]
            if recalled.contains(other) { word.recalled = [place.survey] }
            try say(word, to: key)
        }
    }

    /// One commit has what was dealt and heard, and the event of what is full with it.
    private func store(
        _ place: PoolKey, _ pool: Pool, _ changed: Set<Identifier>, _ before: [String: CreditStanding]
    ) throws(WireError) {
        guard !changed.isEmpty else { return }
        let rows = changed.compactMap { log in
            pool.value.holders[log].map { FleetCreditRow.put(survey: place.survey, log: log, $0) }
        }
        let full = pool.value.standing(pool.quota.wanted).filter { name, standing in
            standing.used >= standing.limit && before[name].map { $0.used < $0.limit } ?? true
        }
        let need =
            full.isEmpty ? nil : try ledger.need(toRecord: FleetBank.fullEvent, in: FleetDesk.scope, isUnattended: true)
        try ledger.decide(needing: need) { engine, changes, now throws(WireError) in
            for row in rows { engine.keep(row, into: &changes) }
            engine.keep(FleetCreditRow.keepPeriods(survey: place.survey), into: &changes)
            for name in full.keys.sorted() {
                let cell: [(String, PropertyValue)] = name == QuotaCount.all ? [] : [("cell", .string(name))]
                _ = try engine.record(
                    FleetBank.fullEvent, properties: Properties([("id", .string(place.survey))] + cell),
                    in: FleetDesk.scope, isUnattended: true, source: FleetDesk.source, now: now, into: &changes)
            }
        }
    }

    private static let fullEvent = "survey_quota"

    /// Says something once all that was decided is on disk.
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
        if let pool = pools[place] { return pool }
        // Periods that are over are asked for no more.
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
        guard pools.values.contains(where: { $0.value.isWaiting }) else { return }
        timer?.arm(afterMicroseconds: FleetBank.retrySeconds * 1_000_000)
    }

    /// Places have come open with the time, or are given back by who was silent for long.
    private func retry() {
        do throws(WireError) {
            for (place, known) in pools where known.value.isWaiting && restarts == ledger.restarts {
                var pool = known
                guard place.begins == pool.quota.begin(at: ledger.ageClock.now) else { continue }
                try deal(place, &pool, changed: [], ahead: nil, pool.value.standing(pool.quota.wanted))
            }
        } catch {
            pools = [:]
            Log.warning("fleet: the answers of quotas could not be dealt: \(error.message)")
        }
        rearm()
    }

    /// The quotas of the surveys that machines of a group are to have.
    private func quotas(for group: String?) async -> [ExactName: SurveyQuota] {
        let own = group.flatMap { documents.document(.surveys, group: $0) }.flatMap { $0.text == nil ? nil : $0 }
        let place = own == nil ? nil : group
        guard let document = own ?? documents.document(.surveys, group: nil), let text = document.text else {
            return [:]
        }
        if let known = quotas[place], known.version == document.version { return known.quotas }
        let read = await DocumentThread.run { () -> [ExactName: SurveyQuota] in
            let surveys = DocumentKind.surveys.read(Array(text.utf8)).0?.surveys ?? []
            let pairs = surveys.compactMap { survey in survey.quota.map { (ExactName(survey.id), $0) } }
            return Dictionary(pairs) { first, _ in first }
        }
        quotas[place] = (document.version, read)
        return read
    }
}

extension FleetCredit {
    init(_ survey: String, _ account: CreditAccount, _ standing: [String: CreditStanding]) {
        self.init(survey: survey, begins: account.begins)
        for name in Set(account.cells.keys).union(standing.keys) { cells[name] = Cell(account[name], standing[name]) }
    }
}
