import HarkWire
import Testing

@testable import HarkCore

@Suite struct UnaskedTests {
    @Test(
        "a command that changes what it did not ask for ends a debug build",
        .enabled(if: _isDebugAssertConfiguration()),
        arguments: ["answers", "entry", "mute", "quiet hours", "quota", "watch"])
    func unasked(_ what: String) async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [what = what as String] in
            var engine = Engine(watermark: Engine.Watermark())
            var changes = Changes()
            let now = Timestamp(milliseconds: 1_800_000_000_000)
            switch what {
            case "answers": engine.forms.put(nil, of: UserKey(uid: 1000, userId: nil), "diary")
            case "entry":
                var cache = Cache<Int, Int>(capacity: 2)
                cache.change(1) { $0 = 2 }
            case "mute":
                _ = try engine.wish(
                    Engine.WishOrder(mutedUntil: .latest), of: WishKey(uid: 1000, survey: nil),
                    source: Source(uid: 1000, pid: 42), now: now, into: &changes)
            case "quiet hours": engine.setQuiet(PersonalQuiet(), of: 1000, now: now, into: &changes)
            case "quota": engine.quotas.put(QuotaCount(), of: "rating")
            default:
                let watch = Watch(
                    key: WatchKey(uid: 1000, id: ExactName("backup")), event: "backup", terms: WatchTerms(),
                    addedAt: now,
                    state: WatchState(since: now))
                _ = try engine.addWatch(watch, into: &changes)
            }
        }
        let said = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(said.contains(Unasked.message), "\(said)")
    }
}
