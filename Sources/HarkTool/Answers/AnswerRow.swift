import HarkClient
import HarkWire

/// One showing as `survey.history` tells it, its members found in one pass.
struct AnswerRow {
    /// What became of one question.
    struct Item {
        var answer: JSONText?
        var seconds: JSONText?
        var changes: JSONText?
    }

    /// Why there is no answer.
    enum Missing: Int {
        /// Nobody was asked: the question was not in that version, or not on the way that was taken, or the survey ended before.
        case notAsked = -77
        /// It was before the person, who did not answer it.
        case passedOver = -99
    }

    private(set) var id: JSONText?
    private(set) var state: JSONText?
    private(set) var user: JSONText?
    private(set) var app: JSONText?
    private(set) var session: JSONText?
    private(set) var due: JSONText?
    private(set) var presented: JSONText?
    private(set) var closed: JSONText?
    private(set) var reason: JSONText?
    private(set) var language: JSONText?
    private(set) var version: String?
    private(set) var machine: JSONText?
    private(set) var group: JSONText?
    private(set) var properties: JSONText?
    private(set) var revises: JSONText?
    private(set) var revisedBy: JSONText?
    private(set) var planned: JSONText?
    private(set) var notified: JSONText?
    private(set) var opened: JSONText?
    private(set) var reminders: JSONText?
    private(set) var lastReminder: JSONText?
    private(set) var firstAnswer: JSONText?
    private(set) var answered: JSONText?
    private(set) var surface: JSONText?
    private(set) var zone: JSONText?
    private(set) var offset: JSONText?
    private(set) var seconds: JSONText?
    /// By the place of the question in the survey.
    private(set) var items: [Item]
    /// Whether it has an answer to a question that the survey is not known to have asked.
    private(set) var hasUnknown = false

    init(_ presentation: JSONText, of survey: SurveyVersions) {
        items = Array(repeating: Item(), count: survey.questions.count)
        var (answers, times): (JSONText?, JSONText?)
        presentation.forEachMember { key, value in
            switch true {
            case key.isEqual("presentationId"): id = value
            case key.isEqual("state"): state = value
            case key.isEqual("userId"): user = value
            case key.isEqual("app"): app = value
            case key.isEqual("sessionId"): session = value
            case key.isEqual("triggerAt"): due = value
            case key.isEqual("presentedAt"): presented = value
            case key.isEqual("closedAt"): closed = value
            case key.isEqual("reason"): reason = value
            case key.isEqual("language"): language = value
            case key.isEqual("version"): version = value.string
            case key.isEqual("machine"): machine = value
            case key.isEqual("group"): group = value
            case key.isEqual("properties"): properties = value
            case key.isEqual("revises"): revises = value
            case key.isEqual("revisedBy"): revisedBy = value
            case key.isEqual("answers"): answers = value
            case key.isEqual("times"): times = value
            default: break
            }
            return true
        }
        if let times { read(times, of: survey) }
        answers?.forEachMember { key, value in
            if let place = Self.place(of: key, in: survey) { items[place].answer = value } else { hasUnknown = true }
            return true
        }
    }

    private mutating func read(_ times: JSONText, of survey: SurveyVersions) {
        times.forEachMember { key, value in
            switch true {
            case key.isEqual("plannedAt"): planned = value
            case key.isEqual("notifiedAt"): notified = value
            case key.isEqual("reminders"): reminders = value
            case key.isEqual("lastReminderAt"): lastReminder = value
            case key.isEqual("openedAt"): opened = value
            case key.isEqual("firstAnswerAt"): firstAnswer = value
            case key.isEqual("answeredAt"): answered = value
            case key.isEqual("surface"): surface = value
            case key.isEqual("zone"): zone = value
            case key.isEqual("utcOffsetMinutes"): offset = value
            case key.isEqual("seconds"): seconds = value
            case key.isEqual("items"):
                value.forEachMember { key, item in
                    guard let place = Self.place(of: key, in: survey) else { return true }
                    items[place].seconds = item.member("seconds")
                    items[place].changes = item.member("changes")
                    return true
                }
            default: break
            }
            return true
        }
    }

    /// - Parameter key: as it stands between its quotes.
    private static func place(of key: ArraySlice<UInt8>, in survey: SurveyVersions) -> Int? {
        guard key.contains(.backslash) else { return survey.questions.firstIndex { key.elementsEqual($0.id.utf8) } }
        let name = JSONText(ArraySlice([.quote] + key + [.quote])).string ?? ""
        return survey.questions.firstIndex { $0.id.utf8.elementsEqual(name.utf8) }
    }

    var isAnswered: Bool { state?.bytes.isEqual("\"answered\"") ?? false }

    /// When somebody was shown it, or was to be.
    var time: Timestamp? { (presented ?? planned ?? due)?.string.flatMap { Timestamp($0) } }

    /// Why a question has no answer; nil where it has one.
    func missing(_ place: Int, in survey: SurveyVersions) -> Missing? {
        let item = items[place]
        guard item.answer == nil else { return nil }
        if item.seconds != nil { return .passedOver }
        guard isAnswered, let number = version.flatMap({ survey.places[$0] }) else { return .notAsked }
        let shown = survey.versions[number]
        return shown.isOneSheet && shown.questions.contains(survey.questions[place].id) ? .passedOver : .notAsked
    }

    /// What the clocks there showed when it was opened, or came.
    var localTime: String {
        guard let offset = offset?.int, let time = (opened ?? presented ?? notified ?? planned)?.string,
            let moment = Timestamp(time)
        else { return "" }
        return String(moment.adding(milliseconds: offset * 60_000).description.prefix(19))
    }

    /// From the notification to the questions.
    var latency: String {
        guard let opened = opened?.string.flatMap({ Timestamp($0) }),
            let notified = notified?.string.flatMap({ Timestamp($0) })
        else { return "" }
        return String(Double(opened.milliseconds - notified.milliseconds) / 1_000)
    }
}
