import HarkCore
import HarkSystem
import HarkTesting
import Testing

@testable import HarkDelivery

/// A courier's life at random, compared with a list of the written records: arrivals, removals, failures, refusals of the store,
/// new starts and crashes.
@DaemonActor
final class CourierWalk {
    /// Further events that may happen.
    struct Terms: Sendable {
        var entries = 1
        var concurrency = 1
        /// The lane gives nothing up: in the end all that was not removed is delivered, in order.
        var isPatient = true
        var maxPending: Int?

        var destination: FakeDestination {
            FakeDestination(kinds: [.sessionEnded], batchLimit: entries, concurrency: concurrency) { lane in
                lane.skipsWhileOff = true
                lane.maxPending = maxPending
                if !isPatient { lane.maxAge = 3_600 }
            }
        }

        var policy: RetryPolicy {
            var policy = RetryPolicy()
            policy.maxAttempts = isPatient ? nil : 2
            return policy
        }
    }

    private enum Mood: CaseIterable {
        case well, wavering, away, picky
    }

    let terms: Terms
    let fixture: CourierFixture
    private var random: SplitMix64
    private var mood = Mood.well
    private var isOn = true
    /// Numbers of the records the lane wants, and their sessions.
    private var written: [UInt64: Int] = [:]
    private var sessions: [Int] = []
    private var lastSession = 0
    /// Marked as removed, and not taken out of the destination yet.
    private var marked: [Int] = []
    private var removed: Set<Int> = []
    private var story: [String] = []
    /// Records that may be accepted twice: those of requests or accounts that were under way in a crash.
    private var allowedDoubles = 0

    init(_ terms: Terms, _ fixture: CourierFixture, seed: UInt64) {
        self.terms = terms
        self.fixture = fixture
        random = SplitMix64(state: seed)
        fixture.destination.answer = { [unowned self] in outcome(of: $0) }
    }

    func walk(steps: Int) async throws {
        for _ in 0..<steps {
            try await step()
            // Work under way sometimes stays so, for the next step to interrupt it.
            if random.once(in: 3) { try await check() }
        }
        try await end()
    }

    private func below(_ bound: Int) -> Int { random.below(bound) }

    private func step() async throws {
        switch below(20) {
        case 0..<7: try await write()
        case 7: mood = Mood.allCases[below(Mood.allCases.count)]
        case 8: fixture.destination.isHeld.toggle()
        case 9: fixture.destination.letGo { _ in below(2) == 0 }
        case 10, 11: fixture.advance(seconds: Double(below(400)))
        case 12, 13: try await mark()
        case 14, 15: try await sweep()
        case 16: fixture.refusals = below(3)
        case 17:
            story.append("restart")
            isOn = below(4) > 0
            try await fixture.restart(isOn: isOn)
            try await begin()
        case 18: try await crash()
        default:
            guard !terms.isPatient else { return try await write() }
            story.append("replay")
            try await fixture.haveTriedAgain()
        }
    }

    private func write() async throws {
        let count = 1 + below(below(4) == 0 ? 40 : 6)
        var wanted: [(kind: Record.Kind, session: Int)] = []
        for _ in 0..<count {
            if sessions.count < 2 || below(10) == 0 {
                lastSession += 1
                sessions.append(lastSession)
            }
            let kind: Record.Kind = [.event, .event, .event, .sessionEnded, .log][below(5)]
            wanted.append((kind, sessions[below(sessions.count)]))
        }
        for (place, record) in wanted.enumerated() where record.kind != .log && isOn {
            written[fixture.newest + UInt64(place) + 1] = record.session
        }
        story.append("write \(count)")
        try await fixture.add(wanted)
    }

    private func mark() async throws {
        let there = sessions.filter { session in written.values.contains(session) }
        guard let session = there.isEmpty ? nil : there[below(there.count)] else { return }
        sessions.removeAll { $0 == session }
        marked.append(session)
        removed.insert(session)
        story.append("mark \(session)")
        try await fixture.remove(session)
    }

    /// Like the sweeper: out of the destination first, then out of the store.
    private func sweep() async throws {
        guard let session = marked.first else { return }
        fixture.destination.isHeld = false
        let forgotten = await fixture.courier.forget(fixture.session(session))
        story.append("forget \(session): \(forgotten.reason ?? "done")")
        guard forgotten.reason == nil, below(4) > 0 else { return }
        marked.removeFirst()
        try await fixture.sweep(session)
    }

    private func crash() async throws {
        story.append("crash, \(fixture.destination.underWay.count) under way")
        allowedDoubles += terms.entries * terms.concurrency
        isOn = below(8) > 0
        try await fixture.crash(isOn: isOn)
        await fixture.courier.count()
        account("after a crash")
        try await begin()
    }

    /// Like a start: that a lane was turned on or off is stored before anything else is written.
    private func begin() async throws {
        let refusals = fixture.refusals
        fixture.refusals = 0
        _ = await fixture.courier.keep()
        fixture.refusals = refusals
        fixture.courier.hasReplays = true
        fixture.courier.begin()
    }

    private func check() async throws {
        fixture.destination.isHeld = false
        try await fixture.quiet()
        await fixture.courier.count()
        account("at a quiet moment")
    }

    /// delivered + dropped, for any reason, + pending = written.
    private func account(_ moment: String) {
        let progress = fixture.courier.progress
        let dropped = progress.dropped.values.reduce(0, +)
        let pending = fixture.courier.pending ?? -1
        #expect(
            progress.accepted + dropped + pending == written.count,
            """
            \(moment): \(progress.accepted) + \(progress.dropped) + \(pending) of \(written.count), \
            cursor \(progress.cursor) of \(fixture.newest)
            \(story.suffix(12).joined(separator: "; "))
            """)
    }

    private func end() async throws {
        mood = .well
        fixture.refusals = 0
        fixture.destination.isHeld = false
        isOn = true
        try await fixture.restart()
        try await begin()
        while !marked.isEmpty { try await sweep() }
        fixture.gate.resume()
        fixture.advance(seconds: 1_000)
        try await fixture.quiet()
        account("at the end")
        #expect(fixture.courier.pending == 0)
        #expect(fixture.destination.overlaps == 0)
        let accepted = fixture.destination.accepted
        #expect(accepted.count - Set(accepted).count <= allowedDoubles, "records were accepted twice")
        guard terms.isPatient, terms.maxPending == nil else { return }
        let there = Set(accepted)
        let missing = written.filter { !removed.contains($0.value) && !there.contains($0.key) }.keys
        #expect(missing.isEmpty, "lost: \(missing.sorted())")
        var last: [Int: UInt64] = [:]
        var seen: Set<UInt64> = []
        for sequence in accepted where seen.insert(sequence).inserted {
            guard let session = written[sequence] else { continue }
            #expect(sequence > last[session, default: 0], "session \(session) is out of order")
            last[session] = sequence
        }
    }

    private func outcome(of batch: [UInt64]) -> DeliveryOutcome {
        switch mood {
        case .well: .accepted
        case .wavering: below(3) > 0 ? .accepted : .failed(below(2) == 0 ? .network : .server)
        case .away: .failed(.unreachable)
        case .picky where terms.isPatient: .accepted
        case .picky:
            switch below(6) {
            case 0: .partlyRefused(below(batch.count + 1), reason: "no body")
            case 1: .failed(.tooLarge)
            case 2: .failed(.throttled, status: 429, retryAfter: 60)
            default: batch.contains { $0 % 5 == 0 } ? .failed(.refused, status: 400) : .accepted
            }
        }
    }
}
