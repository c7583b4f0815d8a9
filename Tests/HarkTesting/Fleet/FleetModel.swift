import HarkFleet
import HarkWire

/// A fleet in miniature: both ends as they are, a network that loses, repeats and reorders, machines and a hub that crash, come
/// back and are set back to an earlier state of their disks. At the end, all must be at the hub, once.
package struct FleetModel {
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    enum Message {
        case toHub(machine: Int, hello: [UInt8])
        case records(machine: Int, head: [UInt8], marks: [Mark])
        case toMachine(Int, [UInt8])
        case presence(Int, [UInt8])
    }
    typealias Mark = FleetAcknowledgement.Mark

    var random: SplitMix64
    var machines: [ModelMachine]
    var hub = ModelHub()
    /// The retained messages of the broker.
    var retained: FleetPresence?
    private var onTheWay: [Message] = []
    private var steps = 0
    /// The events of the run, for its coverage.
    package private(set) var counts: [String: Int] = [:]
    private var isCalm = false

    package init(seed: UInt64, machines count: Int = 3) {
        random = SplitMix64(state: seed)
        machines = []
        for number in 0..<count { machines.append(ModelMachine(number: number, log: FleetModel.id(&random))) }
        hub.store = FleetModel.id(&random)
    }

    static func id(_ random: inout SplitMix64) -> Identifier { Identifier(high: random.next(), low: random.next()) }

    private mutating func chance(_ oneIn: Int) -> Bool { random.once(in: oneIn) }
    private mutating func number(below bound: Int) -> Int { random.below(bound) }

    private mutating func note(_ what: String) { counts[what, default: 0] += 1 }

    /// Told of each thing that happens, where somebody wants to follow a run.
    package var trace: ((String) -> Void)?

    // MARK: A run

    package mutating func run(steps count: Int) throws(Fault) {
        for _ in 0..<count { try step() }
        try calm()
        try check()
    }

    private mutating func step() throws(Fault) {
        steps += 1
        let machine = number(below: machines.count)
        switch number(below: 1_000) {
        case 0..<420: deliver()
        case 420..<560: append(to: machine)
        case 560..<640: read(machine)
        case 640..<720: hand(machine)
        case 720..<800: commit()
        case 800..<830: timer(of: machine)
        case 830..<860: connect(machine)
        case 860..<880: account(of: machine)
        case 880..<890: lose()
        case 890..<900: repeatOne()
        case 900..<915: disconnect(machine)
        case 915..<930: startHub()
        case 930..<936: crashHub()
        case 936..<942: crash(machine)
        case 942..<944: hub.keepCopy()
        case 944..<946: machines[machine].keepCopy()
        case 946..<947: setBackHub()
        case 947..<948: setBack(machine)
        case 948..<949: loseBroker()
        case 949..<950: if chance(4) { replaceHub() } else if chance(3) { cloneDisk(of: machine) }
        default: deliver()
        }
        if onTheWay.count > 200 { onTheWay.removeFirst(100) }
    }

    /// Nothing goes wrong any more, and all has time to come to rest.
    private mutating func calm() throws(Fault) {
        isCalm = true
        startHub()
        for machine in machines.indices { connect(machine) }
        for _ in 0..<2_000 {
            while !onTheWay.isEmpty { deliver() }
            commit()
            for machine in machines.indices {
                read(machine)
                hand(machine)
                timer(of: machine)
            }
            if onTheWay.isEmpty, hub.pending.isEmpty, machines.allSatisfy(\.isDone) { return }
        }
        throw Fault(description: "it does not come to rest: \(machines.map(\.standing))")
    }

    private func check() throws(Fault) {
        for machine in machines {
            // Including those of its clones.
            let there = hub.records.filter { $0.machine == machine.number }
            var seen: [Identifier: Int] = [:]
            for record in there { seen[record.mark.id, default: 0] += 1 }
            if let double = seen.first(where: { $0.value > 1 }) {
                throw Fault(description: "machine \(machine.number): \(double.key) is there \(double.value) times")
            }
            for mark in machine.records where seen[mark.id] == nil {
                throw Fault(description: "machine \(machine.number): record \(mark.sequence) is missing")
            }
            let own = there.filter { $0.log == machine.log }.map(\.mark.sequence)
            guard own == own.sorted() else {
                throw Fault(description: "machine \(machine.number): not in order: \(own)")
            }
        }
    }

    // MARK: The network

    private mutating func send(_ message: Message) {
        if !isCalm, chance(20) { return note("lost") }
        onTheWay.append(message)
        if !isCalm, chance(20) { onTheWay.append(message) }
    }

    /// All listeners to messages for a machine of this number.
    private mutating func tell(_ number: Int, _ word: FleetAcknowledgement) {
        for place in machines.indices where machines[place].number == number { send(.toMachine(place, word.payload)) }
    }

    private mutating func lose() {
        guard !onTheWay.isEmpty else { return }
        onTheWay.remove(at: number(below: onTheWay.count))
    }

    private mutating func repeatOne() {
        guard !onTheWay.isEmpty else { return }
        onTheWay.append(onTheWay[number(below: onTheWay.count)])
    }

    private mutating func deliver() {
        guard !onTheWay.isEmpty else { return }
        // Mostly in order.
        let place = isCalm || !chance(6) ? 0 : number(below: onTheWay.count)
        switch onTheWay.remove(at: place) {
        case .toHub(let machine, let payload):
            guard hub.isUp, let hello = FleetHello(payload: payload) else { return }
            tell(machine, hub.welcome(machine, hello))
        case .records(let machine, let head, let marks):
            guard hub.isUp, let batch = FleetBatch(payload: head) else { return }
            let known = hub.takes(batch, marks, of: machine)
            note("batch \(known)")
            trace?(
                "\(steps): hub \(machine) \(known) \(batch.log.low % 1000) after \(batch.after?.sequence ?? 0) \(marks.map { "\($0.sequence):\($0.id.low % 1000)" })"
            )
        case .toMachine(let machine, let payload):
            guard machines[machine].isConnected, let word = FleetAcknowledgement(payload: payload) else { return }
            note("ack \(word.kind)")
            update(machine) { $0.heard(word) }
        case .presence(let machine, let payload):
            guard machines[machine].isConnected, let presence = FleetPresence(payload: payload) else { return }
            update(machine) { $0.met(presence) }
        }
    }

    private mutating func announce(_ presence: FleetPresence) {
        retained = presence
        for machine in machines.indices where machines[machine].isConnected {
            send(.presence(machine, presence.payload))
        }
    }

    private mutating func loseBroker() {
        note("broker lost")
        retained = nil
        onTheWay = []
        for machine in machines.indices { disconnect(machine) }
        if hub.isUp { announce(hub.presence) }
    }

    // MARK: Machines

    private mutating func update(_ place: Int, _ event: (inout MachineCourse) -> [MachineCourse.Action]) {
        machines[place].course.durable = machines[place].cursor
        machines[place].course.dice = 0.5
        for action in event(&machines[place].course) {
            trace?("\(steps): \(place) (\(machines[place].standing)) \(action)")
            perform(action, place)
        }
    }

    private mutating func perform(_ action: MachineCourse.Action, _ place: Int) {
        switch action {
        case .look: if let retained { send(.presence(place, retained.payload)) }
        case .hello(let number):
            var hello = FleetHello(log: machines[place].log, run: machines[place].log)
            hello.number = number
            send(.toHub(machine: machines[place].number, hello: hello.payload))
        case .send(let index, let after):
            guard let (batch, marks) = machines[place].batch(index, after: after) else { return }
            send(.records(machine: machines[place].number, head: batch.payload, marks: marks))
        case .accepted: machines[place].settle()
        case .failed: machines[place].fail()
        case .ready(let cursor, let isRewinding):
            if isRewinding {
                note("rewind")
                machines[place].goBack(to: cursor)
            }
            machines[place].isReady = true
        case .unready: machines[place].isReady = false
        case .verify(let mark):
            let isOwn = machines[place].has(mark)
            update(place) { $0.verified(mark, isOwn: isOwn) }
        case .fork:
            note("fork")
            let log = FleetModel.id(&random)
            machines[place].log = log
            update(place) { $0.forked(as: log) }
        case .arm: machines[place].isArmed = true
        case .disarm: machines[place].isArmed = false
        }
    }

    private mutating func append(to machine: Int) { machines[machine].append(FleetModel.id(&random)) }

    private mutating func read(_ machine: Int) { machines[machine].read(atMost: isCalm ? 40 : 12) }

    private mutating func hand(_ machine: Int) {
        guard machines[machine].parcel.isEmpty, machines[machine].isReady else { return }
        let marks = machines[machine].next(size: 1 + number(below: 5))
        guard !marks.isEmpty else { return }
        update(machine) { $0.handed(marks) }
    }

    private mutating func timer(of machine: Int) {
        guard machines[machine].isArmed else { return }
        machines[machine].isArmed = false
        update(machine) { $0.timeIsUp() }
    }

    private mutating func connect(_ machine: Int) {
        guard !machines[machine].isConnected else { return }
        machines[machine].isConnected = true
        update(machine) { $0.connected() }
        if let retained { send(.presence(machine, retained.payload)) }
    }

    private mutating func disconnect(_ machine: Int) {
        guard machines[machine].isConnected else { return }
        machines[machine].isConnected = false
        update(machine) { $0.disconnected() }
    }

    private mutating func account(of machine: Int) { machines[machine].synced = machines[machine].cursor }

    private mutating func crash(_ machine: Int) {
        note("machine crash")
        trace?("\(steps): \(machine) crash")
        machines[machine].restart()
    }

    private mutating func setBack(_ machine: Int) {
        note("machine set back")
        trace?("\(steps): \(machine) set back")
        machines[machine].setBack()
    }

    /// Another machine starts with a copy of its disk, under the same name.
    private mutating func cloneDisk(of machine: Int) {
        guard machines.count < 5 else { return }
        note("clone")
        trace?("\(steps): clone of \(machine) is \(machines.count)")
        var clone = machines[machine]
        clone.restart()
        machines.append(clone)
    }

    // MARK: The hub

    private mutating func startHub() {
        guard !hub.isUp else { return }
        hub.start(run: FleetModel.id(&random))
        announce(hub.presence)
    }

    private mutating func crashHub() {
        guard hub.isUp else { return }
        note("hub crash")
        var gone = hub.presence
        gone.isUp = false
        hub.crash()
        if !chance(3) { announce(gone) }
    }

    private mutating func setBackHub() {
        note("hub set back")
        trace?("\(steps): hub set back")
        crashHub()
        hub.setBack()
    }

    private mutating func replaceHub() {
        note("hub replaced")
        trace?("\(steps): hub replaced")
        crashHub()
        hub = ModelHub()
        hub.store = FleetModel.id(&random)
    }

    private mutating func commit() {
        guard hub.isUp else { return }
        for (machine, word) in hub.commit() { tell(machine, word) }
    }
}
