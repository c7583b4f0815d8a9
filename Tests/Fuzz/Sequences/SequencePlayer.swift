import Glibc
import HarkDaemon
import HarkWire

/// Carries out steps against a daemon, and looks at everything that comes back.
final class SequencePlayer {
    private let daemon: FuzzedDaemon
    private var connections: [Int: FuzzedConnection] = [:]
    private var reader = ReplyReader()
    private var ids = LearnedIDs()
    /// The connection that records what must be there, asks how the daemon is, and is never mistreated.
    private var keeper: FuzzedConnection
    private var kept = KeptEvents()
    private var keeperID = 0
    private var startsWithSettings = true
    private(set) var slowestHello = Duration.zero
    private(set) var peakMemory = 0
    private(set) var restarts = 0

    /// The daemon may not need more, in bytes: all connections together may leave so much unread, twice over.
    private static let memoryBound = 512 << 20
    /// The most replies that may be outstanding.
    private static let owedAtOnce = 400
    private static let patience = Duration.seconds(60)

    var statistics: ReplyReader.Statistics { reader.statistics }

    init(folder: String, isSystem: Bool) throws(Finding) {
        daemon = FuzzedDaemon(folder: folder, isSystem: isSystem)
        try daemon.start()
        keeper = try SequencePlayer.connectKeeper(daemon)
    }

    private static func connectKeeper(_ daemon: FuzzedDaemon) throws(Finding) -> FuzzedConnection {
        FuzzedConnection(number: 0, user: 0, piece: 1 << 16, descriptor: try daemon.connect(user: 0))
    }

    func play(_ step: Step) throws(Finding) {
        switch step {
        case .open(let number, let user, let piece):
            let user = daemon.isSystem ? user : 0
            connections[number] = FuzzedConnection(
                number: number, user: user, piece: piece, descriptor: try daemon.connect(user: user))
        case .send(let number, let id, let answer, let text): try send(number, id, answer, text)
        case .halfClose(let number): connections[number]?.halfClose()
        case .close(let number):
            connections[number]?.flush()
            connections.removeValue(forKey: number)?.close()
        case .mute(let number): connections[number]?.isMute = true
        case .listen(let number): connections[number]?.isMute = false
        case .keep: ask("event.record", kept.next(), .ordered)
        case .clearAll:
            try settle()
            ask("event.clear", #"{"all":true}"#, .once)
            try awaitKeeper()
            kept.forgetAll()
        case .file(let name, let variant):
            put(name, variant)
            if name == "harkd.json" { startsWithSettings = FuzzedFiles.startsWith(settings: variant) }
        case .refuse(let isOn):
            if isOn { reader.mayRefuse = true }
            try daemon.refuse(isOn)
        case .kill: try restart(SIGKILL)
        case .settle: try settle()
        }
        try pump(wait: 0)
        if owedInAll > SequencePlayer.owedAtOnce { try drain(to: SequencePlayer.owedAtOnce / 2) }
    }

    private func send(_ number: Int, _ id: Int, _ answer: Step.Answer, _ text: [UInt8]) throws(Finding) {
        guard let connection = connections[number], !connection.isOver else { return }
        // A client that is not read may still be written to, but not without end.
        guard connection.waitingOutput < 1 << 20 else { return }
        let line = ids.fill(text)
        var answer = answer
        if line.count > FuzzedFiles.leastLineBytes {
            // Some settings allow no such line, and it is refused without its id.
            if answer == .never { return }
            answer = .perhapsNull
        }
        connection.send(line, id: id, answer, method: Self.method(in: text))
    }

    private func put(_ name: String, _ variant: Int) {
        let variants = FuzzedFiles.variants(of: name)
        daemon.put(name, variants[variant % variants.count])
    }

    private static func method(in text: [UInt8]) -> String {
        let head = String(decoding: text.prefix(120), as: UTF8.self)
        guard let start = head.firstRange(of: "\"method\":\"") else { return "" }
        return String(head[start.upperBound...].prefix { $0 != "\"" })
    }

    private var owedInAll: Int {
        connections.values.reduce(keeper.owed.count) { $0 + ($1.isAwaited ? $1.owed.count : 0) }
    }

    // MARK: Input and output

    /// Sends and receives without blocking, and waits at most that many milliseconds for input.
    private func pump(wait milliseconds: Int32) throws(Finding) {
        let all = [keeper] + connections.values
        for connection in all { connection.flush() }
        let listening = all.filter { !$0.isOver && !$0.isMute }
        var polled = listening.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN | ($0.waitingOutput > 0 ? POLLOUT : 0)), revents: 0)
        }
        guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return try daemon.checkAlive() }
        for (connection, state) in zip(listening, polled)
        where state.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
            let isPrivate = daemon.isSystem && connection.user != 0
            try connection.read { line throws(Finding) in
                try reader.read(line, for: connection, isPrivate: isPrivate) { reply throws(Finding) in
                    if connection.number == 0 {
                        try self.kept.take(reply)
                    } else {
                        self.ids.learn(from: reply.result)
                    }
                }
            }
            if connection.isOver { try checkEnd(of: connection) }
        }
    }

    /// The daemon has closed a connection: it may owe nothing then.
    private func checkEnd(of connection: FuzzedConnection) throws(Finding) {
        connections[connection.number] = nil
        try daemon.checkAlive()
        if connection.isCutOff { return }
        guard connection.isHalfClosed else {
            // It may just be on its way down.
            usleep(300_000)
            try daemon.checkAlive()
            throw Finding("connection \(connection.number) was closed by the daemon without a word")
        }
        if let (id, owed) = connection.owed.first {
            throw Finding("connection \(connection.number) was closed without the reply to \(id) (\(owed.method))")
        }
    }

    private func drain(to bound: Int) throws(Finding) {
        let deadline = ContinuousClock.now + SequencePlayer.patience
        while owedInAll > bound || keeper.waitingOutput > 0
            || bound == 0 && connections.values.contains(where: \.isAwaited)
        {
            try pump(wait: 20)
            guard ContinuousClock.now < deadline else {
                let late = ([keeper] + connections.values).filter(\.isAwaited).flatMap { connection in
                    connection.owed.sorted { $0.key < $1.key }.prefix(5)
                        .map { "connection \(connection.number): \($0.key) \($0.value.method)" }
                }
                throw Finding("no reply within a minute to\n\(late.joined(separator: "\n"))\n\(daemon.lastWords)")
            }
        }
    }

    // MARK: The keeper

    private func ask(_ method: String, _ params: String, _ answer: Step.Answer) {
        keeperID += 1
        let id = keeperID % 7 == 0 ? "\"s\(keeperID)\"" : "\(keeperID)"
        let text = #"{"id":\#(id),"method":"\#(method)","params":\#(params)}"#
        keeper.send(Array(text.utf8), id: keeperID, answer, method: method)
        kept.asked(keeperID, method)
    }

    private func awaitKeeper() throws(Finding) {
        let deadline = ContinuousClock.now + SequencePlayer.patience
        while !keeper.owed.isEmpty || keeper.waitingOutput > 0 {
            try pump(wait: 20)
            guard ContinuousClock.now < deadline else { throw Finding("the daemon does not answer \(keeper.owed)") }
        }
    }

    /// Waits for all replies, and looks after the daemon's health.
    func settle() throws(Finding) {
        try drain(to: 0)
        let start = ContinuousClock.now
        ask("hello", "{}", .once)
        try awaitKeeper()
        slowestHello = max(slowestHello, .now - start)
        ask("daemon.status", "{}", .once)
        try awaitKeeper()
        if !daemon.isRefusing, reader.mayRefuse { try awaitRecovery() }
        let memory = daemon.memory
        peakMemory = max(peakMemory, memory)
        guard memory < SequencePlayer.memoryBound else { throw Finding("the daemon has taken \(memory >> 20) MiB") }
        for connection in connections.values
        where connection.isHalfClosed && !connection.hasSubscribed && !connection.isMute && !connection.isOver {
            try awaitEnd(of: connection)
        }
    }

    /// The store takes commits again by itself, within a few seconds.
    private func awaitRecovery() throws(Finding) {
        let deadline = ContinuousClock.now + SequencePlayer.patience
        while kept.state != "running" {
            usleep(20_000)
            ask("daemon.status", "{}", .once)
            try awaitKeeper()
            guard ContinuousClock.now < deadline else {
                throw Finding("the store takes writes again, and the daemon does not notice:\n\(daemon.lastWords)")
            }
        }
        reader.mayRefuse = false
    }

    /// A client that has sent everything and has all its replies is closed.
    private func awaitEnd(of connection: FuzzedConnection) throws(Finding) {
        let deadline = ContinuousClock.now + SequencePlayer.patience
        while !connection.isOver {
            try pump(wait: 20)
            guard ContinuousClock.now < deadline else {
                throw Finding("connection \(connection.number) is half closed, has all its replies, and stays open")
            }
        }
    }

    // MARK: Lives

    /// Ends the daemon, starts it again, and checks for all acknowledged data.
    private func restart(_ signal: Int32) throws(Finding) {
        if signal == SIGKILL {
            // Earlier replies count, and the rest in the socket is read.
            daemon.end(SIGKILL)
            while !keeper.isOver { try readRest(of: keeper) }
        } else {
            try daemon.stop()
        }
        for connection in connections.values { connection.close() }
        connections = [:]
        kept.forgetAsked()
        reader.mayRefuse = false
        restarts += 1
        if !startsWithSettings { put("harkd.json", 0) }
        try daemon.start()
        keeper = try SequencePlayer.connectKeeper(daemon)
        try verifyKept()
    }

    private func readRest(of connection: FuzzedConnection) throws(Finding) {
        try connection.read { line throws(Finding) in
            try reader.read(line, for: connection, isPrivate: false) { reply throws(Finding) in
                try self.kept.take(reply)
            }
        }
    }

    private func verifyKept() throws(Finding) {
        kept.beginVerifying()
        while let query = kept.query {
            ask("event.list", query, .once)
            try awaitKeeper()
        }
        try kept.verify()
    }

    /// Ends the daemon in order, and checks once more for all acknowledged data.
    func finish() throws(Finding) {
        try daemon.refuse(false)
        try settle()
        for connection in connections.values { connection.close() }
        connections = [:]
        try restart(SIGTERM)
        daemon.end(SIGKILL)
    }
}
