import HarkClient
import HarkWire
import Synchronization
import Testing

/// What becomes of the requests of a program while the daemon comes and goes, event by event.
@Suite struct LinkStateTests {
    /// What those say who are told.
    private final class Log: Sendable {
        private let words = Mutex("")

        func say(_ text: String) { words.withLock { $0 += text } }

        /// What was said while the body ran.
        func words(_ body: () -> Void) -> String {
            words.withLock { $0 = "" }
            body()
            return words.withLock { $0 }
        }
    }

    /// A state, and what its actions did, in words.
    private struct Stage {
        var state: LinkState
        var now = 100.0
        private let log = Log()

        init(maxBytes: Int = 100) { state = LinkState(maxBytes: maxBytes) }

        /// Adds a request of ten bytes; returns what follows, or that there is no room.
        mutating func add(
            _ name: String, isPatient: Bool = false, isRepeatable: Bool = false, bytes: Int = 10
        ) -> [String] {
            let params = [UInt8](repeating: 0x20, count: bytes)
            let request = LinkState.Request(
                EventRecord.name, params, isPatient: isPatient, isRepeatable: isRepeatable
            ) { [log] result in
                switch result {
                case .success(let result): log.say("\(name): \(result.text)")
                case .failure(let error): log.say("\(name): \(error.code)")
                }
            }
            return state.add(request) ? told() : told() + ["no room"]
        }

        mutating func told() -> [String] {
            state.takeActions().map { action in
                switch action {
                case .start: "start"
                case .wake: "wake"
                case .answer(let ticket, let result): log.words { ticket(result) }
                case .settled(let waiter): log.words { waiter() }
                case .tell(let notice): "\(notice)"
                }
            }
        }

        mutating func settle(_ number: Int) -> [String] {
            state.settle { [log] in log.say("settled \(number)") }
            return told()
        }

        /// The next step, and what it tells.
        mutating func step(hasRoom: Bool = true) -> [String] {
            let step = state.step(at: now, hasRoom: hasRoom)
            let word =
                switch step {
                case .connect: "connect"
                case .send(let requests):
                    requests.map { "\($0.tag)\($0.1.number.map { " as \($0)" } ?? "")" }.joined(separator: ", ")
                case .wait(let time): time.map { "wait \(Int((($0 - now) * 1_000).rounded())) ms" } ?? "wait"
                case .end: "end"
                }
            return told() + [word]
        }

        mutating func connect(knowsProducers: Bool = true) {
            state.connected()
            state.greeted(knowsProducers: knowsProducers)
        }

        mutating func fail() -> [String] {
            state.failed(ClientError(.notRunning, "none"), at: now)
            return told()
        }

        mutating func lose() -> [String] {
            state.lost(at: now)
            return told()
        }

        mutating func answer(_ tag: Int) -> [String] {
            state.answered(tag, .success(JSONText("{}")))
            return told()
        }
    }

    @Test("the first request starts the thread, which connects, greets, and only then sends")
    func beginning() {
        var stage = Stage()
        #expect(stage.add("a", isPatient: true) == ["start"])
        #expect(stage.add("b") == ["wake"])
        #expect(stage.step() == ["connect"])
        stage.state.connected()
        #expect(stage.step() == ["wait"])
        stage.state.greeted(knowsProducers: true)
        #expect(stage.step() == ["connected", "1, 2"])
        #expect(stage.state.pending == 2)
        #expect(stage.answer(2) == ["b: {}"] && stage.answer(1) == ["a: {}"])
        // A reply that nobody asked for.
        #expect(stage.answer(1) == [] && stage.state.pending == 0)
    }

    @Test("nothing is sent while the connection has no room")
    func room() {
        var stage = Stage()
        stage.connect()
        _ = stage.add("a")
        #expect(stage.step(hasRoom: false) == ["wait"])
        #expect(stage.step() == ["1"])
    }

    @Test("without a daemon, whoever waits is told at once, and what is patient waits for the next attempt")
    func absent() {
        var stage = Stage()
        _ = stage.add("patient", isPatient: true)
        _ = stage.add("urgent")
        #expect(stage.step() == ["connect"])
        #expect(stage.fail() == ["disconnected", "urgent: notRunning"])
        #expect(stage.step() == ["connect"])
        #expect(stage.fail() == [])
        #expect(stage.step() == ["wait 50 ms"])
        // It does not wait for the next attempt.
        _ = stage.add("hasty")
        #expect(stage.step() == ["connect"])
        #expect(stage.fail() == ["hasty: notRunning"])
        stage.now += 1
        #expect(stage.step() == ["connect"])
        stage.connect()
        #expect(stage.step() == ["connected", "1"])
    }

    @Test("what is repeatable is sent again under its number, before what came later; the rest is told as uncertain")
    func lost() {
        var stage = Stage()
        _ = stage.add("event", isPatient: true, isRepeatable: true)
        _ = stage.add("counter", isPatient: true)
        _ = stage.add("question")
        _ = stage.add("waited", isRepeatable: true)
        stage.connect()
        #expect(stage.step() == ["connected", "1 as 1, 2, 3, 4 as 2"])
        _ = stage.add("later", isPatient: true, isRepeatable: true)
        #expect(stage.lose() == ["uncertain(1)", "disconnected", "counter: disconnected", "question: disconnected"])
        #expect(stage.state.pending == 3)
        #expect(stage.step() == ["connect"])
        stage.connect()
        #expect(stage.step() == ["connected", "5 as 1, 6 as 2, 7 as 3"])
    }

    @Test("with a daemon that does not know producers, nothing is sent again")
    func oldDaemon() {
        var stage = Stage()
        _ = stage.add("event", isPatient: true, isRepeatable: true)
        stage.connect(knowsProducers: false)
        #expect(stage.step() == ["connected", "1"])
        #expect(stage.lose() == ["uncertain(1)", "disconnected", "event: disconnected"])
    }

    @Test("whoever waits for what is sent again waits for half a minute, however often the connection breaks")
    func patience() {
        var stage = Stage()
        _ = stage.add("waited", isRepeatable: true)
        stage.connect()
        _ = stage.step()
        _ = stage.lose()
        stage.now += 10
        #expect(stage.step() == ["connect"])
        stage.connect()
        #expect(stage.step() == ["connected", "2 as 1"])
        _ = stage.lose()
        _ = stage.step()
        // It is not urgent any more.
        #expect(stage.fail() == [])
        stage.now += 20
        #expect(stage.step() == ["connect"])
        #expect(stage.fail() == [])
        #expect(stage.step() == ["waited: disconnected", "wait 0 ms"])
        #expect(stage.state.pending == 0)
    }

    @Test("a daemon that ends with each greeting is tried after longer and longer pauses, and told of once")
    func ends() {
        var stage = Stage()
        _ = stage.add("a", isPatient: true)
        var told: [String] = []
        for _ in 0..<4 {
            #expect(stage.step() == ["connect"])
            stage.state.connected()
            told += stage.lose() + stage.step()
            if told.last == "connect" { told += stage.fail() }
            stage.now += 2
        }
        #expect(told == ["disconnected", "connect", "wait 100 ms", "wait 200 ms", "wait 400 ms"])
    }

    @Test("whoever waits is told at once by a daemon that ends instead of greeting; what is patient is kept")
    func endsUngreeted() {
        var stage = Stage()
        _ = stage.add("patient", isPatient: true)
        _ = stage.add("urgent")
        #expect(stage.step() == ["connect"])
        stage.state.connected()
        #expect(stage.lose() == ["disconnected", "urgent: notRunning"])
        #expect(stage.state.pending == 1)
    }

    @Test("what finds no room is told, many at once and not too often; whoever waits for it is told at once")
    func drops() {
        var stage = Stage(maxBytes: 25)
        #expect(stage.add("large", isPatient: true, bytes: 26) == ["start"])
        #expect(stage.step() == ["dropped(1)", "wait"])
        _ = stage.add("a", isPatient: true)
        _ = stage.add("b", isPatient: true)
        #expect(stage.add("c", isPatient: true) == ["wake"])
        #expect(stage.add("d", isPatient: true) == [])
        #expect(stage.add("e") == ["no room"])
        stage.connect()
        #expect(stage.step(hasRoom: false) == ["connected", "wait 500 ms"])
        stage.now += 0.5
        #expect(stage.step(hasRoom: false) == ["dropped(2)", "wait"])
        #expect(stage.step() == ["1, 2"])
        // What is on its way takes no room.
        #expect(stage.add("f") == ["wake"])
    }

    @Test("who waits until all is answered is told after the last answer, and at once where nothing is left")
    func settling() {
        var stage = Stage()
        #expect(stage.settle(1) == ["settled 1"])
        _ = stage.add("a")
        #expect(stage.settle(2) == [])
        stage.connect()
        #expect(stage.step() == ["connected", "1"])
        #expect(stage.answer(1) == ["a: {}"])
        // The answer may not be told yet.
        #expect(stage.settle(3) == [])
        #expect(stage.step() == ["settled 2", "settled 3", "wait"])
    }

    @Test("a link that is closed ends once all is answered, or with what waits for a daemon that is away")
    func closing() {
        var stage = Stage()
        _ = stage.add("a")
        stage.connect()
        _ = stage.step()
        stage.state.close()
        #expect(stage.told() == ["wake"])
        #expect(stage.step() == ["wait"])
        _ = stage.answer(1)
        #expect(stage.step() == ["end"])
        // Somebody holds it still: the thread starts anew.
        #expect(stage.add("b", isPatient: true) == ["start"])
        #expect(stage.step() == ["connect"])
        _ = stage.fail()
        #expect(stage.step() == ["connect"])
        _ = stage.fail()
        #expect(stage.step() == ["end"])
    }

    @Test("whoever waits when a closed link ends is told")
    func closedWhileAway() {
        var stage = Stage()
        _ = stage.add("waited", isRepeatable: true)
        stage.connect()
        _ = stage.step()
        _ = stage.lose()
        stage.state.close()
        #expect(stage.settle(1) == ["wake"])
        _ = stage.step()
        _ = stage.fail()
        #expect(stage.step() == ["waited: disconnected", "settled 1", "end"])
    }
}
