import Foundation
import HarkWire

/// Users, each in an app of its own, who are to be asked once each; and what the daemon acknowledged of them.
final class SurveyCrowd: @unchecked Sendable, CustomStringConvertible {
    let size: Int
    // Everything below is touched with the lock held.
    private let lock = NSLock()
    private var recordedUsers: Set<String> = []
    private var closedUsers: Set<String> = []

    init(_ size: Int) { self.size = size }

    /// Who had their event recorded.
    var recorded: Set<String> { lock.withLock { recordedUsers } }

    /// Who answered or dismissed their survey.
    var closed: Set<String> { lock.withLock { closedUsers } }

    var isComplete: Bool { lock.withLock { closedUsers.count == size } }

    var description: String {
        lock.withLock { "\(recordedUsers.count) recorded, \(closedUsers.count) closed of \(size)" }
    }

    func note(recorded: Set<String> = [], closed: Set<String> = []) {
        lock.withLock {
            recordedUsers.formUnion(recorded)
            closedUsers.formUnion(closed)
        }
    }
}

/// Two clients of one run of the daemon until it is killed: one records what brings surveys about, the other presents.
final class SurveyWork: @unchecked Sendable {
    private let crowd: SurveyCrowd
    private let done = DispatchSemaphore(value: 0)

    init(_ crowd: SurveyCrowd, on daemon: DaemonProcess) throws {
        self.crowd = crowd
        let clients = try [daemon.connect(), daemon.connect()]
        for (client, work) in zip(clients, [record, present]) {
            Thread.detachNewThread { [done] in
                // An error means that the daemon is gone, which is what the test is about.
                do { try work(client) } catch {}
                done.signal()
            }
        }
    }

    func join() { for _ in 0..<2 { done.wait() } }

    private func record(_ client: SocketClient) throws {
        for number in 0..<crowd.size where !crowd.recorded.contains("user-\(number)") {
            let (user, app) = ("user-\(number)", "app-\(number)")
            if try client.call("session.current", #"{"app":"\#(app)"}"#)["session"] == .null {
                try client.startSession(user, app: app)
            }
            try client.record("visit-\(number % 4)", app: app)
            crowd.note(recorded: [user])
        }
        // Both go on until the end.
        while true { _ = try client.readValue(within: 60) }
    }

    private func present(_ client: SocketClient) throws {
        try client.presentHere()
        while true {
            let survey = try client.nextToPresent(within: 60)
            guard let user = survey["userId"]?.stringValue else { throw Failure("whose is \(survey)?") }
            let isAnswer = user.hasSuffix("1") || user.hasSuffix("4") || user.hasSuffix("7")
            // Some are left on the screen for a while, so that they are there at the moment of the kill.
            if Int.random(in: 0..<4) == 0 { pass(milliseconds: 0...20) }
            try client.call(
                isAnswer ? "survey.answer" : "survey.dismiss", survey.params(isAnswer ? #","option":"Good""# : ""))
            crowd.note(closed: [user])
        }
    }
}
