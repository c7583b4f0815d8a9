import HarkSystem
import HarkTesting
import Testing

@Suite struct TurnstileTests {
    @Test("one at a time goes through, in the order in which they came")
    func oneAtATime() async throws {
        @DaemonActor final class Story { var words: [String] = [] }
        let words = try await LoopThread.shared.run { _ in
            let (story, turnstile) = (Story(), Turnstile())
            let visits = ["first", "second", "third"].map { name in
                DaemonActor.task {
                    await turnstile.enter()
                    story.words.append("\(name) in")
                    await withCheckedContinuation { continuation in DaemonActor.post { continuation.resume() } }
                    story.words.append("\(name) out")
                    turnstile.leave()
                }
            }
            for visit in visits { await visit.value }
            #expect(!turnstile.isTaken)
            return story.words
        }
        #expect(words == ["first in", "first out", "second in", "second out", "third in", "third out"])
    }
}
