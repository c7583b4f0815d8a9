import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// The engine's counts of a user's holdings, compared with the store's.
@Suite struct HoldingTests {
    @Test("whatever is done, what was counted is what the store holds", arguments: 1...40)
    func counted(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var sends = SplitMix64(state: seed + 100)
        var prompts = SplitMix64(state: seed + 200)
        let stage = try CounterStage()
        let source = Source(uid: 1000, pid: 1)
        let text = Question(id: "words", kind: .text(.init()))
        let survey = Survey(
            id: "survey",
            content: SurveyContent(
                title: "T", message: "M", responseType: .questions,
                questionnaire: Questionnaire([text, Question(id: "more", kind: .text(.init()))])),
            trigger: SurveyTrigger(event: "asked", condition: .always, delay: 0), limits: SurveyLimits())
        stage.engine.configure(SurveyConfiguration([survey]), now: stage.now, into: &stage.changes)
        stage.engine.setDebugMode(DebugMode(bypassesGating: true))
        stage.engine.configure(FormConfiguration([Form(id: "form", title: "F", questionnaire: Questionnaire([text]))]))
        try stage.commit()
        func words() -> JSONValue { .string(String(repeating: "w", count: 1 + random.below(50))) }

        let all = StoreFamily.all.flatMap(\.holdings.keys)
        var seen: Set<Holding> = []
        for _ in 0..<400 {
            stage.now = stage.now.adding(milliseconds: 1)
            let scope = Scope(uid: 1000, app: random.pick(["one", "two"]))
            let user = UserKey(uid: 1000, userId: "user-\(random.below(3))")
            let participant = FormParticipant(user: user, scope: scope, source: source)
            if sends.once(in: 8) {
                let producer = Producer("producer-\(sends.below(4))", in: scope)
                try stage.store.reader.bring(.countedScope(scope), to: &stage.engine)
                try stage.store.reader.bring(.producer(producer), to: &stage.engine)
                let (at, send) = (stage.now, ProducerSend(producer, number: Int64(sends.below(20)) + 1))
                _ = try stage.engine.once(send, into: &stage.changes) { engine, changes throws(WireError) in
                    try engine.record("sent", properties: .none, in: scope, source: source, now: at, into: &changes)
                }
            }
            if prompts.once(in: 8) {
                try stage.store.reader.bring(.asking(in: scope), to: &stage.engine)
                _ = try stage.engine.ask(
                    try PromptQuestion(name: "prompt", title: "?", kind: .text), id: nil, in: [scope], timeout: 20,
                    source: source, now: stage.now, into: &stage.changes)
            }
            if prompts.once(in: 8) {
                try stage.store.reader.bring(.due(at: stage.now), to: &stage.engine)
                _ = stage.engine.fire(now: stage.now, into: &stage.changes)
            }
            // One after the other, in the same transaction or the next.
            switch random.below(14) {
            case 0: try stage.startSession(user.userId, in: scope)
            case 1, 2:
                try stage.store.reader.bring(.countedScope(scope), to: &stage.engine)
                if let asked = stage.engine.surveyUser(recording: "asked", in: scope) {
                    try stage.store.reader.bring(.user(asked), to: &stage.engine)
                }
                // Like the ledger before an event that surveys listen to.
                try stage.store.reader.bring(.holdings([.presentations], of: 1000), to: &stage.engine)
                _ = try stage.engine.record(
                    "asked", properties: .none, in: scope, source: source, now: stage.now, into: &stage.changes)
            case 3:
                try stage.store.reader.bring(.offers(in: scope), to: &stage.engine)
                guard let offered = stage.engine.offer(in: scope, now: stage.now) else { break }
                _ = try stage.engine.present(
                    offered.id, visibleTo: nil, source: source, now: stage.now, into: &stage.changes)
            case 4, 5:
                guard let shown = stage.engine.surveys.shown(in: scope) else { break }
                if shown.prompt != nil {
                    try stage.store.reader.bring(.presentation(shown.id), to: &stage.engine)
                    _ = try stage.engine.answer(
                        shown.id, SurveySubmission(text: "a"), visibleTo: nil, source: source, now: stage.now,
                        into: &stage.changes)
                    break
                }
                let answers = SurveySubmission(answers: ["words": words()])
                if random.once(in: 3) {
                    _ = try stage.engine.answer(
                        shown.id, SurveySubmission(answers: ["words": "a", "more": "b"]), visibleTo: nil,
                        source: source, now: stage.now, into: &stage.changes)
                } else {
                    _ = try stage.engine.keepAnswers(
                        shown.id, answers, visibleTo: nil, now: stage.now, into: &stage.changes)
                }
            case 6:
                try stage.store.reader.bring(.all([.countedScope(scope), .forms(of: user)]), to: &stage.engine)
                _ = try stage.engine.answerForm(
                    "form", [("words", words())], path: { $0 }, by: participant, now: stage.now, into: &stage.changes)
            case 7:
                try stage.store.reader.bring(.all([.countedScope(scope), .forms(of: user)]), to: &stage.engine)
                try stage.engine.draftForm(
                    "form", page: nil, [("words", random.once(in: 3) ? .null : words())], by: participant,
                    now: stage.now, into: &stage.changes)
            case 8:
                try stage.store.reader.bring(.all([.countedScope(scope), .forms(of: user)]), to: &stage.engine)
                _ = try stage.engine.resetForm("form", by: participant, now: stage.now, into: &stage.changes)
            case 9:
                try stage.register("counter", in: scope)
                try stage.add(
                    "\(random.below(3))", "counter", run: .exec(["true"], timeoutSeconds: 1),
                    keepAlive: random.once(in: 2), in: scope)
            case 10:
                try stage.register("counter", in: scope)
                try stage.set("counter", words(), in: scope)
            case 11:
                if let run = try stage.due.first { try stage.end(try stage.begin(run)) }
            case 12:
                let id = try stage.executions().first { $0.key.scope == scope }?.key.id.text
                if let id { try stage.remove(id, in: scope) }
            default:
                if random.once(in: 8) { try stage.clear(random.pick([.all, .user(user.userId)]), uid: 1000) }
            }
            if random.once(in: 4) { try stage.commit() }
            guard stage.changes.isEmpty else { continue }
            try stage.store.reader.bring(.holdings(all, of: 1000), to: &stage.engine)
            try stage.store.reader.bring(.holdings([.allPrompts], of: Engine.everybody), to: &stage.engine)
            for holding in all {
                let owner = holding == .allPrompts ? Engine.everybody : 1000
                let counted = try #require(stage.engine.holdings[owner]?[holding])
                let stored = try stage.store.reader.amount(of: holding, owner)
                if counted.count > 0 { seen.insert(holding) }
                // The size of runs is only known approximately.
                #expect(
                    holding == .runs ? counted.count == stored.count : counted == stored,
                    "\(holding): \(counted), and stored \(stored)")
            }
        }
        #expect(seen.count == all.count)
    }
}
