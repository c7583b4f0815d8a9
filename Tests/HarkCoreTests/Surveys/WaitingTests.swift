import HarkCore
import HarkWire
import Testing

@Suite("Waiting for the due time (S5)")
struct WaitingTests {
    static let delayed = Samples.survey(delay: Stage.hour)

    @Test("a delay that is over makes the survey ready, not a millisecond before")
    func delay() throws {
        var stage = Stage([Self.delayed])
        try stage.record("done")
        #expect(stage.engine.earliestDue == .earliest)
        stage.pass(Stage.hour - 1)
        #expect(stage.engine.earliestDue == Stage.start.adding(milliseconds: Stage.hour))
        #expect(stage.presentations.map(\.state) == [.scheduled])
        stage.pass(1)
        #expect(stage.presentations.map(\.state) == [.ready])
        #expect(stage.engine.earliestDue == nil)
    }

    @Test("forty years are a delay like any other")
    func fortyYears() throws {
        let years = 40 * 365 * Stage.day
        var stage = Stage([Samples.survey(delay: years)])
        try stage.record("done")
        stage.restart()
        stage.pass(years - 1)
        #expect(stage.offer() == nil)
        stage.pass(1)
        #expect(stage.offer() != nil)
    }

    @Test("the same rule that waits in the session is not scheduled twice, in the next session it is")
    func onceScheduled() throws {
        var stage = Stage([Self.delayed])
        try stage.startSession("u")
        try stage.record("done")
        stage.pass(60_000)
        try stage.record("done")
        #expect(stage.presentations.count == 1)
        try stage.startSession("u")
        try stage.record("done")
        #expect(stage.presentations.count == 2)
    }

    @Test("what is ready since an earlier session is not joined by another of the same rule")
    func onceReady() throws {
        var stage = Stage([Samples.survey { $0.oncePerSession = false }])
        for _ in 0..<3 {
            try stage.startSession("u")
            try stage.record("done")
        }
        #expect(stage.presentations.count == 1)
    }

    @Test("gating is checked again when the delay is over")
    func checkedAgain() throws {
        var stage = Stage([
            Samples.survey(delay: Stage.hour) {
                $0.oncePerSession = false
                $0.cooldown = Stage.day
            }
        ])
        try stage.startSession("u")
        try stage.record("done")
        try stage.startSession("u")
        stage.pass(1000)
        try stage.record("done")
        stage.pass(Stage.hour)
        #expect(stage.presentations.map(\.state) == [.ready, .ready])
        // Both are due; showing the first bars the second.
        try stage.presentNext()
        #expect(stage.presentations.map(\.state) == [.presented, .cancelled])

        try stage.startSession("v")
        try stage.record("done")
        try stage.startSession("v")
        stage.pass(Stage.hour / 2)
        try stage.record("done")
        stage.pass(Stage.hour / 2)
        try stage.dismiss(try #require(try stage.presentNext()).id)
        stage.pass(Stage.hour)
        let cancelled = try #require(stage.presentations.last)
        #expect(cancelled.state == .cancelled)
        #expect(cancelled.reason == "cooldown")
        #expect(cancelled.presentedAt == nil)
    }

    @Test("what is overdue on start is ready at once, and shown one at a time, the earliest first")
    func overdue() throws {
        let surveys = (1...3).map { Samples.survey("s\($0)", event: "e\($0)", delay: Int64(4 - $0) * Stage.hour) }
        var stage = Stage(surveys)
        for number in 1...3 { try stage.record("e\(number)") }
        stage.now = stage.now.adding(milliseconds: 10 * Stage.day)
        stage.restart()
        stage.fire()
        #expect(stage.presentations(.ready).count == 3)
        var order: [String] = []
        while let shown = try stage.presentNext() {
            #expect(stage.offer() == nil)
            order.append(shown.survey)
            try stage.dismiss(shown.id)
        }
        #expect(order == ["s3", "s2", "s1"])
    }

    @Test(
        "thousands of schedules come a page at a time, in order, and none is lost; not all of them are held",
        arguments: [false, true])
    func pages(restarting: Bool) throws {
        let count = 5000
        var stage = Stage([Samples.survey(delay: Stage.hour)])
        stage.commitsEachStep = false
        for number in 0..<count {
            let scope = Scope(uid: 1000, app: "app\(number)")
            stage.now = Stage.start.adding(milliseconds: Int64((number * 7919) % count))
            try stage.startSession("u\(number)", in: scope)
            try stage.record("done", in: scope)
            if number % 500 == 0 { stage.commit() }
        }
        stage.commit()
        let held = (0..<count).filter { stage.engine.surveys.isLoaded(UserKey(uid: 1000, userId: "u\($0)")) }
        #expect(held.count < SurveyBook.capacity * 2)
        stage.now = Stage.start.adding(milliseconds: Int64(count))
        if restarting { stage.restart() }
        stage.now = Stage.start.adding(milliseconds: Stage.hour + 1999)
        stage.fire()
        stage.commit()
        #expect(stage.disk.all.filter { $0.state == .ready }.count == 2000)
        #expect(stage.engine.earliestDue == Stage.start.adding(milliseconds: Stage.hour + 2000))
        stage.now = Stage.start.adding(milliseconds: Stage.hour + Int64(count))
        stage.fire()
        stage.commit()
        #expect(stage.disk.all.allSatisfy { $0.state == .ready })
        #expect(stage.engine.earliestDue == nil)
    }

    // MARK: The clock

    /// Errors of a clock, in milliseconds.
    static let jumps: [Int64] = [-1, -1000, -Stage.hour, -Stage.day, -40 * 365 * Stage.day, 1, 59 * 60_000]

    @Test(
        "a clock that is wrong for a while, with a restart or without, moves no due time: it comes once and at its time",
        arguments: jumps, [false, true])
    func wrongClock(jump: Int64, restarting: Bool) throws {
        var stage = Stage([Self.delayed])
        try stage.record("done")
        stage.pass(30_000)
        let due = Stage.start.adding(milliseconds: Stage.hour)
        stage.setClock(to: stage.now.adding(milliseconds: jump))
        if restarting { stage.restart() }
        #expect(stage.presentations.map(\.dueAt) == [due])
        // The time that passes until somebody notices, and sets it right.
        stage.pass(20_000)
        if restarting { stage.restart() }
        stage.setClock(to: Stage.start.adding(milliseconds: 50_000))
        #expect(stage.presentations.map(\.state) == [.scheduled])
        stage.pass(Stage.hour - 50_001)
        #expect(stage.offer() == nil)
        #expect(stage.engine.earliestDue == due)
        stage.pass(1)
        #expect(stage.offer()?.dueAt == due)
        // Set back once more, it is not due a second time.
        stage.setClock(to: Stage.start)
        stage.pass(2 * Stage.hour)
        #expect(stage.presentations.map(\.state) == [.ready])
    }

    @Test("a clock that is set forward beyond it makes it due at once; set back again, it stays what it became")
    func setForward() throws {
        for restarting in [false, true] {
            var stage = Stage([Self.delayed, Samples.survey("years", event: "done", delay: 40 * 365 * Stage.day)])
            try stage.record("done")
            try stage.startSession("u")
            try stage.record("done")
            stage.setClock(to: Timestamp("2040-01-01T00:00:00Z")!)
            #expect(stage.presentations.map(\.state) == [.ready, .ready])
            stage.setClock(to: Stage.start)
            if restarting { stage.restart() }
            #expect(stage.presentations.map(\.state) == [.ready, .ready])
            #expect(try stage.presentNext()?.presentedAt == Stage.start)
        }
    }

    @Test("a clock that is not believed brings nothing about before its time, ends nothing, and delays run on")
    func unbelieved() throws {
        let year = 365 * Stage.day
        var stage = Stage([
            Samples.survey("later", event: "a", delay: Stage.hour) {
                $0.ends = Stage.start.adding(milliseconds: Stage.day)
            },
            Samples.survey("waits", event: "b") { $0.expireAfter = Stage.day },
            Samples.survey("new", event: "c", delay: Stage.hour),
        ])
        for event in ["a", "b"] { try stage.record(event) }
        func states() -> [String] { stage.presentations.map { "\($0.survey) \($0.state.word)" } }
        stage.engine.clockLag = year
        stage.now = stage.now.adding(milliseconds: year)
        stage.fire()
        #expect(states() == ["later scheduled", "waits ready"])
        try stage.record("c")
        stage.now = stage.now.adding(milliseconds: Stage.hour - 1)
        stage.fire()
        #expect(states() == ["later scheduled", "waits ready", "new scheduled"])
        stage.now = stage.now.adding(milliseconds: 1)
        stage.fire()
        #expect(states() == ["later ready", "waits ready", "new ready"])
        // A shown survey does not make the other one expire either.
        #expect(try stage.presentNext()?.survey == "waits")
        #expect(states() == ["later ready", "waits presented", "new ready"])
        // It goes by the clock again once that one is believed.
        stage.engine.clockLag = 0
        stage.fire()
        #expect(states() == ["later expired", "waits expired", "new ready"])
    }

    @Test("an answer given by a clock that was ahead counts as of now once that is put right")
    func answeredAhead() throws {
        var stage = Stage([
            Samples.survey {
                $0.repeatEvery = Stage.day
                $0.oncePerSession = false
            }
        ])
        stage.setClock(to: Stage.start.adding(milliseconds: 365 * Stage.day))
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        _ = try stage.answer(shown.id, option: "Great")
        stage.setClock(to: Stage.start)
        try stage.record("done")
        #expect(stage.offer() == nil)
        stage.pass(Stage.day)
        try stage.record("done")
        #expect(stage.offer() != nil)
    }

    @Test("what is scheduled while the clock is behind is due by it, and comes before what was there")
    func scheduledBehind() throws {
        for restarting in [false, true] {
            var stage = Stage([Self.delayed, Samples.survey("b", event: "b", delay: Stage.hour)])
            try stage.record("done")
            stage.setClock(to: Stage.start.adding(milliseconds: -Stage.day))
            try stage.record("b")
            if restarting { stage.restart() }
            stage.pass(Stage.hour)
            #expect(stage.presentations.map(\.state) == [.scheduled, .ready])
            #expect(try stage.presentNext()?.survey == "b")
            stage.pass(Stage.day)
            #expect(stage.presentations.map(\.state) == [.ready, .presented])
        }
    }

    @Test("of thousands of schedules none is lost or doubled by a clock that jumps about, page for page")
    func pagesAndJumps() throws {
        let count = 1500
        var stage = Stage([Self.delayed])
        stage.commitsEachStep = false
        for number in 0..<count {
            let scope = Scope(uid: 1000, app: "app\(number)")
            stage.now = Stage.start.adding(milliseconds: Int64((number * 7919) % count) * 1000)
            try stage.startSession("u\(number)", in: scope)
            try stage.record("done", in: scope)
        }
        stage.commit()
        stage.commitsEachStep = true
        stage.restart()
        var furthest = 0
        for second in [300, 100, 301, 0, 900, -86_400, 899, 901, 1200, 40, 1499] {
            stage.setClock(to: Stage.start.adding(milliseconds: Stage.hour + Int64(second) * 1000))
            furthest = max(furthest, second)
            if second == 1200 { stage.restart() }
            #expect(stage.disk.all.count { $0.state == .ready } == furthest + 1)
        }
        #expect(stage.disk.all.count == count)
    }
}
