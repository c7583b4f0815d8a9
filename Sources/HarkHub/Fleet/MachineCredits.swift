import HarkCore
import HarkFleet
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// The credits of a machine: reports its credits and waiting surveys to the hub, and takes the credits that the hub deals.
///
/// A credit may be used while its lease lasts. A lease is counted by the running time of the machine, from before the
/// report that the hub has answered. So it ends here before it ends at the hub, and clocks do not matter.
@DaemonActor
final class MachineCredits {
    private let ledger: Ledger
    private let member: () -> FleetMember?
    /// Called when something may be shown that could not be.
    private let onCredit: () -> Void
    private var timer: TimerSource?
    /// For each survey: the time until which its credits may be used, and the time to renew them, in milliseconds since the boot.
    private(set) var leases: [String: Lease]
    private var told: [Engine.CreditReport]?
    /// The time at which an unanswered report is repeated, and the next pause, in milliseconds.
    private var retryAt: Int64?
    private var patience = MachineCredits.firstPatience
    /// When the next period begins for something that waits; milliseconds since the boot.
    private var nextPeriod: Int64?
    private var isTelling = false
    private var isToTellAgain = false
    /// The latest reports, and when they were made. An answer to an earlier run of this daemon does not count, as its tag is
    /// unknown here.
    private var asked: [(tag: Int64, at: Int64)] = []
    private var random = SystemRandomNumberGenerator()
    /// The fleet and the name under which this machine was dealt its credits.
    private var owner: String?

    struct Lease {
        var end: Int64
        var renewal: Int64
    }

    private static let ownerKey = "fleet.credits"

    /// - Parameter leases: The leases from before other settings came into force.
    init(
        ledger: Ledger, loop: EventLoop, leases: [String: Lease], member: @escaping () -> FleetMember?,
        onCredit: @escaping () -> Void
    ) throws {
        self.ledger = ledger
        self.leases = leases
        self.member = member
        self.onCredit = onCredit
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in self?.timeIsUp() }
        ledger.adjust { $0.setCredits(areDealt: true) }
        rearm()
    }

    func close() {
        timer?.cancel()
        timer = nil
        ledger.adjust { engine in
            engine.setCredits(areDealt: false)
            engine.suspendCredits()
        }
    }

    /// The hub has answered this machine.
    func welcome(_ dealsCredits: Bool) {
        ledger.adjust { $0.setCredits(areDealt: dealsCredits) }
        told = nil
        if !dealsCredits { onCredit() }
    }

    // MARK: Telling

    func follow(_ changes: Changes) {
        guard member() != nil, ledger.settings.surveys.isFromHub else { return }
        let surveys = ledger.settings.surveys
        let isOfConcern = changes.rows.contains { row in
            switch row {
            case .survey(.putPresentation(let presentation)):
                presentation.prompt == nil && surveys.survey(presentation.survey)?.quota != nil
            case .survey(.putCredits), .session(.setCurrent): true
            default: false
            }
        }
        if isOfConcern { tell() }
    }

    /// Reports to the hub, once the state is on disk, unless it has reported the same before.
    func tell(again: Bool = false) {
        if again { told = nil }
        isToTellAgain = true
        guard !isTelling else { return }
        isTelling = true
        DaemonActor.task { [self] in
            while isToTellAgain {
                isToTellAgain = false
                do throws(WireError) {
                    try await report()
                } catch {
                    // The next commit or hello tries again.
                    Log.warning("fleet: what waits for answers of quotas is not told: \(error.message)")
                }
            }
            isTelling = false
        }
    }

    private func report() async throws(WireError) {
        guard let first = member(), isReady else { return }
        let log = first.course.log
        try claim("\(first.settings.name)/\(first.machine)")
        let now = FleetHub.now
        let reports = try await ledger.decide(needing: .quotas) { engine, _, now in engine.creditReports(now: now) }
            .stored().value
        guard let member = member(), isReady, member.course.log == log else { return }
        if let told, told.count == reports.count, zip(reports, told).allSatisfy({ $0.saysNothingNew(after: $1) }) {
            return
        }
        told = reports
        if !reports.isEmpty { retryAt = FleetHub.now + patience }
        let tag = Int64.random(in: 1...MachineCredits.mostTag, using: &random)
        asked = asked.suffix(MachineCredits.mostAsked - 1) + [(tag, now)]
        nextPeriod = nil
        for report in reports where !report.wants.isEmpty {
            guard let begins = report.account.begins, let period = quota(report.survey)?.period else { continue }
            let rest = max(begins.milliseconds + period - ledger.ageClock.now.milliseconds, 0) + 1_000
            nextPeriod = min(nextPeriod ?? .max, FleetHub.now + rest)
        }
        rearm()
        send(reports.map(FleetCredit.init)[...], tag, to: member)
    }

    /// Credits that were dealt under another name, or in another fleet, are not this machine's: its disk may be a copy.
    private func claim(_ name: String) throws(WireError) {
        guard owner != name else { return }
        let known = try ledger.lookUp { reader throws(StoreError) in try reader.meta(MachineCredits.ownerKey) }
        if known != name {
            try ledger.decide(needing: .all([.quotas, .shown])) { engine, changes, now in
                engine.remember(name, as: MachineCredits.ownerKey, into: &changes)
                engine.forgetCredits(now: now, into: &changes)
            }
        }
        owner = name
    }

    private func send(_ credits: ArraySlice<FleetCredit>, _ tag: Int64, to member: FleetMember) {
        let payload = JSONWriter.object { json in FleetCredit.write(Array(credits), to: &json) }
        guard credits.count > FleetCredit.most || payload.count > MachineCredits.mostBytes else {
            return member.sayHello(0, credits: FleetHello.Credits(tag: tag, list: Array(credits)))
        }
        guard credits.count > 1 else { return }
        let middle = credits.startIndex + credits.count / 2
        send(credits[..<middle], tag, to: member)
        send(credits[middle...], tag, to: member)
    }

    /// The largest integer that is exact in JSON.
    private static let mostTag: Int64 = 1 << 53 - 1
    private static let mostAsked = 8
    private static let firstPatience: Int64 = 30_000
    private static let longestPatience: Int64 = 600_000
    private static let mostBytes = FleetProtocol.mostBytes / 2

    private var isReady: Bool { member()?.course.phase == .ready }

    private func quota(_ survey: String) -> SurveyQuota? { ledger.settings.surveys.survey(survey)?.quota }

    // MARK: Hearing

    func take(_ word: FleetCreditWord) {
        defer { for survey in word.recalled { give(back: survey) } }
        if let at = asked.first(where: { $0.tag == word.tag })?.at, (1...MachineCredits.longest).contains(word.lease) {
            for credit in word.credits where quota(credit.survey) != nil {
                leases[credit.survey] = Lease(
                    end: max(at + word.lease, leases[credit.survey]?.end ?? 0), renewal: at + word.lease / 2)
            }
            noteAnswer(word)
        }
        guard !word.credits.isEmpty else { return }
        let leased = word.credits.filter { leases[$0.survey] != nil }
        do throws(WireError) {
            try ledger.decide(needing: .quotas) { engine, changes, now in
                for credit in leased {
                    engine.takeCredits(
                        CreditAccount(credit), of: credit.survey, standing: credit.standings, now: now, into: &changes)
                }
            }.then { [weak self] result in
                if case .success = result { self?.onCredit() }
            }
        } catch {
            Log.warning("fleet: what the hub deals could not be taken: \(error.message)")
        }
        // Credits of an earlier run of this daemon can be used once the hub has answered this run.
        if leased.count < word.credits.count { tell(again: true) }
    }

    /// The hub is told again of waiting surveys without credits: the clock of the hub may be in another period, what it
    /// says later may be lost, and it may forget what waits.
    private func noteAnswer(_ word: FleetCreditWord) {
        let isMissing = told?.contains { report in
            let credit = word.credits.first { $0.survey.hasSameBytes(as: report.survey) }
            return !report.wants.isEmpty && !(credit?.meets(report.wants) ?? false)
        }
        if isMissing ?? false {
            retryAt = FleetHub.now + patience
        } else {
            (retryAt, patience) = (nil, MachineCredits.firstPatience)
        }
        rearm()
    }

    private func give(back survey: String) {
        do throws(WireError) {
            try ledger.decide(needing: .all([.quotas, .shown])) { engine, changes, now in
                engine.returnCredits(of: survey, now: now, into: &changes)
            }
            tell(again: true)
        } catch {
            Log.warning("fleet: what is not needed could not be given back: \(error.message)")
        }
    }

    // MARK: Leases

    /// Longer than any hub gives.
    private static let longest: Int64 = 100 * 366 * 86_400_000

    private func rearm() {
        let times = leases.values.flatMap { [$0.end, $0.renewal] } + [nextPeriod, retryAt].compactMap(\.self)
        guard let next = times.min() else { return }
        timer?.arm(afterMicroseconds: UInt64(max(next - FleetHub.now, 1)) * 1_000)
    }

    private func timeIsUp() {
        let now = FleetHub.now
        if nextPeriod ?? .max <= now || retryAt ?? .max <= now {
            if retryAt != nil { patience = min(2 * patience, MachineCredits.longestPatience) }
            (nextPeriod, retryAt) = (nil, nil)
            tell(again: true)
        }
        for (survey, lease) in leases {
            if lease.end <= now {
                leases[survey] = nil
                end(survey)
            } else if lease.renewal <= now {
                // While the hub is away, the next greeting renews it.
                leases[survey]?.renewal = lease.end
                tell(again: true)
            }
        }
        rearm()
    }

    private func end(_ survey: String) {
        Log.notice("fleet: the hub was not heard of for long, so nobody is asked the surveys whose answers it deals")
        do throws(WireError) {
            try ledger.decide(needing: .all([.quotas, .shown])) { engine, changes, now in
                engine.endCredits(of: survey, now: now, into: &changes)
            }
        } catch {
            // Nothing new is shown, and the next start takes the shown survey back.
            Log.warning("fleet: shown surveys could not be withdrawn: \(error.message)")
        }
    }
}
