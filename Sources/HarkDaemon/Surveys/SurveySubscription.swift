import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// A client's subscription to surveys, as a presenter or not.
struct SurveyTerms {
    let desk: SurveyDesk
    let isPresenter: Bool
    let app: String?
    let locale: String?
    let surface: Surface
    /// The surveys offered to this presenter, until the commit with the offer is published.
    fileprivate var expected: Set<Identifier> = []
    fileprivate var offered: Identifier?
    /// The surveys returned by this presenter, which are not offered to it again.
    var passed: Set<Identifier> = []

    init(desk: SurveyDesk, isPresenter: Bool, app: String?, locale: String?, surface: Surface) {
        (self.desk, self.isPresenter, self.app) = (desk, isPresenter, app)
        (self.locale, self.surface) = (locale, surface)
    }
}

typealias SurveySubscription = Subscription<SurveyTerms>

extension SurveySubscription {
    var isPresenter: Bool { terms.isPresenter }

    /// Whether it presents in a scope. A presenter sees only scopes of its own uid, even that of root.
    func wants(_ scope: Scope) -> Bool {
        scope.uid == connection.peer.uid && (terms.app == nil || terms.app.hasSameBytes(as: scope.app))
    }

    func expect(_ id: Identifier) {
        terms.expected.insert(id)
        terms.offered = id
    }

    /// Whether nothing may be offered now: it still shows its last offer, of any app; or it is a kiosk, which alone
    /// knows when a visitor is present.
    var isBusy: Bool { isKiosk || terms.offered.map { terms.desk.isLeased($0, to: connection) } ?? false }
    var isKiosk: Bool { isPresenter && terms.surface == .kiosk }
    var kioskPlace: KioskPlace? { isKiosk ? KioskPlace(uid: connection.peer.uid, app: terms.app) : nil }

    func tell(_ told: Stored<Presentation>, _ survey: Survey?) {
        let presentation = told.value
        if !presentation.state.isOpen { terms.passed.remove(presentation.id) }
        guard connection.peer.maySee(uid: presentation.user.uid),
            terms.app == nil || terms.app.hasSameBytes(as: presentation.app)
        else { return }
        let shape: NotificationShape
        // If the store refused this offer, another presenter may have the survey now.
        if presentation.state == .presented, terms.expected.remove(presentation.id) != nil,
            terms.desk.isLeased(presentation.id, to: connection)
        {
            shape = .surveyPresent
        } else {
            switch presentation.state {
            case .scheduled: shape = .surveyScheduled
            case .ready: shape = .surveyReady
            case .presented: shape = .surveyPresented
            case .answered, .dismissed, .expired, .cancelled: shape = .surveyClosed
            }
        }
        notify(shape) { json in
            json.key("survey")
            presentation.told(to: connection.peer.uid).write(to: &json, survey: survey)
        }
    }
}
