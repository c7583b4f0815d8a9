import HarkWire
import Testing

@testable import HarkCore

@Suite("Reading of caps, groups, audiences and cancelling")
struct PacingReadingTests {
    static func errors(_ members: String, file: String = "") throws -> [String] {
        let survey = "{\(Samples.base), \"options\": [\"A\", \"B\"]\(members)}"
        let read = SurveyConfiguration.read(try Samples.json("{\"surveys\": [\(survey)]\(file)}"))
        return (read.issues.errors + read.issues.warnings).map { "\($0.path): \($0.message)" }
    }

    @Test("all of it is read")
    func whole() throws {
        let read = try Samples.read(
            Samples.base
                + """
                , "options": ["A", "B"], "priority": 10, "atMost": [{"count": 2, "withinSeconds": 60}],
                "cancelOn": [{"event": {"name": "x", "where": "a > 1"}, "same": ["id"], "alsoShown": true}],
                "audience": {"events": [{"name": "y", "properties": {"b": 1}, "withinSeconds": 5, "atLeast": 3}],
                    "surveys": [{"id": "s", "was": "shown", "never": true}],
                    "session": "plan = pro", "profile": {"goal": "Sleep"},
                    "firstSeen": {"atLeastSeconds": 60, "atMostSeconds": 61}}
                """)
        let survey = try #require(read.survey)
        #expect(read.issues.warnings.isEmpty)
        #expect(survey.priority == 10 && survey.limits.atMost == [ShowingCap(count: 2, within: 60_000)])
        let greater = EventPattern("x", .value("a", Matcher(.gt, .int(1))))
        #expect(survey.cancelOn == [CancelRule(greater, same: ["id"], alsoShown: true)])
        #expect(survey.audience.events.first?.frequency == Audience.Frequency(atLeast: 3, within: 5_000))
        #expect(survey.audience.surveys == [Audience.SurveyRule("s", was: .shown, Audience.Frequency(atLeast: 0))])
        #expect(survey.audience.session == .value("plan", Matcher(.eq, .string("pro"))))
        #expect(survey.audience.profile?.names == [ExactName("goal")])
        #expect(survey.audience.firstSeen == Audience.Age(atLeast: 60_000, atMost: 61_000))
    }

    @Test(
        "what contradicts itself is refused with what to do",
        arguments: [
            (
                #", "atMost": [{"count": 2, "withinSeconds": 60}, {"count": 3, "withinSeconds": 30}]"#,
                "$.surveys[0].atMost[1]: never limits, as at most 2 within 60 s holds already; leave one of them out"
            ),
            (
                #", "atMost": [{"count": 3, "withinSeconds": 30}, {"count": 2, "withinSeconds": 60}]"#,
                "$.surveys[0].atMost[1]: makes at most 3 within 30 s needless; leave one of them out"
            ),
            (
                #", "atMost": [{"count": 1, "withinSeconds": 0}]"#,
                "$.surveys[0].atMost[0].withinSeconds: must be greater than 0"
            ),
            (#", "atMost": []"#, "$.surveys[0].atMost: must hold 1 to 8 objects"),
            (#", "groups": ["nps"]"#, "$.surveys[0].groups: there is no group 'nps'; name it in 'groups' of the file"),
            (
                #", "audience": {"events": [{"name": "x", "atLeast": 1, "never": true}]}"#,
                "$.surveys[0].audience.events[0].never: contradicts 'atLeast'; give one of them"
            ),
            (
                #", "audience": {"events": [{"name": "x"}, {"name": "x", "never": true}]}"#,
                "$.surveys[0].audience.events[1]: contradicts another rule, by which 'x' must have come at least once; "
                    + "leave one of them out"
            ),
            (
                #", "audience": {"surveys": [{"id": "s", "was": "answered"}]}"#,
                "$.surveys[0].audience.surveys[0]: asks that the survey itself was answered before, so it would never "
                    + "be shown; leave it out"
            ),
            (
                #", "audience": {"surveys": [{"id": "o", "was": "answered", "atLeast": 2, "never": false}]}"#,
                "$.surveys[0].audience.surveys[0].atLeast: answers are not counted; leave it out, or ask for 'shown'"
            ),
            (
                #", "audience": {"session": "@user = ada"}"#,
                "$.surveys[0].audience.session: asks for '@user', and this looks at the metadata of the session only"
            ),
            (
                #", "audience": {"profile": "answers exists"}"#,
                "$.surveys[0].audience.profile: 'answers' is all answers together; ask for a value that the profile "
                    + "derives"
            ),
            (
                #", "audience": {"session": "plan = pro and plan = free"}"#,
                "$.surveys[0].audience.session: nothing fulfils this: 'plan' would have to be two things at once"
            ),
            (
                #", "audience": {"firstSeen": {}}"#,
                "$.surveys[0].audience.firstSeen.atLeastSeconds: is missing: say how long ago at least, or with "
                    + "'atMostSeconds' at most"
            ),
            (
                #", "audience": {"firstSeen": {"atLeastSeconds": 2, "atMostSeconds": 1}}"#,
                "$.surveys[0].audience.firstSeen.atMostSeconds: is less than 'atLeastSeconds', so it would never be shown"
            ),
            (#", "cancelOn": [{}]"#, "$.surveys[0].cancelOn[0]: the member 'event' is missing"),
        ])
    func refused(members: String, error: String) throws {
        let told = try Self.errors(members)
        #expect(told.contains(error), "\(told)")
    }

    @Test("spans that leave room for both rules are no contradiction, nor caps that both limit")
    func allowed() throws {
        let members = #"""
            , "audience": {"events": [{"name": "x"}, {"name": "x", "never": true, "withinSeconds": 60}]},
            "atMost": [{"count": 1, "withinSeconds": 60}, {"count": 3, "withinSeconds": 600}], "groups": ["g"]
            """#
        let file = #", "groups": {"g": {"atMost": [{"count": 1, "withinSeconds": 5}]}}"#
        #expect(try Self.errors(members, file: file) == [])
    }

    @Test("a schedule says itself how often and whom it asks")
    func schedule() throws {
        let survey =
            #"{"id": "s", "title": "T", "message": "M", "options": ["A", "B"], "trigger": {"schedule": "#
            + #"{"times": ["09:00"], "participants": "everybody"}}, "atMost": [{"count": 1, "withinSeconds": 5}], "#
            + #""cancelOn": [{"event": {"name": "x"}}], "audience": {"events": [{"name": "x"}]}}"#
        let errors = SurveyConfiguration.read(try Samples.json("{\"surveys\": [\(survey)]}")).issues.errors
        for member in ["atMost", "cancelOn", "audience"] {
            #expect(
                errors.contains {
                    $0.path == "$.surveys[0].\(member)" && $0.message.hasPrefix("contradicts the schedule")
                })
        }
    }
}
