import Glibc

extension Measurements {
    /// Like `idle`, for a machine in a fleet, half a minute after its thousand records have arrived; compared with a
    /// machine in none.
    func idleMachine(_ certificates: BrokerCertificates) throws -> [Row] {
        let plain = FleetWay(kind: .mosquitto, certificates: nil)
        let secure = FleetWay(kind: .mosquitto, certificates: certificates)
        func measured(_ way: FleetWay) throws -> (member: Idle, other: Idle) {
            try withHub(way) { broker, hub, place in
                let member = try Server.fleet(
                    programs, #""machine":"kiosk""#, broker: broker, folder: place + "/machine")
                return try withServer(member) { member in
                    try withServer(try Server.hark(programs, folder: place + "/none")) { other in
                        try member.waitForFleet("ready", pending: 0)
                        sleep(33)
                        let before = (try member.child.wakeUps(), try other.child.wakeUps())
                        sleep(UInt32(60 * scale))
                        return (try Idle(member, before.0, scale), try Idle(other, before.1, scale))
                    }
                }
            }
        }
        let (member, other) = try measured(plain)
        let tls = try measured(secure).member
        func count(_ number: Double) -> String { text(number, decimals: 0) }
        return [
            Row(
                "idle memory (RSS) of a machine in a fleet; in none", hark: megabytes(member.memory),
                peer: megabytes(other.memory), ratio: member.memory / other.memory,
                goal: .met("≤ 12 MB", member.memory <= 12_000_000)),
            Row(
                "… with TLS; in none", hark: megabytes(tls.memory), peer: megabytes(other.memory),
                ratio: tls.memory / other.memory),
            Row(
                "… wake-ups a minute; in none", hark: count(member.wakeUps), peer: count(other.wakeUps),
                ratio: member.wakeUps / max(1, other.wakeUps), goal: .met("≤ 1", member.wakeUps <= 1)),
            Row(
                "… threads; in none", hark: count(member.threads), peer: count(other.threads),
                ratio: member.threads / other.threads, goal: .ratioAtMost(1)),
        ]
    }

    private struct Idle {
        let memory: Double
        let wakeUps: Double
        let threads: Double

        init(_ server: Server, _ before: [String: Int], _ scale: Double) throws {
            memory = try server.child.memory().resident
            wakeUps = try server.child.wakeUps(since: before) / scale
            threads = Double(try server.child.wakeUps().count)
        }
    }
}
