import HarkWire
import Testing

@testable import HarkDelivery

@Suite struct RefreshPlanTests {
    private func moment(_ seconds: Double) -> RefreshPlan.Moment {
        RefreshPlan.Moment(
            wall: Timestamp(milliseconds: 1_000_000_000 + Int64(seconds * 1000)),
            bootMicroseconds: UInt64(seconds * 1_000_000))
    }

    @Test("after a success the next attempt comes an interval later, by a clock that never jumps")
    func success() {
        var plan = RefreshPlan(intervalSeconds: 300)
        #expect(plan.dueAt == nil)
        plan.begin(at: moment(10))
        #expect(plan.lastAttempt == moment(10).wall)
        #expect(plan.dueAt == nil)
        plan.succeed(nil, at: moment(12))
        #expect(plan.dueAt == 312_000_000)
        #expect(plan.lastSuccess == moment(12).wall)
        #expect(plan.lastError == nil)
        // The wall clock is set back by a day: nothing changes for the timer.
        plan.begin(at: moment(312))
        plan.succeed(
            nil,
            at: RefreshPlan.Moment(
                wall: moment(312).wall.adding(milliseconds: -86_400_000),
                bootMicroseconds: moment(312).bootMicroseconds))
        #expect(plan.dueAt == 612_000_000)
    }

    @Test(
        "failures wait longer and longer, up to the interval, each anywhere in the second half of its wait",
        arguments: [
            (300.0, [5.0, 10, 20, 40, 80, 160, 300, 300]), (12, [5, 10, 12, 12]), (3, [3, 3]),
            (1_000_000, [5, 10, 20]),
        ] as [(Double, [Double])])
    func backoff(interval: Double, waits: [Double]) {
        for dice in [0.0, 0.5, 1] {
            var plan = RefreshPlan(intervalSeconds: interval)
            for wait in waits {
                plan.begin(at: moment(1))
                plan.fail("no", at: moment(2), dice: dice)
                #expect(plan.dueAt == 2_000_000 + UInt64(wait * (0.5 + dice / 2) * 1_000_000))
            }
        }
    }

    @Test("however often it fails, the wait stays within the interval")
    func manyFailures() {
        var plan = RefreshPlan(intervalSeconds: 300)
        for _ in 1...1000 { plan.fail("no", at: moment(0), dice: 1) }
        #expect(plan.dueAt == 300_000_000)
    }

    @Test("a failure keeps version and last success; a success forgets the failures")
    func recovery() {
        var plan = RefreshPlan(intervalSeconds: 300)
        let version = ServedVersion(etag: "\"1\"")
        plan.succeed(version, at: moment(1))
        plan.fail("first", at: moment(2), dice: 1)
        plan.fail("second", at: moment(3), dice: 1)
        #expect(plan.lastError == "second")
        #expect(plan.version == version)
        #expect(plan.lastSuccess == moment(1).wall)
        plan.succeed(nil, at: moment(4))
        #expect(plan.lastError == nil)
        #expect(plan.version == version)
        plan.fail("third", at: moment(5), dice: 1)
        #expect(plan.dueAt == 10_000_000)
    }

    @Test("a 200 is a candidate with its version")
    func candidate() {
        let plan = RefreshPlan(intervalSeconds: 300)
        let response = HTTPResponse(status: 200, headers: ["etag": "\"2\"", "last-modified": "then"], body: [1])
        let version = ServedVersion(etag: "\"2\"", lastModified: "then")
        #expect(plan.verdict(on: .success(response)) == .candidate([1], version))
    }

    @Test("a 304 is good news only if there is a version to be unchanged")
    func notModified() {
        var plan = RefreshPlan(intervalSeconds: 300)
        let response = HTTPResponse(status: 304)
        guard case .failed = plan.verdict(on: .success(response)) else {
            Issue.record("an unasked 304 was taken")
            return
        }
        plan.adopt(ServedVersion(lastModified: "then"))
        #expect(plan.verdict(on: .success(response)) == .unchanged)
    }

    @Test(
        "every other answer is a failure that says what to do",
        arguments: [
            (201, "HTTP 201"), (204, "HTTP 204"), (206, "HTTP 206"), (301, "HTTP 301"), (401, "credentials"),
            (403, "credentials"), (404, "address"), (410, "address"), (429, "HTTP 429"), (500, "HTTP 500"),
        ])
    func failures(status: Int, word: String) {
        let plan = RefreshPlan(intervalSeconds: 300)
        guard case .failed(let reason) = plan.verdict(on: .success(HTTPResponse(status: status, body: [1]))) else {
            Issue.record("HTTP \(status) was taken")
            return
        }
        #expect(reason.contains(word))
        let error = HTTPError(.timedOut, "too slow")
        #expect(plan.verdict(on: .failure(error)) == .failed("too slow"))
    }

    @Test("the condition names what is known of the version")
    func condition() {
        var headers: HTTPHeaders = ["Accept": "x"]
        ServedVersion().addCondition(to: &headers)
        #expect(headers == ["Accept": "x"])
        ServedVersion(etag: "W/\"1\"", lastModified: "then").addCondition(to: &headers)
        #expect(headers == ["Accept": "x", "If-None-Match": "W/\"1\"", "If-Modified-Since": "then"])
    }
}
