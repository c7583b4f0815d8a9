import HarkDelivery
import HarkFleet
import HarkSystem
import HarkWire

/// All the machines, and what is said of them.
@DaemonActor
final class Load {
    private let orders: Orders
    private var machines: [LoadMachine] = []
    /// How many have begun to connect.
    private var begun = 0
    private var connecting: Set<String> = []
    private var ready: Set<String> = []
    private var taken: Set<String> = []
    private var isTaken = false
    /// The last document that came, as it came: it is read once for all machines.
    private var payload: [UInt8] = []
    private var document: FleetDocument?
    private var holders: Set<String> = []
    private var disconnections = 0

    /// Machines that connect at the same time: each has a thread that looks the broker up.
    private static let mostConnecting = 32

    init(_ orders: Orders, loop: EventLoop) throws {
        self.orders = orders
        var random = BlockRandom()
        for number in 1...orders.machines {
            machines.append(
                try LoadMachine("kiosk-\(number)", orders, loop: loop, &random) { [weak self] in self?.take($1, of: $0)
                })
        }
    }

    func start() {
        say("begun \(now())")
        if !orders.isTogether { for machine in machines { machine.allow() } }
        connectNext()
    }

    private func connectNext() {
        while connecting.count < Load.mostConnecting, begun < machines.count {
            connecting.insert(machines[begun].name)
            machines[begun].start()
            begun += 1
        }
    }

    private func take(_ news: LoadMachine.News, of machine: LoadMachine) {
        switch news {
        case .connected:
            connecting.remove(machine.name)
            connectNext()
        case .disconnected(let reason):
            disconnections += 1
            if disconnections <= 5 { complain("\(machine.name): \(reason)") }
        case .ready:
            guard ready.insert(machine.name).inserted, ready.count == machines.count else { return }
            say("ready \(now())")
            if orders.isTogether { for machine in machines { machine.allow() } }
        case .taken:
            taken.insert(machine.name)
            guard taken.count == machines.count, !isTaken else { return }
            isTaken = true
            let time = now()
            let waits = machines.flatMap(\.waits).sorted()
            let median = waits.isEmpty ? 0 : waits[waits.count / 2]
            say("taken \(time) \(median) \(machines.reduce(0) { $0 + $1.sentBytes })")
        case .document(let payload): keep(payload, at: machine)
        }
    }

    private func keep(_ payload: [UInt8], at machine: LoadMachine) {
        if payload != self.payload {
            self.payload = payload
            document = FleetDocument(payload: payload, mostBytes: 2 * FleetDocument.mostBytes)
            holders = []
        }
        guard let document else { fail("what came is no document") }
        guard holders.insert(machine.name).inserted else { return }
        machine.keep(document)
        if holders.count == machines.count { say("document \(now()) \(document.version)") }
    }
}
