import HarkTesting
import HarkWire

@testable import HarkCore

/// A hub and machines that share the answers of one quota, over a network that loses, repeats and reorders messages.
/// Engines are real; the hub's disk, the broker and the clocks are made up.
struct CreditFleet {
    static let lease: Int64 = 10 * Stage.day
    static let survey = "rating"

    enum Message {
        case toHub(Int, log: Identifier, Engine.CreditReport, tag: Int64)
        case toMachine(
            Int, CreditPool.Log, run: Int, tag: Int64?, CreditAccount, standing: [String: CreditStanding],
            isRecalled: Bool)
    }

    struct Machine {
        var stage: Stage
        var log: Identifier
        var isHere = true
        /// It will never come back.
        var isLost = false
        /// The run of the hub that has compared its copy of the log with the log in this run of the machine.
        var verifiedBy: Int?
        /// When each report of this run was made, by its tag.
        var asked: [Int64: Int64] = [:]
        var leaseEnds: Int64?
        var users = 0
        var copy: (disk: Disk, log: Identifier)?
    }

    /// The hub's data on disk.
    struct HubDisk {
        var pools: [Timestamp?: CreditPool] = [:]
        /// The number and the id of the last record of each log.
        var places: [CreditPool.Log: (UInt64, Identifier)] = [:]
        var answered: [CreditPool.Log: [Presentation]] = [:]
        /// When it was found out that the disk was set back.
        var setBackAt: Timestamp?

        var answers: Set<Identifier> { Set(answered.values.joined().map(\.id)) }
    }

    let quota: SurveyQuota
    let skew: [Int64]
    var machines: [Machine]
    var disk = HubDisk()
    var hub: HubDisk?
    var run = 0
    var recount = CreditRecount()
    var opensAt = Stage.start
    var retriesAt = Stage.start
    var copy: HubDisk?
    /// How many were dealt while machines held more than the hub could know.
    var blind = 0
    var said: [Message] = []
    var onTheWay: [Message] = []
    var now = Stage.start
    var random: SplitMix64
    var isCalm = false
    private var tags: Int64 = 0

    init(_ survey: Survey, machines count: Int, seed: Int) {
        quota = survey.quota ?? SurveyQuota()
        random = SplitMix64(state: UInt64(seed))
        var configuration = SurveyConfiguration([survey])
        configuration.isFromHub = true
        // Clocks are wrong by up to two minutes.
        var skew: [Int64] = []
        var made: [Machine] = []
        for _ in 0..<count {
            skew.append(Int64.random(in: -120_000...120_000, using: &random))
            var stage = Stage(configuration)
            stage.engine.setCredits(areDealt: true)
            made.append(Machine(stage: stage, log: CreditFleet.id(&random)))
        }
        (self.skew, machines) = (skew, made)
        startHub()
    }

    static func id(_ random: inout SplitMix64) -> Identifier {
        Identifier(high: random.next(), low: random.next())
    }

    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

    /// All answers: those at the hub, and those that machines may still bring.
    var answers: Set<Identifier> {
        machines.filter { !$0.isLost }.reduce(into: disk.answers) { $0.formUnion($1.answers) }
    }

    // MARK: The network

    mutating func send(_ message: Message) {
        if !isCalm, chance(15) { return }
        onTheWay.append(message)
        if !isCalm, chance(15) { onTheWay.append(message) }
    }

    mutating func deliver() throws {
        guard !onTheWay.isEmpty else { return }
        let place = isCalm || !chance(20) ? 0 : number(below: onTheWay.count)
        switch onTheWay.remove(at: place) {
        case .toHub(let machine, let log, let report, let tag): take(machine, log, report, tag: tag)
        case .toMachine(let place, let log, let run, let tag, let account, let standing, let isRecalled):
            guard machines[place].isHere, machines[place].verifiedBy == run, self.log(place) == log else { return }
            sync(place)
            if let at = tag.flatMap({ machines[place].asked[$0] }) {
                machines[place].leaseEnds = max(at + CreditFleet.lease, machines[place].leaseEnds ?? 0)
            }
            guard machines[place].leaseEnds != nil else { return report(place) }
            machines[place].stage.take(account, standing, isRecalled: isRecalled)
            if isRecalled { report(place) }
        }
    }

    // MARK: Machines

    /// Sets the clock of a machine, and ends what is over by it.
    mutating func sync(_ place: Int) {
        let time = max(now.adding(milliseconds: skew[place]), machines[place].stage.now)
        machines[place].stage.now = time
        if let end = machines[place].leaseEnds, end <= now.milliseconds {
            machines[place].leaseEnds = nil
            machines[place].stage.endCredits()
        }
    }

    /// An event comes, and the person there is asked if the quota allows it.
    mutating func ask(_ place: Int, _ properties: [(String, PropertyValue)]) throws {
        sync(place)
        machines[place].users += 1
        let scope = Scope(uid: Stage.uid, app: "app-\(number(below: 3))")
        guard machines[place].stage.engine.surveys.shown(in: scope) == nil else { return }
        try machines[place].stage.startSession("u\(place)-\(machines[place].users)-\(now.milliseconds)", in: scope)
        try machines[place].stage.record("done", properties, in: scope)
        try machines[place].stage.presentNext(in: scope)
    }

    /// Shows what waits and has a credit by now.
    mutating func offer(_ place: Int) throws {
        sync(place)
        for number in 0..<3 { try machines[place].stage.presentNext(in: Scope(uid: Stage.uid, app: "app-\(number)")) }
    }

    mutating func close(_ place: Int, answering: Bool) throws {
        sync(place)
        guard let shown = machines[place].stage.engine.surveys.allShown.first else { return }
        if answering {
            try machines[place].stage.answer(shown.id, option: "Great")
        } else {
            try machines[place].stage.dismiss(shown.id)
        }
    }

    /// The machine meets the hub: whether the hub has another log under this one's id is found out first.
    mutating func meet(_ place: Int) {
        guard machines[place].isHere, let hub else { return }
        sync(place)
        if machines[place].verifiedBy != run, let (sequence, id) = hub.places[log(place)] {
            if !machines[place].stage.disk.records.contains(where: { $0.sequence == sequence && $0.id == id }) {
                machines[place].log = CreditFleet.id(&random)
                machines[place].stage.forgetCredits()
            }
        }
        machines[place].verifiedBy = run
        report(place)
    }

    mutating func report(_ place: Int) {
        guard machines[place].isHere, machines[place].verifiedBy == run else { return }
        sync(place)
        let machine = machines[place]
        for report in machine.stage.reports() {
            tags += 1
            machines[place].asked[tags] = now.milliseconds
            send(.toHub(place, log: machine.log, report, tag: tags))
        }
    }

    /// The records of a machine reach the hub.
    mutating func sendRecords(_ place: Int) {
        let machine = machines[place]
        guard machine.isHere, machine.verifiedBy == run, hub != nil, let last = machine.stage.disk.records.last else {
            return
        }
        let log = log(place)
        hub?.places[log] = (last.sequence, last.id)
        hub?.answered[log] = machine.answered
    }

    mutating func restart(_ place: Int) {
        machines[place].stage.restartForgettingCredits()
        (machines[place].verifiedBy, machines[place].leaseEnds) = (nil, nil)
        machines[place].asked = [:]
    }

    mutating func keepCopy(_ place: Int) { machines[place].copy = (machines[place].stage.disk, machines[place].log) }

    mutating func setBack(_ place: Int) {
        guard let copy = machines[place].copy else { return }
        machines[place].stage.disk = copy.disk
        machines[place].log = copy.log
        restart(place)
    }
}

extension CreditFleet.Machine {
    var answered: [Presentation] { stage.disk.all.filter { $0.state == .answered } }
    var answers: Set<Identifier> { Set(answered.map(\.id)) }
}

extension Stage {
    mutating func take(_ account: CreditAccount, _ standing: [String: CreditStanding], isRecalled: Bool) {
        disk.bring(.all([.quotas, .shown]), to: &engine)
        engine.takeCredits(account, of: CreditFleet.survey, standing: standing, now: now, into: &changes)
        if isRecalled { engine.returnCredits(of: CreditFleet.survey, now: now, into: &changes) }
        step()
    }

    mutating func endCredits() {
        disk.bring(.all([.quotas, .shown]), to: &engine)
        engine.endCredits(of: CreditFleet.survey, now: now, into: &changes)
        step()
    }

    mutating func forgetCredits() {
        disk.bring(.all([.quotas, .shown]), to: &engine)
        engine.forgetCredits(now: now, into: &changes)
        step()
    }

    func reports() -> [Engine.CreditReport] {
        var engine = engine
        disk.bring(.quotas, to: &engine)
        return engine.creditReports(now: now)
    }

    /// The daemon starts again, and knows of the hub only what the store has.
    mutating func restartForgettingCredits() {
        changes = Changes()
        engine.quotas = QuotaBook()
        engine.setCredits(areDealt: true)
        restart()
    }
}
