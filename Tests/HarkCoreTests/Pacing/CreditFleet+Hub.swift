import HarkTesting
import HarkWire

@testable import HarkCore

extension CreditFleet {
    mutating func startHub() {
        guard hub == nil else { return }
        hub = disk
        run += 1
        recount = CreditRecount()
        opensAt = now.adding(milliseconds: 3_000)
        if let since = disk.setBackAt { recount.begin(since: since, by: nil, awaiting: holders(at: since), at: now) }
        for place in machines.indices { meet(place) }
    }

    private func holders(at moment: Timestamp) -> Set<CreditPool.Log> {
        let pools = (hub?.pools ?? [:]).values.flatMap { $0.holders.filter { $0.value.until >= moment }.keys }
        return Set(hub?.places.keys.map(\.self) ?? []).union(pools)
    }

    /// The hub's disk is another one from before.
    mutating func setBackHub(to copy: HubDisk) {
        crashHub()
        disk = copy
        startHub()
    }

    func log(_ place: Int) -> CreditPool.Log { CreditPool.Log(machine: "\(place)", id: machines[place].log) }

    /// Whether a machine holds more than a hub can know.
    private func isBlind(_ pool: CreditPool) -> Bool {
        machines.indices.contains { place in
            let known = pool.holders[log(place)]?.account ?? CreditAccount(begins: pool.begins)
            let account = machines[place].stage.disk.credits[ExactName(CreditFleet.survey)]?.first {
                $0.begins == pool.begins
            }
            return account?.cells.contains { $0.value.dealt > known[$0.key].dealt } ?? false
        }
    }

    /// Uncommitted changes are gone, and nobody was told.
    mutating func crashHub() {
        hub = nil
        said = []
    }

    mutating func commitHub() {
        guard let hub else { return }
        disk = hub
        for message in said { send(message) }
        said = []
    }

    mutating func take(_ machine: Int, _ id: Identifier, _ report: Engine.CreditReport, tag: Int64?) {
        guard hub != nil, report.account.begins == quota.begin(at: now) else { return }
        let begins = report.account.begins
        let own = CreditPool.Log(machine: "\(machine)", id: id)
        var pool = hub?.pools[begins] ?? CreditPool(begins: begins)
        let heard = pool.heard(own, report.account, wants: report.wants, at: now, lease: CreditFleet.lease)
        if heard.isMore, recount.since == nil {
            recount.begin(since: now, by: own.machine, awaiting: holders(at: now).subtracting([own]), at: now)
            hub?.setBackAt = now
        } else if heard.isMore {
            recount.learned(at: now)
        }
        let limits = quota.limits(at: now)
        var dealt: Set<CreditPool.Log> = []
        if now >= opensAt, recount.mayDeal(at: now, lease: CreditFleet.lease) {
            hub?.setBackAt = nil
            dealt = deal(&pool, limits, ahead: machines[machine].isHere ? [own] : [])
        }
        recount.heard(own)
        if retriesAt <= now {
            pool.forgetRecalls()
            retriesAt = now.adding(milliseconds: 30_000)
        }
        let here = Set(machines.indices.filter { machines[$0].isHere }.map(log))
        let recalled = pool.recall(limits) { here.contains($0) }
        hub?.pools[begins] = pool
        for other in dealt.union(recalled).union([own]) {
            guard let place = machines.indices.first(where: { log($0) == other }), let holder = pool.holders[other]
            else {
                continue
            }
            said.append(
                .toMachine(
                    place, other, run: run, tag: other == own ? tag : nil, holder.account,
                    standing: pool.standing(quota.wanted), isRecalled: recalled.contains(other)))
        }
    }

    private mutating func deal(
        _ pool: inout CreditPool, _ limits: [String: Int], ahead logs: [CreditPool.Log]
    ) -> Set<CreditPool.Log> {
        let before = pool
        let count = machines.count
        var dealt = pool.deal(limits, among: count, ahead: logs)
        if pool.isWaiting {
            let answered = hub?.answered ?? [:]
            for log in pool.lapse(at: now, answers: { quota.count(answered[$0] ?? [], since: before.begins) }) {
                guard let place = machines.indices.first(where: { self.log($0) == log }),
                    machines[place].leaseEnds ?? 0 > now.milliseconds
                else { continue }
                // Its lease was renewed by the hub that was.
                blind += before.holders[log]?.account[QuotaCount.all].left ?? 0
            }
            dealt.formUnion(pool.deal(limits, among: count, ahead: []))
        }
        if isBlind(before) { blind += CreditFleet.dealt(pool) - CreditFleet.dealt(before) }
        return dealt
    }

    private static func dealt(_ pool: CreditPool) -> Int {
        pool.holders.values.reduce(0) { $0 + $1.account[QuotaCount.all].dealt }
    }

    /// How many answers of the period the hub knows of.
    var used: Int { disk.pools[quota.begin(at: now)]?.standing(quota.wanted)[QuotaCount.all]?.used ?? 0 }
}
