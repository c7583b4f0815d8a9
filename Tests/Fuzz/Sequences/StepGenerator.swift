import HarkServer
import HarkTesting
import HarkWire

/// Makes the steps of a run: the same steps for the same seed, independent of the daemon's replies.
struct StepGenerator {
    private var random: SplitMix64
    private var requests = RequestGenerator()
    /// One for each user, because it mixes lines: a user's text must not get into another's.
    private var mutators: [Int: LineMutator] = [:]
    /// The connections that should be open, by number, with their users.
    private var open: [Int] = []
    private var userOf: [Int: Int] = [:]
    private var halfClosed: Set<Int> = []
    private var muted: Set<Int> = []
    private var lastConnection = 0
    private var lastID = 0
    private var isRefusing = false
    private var waiting: [Step] = []
    private(set) var requestsMade = 0

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
        for name in FuzzedFiles.names where random.once(in: 2) { waiting.append(.file(name, 0)) }
    }

    /// Whether the daemon serves all users of the machine.
    static func isSystem(seed: UInt64) -> Bool { FuzzedDaemon.users.count > 1 && !seed.isMultiple(of: 2) }

    mutating func next() -> Step {
        if waiting.isEmpty { plan() }
        return waiting.isEmpty ? .settle : waiting.removeFirst()
    }

    /// Lays out the next few steps.
    private mutating func plan() {
        switch random.below(1_000) {
        case 0..<520: burst()
        case 520..<640: keepSome()
        case 640..<760: watchers()
        case 760..<820: survey()
        case 820..<870: damage()
        case 870..<900: deafReader()
        case 900..<930: closeOne()
        case 930..<945: change()
        case 945..<947: waiting = [.settle, .clearAll]
        case 947..<950: refuse()
        case 950..<952: restart()
        case 952..<970: waiting = [.settle]
        default: halfCloseOne()
        }
    }

    // MARK: Connections

    private mutating func connect() -> Int {
        lastConnection += 1
        let user = random.once(in: 2) ? 0 : random.below(FuzzedDaemon.users.count)
        userOf[lastConnection] = user
        open.append(lastConnection)
        waiting.append(.open(lastConnection, user: user, piece: random.once(in: 10) ? 1 + random.below(40) : 1 << 16))
        return lastConnection
    }

    /// A connection that can still send.
    private mutating func connection() -> Int {
        let speaking = open.filter { !halfClosed.contains($0) && !muted.contains($0) }
        if speaking.count < 8, random.once(in: 4) || speaking.isEmpty { return connect() }
        return random.pick(speaking)
    }

    private mutating func forget(_ number: Int) {
        open.removeAll { $0 == number }
        halfClosed.remove(number)
        muted.remove(number)
        userOf[number] = nil
    }

    private mutating func closeOne() {
        guard open.count > 3, let number = open.randomElement(using: &random) else { return }
        waiting.append(.close(number))
        forget(number)
    }

    private mutating func halfCloseOne() {
        guard
            let number = open.filter({ !halfClosed.contains($0) && !muted.contains($0) }).randomElement(using: &random)
        else { return }
        waiting.append(.halfClose(number))
        halfClosed.insert(number)
        if open.count > 12 { closeOne() }
    }

    // MARK: Requests

    private mutating func send(_ request: RequestGenerator.Request, on number: Int) {
        requestsMade += 1
        lastID += 1
        let isSilent = random.once(in: 15)
        let text = RequestGenerator.text(request, id: isSilent ? nil : lastID)
        waiting.append(.send(number, id: lastID, isSilent ? .never : request.answer, text))
    }

    private mutating func burst() {
        let number = connection()
        for _ in 0...random.below(random.once(in: 10) ? 60 : 6) {
            for request in requests.requests(&random, for: userOf[number] ?? 0) { send(request, on: number) }
        }
    }

    private mutating func keepSome() {
        for _ in 0...random.below(12) {
            requestsMade += 1
            waiting.append(.keep)
        }
    }

    /// Many subscriptions on one connection, which ends in one of many ways while others cause notifications.
    private mutating func watchers() {
        let watcher = connect()
        let kinds = [
            "counter.subscribe", "execution.subscribe", "event.subscribe", "survey.subscribe", "network.subscribe",
        ]
        let kind = random.pick(kinds)
        for _ in 0...random.below(8) {
            let name = random.once(in: 3) ? random.pick(kinds) : kind
            send(
                random.once(in: 2) ? requests.make(name, [:]) : requests.make(name, &random, userOf[watcher] ?? 0),
                on: watcher)
        }
        if random.once(in: 2) { waiting.append(.settle) }
        if random.once(in: 2) {
            waiting.append(.halfClose(watcher))
            halfClosed.insert(watcher)
        }
        let other = connection()
        let isGoneFirst = random.once(in: 2)
        if isGoneFirst { waiting.append(.close(watcher)) }
        for _ in 0..<3 {
            send(requests.make("counter.register", ["name": "opens"]), on: other)
            send(requests.make("counter.trigger", ["name": "opens"]), on: other)
            send(
                requests.make(
                    random.pick(["event.record", "session.start", "counter.set", "execution.add"]), &random,
                    userOf[other] ?? 0), on: other)
        }
        if !isGoneFirst, random.once(in: 2) { waiting.append(.close(watcher)) }
        if isGoneFirst || open.count > 10 {
            if !isGoneFirst { waiting.append(.close(watcher)) }
            forget(watcher)
        }
    }

    /// The life of a showing, in random order.
    private mutating func survey() {
        let number = connection()
        let user: JSONValue = .string(random.pick(["ada", "bob", "eve", "kim"]))
        send(requests.make("session.start", ["userId": user]), on: number)
        let event: JSONValue = .string(
            random.pick(["checkout_success", "door_opened", "visit_completed", "app_opened"]))
        send(requests.make("event.record", ["name": event]), on: number)
        for _ in 0...random.below(6) {
            let place: JSONValue = .string(LearnedIDs.place(.presentation, random.below(2)))
            switch random.below(8) {
            case 0, 1: send(requests.make("survey.present", [:]), on: number)
            case 2: send(requests.make("survey.answer", ["presentationId": place, "option": "Great"]), on: number)
            case 3: send(requests.make("survey.answer", ["presentationId": place, "text": "words"]), on: number)
            case 4: send(requests.make("survey.dismiss", ["presentationId": place]), on: number)
            case 5: send(requests.make("survey.snooze", ["presentationId": place, "seconds": 1]), on: number)
            case 6: send(requests.make("survey.pending", [:]), on: number)
            default: send(requests.make("survey.release", ["presentationId": place]), on: number)
            }
        }
    }

    /// Lines that are damaged behind their id.
    private mutating func damage() {
        let number = connection()
        for _ in 0...random.below(8) {
            let made = requests.requests(&random, for: userOf[number] ?? 0)
            guard let request = made.last, request.method != "event.clear" else { continue }
            requestsMade += 1
            lastID += 1
            let head = Array("{\"id\":\(lastID),".utf8)
            let rest = Array(RequestGenerator.text(request, id: nil).dropFirst())
            let line =
                head
                + mutators[userOf[number] ?? 0, default: LineMutator()].mutate(rest, &random).filter {
                    $0 != 0x0A && $0 != 0x0D
                }
            waiting.append(.send(number, id: lastID, .perhapsNull, line))
        }
    }

    /// A client that asks for much and reads nothing.
    private mutating func deafReader() {
        let number = connect()
        waiting.append(.mute(number))
        muted.insert(number)
        send(requests.make("event.subscribe", ["afterSeq": 0]), on: number)
        for _ in 0...random.below(20) {
            send(requests.make("event.list", ["limit": 1_000]), on: number)
            send(requests.make("daemon.status", [:]), on: number)
        }
        if random.once(in: 2) { waiting.append(.halfClose(number)) }
        burst()
        if random.once(in: 2) { waiting.append(.listen(number)) }
        waiting.append(.settle)
        waiting.append(.close(number))
        forget(number)
    }

    // MARK: The daemon's surroundings

    private mutating func change() {
        let name = random.pick(FuzzedFiles.names)
        waiting.append(.file(name, random.below(FuzzedFiles.variants(of: name).count)))
        if random.once(in: 2) { send(requests.make("daemon.reload", [:]), on: connection()) }
    }

    private mutating func refuse() {
        waiting.append(.settle)
        waiting.append(.refuse(true))
        keepSome()
        for _ in 0..<5 { burst() }
        if random.once(in: 3) { return restart() }
        waiting.append(.refuse(false))
        waiting.append(.settle)
    }

    private mutating func restart() {
        waiting.append(.kill)
        for number in open { forget(number) }
    }
}
