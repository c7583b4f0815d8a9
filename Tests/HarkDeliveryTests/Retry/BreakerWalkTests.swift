import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// A breaker compared with a plain model of its documentation, in random steps.
@Suite struct BreakerWalkTests {
    /// The rule for what may pass, by past events and nothing else.
    private struct Model {
        /// From when to when nothing may pass; nil for no wait.
        var wait: (from: Int64, to: Int64)?
        var isSuspended = false
        var isProbing = false
        /// After the wait only a probe may pass.
        var needsProbe = false
        var streak = 0
        /// What the wait is for.
        var cause = Cause.failures
        var lastWasNetwork = false
        /// Failures that are still put down to the network's absence.
        var quick = 0

        enum Cause { case failures, asked, refused }

        mutating func permission(_ now: Int64) -> String {
            if isSuspended || isProbing { return "no" }
            guard var current = wait else { return "go" }
            // Set back: as long as it was at first, from now on.
            if now < current.from { current = (now, now + current.to - current.from) }
            wait = current
            if now < current.to { return "wait" }
            wait = nil
            isProbing = needsProbe
            return needsProbe ? "probe" : "go"
        }

        mutating func succeed() {
            if wait == nil, !isSuspended { self = Model() }
        }

        mutating func fail(_ kind: DeliveryFailure.Kind, asked: Double?, _ dice: Double, _ now: Int64) {
            guard !isSuspended else { return }
            let costs: [DeliveryFailure.Kind] = [.unreachable, .network, .server, .throttled, .quota, .unauthorized]
            guard costs.contains(kind) || kind == .local else { return }
            if quick > 0, kind == .unreachable, asked == nil {
                quick -= 1
                lastWasNetwork = true
                return pause(until: now + Int64(0.1 * (1 + dice) * 1_000), .failures, opens: isProbing, now)
            }
            if wait == nil, kind != .local { streak += 1 }
            lastWasNetwork = kind == .network || kind == .unreachable
            var longest = 1.0
            for _ in 1..<max(streak, 1) where longest < 300 { longest = min(300, longest * 2) }
            let random = longest * dice
            if kind == .quota {
                (isSuspended, isProbing, wait) = (true, false, nil)
                return
            }
            let atLeastASecond = max(1, random)
            let seconds: Double =
                switch kind {
                case .throttled: max(1, asked ?? atLeastASecond)
                case .unauthorized: atLeastASecond
                case .local: asked ?? 1
                default: max(random, asked ?? 0)
                }
            let end = now + Int64(min(seconds, 86_400) * 1_000)
            let opens = isProbing || kind == .throttled || kind == .unauthorized || kind != .local && streak >= 3
            let asks = [.unreachable, .network, .server].contains(kind) && asked != nil || kind == .throttled
            pause(until: end, asks ? .asked : kind == .unauthorized ? .refused : .failures, opens: opens, now)
        }

        mutating func pause(until end: Int64, _ why: Cause, opens: Bool, _ now: Int64) {
            if let wait, end < wait.to { return }
            if wait == nil || cause != .asked { cause = why }
            needsProbe = wait != nil && needsProbe || opens
            wait = (now, end)
            isProbing = false
        }

        mutating func hurry(_ now: Int64) {
            if wait != nil, cause != .asked { wait = (now, now) }
        }

        mutating func networkReturned(_ now: Int64) {
            quick = 3
            if cause == .failures, lastWasNetwork { hurry(now) }
        }
    }

    @Test("L6: whatever happens, it is as the model has it, and as it comes back from the store", arguments: 1...40)
    func walk(_ seed: UInt64) {
        var random = SplitMix64(state: seed)
        var (breaker, model, policy) = (Breaker(), Model(), RetryPolicy())
        policy.maxAttempts = nil
        var now: Int64 = 1_900_000_000_000
        var story: [String] = []
        for _ in 0..<400 {
            let time = Timestamp(milliseconds: now)
            switch random.below(16) {
            case 0...4:
                let kind = random.pick(DeliveryFailure.Kind.allCases.filter { $0 != .quota || random.once(in: 4) })
                let asked = random.once(in: 3) ? random.pick([0, 0.2, 5, 600, 100_000.0]) : nil
                let dice = Double.random(in: 0...1, using: &random)
                story.append("fail \(kind) \(asked.map { "\($0)" } ?? "-") \(dice)")
                let failure = DeliveryFailure(kind, retryAfter: asked, "\(kind)")
                breaker.fail(failure, policy: policy, now: time, dice: dice)
                model.fail(kind, asked: asked, dice, now)
            case 5, 6:
                story.append("ok")
                breaker.succeed()
                model.succeed()
            case 7:
                story.append("hurry")
                breaker.hurry(at: time)
                model.hurry(now)
            case 8:
                story.append("network")
                breaker.networkReturned(at: time)
                model.networkReturned(now)
            case 9 where random.once(in: 3):
                story.append("resume")
                breaker.resume()
                model = Model()
            case 10:
                story.append("restart")
                breaker = Breaker(packed: breaker.packed)
                breaker.restarted(at: time)
                model.quick = 0
                if model.isProbing { (model.isProbing, model.wait) = (false, (now, now)) }
            case 11 where model.isProbing:
                story.append("abandon")
                breaker.abandonProbe(at: time)
                (model.isProbing, model.wait) = (false, (now, now))
            case 12 where random.once(in: 6):
                now += Int64(random.below(400_000_000)) - 200_000_000
                story.append("clock \(now)")
            default:
                now += Int64(random.pick([1, 100, 1_000, 5_000, 300_000, 90_000_000]))
                story.append("pass")
            }
            let asked = breaker.permission(at: Timestamp(milliseconds: now))
            let expected = model.permission(now)
            var word = "\(asked)"
            if case .wait(let until) = asked {
                word = "wait" + (until.milliseconds == model.wait?.to ? "" : " \(until)")
            }
            story.append("-> \(word)")
            guard word == expected, (breaker.dueAt?.milliseconds ?? 0) - now <= 86_400_000 else {
                Issue.record("\(word) instead of \(expected) after \(story.suffix(20))")
                return
            }
            var stored = Breaker(packed: breaker.packed)
            #expect(stored.packed == breaker.packed)
            #expect(stored.state == breaker.state)
            #expect(stored.dueAt == breaker.dueAt)
            // Asking changes nothing that another question would not find.
            if word != "go", word != "probe" {
                #expect(stored.permission(at: Timestamp(milliseconds: now)) == asked)
            }
        }
    }
}
