import Glibc

/// The measurements of the table. Each compares in alternating rounds, so that both sides meet the same conditions.
struct Measurements {
    /// The folder of the built programs.
    let programs: String
    /// The folder on the disk to measure; everything in it belongs to this run.
    let folder: String
    /// The size of the measurements: 1 for figures worth keeping, less for a quick look.
    let scale: Double

    let rounds = 5

    /// Runs `body` with both servers, warm and idle.
    private func withServers<Result>(_ name: String, _ body: (Server, Server) throws -> Result) throws -> Result {
        try withServer(try Server.hark(programs, folder: folder + "/hark-" + name)) { hark in
            try withServer(try Server.redis(folder: folder + "/redis-" + name)) { redis in
                try body(hark, redis)
            }
        }
    }

    func withServer<Result>(_ server: Server, _ body: (Server) throws -> Result) throws -> Result {
        let result: Result
        do {
            try server.warmUp()
            result = try body(server)
        } catch {
            try server.end()
            throw error
        }
        try server.end()
        return result
    }

    func blocking() throws -> [Row] {
        let count = Int(1000 * scale)
        var floor: [Double] = []
        var hark: [Double] = []
        var redis: [Double] = []
        try withServers("blocking") { harkServer, redisServer in
            for _ in 0..<rounds {
                floor += try appendsWithSync(in: folder, count: count)
                hark += try blockingRecords(harkServer.peer, count: count)
                try harkServer.child.waitUntilIdle()
                redis += try blockingRecords(redisServer.peer, count: count)
            }
        }
        func row(_ name: String, _ peer: [Double], _ share: Double, _ goal: Row.Goal = .none) -> Row {
            let (own, other) = (hark.percentile(share), peer.percentile(share))
            return Row(name, hark: milliseconds(own), peer: milliseconds(other), ratio: own / other, goal: goal)
        }
        return [
            row("record, 1 client, p50; append + fdatasync of 200 B", floor, 0.5, .ratioAtMost(1.25)),
            row("record, 1 client, p50; Redis Streams", redis, 0.5, .ratioAtMost(1)),
            row("record, 1 client, p99; Redis Streams", redis, 0.99),
        ]
    }

    /// The cost of a feature: the daemon with it and without, in records or triggers a second, 8 clients × 100.
    /// The ratio is the median of the rounds' ratios, as both sides of a round meet the same conditions.
    ///
    /// - Parameter settle: Waits for the end of a daemon's work before the other one is measured.
    func cost(
        _ name: String, of burdened: Server, beside plain: Server, total: Int, atLeast bound: Double,
        settle: () throws -> Void = {}
    ) throws -> Row {
        var with: [Double] = []
        var without: [Double] = []
        for _ in 0..<2 * rounds {
            with.append(try pipelinedRecords(burdened.peer, clients: 8, depth: 100, total: total))
            try settle()
            try burdened.child.waitUntilIdle()
            without.append(try pipelinedRecords(plain.peer, clients: 8, depth: 100, total: total))
            try plain.child.waitUntilIdle()
        }
        return Row(
            name, hark: text(with.median, decimals: 0), peer: text(without.median, decimals: 0),
            ratio: zip(with, without).map { $0 / $1 }.median, goal: .ratioAtLeast(bound))
    }

    /// Records a second, and the server's processor time for one, including later work such as writing the archive.
    func pipelined(depth: Int, rate: Row.Goal, time: Row.Goal) throws -> [Row] {
        // A second or so each: in much less time a server never copies its log.
        let total = Int((depth < 10 ? 60_000 : depth < 100 ? 300_000 : 600_000) * scale)
        func round(_ server: Server) throws -> (rate: Double, time: Double) {
            let before = try server.child.processorTime()
            let rate = try pipelinedRecords(server.peer, clients: 8, depth: depth, total: total)
            // Its later work must not slow the other one down.
            try server.child.waitUntilIdle()
            return (rate, (try server.child.processorTime() - before) / Double(total))
        }
        var hark: [(rate: Double, time: Double)] = []
        var redis: [(rate: Double, time: Double)] = []
        try withServers("pipelined-\(depth)") { harkServer, redisServer in
            for _ in 0..<rounds {
                hark.append(try round(harkServer))
                redis.append(try round(redisServer))
            }
        }
        let (own, other) = (hark.map(\.rate).median, redis.map(\.rate).median)
        let (ownTime, otherTime) = (hark.map(\.time).median, redis.map(\.time).median)
        let load = depth == 1 ? "8 blocking clients" : "8 clients × \(depth)"
        return [
            Row(
                "records a second, \(load); Redis Streams", hark: text(own, decimals: 0),
                peer: text(other, decimals: 0), ratio: own / other, goal: rate),
            Row(
                "processor time a record, \(load); Redis Streams", hark: text(ownTime / 1_000) + " µs",
                peer: text(otherTime / 1_000) + " µs", ratio: ownTime / otherTime, goal: time),
        ]
    }

    /// A whole program run for one event: fork, exec, connect, reply, exit.
    func oneShot() throws -> [Row] {
        let log = try DatagramSink(folder + "/log-socket")
        var hark: [Double] = []
        var logger: [Double] = []
        var nothing: [Double] = []
        var watched: [Double] = []
        try withServer(try Server.hark(programs, folder: folder + "/hark-one-shot")) { server in
            func run(_ command: [String]) throws -> Double {
                try measure {
                    try Child(command, environment: ["HARK_SOCKET": server.peer.socket]).waitForSuccess(command[0])
                }
            }
            for _ in 0..<Int(300 * scale) {
                hark.append(
                    try run([programs + "/hark", "record", Event.sample.name, "path=/shop/checkout", "cart:=3"]))
                logger.append(
                    try run([
                        "/usr/bin/logger", "--socket", log.path, Event.sample.name, "path=/shop/checkout", "cart=3",
                    ]))
                log.drain()
                nothing.append(try run(["/bin/true"]))
                watched.append(try run([programs + "/hark", "run", "--", "/bin/true"]))
            }
        }
        func row(_ name: String, of own: [Double]? = nil, _ peer: [Double], _ goal: Row.Goal = .none) -> Row {
            let own = (own ?? hark).median
            return Row(
                name, hark: milliseconds(own), peer: milliseconds(peer.median), ratio: own / peer.median, goal: goal)
        }
        return [
            row("hark record, one shot; logger to a socket nobody stores", logger, .ratioAtMost(1)),
            row("hark record, one shot; /bin/true", nothing),
            row("hark run -- /bin/true, recorded; /bin/true alone", of: watched, nothing),
        ]
    }

    /// The memory and wake-ups of servers that have recorded a thousand events and are idle, half a minute later: the
    /// daemon's work until then is part of its use.
    func idle() throws -> [Row] {
        try withServers("idle") { hark, redis in
            sleep(33)
            let before = (try hark.child.wakeUps(), try redis.child.wakeUps())
            sleep(UInt32(60 * scale))
            let wakeUps = (
                try hark.child.wakeUps(since: before.0) / scale,
                try redis.child.wakeUps(since: before.1) / scale
            )
            let (own, other) = (try hark.child.memory(), try redis.child.memory())
            return [
                Row(
                    "idle memory (RSS); Redis", hark: megabytes(own.resident), peer: megabytes(other.resident),
                    ratio: own.resident / other.resident, goal: .met("≤ 12 MB", own.resident <= 12_000_000)),
                Row(
                    "idle memory (PSS); Redis", hark: megabytes(own.proportional),
                    peer: megabytes(other.proportional), ratio: own.proportional / other.proportional),
                Row(
                    "wake-ups a minute, idle; Redis", hark: text(wakeUps.0, decimals: 0),
                    peer: text(wakeUps.1, decimals: 0), ratio: wakeUps.0 / max(1, wakeUps.1),
                    goal: .met("0", wakeUps.0 == 0)),
            ]
        }
    }

    /// From the start of the program to the first reply, with a store that is already large.
    func startUp() throws -> Row {
        let events = Int(1_000_000 * scale)
        try withServers("start") { hark, redis in
            _ = try pipelinedRecords(hark.peer, clients: 8, depth: 1000, total: events)
            _ = try pipelinedRecords(redis.peer, clients: 8, depth: 1000, total: events)
            try hark.child.waitUntilIdle()
        }
        var hark: [Double] = []
        var redis: [Double] = []
        for _ in 0..<rounds {
            let server = try Server.hark(programs, folder: folder + "/hark-start")
            hark.append(try server.waitForFirstReply())
            try server.end()
            let other = try Server.redis(folder: folder + "/redis-start")
            redis.append(try other.waitForFirstReply())
            try other.end()
        }
        return Row(
            "start to first reply, \(text(Double(events), decimals: 0)) events; Redis", hark: milliseconds(hark.median),
            peer: milliseconds(redis.median), ratio: hark.median / redis.median,
            goal: .met("≤ 150 ms", hark.median <= 150_000_000))
    }
}
