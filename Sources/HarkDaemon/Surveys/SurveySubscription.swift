import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// A client's subscription to surveys, as a presenter or not.
@DaemonActor
final class SurveySubscription: ClientSubscription {
    let number: Int
    let connection: ClientConnection
    let isPresenter: Bool
    let locale: String?
    let surface: Surface
    private let app: String?
    private let desk: SurveyDesk
    /// The surveys offered to this presenter, until the commit with the offer is published.
    private var expected: Set<Identifier> = []
    private var offered: Identifier?
    /// The surveys returned by this presenter, which are not offered to it again.
    private(set) var passed: Set<Identifier> = []

    init(
        number: Int, connection: ClientConnection, desk: SurveyDesk, isPresenter: Bool, app: String?, locale: String?,
        surface: Surface
    ) {
        self.number = number
        self.connection = connection
        self.desk = desk
        self.isPresenter = isPresenter
        self.app = app
        self.locale = locale
        self.surface = surface
    }

    /// Whether it presents in a scope: only scopes of its own uid, whatever the uid.
    func wants(_ scope: Scope) -> Bool {
        scope.uid == connection.peer.uid && (app == nil || app.hasSameBytes(as: scope.app))
    }

    func expect(_ id: Identifier) {
        expected.insert(id)
        offered = id
    }

    /// Whether nothing may be offered now: it still shows its last offer, of any app; or it is a kiosk, which alone
    /// knows when a visitor is present.
    var isBusy: Bool { isKiosk || offered.map { desk.isLeased($0, to: connection) } ?? false }
    var isKiosk: Bool { isPresenter && surface == .kiosk }
    var kioskPlace: KioskPlace? { isKiosk ? KioskPlace(uid: connection.peer.uid, app: app) : nil }

    func pass(_ id: Identifier) { passed.insert(id) }

    func unpass(_ id: Identifier) { passed.remove(id) }

    func tell(_ told: Stored<Presentation>, _ survey: Survey?) {
        let presentation = told.value
        if !presentation.state.isOpen { passed.remove(presentation.id) }
        guard connection.peer.maySee(uid: presentation.user.uid), app == nil || app.hasSameBytes(as: presentation.app)
        else { return }
        let notification: NotificationShape
        // If the store refused this offer, another presenter may have the survey now.
        if presentation.state == .presented, expected.remove(presentation.id) != nil,
            desk.isLeased(presentation.id, to: connection)
        {
            notification = .surveyPresent
        } else {
            switch presentation.state {
            case .scheduled: notification = .surveyScheduled
            case .ready: notification = .surveyReady
            case .presented: notification = .surveyPresented
            case .answered, .dismissed, .expired, .cancelled: notification = .surveyClosed
            }
        }
        connection.notify(notification, of: number) { json in
            json.key("survey")
            presentation.told(to: connection.peer.uid).write(to: &json, survey: survey)
        }
    }

    func begin() { desk.add(self) }

    func cancel() { desk.remove(self) }
}
