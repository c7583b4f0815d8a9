import HarkCore
import HarkFleet
import HarkSystem
import HarkWire

/// The credits of a machine: tells the hub what it holds and what waits, and takes what the hub deals.
///
/// A credit may be used while its lease lasts. That is counted by how long the machine has run, from before the report that
/// the hub answers was made: so it ends here before it ends there, whatever the clocks say.
@DaemonActor
final class MachineCredits {
    private let ledger: Ledger
    private let member: () -> FleetMember?
    /// Called when something may be shown that could not be.
    private let onCredit: () -> Void
    private var timer: TimerSource?
    /// Of each survey: until when its credits may be used, and when they are to be renewed; milliseconds since the boot.
    private var leases: [String: (end: Int64, renewal: Int64)] = [:]
    private var told: [Engine.CreditReport]?
    /// When what is not answered is told again, and how long to wait next time; milliseconds.
    private var retryAt: Int64?
    private var patience = MachineCredits.firstPatience
    /// When the next period begins for something that waits; milliseconds since the boot.
    private var nextPeriod: Int64?
    private var isTelling = false
    private var isToTellAgain = false
    /// What an earlier run of this daemon has asked is not answered to this one.
    private let began = FleetHub.now

    init(ledger: Ledger, loop: EventLoop, member: @escaping () -> FleetMember?, onCredit: @escaping () -> Void) throws {
        self.ledger = ledger
        self.member = member
        self.onCredit = onCredit
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in self?.timeIsUp() }
        ledger.adjust { $0.setCredits(areDealt: true) }
    }

    func close() {
        timer?.cancel()
        timer = nil
        ledger.adjust { $0.setCredits(areDealt: false) }
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

    /// Tells the hub how it stands, once that is on disk, unless it has been told so.
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
        guard let log = member()?.course.log, isReady else { return }
        let tag = FleetHub.now
        let reports = try await ledger.decide(needing: .quotas) { engine, _, now in engine.creditReports(now: now) }
            .stored().value
        guard let member = member(), isReady, member.course.log == log else { return }
        if let told, told.count == reports.count, zip(reports, told).allSatisfy({ $0.saysNothingNew(after: $1) }) {
            return
        }
        told = reports
        if !reports.isEmpty { retryAt = FleetHub.now + patience }
        nextPeriod = nil
        for report in reports where !report.wants.isEmpty {
            guard let begins = report.account.begins, let period = quota(report.survey)?.period else { continue }
            let rest = max(begins.milliseconds + period - ledger.ageClock.now.milliseconds, 0) + 1_000
            nextPeriod = min(nextPeriod ?? .max, FleetHub.now + rest)
        }
        rearm()
        send(reports.map(FleetCredit.init)[...], tag, to: member)
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

    private static let firstPatience: Int64 = 30_000
    private static let longestPatience: Int64 = 600_000
    private static let mostBytes = FleetProtocol.mostBytes / 2

    private var isReady: Bool { member()?.course.phase == .ready }

    private func quota(_ survey: String) -> SurveyQuota? { ledger.settings.surveys.survey(survey)?.quota }

    // MARK: Hearing

    func take(_ word: FleetCreditWord) {
        defer { for survey in word.recalled { give(back: survey) } }
        if let tag = word.tag, (began...FleetHub.now).contains(tag), (1...MachineCredits.longest).contains(word.lease) {
            for credit in word.credits {
                let end = tag + word.lease
                leases[credit.survey] = (max(end, leases[credit.survey]?.end ?? 0), tag + word.lease / 2)
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
        // What was dealt to an earlier run of this daemon is of use once the hub has answered this one.
        if leased.count < word.credits.count { tell(again: true) }
    }

    /// What waits and was not dealt with is told again: the clock of the hub may be in another period.
    private func noteAnswer(_ word: FleetCreditWord) {
        let isMissing = told?.contains { report in
            !report.wants.isEmpty && !word.credits.contains { $0.survey.hasSameBytes(as: report.survey) }
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
            // Nothing new is shown, and the next start takes what is shown back.
            Log.warning("fleet: what is shown could not be taken back: \(error.message)")
        }
    }
}

extension FleetCredit {
    init(_ report: Engine.CreditReport) {
        self.init(survey: report.survey, begins: report.account.begins)
        cells = report.account.cells.mapValues { Cell($0) }
        wants = report.wants.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(FleetCredit.mostWants)
            .map { Want(cells: $0.key, count: $0.value) }
    }

    var standings: [String: CreditStanding] {
        cells.compactMapValues { cell in
            cell.standing.map { CreditStanding(limit: $0.limit, used: $0.used, held: $0.held) }
        }
    }
}

extension FleetCredit.Cell {
    init(_ cell: CreditAccount.Cell, _ standing: CreditStanding? = nil) {
        self.init(dealt: cell.dealt, returned: cell.returned, spent: cell.spent, freed: cell.freed)
        self.standing = standing.map { FleetCredit.Standing(limit: $0.limit, used: $0.used, held: $0.held) }
    }
}

extension CreditAccount {
    init(_ credit: FleetCredit) {
        self.init(
            begins: credit.begins,
            cells: credit.cells.mapValues { cell in
                Cell(dealt: cell.dealt, returned: cell.returned, spent: cell.spent, freed: cell.freed)
            })
    }
}
