import Foundation
import HarkCore
import HarkWire
import Testing

@Suite("Reading surveys (S1)")
struct ReadingTests {
    @Test("the document of choices and text is read unchanged")
    func checkout() throws {
        let read = SurveyConfiguration.read(try Samples.document("checkout.json"))
        #expect(read.issues == DocumentIssues())
        let configuration = try #require(read.configuration)
        #expect(configuration.surveys.map(\.id) == ["checkout_rating", "checkout_words"])
        let rating = configuration.surveys[0]
        #expect(rating.content.title == "One quick question")
        #expect(rating.content.message == "How was paying today?")
        #expect(rating.content.responseType == .options)
        let choices = ["Great", "Okay", "Poor"].map { Question.Choice($0) }
        #expect(rating.content.questionnaire.questions == [Question(id: "option", kind: .single(choices))])
        #expect(rating.trigger.event == "checkout_success")
        #expect(rating.trigger.delay == 0)
        #expect(rating.limits.oncePerSession)
        #expect(!rating.limits.oncePerUser)
        #expect(rating.limits.cooldown == 86_400_000)
        #expect(rating.notification == nil)
        let words = configuration.surveys[1].content
        #expect(words.responseType == .text)
        #expect(words.submitLabel == "Send")
        let field = Question.TextField(placeholder: "Write here…", minLength: 5, maxLength: 500)
        #expect(words.questionnaire.questions == [Question(id: "text", kind: .text(field))])
    }

    @Test("the document of a combined response with a delay is read unchanged")
    func visit() throws {
        let read = SurveyConfiguration.read(try Samples.document("visit.json"))
        #expect(read.issues == DocumentIssues())
        let survey = try #require(read.configuration?.survey("visit-feedback"))
        #expect(survey.content.responseType == .combined)
        #expect(survey.content.submitLabel == "Send feedback")
        let option = try #require(survey.content.questionnaire.question("option"))
        #expect(option.prompt == "How would you rate your visit?")
        let text = try #require(survey.content.questionnaire.question("text"))
        #expect(text.prompt == "What else should we know (optional)?")
        #expect(!text.isRequired)
        #expect(text.kind == .text(.init(placeholder: "Anything at all", maxLength: 500)))
        #expect(survey.trigger == SurveyTrigger(event: "visit_completed", delay: 3_600_000))
        #expect(survey.limits.maxAttempts == 3)
        #expect(survey.limits.attemptCooldown == 86_400_000)
        #expect(
            survey.notification
                == SurveyNotification(
                    title: "A quick survey", body: "Help us make the next visit better!", sound: true))
        let other = try #require(read.configuration?.survey("visit-without-notifications"))
        #expect(other.trigger.condition == .all([.value("notifications_enabled", Matcher(.eq, false))]))
    }

    @Test("the document of everything else is read, and only warned of an event it does not list")
    func extended() throws {
        let read = SurveyConfiguration.read(try Samples.document("extended.json"))
        #expect(read.issues.errors == [])
        #expect(read.issues.warnings.map(\.path) == ["$.surveys[2].trigger.event.name"])
        let configuration = try #require(read.configuration)
        #expect(configuration.globalCooldown == 3_600_000)
        let limits = configuration.surveys[0].limits
        #expect(limits.repeatEvery == 7_776_000_000)
        #expect(limits.expireAfter == 86_400_000)
        #expect(limits.starts == Timestamp("2026-01-01T00:00:00Z"))
        #expect(limits.ends == Timestamp("2030-12-31T22:00:00Z"))
        #expect(limits.rolloutPercent == 37.5)
        #expect(configuration.surveys[0].notification?.sound == false)
        #expect(configuration.survey("legacy")?.content.responseType == .options)
        #expect(configuration.survey("legacy")?.limits.oncePerUser == true)
        let both = try #require(configuration.survey("both")).content.questionnaire
        #expect(both.question("option")?.kind == .single([.init("Good"), .init("Bad")]))
        #expect(both.question("text")?.isRequired == true)
        #expect(configuration.survey("empty_allowed")?.content.questionnaire.question("text")?.isRequired == false)
    }

    @Test("defaults are those of the field tables")
    func defaults() throws {
        let survey = try #require(try Samples.read(Samples.base + #", "options": ["A"]"#).survey)
        #expect(survey.limits == SurveyLimits())
        #expect(survey.limits.oncePerSession)
        #expect(!survey.limits.oncePerUser)
        #expect(survey.trigger.delay == 0)
        #expect(survey.trigger.condition.holds(Properties.none))
        let notification = #""notification": {"title": "a", "body": "b"}"#
        #expect(
            try Samples.read("\(Samples.base), \"options\": [\"A\"], \(notification)").survey?.notification?.sound
                == true)
        let text = try Samples.read(Samples.base + #", "response": {"type": "text"}"#).survey
        #expect(text?.content.questionnaire.questions.first?.isRequired == true)
        let combined = try Samples.read(
            Samples.base + #", "response": {"type": "combined", "options": ["A"], "textField": {}}"#
        ).survey
        #expect(combined?.content.questionnaire.question("text")?.isRequired == false)
        let bare = try Samples.read(Samples.base + #", "response": {"type": "combined", "options": ["A"]}"#).survey
        #expect(bare?.content.questionnaire.question("text") == nil)
    }

    @Test("null stands for a member that is not there")
    func nulls() throws {
        let read = try Samples.read(
            Samples.base + #", "options": ["A"], "response": null, "cooldownSeconds": null, "notification": null"#)
        #expect(read.survey?.limits == SurveyLimits())
        #expect(read.issues == DocumentIssues())
    }

    @Test("a fraction of a second counts, and so do forty years")
    func seconds() throws {
        let trigger = #""id": "s", "title": "T", "message": "M", "options": ["A"], "trigger": {"event": "#
        for (seconds, milliseconds) in [("0.25", 250), ("1262304000", 1_262_304_000_000), ("0", 0)] {
            let text = trigger + #"{"name": "e", "scheduleAfterSeconds": \#(seconds)}}"#
            #expect(try Samples.read(text).survey?.trigger.delay == Int64(milliseconds))
        }
    }

    @Test("an unknown member is warned of, wherever it is")
    func warnings() throws {
        let read = SurveyConfiguration.read(
            try Samples.json(
                """
                {"version": 2, "surveys": [{"id": "s", "title": "T", "message": "M", "colour": "red",
                  "response": {"type": "text", "rows": 3},
                  "notification": {"title": "a", "body": "b", "icon": "c"},
                  "trigger": {"event": {"name": "e", "scheduleAfter": 5}, "timer": 5},
                  "translations": {"de": {"titel": "x"}}}]}
                """))
        #expect(read.configuration != nil)
        #expect(
            Set(read.issues.warnings.map(\.path)) == [
                "$.version", "$.surveys[0].colour", "$.surveys[0].response.rows", "$.surveys[0].notification.icon",
                "$.surveys[0].trigger.event.scheduleAfter", "$.surveys[0].trigger.timer",
                "$.surveys[0].translations.de.titel",
            ])
        #expect(read.issues.warnings.allSatisfy { $0.message.contains("unknown member") })
    }

    @Test("all faults are told at once, each with its path")
    func faults() throws {
        let read = SurveyConfiguration.read(
            try Samples.json(
                """
                {"surveys": [
                  {"id": "", "title": 5, "trigger": {}},
                  {"id": "x", "title": "T", "message": "M", "options": [], "oncePerUser": "yes",
                   "cooldownSeconds": -1, "maxAttempts": 0, "trigger": {"event": {"properties": {"a": {"op": "gt"}}}},
                   "notification": {"title": "t"}},
                  7]}
                """))
        #expect(read.configuration == nil)
        let paths = Set(read.issues.errors.map(\.path))
        #expect(
            paths == [
                "$.surveys[0].id", "$.surveys[0].title", "$.surveys[0]", "$.surveys[0].trigger",
                "$.surveys[1].options", "$.surveys[1].oncePerUser", "$.surveys[1].cooldownSeconds",
                "$.surveys[1].maxAttempts", "$.surveys[1].trigger.event", "$.surveys[1].trigger.event.properties.a",
                "$.surveys[1].notification", "$.surveys[2]",
            ])
    }

    @Test(
        "a trigger's where is a text or JSON about the properties of its event, and goes with properties",
        arguments: [
            (#""where":"amount > 50 and not plan = pro""#, true),
            (#""where":{"any":[{"amount":1},"plan = free"]}"#, true),
            (#""properties":{"amount":60},"where":"plan = pro""#, false), (#""where":"amount < 50""#, false),
        ])
    func triggerWhere(_ members: String, _ holds: Bool) throws {
        let read = try Samples.read(
            #""id":"a","title":"T","message":"M","options":["x"],"trigger":{"event":{"name":"e",\#(members)}}"#)
        #expect(read.issues == DocumentIssues())
        let properties = Properties([("amount", .integer(60)), ("plan", .string("free"))])
        #expect(read.survey?.trigger.condition.holds(properties) == holds)
    }

    @Test(
        "a trigger's where that is no condition, or asks beyond properties, is refused",
        arguments: ["amount >", "@user = ada"])
    func refusedWhere(_ text: String) throws {
        let read = try Samples.read(
            #""id":"a","title":"T","message":"M","options":["x"],"trigger":{"event":{"name":"e","where":"\#(text)"}}"#)
        #expect(read.issues.errors.map(\.path) == ["$.surveys[0].trigger.event.where"])
    }

    static let refused: [(String, String, String)] = [
        (#"[]"#, "$", "must be an object"), (#"{}"#, "$", "the member 'surveys' is missing"),
        (#"{"surveys": {}}"#, "$.surveys", "must be an array"),
        (#"{"surveys": [], "events": 5}"#, "$.events", "must be"),
        (#"{"surveys": [], "events": [5]}"#, "$.events[0]", "must be a name"),
        (#"{"surveys": [], "globalCooldownSeconds": "1"}"#, "$.globalCooldownSeconds", "must be a number of seconds"),
    ]

    @Test("a document that is none is refused", arguments: refused)
    func documents(text: String, path: String, reason: String) throws {
        let read = SurveyConfiguration.read(try Samples.json(text))
        #expect(read.configuration == nil)
        #expect(read.issues.errors.first?.path == path)
        #expect(read.issues.errors.first?.message.hasPrefix(reason) == true)
    }

    /// Additional members of a survey, the path below the survey, the reason.
    static let refusedMembers: [(String, String, String)] = [
        ("", "", "one of the members 'response', 'options' and 'questions' is missing"),
        (#""options": ["A", "A"]"#, ".options[1]", "'A' is there twice"),
        (#""options": ["A", " "]"#, ".options[1]", "must be a string that is not empty"),
        (#""options": ["A"], "response": {"type": "slider"}"#, ".response.type", "must be options, text or combined"),
        (#""response": {}"#, ".response", "the member 'type' is missing"),
        (#""response": {"type": "options"}"#, ".response", "the member 'options' is missing"),
        (#""response": {"type": "text", "minLength": -1}"#, ".response.minLength", "must be an integer"),
        (#""response": {"type": "text", "minLength": 9, "maxLength": 5}"#, ".response.maxLength", "is less than"),
        (#""response": {"type": "combined", "options": ["a||b"]}"#, ".response.options", "'a||b' holds '||'"),
        (#""options": ["A"], "maxAttempts": 1.5"#, ".maxAttempts", "must be an integer of at least 1"),
        (#""options": ["A"], "rolloutPercent": 101"#, ".rolloutPercent", "must be a number from 0"),
        (#""options": ["A"], "startDate": "tomorrow"#, ".startDate", "must be a day"),
        (#""options": ["A"], "startDate": "2026-02-30"#, ".startDate", "must be a day"),
        (#""options": ["A"], "startDate": "2026-05-02", "endDate": "2026-05-01"#, ".endDate", "is not after startDate"),
        (#""options": ["A"], "oncePerUser": true, "repeatEverySeconds": 5"#, ".repeatEverySeconds", "contradicts"),
        (#""questions": [], "options": ["A"]"#, ".options", "cannot be combined with 'questions'"),
        (#""questions": []"#, ".questions", "must hold from 1 to 200 questions"),
        (#""questions": [{"id": "a"}]"#, ".questions[0]", "the member 'question' is missing"),
        (#""questions": [{"id": "end", "question": "?"}]"#, ".questions[0].id", "'end' stands for the end"),
        (#""questions": [{"id": "a", "question": "?", "type": "map"}]"#, ".questions[0].type", "must be single,"),
        (
            #""questions": [{"id": "a", "question": "?"}, {"id": "a", "question": "?"}]"#, ".questions[1].id",
            "there is another question 'a'"
        ),
        (
            #""questions": [{"id": "a", "question": "?", "next": "b"}]"#, ".questions[0].next",
            "leads to 'b', but there is no such question"
        ),
        (
            #""questions": [{"id": "a", "question": "?", "next": "a"}]"#, ".questions[0].next", "leads back to 'a'"
        ),
        (
            """
            "questions": [{"id": "a", "question": "?"}, {"id": "b", "question": "?"},
              {"id": "c", "question": "?", "next": [{"when": "x", "to": "end"}, {"when": "y", "to": "a"}]}]
            """, ".questions[2].next", "leads back to 'a'; a way through the questions must not loop"
        ),
        (
            #""questions": [{"id": "a", "question": "?", "type": "rating", "scale": 3, "labels": ["x"]}]"#,
            ".questions[0].labels", "must hold a label for each of the 3 ratings"
        ),
        (
            #""questions": [{"id": "a", "question": "?", "type": "multiple", "options": ["x"], "maxSelections": 2}]"#,
            ".questions[0].maxSelections", "must be an integer from 1 to 1"
        ),
        (
            #""options": ["A", "B"], "translations": {"de": {"options": ["X"]}}"#, ".translations.de.options",
            "must hold as many"
        ),
    ]

    @Test("a survey that cannot be is refused with path and reason", arguments: refusedMembers)
    func members(members: String, path: String, reason: String) throws {
        let text = members.isEmpty ? Samples.base : "\(Samples.base), \(members)"
        // Some rows leave the last quote to the frame.
        let whole = text.filter { $0 == "\"" }.count % 2 == 0 ? text : text + "\""
        let read = try Samples.read(whole)
        #expect(read.survey == nil)
        let issues = read.issues.errors
        #expect(
            issues.contains { $0.path == "$.surveys[0]" + path && $0.message.hasPrefix(reason) }, "\(issues)")
    }

    @Test("two surveys cannot have one id")
    func twice() throws {
        let survey = "{\(Samples.base), \"options\": [\"A\"]}"
        let read = SurveyConfiguration.read(try Samples.json("{\"surveys\": [\(survey), \(survey)]}"))
        #expect(read.configuration == nil)
        #expect(read.issues.errors.map(\.path) == ["$.surveys[1].id"])
    }

    @Test("a question to which no way leads is warned of")
    func unreachable() throws {
        let read = try Samples.read(
            Samples.base + #", "questions": [{"id": 1, "question": "?", "next": "end"}, {"id": 2, "question": "?"}]"#)
        #expect(read.survey?.content.questionnaire.questions.map(\.id) == ["1", "2"])
        #expect(read.issues.warnings.map(\.path) == ["$.surveys[0].questions[1]"])
    }

    @Test(
        "the events an application knows may be an object or a list",
        arguments: [
            #"{"e": {"properties": {}}}"#, #"["e"]"#, #"[{"name": "e"}, "f"]"#,
        ])
    func registry(events: String) throws {
        let survey = "{\(Samples.base), \"options\": [\"A\"]}"
        let read = SurveyConfiguration.read(
            try Samples.json("{\"surveys\": [\(survey)], \"events\": \(events)}"))
        #expect(read.configuration != nil)
        #expect(read.issues == DocumentIssues())
    }

    static let fixtures = ["refused", "refused-by-reader"].flatMap { folder in
        let url = Samples.folder.appending(path: folder)
        return ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).map { "\(folder)/\($0)" }
    }.sorted()

    @Test("every document that the schema's tests call wrong is refused here, too", arguments: fixtures)
    func wrong(name: String) throws {
        #expect(SurveyConfiguration.read(try Samples.document(name)).configuration == nil)
    }

    @Test("those documents are there")
    func present() { #expect(Self.fixtures.count > 20) }

    @Test("ten thousand surveys for other events are not looked at")
    func index() throws {
        let others = (0..<10_000).map { Samples.survey("s\($0)", event: "other\($0)") }
        let configuration = SurveyConfiguration(others + [Samples.survey("mine")])
        #expect(configuration.listeners(to: "unheard") == nil)
        #expect(configuration.listeners(to: "done") == [10_000])
        #expect(SurveyConfiguration.none.listeners(to: "done") == nil)
    }
}
