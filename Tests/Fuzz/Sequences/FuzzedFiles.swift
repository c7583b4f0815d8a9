import FoundationEssentials

/// The variants of the daemon's files that the fuzzer puts in place: good, other, broken, empty and gone.
enum FuzzedFiles {
    static let names = ["harkd.json", "surveys.json", "forms.json", "flags.json"]
    /// The content of a file that only administrators may read.
    static let secret = "secret-of-file"

    private static let fixtures = String(#filePath.dropLast("Fuzz/Sequences/FuzzedFiles.swift".count)) + "Fixtures/"

    private static func fixture(_ name: String) -> String? {
        // Without the fixtures, as when the program was moved elsewhere, it does with what stands here.
        (try? Data(contentsOf: URL(filePath: fixtures + name))).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let common = """
        "notify": {"command": ["/bin/true", "\(secret)"], "timeoutSeconds": 5},
        "counters": {"plain": {}, "taps": {"initial": 1.5, "scope": "instance", "app": "shop"}},
        "executions": [{"id": "tell", "listensTo": ["opens", "taps"], "run": {"notify": true}, "keepAlive": true},
            {"id": "program", "when": {"n0": {"op": "gte", "value": 3}}, "run": {"exec": ["/bin/true", "\(secret)"]}},
            {"id": "ask", "when": {"any": [{"opens": 7}, {"plain": {"op": "exists"}}]}, "run": {"survey": "rating"}}]
        """

    /// The smallest `limits.lineBytes` of the settings.
    static let leastLineBytes = 4_096

    private static let settings: [String?] = [
        "{\(common)}",
        """
        {\(common), "debug": "debug", "retention": {"maxSessionsPerUser": 3}, "flags": {"file": "flags.json"},
         "destinations": [{"name": "hook", "kind": "http", "url": "http://127.0.0.1:9/in", "retryBaseSeconds": 0.5,
            "headers": {"X-Key": "\(secret)"}}, {"name": "core", "kind": "sensorcore", "host": "http://127.0.0.1:9/",
            "maxPendingLogs": 5, "kinds": ["log"], "maxAttempts": 1, "retryBaseSeconds": 0.1}]}
        """,
        #"{"notify": null, "archive": false, "limits": {"queuedBytes": 65536, "lineBytes": \#(leastLineBytes)}}"#,
        #"{"retention": "forever", "archiv": true}"#,
        #"{"notify": "#,
        nil,
    ]

    /// Settings that a daemon starts with: it does not start with broken ones.
    static func startsWith(settings variant: Int) -> Bool { variant != 3 && variant != 4 }

    private static let surveys: [String?] = [
        """
        {"surveys":[{"id":"rating","title":"Quick question","message":"How was it?","options":["Great","Okay","Poor"],
        "oncePerSession":false,"trigger":{"event":{"name":"checkout_success"}}},
        {"id":"words","title":"W","message":"M","response":{"type":"text","minLength":2,"maxLength":9},
        "maxAttempts":3,"trigger":{"event":{"name":"door_opened","scheduleAfterSeconds":0.2}}},
        {"id":"kinds","title":"K","message":"M","trigger":{"event":{"name":"kinds_asked"}},"questions":[
        {"id":"a","type":"single","question":"Q","options":["x","y"],"other":true,"shuffle":"exceptLast"},
        {"id":"b","question":"Z","pattern":"(?i)[a-z]{2,5}","patternMessage":"Letters."},
        {"id":"c","type":"matrix","question":"M","rows":["r",{"id":"s","required":false}],"columns":["x","y"]}]},
        {"id":"counted","title":"C","message":"M","response":{"type":"combined","options":["A","B"],
        "textField":{"label":"More"}},"trigger":{"counters":{"opens":{"op":"gte","value":2}}}}]}
        """,
        fixture("surveys/extended.json"), fixture("surveys/counters.json"),
        #"{"surveys":[{"id":"rating","title":"Other","message":"?","options":["One","Two"],"#
            + #""trigger":{"event":{"name":"checkout_success","properties":{"n":{"op":"gt","value":1}}}}}]}"#,
        #"{"surveys":[{"id":"rating"}]}"#, #"{"surveys":[]}"#, #"{"surveys":["#, nil,
    ]

    private static let forms: [String?] = [
        """
        {"forms": [{"id": "start", "title": "Before", "questions": [
            {"id": "goal", "type": "single", "question": "Goal?", "options": ["Sleep", "Focus"]},
            {"id": "tried", "type": "multiple", "question": "Tried?", "options": ["Music", "Walks", "Tea"]}]},
            {"id": "sent", "title": "Sent", "submitURL": "http://127.0.0.1:9/answers", "questions": [
            {"id": "q", "type": "text", "question": "Why?"}]}],
         "profile": {"form": "start", "values": {
            "welcome": {"question": "goal", "cases": {"Sleep": "Good night!", "Focus": "Good morning!"}}},
          "summary": ["{welcome}"]}}
        """,
        fixture("forms/rules.json"), fixture("forms/refused/no-id.json"), #"{"forms":[]}"#, "{", nil,
    ]

    private static let flags: [String?] = [
        #"{"show_new_onboarding":true,"api_timeout_seconds":2.5,"max_retries":3}"#, #"{"max_retries":"3"}"#, "[]", nil,
    ]

    static func variants(of name: String) -> [String?] {
        switch name {
        case "harkd.json": settings
        case "surveys.json": surveys
        case "forms.json": forms
        default: flags
        }
    }
}
