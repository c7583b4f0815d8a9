import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// The outcome of a presentation, as a hub reads it back.
@Suite struct PresentationRecordTests {
    private static func presentation(_ survey: String = "rating", userId: String? = "ada") -> Presentation {
        var presentation = Presentation(
            id: Identifier(high: 1, low: 2), survey: survey, user: UserKey(uid: 1000, userId: userId), app: "kiosk",
            origin: Identifier(high: 3, low: 4), createdAt: Timestamp(milliseconds: 1_000), state: .answered,
            dueAt: Timestamp(milliseconds: 2_000))
        presentation.closedAt = Timestamp(milliseconds: 9_000)
        return presentation
    }

    private static func full() -> Presentation {
        var presentation = presentation()
        presentation.session = Identifier(high: 5, low: 6)
        presentation.depth = 3
        presentation.expiresAt = Timestamp(milliseconds: 8_000)
        presentation.presentedAt = Timestamp(milliseconds: 4_000)
        presentation.reason = "cooldown"
        presentation.isUncounted = true
        presentation.locale = "de-CH"
        presentation.shown = Array(#"{"title":"Grüezi \"du\"","n":[1,2.5]}"#.utf8)
        presentation.answers["plan"] = .choice("pro || \u{0} \u{1F600}")
        presentation.answers["colours"] = .choices(["red", "blue", ""])
        presentation.answers["note"] = .text("line\nand \"quotes\" \u{2028}\u{7F}")
        presentation.answers["score"] = .number(-7)
        // The same to a person, and not the same.
        presentation.answers["caf\u{E9}"] = .text("caf\u{E9}")
        presentation.answers["cafe\u{301}"] = .text("cafe\u{301}")
        presentation.times.notified = Timestamp(milliseconds: 3_000)
        presentation.times.opened = Timestamp(milliseconds: 3_500)
        presentation.times.surface = .window
        presentation.times.zone = "America/Argentina/Buenos_Aires"
        presentation.times.offsetMinutes = -180
        presentation.times.asleep = 12_345
        presentation.times.note(presentation.answers, after: Answers(), at: Timestamp(milliseconds: 5_000))
        presentation.times.note(Answers(), after: presentation.answers, at: Timestamp(milliseconds: 6_000))
        presentation.times.change("plan") { $0.shown = 1_234 }
        presentation.trigger = Properties([
            ("plan", .string("pro \u{0}")), ("surveyId", .integer(-1)), ("", .bool(false)), ("x", .double(0.1)),
            ("property.x", .bool(true)), ("\u{301}", .double(3)),
        ])
        return presentation
    }

    private static func prompts() throws -> [PromptQuestion] {
        let options = ["Yes", "No, \"never\""]
        return [
            try PromptQuestion(name: "a", title: "?", kind: .options(options), fallback: "Yes"),
            try PromptQuestion(name: "b", title: "?", message: "M", kind: .multiple(options), fallback: ["Yes"]),
            try PromptQuestion(name: "c", title: "?", kind: .text, fallback: " spaces "),
            try PromptQuestion(name: "d", title: "?", kind: .combined(options)),
            try PromptQuestion(name: "e", title: "?", kind: .rating(scale: 5), fallback: 4),
        ]
    }

    private static func samples() throws -> [Presentation] {
        var samples: [Presentation] = []
        for state in Presentation.State.allCases where !state.isOpen {
            for var sample in [presentation(), presentation(userId: nil), full()] {
                sample.state = state
                samples.append(sample)
            }
        }
        for question in try prompts() {
            var sample = presentation(question.name, userId: nil)
            sample.prompt = Prompt(
                id: Identifier(high: 7, low: 8), asker: 4_294_967_294, isKept: true, question: question)
            samples.append(sample)
        }
        return samples
    }

    private static func read(_ presentation: Presentation) -> Presentation? {
        Presentation(record: presentation.recordProperties, named: presentation.recordName, uid: 1000)
    }

    @Test("every answer, state and prompt comes back as it was")
    func roundTrip() throws {
        for sample in try Self.samples() {
            let back = try #require(Self.read(sample))
            #expect(back == sample)
            #expect(back.answers.members.map(\.id) == sample.answers.members.map(\.id))
            #expect(back.recordProperties == sample.recordProperties)
        }
    }

    @Test(
        "how often it was put off comes back, also beyond the delays that are kept", arguments: [1, 99, 100, 101, 130])
    func delays(_ count: Int) throws {
        var sample = Self.presentation()
        for number in 0..<count {
            let at = Timestamp(milliseconds: Int64(number))
            sample.times.noteDelay(at: at, until: at.adding(milliseconds: 1), isQuiet: number % 10 == 9)
        }
        let back = try #require(Self.read(sample))
        #expect(back.times == sample.times && back.times.snoozes == count - count / 10)
        // Versions before this number was kept told only of the delays.
        let members = sample.recordProperties.members.map { ($0.key, $0.value) }.filter { $0.0 != "snoozes" }
        let older = try #require(Presentation(record: Properties(members), named: sample.recordName, uid: 1000))
        #expect(older.times.delays == sample.times.delays)
        #expect(older.times.snoozes == sample.times.delays.count { !$0.isQuiet })
    }

    @Test("it becomes the uid's for which it is read, and its session that of no machine")
    func uid() throws {
        let sample = Self.full()
        let back = try #require(
            Presentation(record: sample.recordProperties, named: sample.recordName, uid: 4_000_000_000))
        #expect(back.user == UserKey(uid: 4_000_000_000, userId: "ada"))
        #expect(back.ownSession == nil)
    }

    @Test("the properties are what events have: no member is there twice, and all are primitives that JSON holds")
    func primitives() throws {
        for sample in try Self.samples() {
            let keys = sample.recordProperties.members.map(\.key)
            #expect(Set(keys).count == keys.count)
        }
    }

    @Test("a survey whose id is longer than a name is known by all of it", arguments: ["x", "\u{1F600}", "e\u{301}"])
    func longId(_ part: String) throws {
        var sample = Self.presentation(String(repeating: part, count: 300))
        sample.state = .expired
        let name = sample.recordName
        #expect(name.utf8.count <= Limits.eventNameBytes)
        #expect(name.utf8.count > Limits.eventNameBytes - 4)
        #expect(sample.survey.utf8.starts(with: name.utf8))
        #expect(Self.read(sample)?.survey == sample.survey)
    }

    @Test("what would make a record too long is left out: what was shown first, then what was answered")
    func tooLong() throws {
        var sample = Self.full()
        let filler = String(repeating: "x", count: Presentation.mostRecordBytes)
        sample.shown = Array(#"{"title":"\#(filler)"}"#.utf8)
        var back = try #require(Self.read(sample))
        #expect(back.shown.isEmpty)
        #expect(back.answers == sample.answers)
        sample.shown = Array("{}".utf8)
        sample.answers["note"] = .text(filler)
        back = try #require(Self.read(sample))
        #expect(back.answers.isEmpty)
        #expect(back.shown == sample.shown)
        #expect(back.state == .answered)
    }

    @Test("one that is open is none", arguments: [Presentation.State.scheduled, .ready, .presented])
    func open(_ state: Presentation.State) {
        var sample = Self.full()
        sample.state = state
        #expect(Self.read(sample) == nil)
    }

    @Test("what nobody packed is none")
    func forged() throws {
        let good = Self.full().recordProperties
        func isRead(_ members: [(String, PropertyValue)], _ name: String = "rating") -> Bool {
            Presentation(record: Properties(members), named: name, uid: 1) != nil
        }
        let members = good.members.map { ($0.key, $0.value) }
        #expect(isRead(members))
        #expect(!isRead(members, "other"))
        #expect(!isRead(members + [("more", .bool(true))]))
        #expect(!isRead(members + [members[0]]))
        #expect(!isRead(members.reversed()))
        func with(_ key: String, _ value: PropertyValue?) -> [(String, PropertyValue)] {
            members.compactMap { $0.0 == key ? value.map { (key, $0) } : $0 }
        }
        let optional: Set = [
            "userId", "sessionId", "reason", "expiresAt", "presentedAt", "locale", "answers", "shown",
            "planned", "notified", "opened", "firstAnswer", "surface", "zone", "offset", "asleep", "items",
        ]
        for (key, _) in members where !optional.contains(key) && !key.utf8.starts(with: "property.".utf8) {
            #expect(!isRead(with(key, nil)), "without \(key)")
        }
        for (key, value) in [
            ("presentationId", PropertyValue.string("x")), ("presentationId", .integer(1)), ("surveyId", .string("")),
            ("userId", .string("")), ("userId", .string(String(repeating: "u", count: 1_025))), ("app", .string("")),
            ("app", .string(String(repeating: "a", count: 129))), ("state", .string("ready")),
            ("state", .string("gone")), ("state", .integer(3)), ("createdAt", .double(1)),
            ("createdAt", .integer(.max)),
            ("closedAt", .integer(.min)), ("depth", .integer(-1)), ("depth", .integer(256)),
            ("uncounted", .integer(1)), ("shown", .string("[]")), ("shown", .string("{")), ("answers", .string("[]")),
            ("answers", .string("{}")), ("answers", .string(#"[["q","choice",1]]"#)),
            ("answers", .string(#"[["q","choice","a"],["q","choice","a"]]"#)),
            ("answers", .string(#"[["q","choices",["a",1]]]"#)), ("answers", .string(#"[["q","number",0.12345678]]"#)),
            ("answers", .string(#"[["q","number", 1]]"#)), ("answers", .string(#"[["q","rating",1]]"#)),
            ("answers", .string("[" + String(repeating: "[", count: 1_000))),
            ("sessionId", .string("00000000-0000-0005-0000-00000000000G")),
            ("opened", .string("1")), ("surface", .string("wall")), ("items", .string("{}")), ("items", .string("[]")),
            ("items", .string(#"[["q",1,0,null]]"#)), ("items", .string(#"[["q",1.5,0,null,null]]"#)),
        ] {
            #expect(!isRead(with(key, value)), "\(key): \(value)")
        }
        #expect(isRead(with("answers", .string(#"[["q","number",1]]"#))))
        #expect(isRead(with("answers", .string(#"[["q","number",1.5]]"#))))
        let text = PropertyValue.string(String(repeating: "x", count: 300))
        #expect(isRead(with("property.plan", nil)) && !isRead(with("property.plan", text)))
        let many = (0...200).map { #"["q\#($0)","number",1]"# }.joined(separator: ",")
        #expect(!isRead(with("answers", .string("[\(many)]"))))
    }

    @Test("a prompt that is not the question of its survey, or is damaged, is none")
    func forgedPrompt() throws {
        let sample = try #require(try Self.samples().last)
        let members = sample.recordProperties.members.map { ($0.key, $0.value) }
        func with(_ key: String, _ value: PropertyValue?) -> Presentation? {
            let changed = members.compactMap { $0.0 == key ? value.map { (key, $0) } : $0 }
            return Presentation(record: Properties(changed), named: "e", uid: 1)
        }
        #expect(with("none", nil) != nil)
        #expect(with("promptId", nil) == nil)
        #expect(with("prompt", nil) == nil)
        #expect(with("prompt", .string("{}")) == nil)
        let other = Prompt(
            id: Identifier(high: 7, low: 8), asker: 1, isKept: true, question: try PromptQuestion.sample("other"))
        #expect(with("prompt", .string(String(decoding: other.packed, as: UTF8.self))) == nil)
    }

    @Test("damage is none, or reads as something that would be packed so; it never traps", arguments: 1...8)
    func damage(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let samples = try Self.samples()
        for _ in 0..<2_000 {
            let sample = random.pick(samples)
            var bytes = sample.recordProperties.bytes
            for _ in 0...random.below(3) {
                switch random.below(4) {
                case 0: bytes.removeLast(min(bytes.count, random.below(20)))
                case 1: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count + 1))
                case 2 where !bytes.isEmpty: bytes.remove(at: random.below(bytes.count))
                default: if !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                }
            }
            let damaged = Properties(bytes: bytes)
            guard let read = Presentation(record: damaged, named: sample.recordName, uid: 1) else { continue }
            #expect(read.recordProperties == damaged)
            #expect(!read.state.isOpen)
        }
    }
}
