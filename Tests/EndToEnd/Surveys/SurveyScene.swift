import Foundation
import HarkWire

/// A daemon with surveys of a test's own.
struct SurveyScene {
    let home: DaemonHome

    /// Nobody is told of a survey unless the configuration says how.
    init(_ surveys: String, configuration: String = #"{"notify": null}"#) throws {
        home = try DaemonHome()
        try home.configure(configuration)
        try write(surveys)
    }

    /// Puts surveys into force, in the way of most editors: a new file takes the place of the old one.
    func write(_ surveys: String) throws {
        try home.files.write(surveys, to: "config/surveys.json.new")
        let (old, new) = (home.configuration + "/surveys.json.new", home.configuration + "/surveys.json")
        try check("rename") { rename(old, new) }
    }

    /// One of the example configurations, with its delay of an hour made short.
    static func example(_ name: String, delay: Double? = nil) throws -> String {
        let top = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "EndToEnd" }.joined(separator: "/")
        let text = try String(contentsOfFile: "\(top)/Fixtures/surveys/\(name)", encoding: .utf8)
        guard let delay else { return text }
        return text.replacing(#""scheduleAfterSeconds": 3600"#, with: #""scheduleAfterSeconds": \#(delay)"#)
    }

    /// A survey of buttons that comes with the event `go`.
    static func plain(_ id: String, title: String = "How is it?", more: String = "", event: String = #"{"name":"go"}"#)
        -> String
    {
        #"{"id":"\#(id)","title":"\#(title)","message":"Tell us","response":{"type":"options","options":["Good","Bad"]},"#
            + #""trigger":{"event":\#(event)}\#(more)}"#
    }

    static func document(_ surveys: String...) -> String { #"{"surveys":[\#(surveys.joined(separator: ","))]}"# }

    /// How often each answer to a survey's first question was given, by the store and not only by the daemon.
    func answers(_ survey: String, afterKilling daemon: DaemonProcess) throws -> [JSONValue] {
        daemon.kill()
        let next = try home.start()
        return try next.connect().results(survey)["questions"]?[0]?["answers"]?.arrayValue ?? []
    }
}

/// What the tests do to surveys.
extension SocketClient {
    @discardableResult
    func startSession(_ user: String?, app: String = "default") throws -> String {
        let user = user.map { #""userId":"\#($0)","# } ?? ""
        return try call("session.start", #"{\#(user)"app":"\#(app)"}"#)["session"]?["id"]?.text ?? ""
    }

    func record(_ name: String, _ properties: String = "{}", app: String = "default") throws {
        try call("event.record", #"{"name":"\#(name)","properties":\#(properties),"app":"\#(app)"}"#)
    }

    func pending(_ filter: String = "{}") throws -> [JSONValue] {
        try call("survey.pending", filter)["surveys"]?.arrayValue ?? []
    }

    /// Waits until exactly one survey waits, in a state, and returns it.
    @discardableResult
    func waitForOne(_ state: String, _ filter: String = "{}", within seconds: Double = 20) throws -> JSONValue {
        var found: [JSONValue] = []
        try waitUntil("one survey is \(state); there are \(found)", within: seconds) {
            found = try pending(filter)
            return found.count == 1 && found[0]["state"]?.stringValue == state
        }
        return found[0]
    }

    func presentNext(app: String = "default") throws -> JSONValue {
        try call("survey.present", #"{"app":"\#(app)"}"#)["survey"] ?? .null
    }

    /// The events that surveys left, in order.
    func surveyEvents(_ filter: String = "") throws -> [JSONValue] {
        try call("event.list", #"{"name":"survey_*","limit":10000\#(filter)}"#)["events"]?.arrayValue ?? []
    }

    func results(_ survey: String) throws -> JSONValue {
        try call("survey.results", #"{"surveyId":"\#(survey)"}"#)
    }

    /// The checks of `survey.explain` that fail.
    func failedChecks(_ survey: String) throws -> [String] {
        try call("survey.explain", #"{"surveyId":"\#(survey)"}"#)["checks"]?.arrayValue?
            .filter { $0["passed"] == false }.compactMap { $0["check"]?.stringValue } ?? []
    }

    /// Becomes a presenter.
    func presentHere(_ more: String = "") throws {
        try call("survey.subscribe", #"{"presenter":true\#(more)}"#)
    }

    /// The next survey that is brought here to be presented.
    func nextToPresent(within seconds: Double = 20) throws -> JSONValue {
        while true {
            let notification = try notification(within: seconds)
            if notification["method"] == "survey.present" { return notification["params"]?["survey"] ?? .null }
        }
    }
}

extension JSONValue {
    /// The id of a presentation as the params of a request, with more members after it.
    func params(_ more: String = "") throws -> String {
        guard let id = self["presentationId"]?.stringValue else { throw Failure("not a presentation: \(self)") }
        return #"{"presentationId":"\#(id)"\#(more)}"#
    }
}
