import HarkClient
import Testing

/// When a client that lost the daemon tries again.
@Suite struct ReconnectionTests {
    @Test("it tries at once, and then after pauses that double up to a second")
    func pauses() {
        var course = Reconnection()
        let pauses = (0..<8).map { _ in
            course.failed(at: 0)
            return course.pause(at: 0)
        }
        #expect(pauses == [0, 50, 100, 200, 400, 800, 1_000, 1_000])
        #expect(course.pause(at: 0.5) == 500 && course.pause(at: 2) == 0)
    }

    @Test("that the daemon went away is news once, and so is that it is back; then the pauses begin anew")
    func news() {
        var course = Reconnection()
        #expect(!course.isAway && !course.succeeded())
        #expect(course.failed(at: 1) && course.isAway)
        #expect(!course.failed(at: 2) && !course.failed(at: 3))
        #expect(course.succeeded() && !course.isAway && !course.succeeded())
        #expect(course.failed(at: 4) && course.pause(at: 4) == 0)
    }

    @Test("a connection that breaks soon after the daemon has answered is tried after a pause; a later one at once")
    func shortLife() {
        var course = Reconnection()
        course.failed(at: 1)
        for time in [1.5, 2, 2.9] {
            course.succeeded()
            #expect(course.failed(at: time) && (50...51).contains(course.pause(at: time)))
        }
        course.succeeded()
        #expect(course.failed(at: 4) && course.pause(at: 4) == 0)
    }

    private static let lost = ClientError(.disconnected, "gone")

    @Test("it reaches the daemon with as many attempts as it takes, after a pause before each")
    func reach() throws {
        var course = Reconnection()
        var attempts = 0
        var pauses: [CInt] = []
        let reached = try course.reach(
            { () throws(ClientError) in
                attempts += 1
                if attempts < 4 { throw Self.lost }
                return "there"
            }, wait: { pauses.append($0) })
        #expect(reached == "there" && attempts == 4)
        #expect(pauses.count == 4 && pauses.prefix(2) == [0, 0] && pauses[2] <= 50 && pauses[3] <= 100)
    }

    @Test("an error that waiting does not resolve ends it, and so does the end of its patience")
    func giveUp() {
        var (course, attempts) = (Reconnection(), 0)
        let refused = ClientError(.refused(-32602), "wrong", reason: "invalidParams")
        #expect(throws: refused) {
            try course.reach({ () throws(ClientError) in
                attempts += 1
                throw refused
            })
        }
        // A caller that waits for something else says so.
        let slow = ClientError(.timedOut, "slow")
        #expect(throws: slow) {
            try course.reach(
                where: \.isLoss,
                { () throws(ClientError) in
                    attempts += 1
                    throw slow
                })
        }
        var ending = Reconnection(until: MonotonicClock.now - 1)
        #expect(throws: Self.lost) {
            try ending.reach({ () throws(ClientError) in
                attempts += 1
                throw Self.lost
            })
        }
        #expect(attempts == 3)
    }

    @Test("a daemon that closes the connection, does not run, or ends is lost; one that refuses or is slow is not")
    func loss() {
        let shuttingDown = ClientError(.refused(-32008), "bye", reason: "shuttingDown")
        for error in [Self.lost, ClientError(.notRunning, "none"), shuttingDown] { #expect(error.isLoss) }
        for error in [ClientError(.timedOut, "slow"), ClientError(.refused(-32004), "many", reason: "rateLimited")] {
            #expect(!error.isLoss && error.isPassing)
        }
        #expect(ClientError(.refused(-32099), "new", reason: "brandNew").reason == nil)
    }
}
