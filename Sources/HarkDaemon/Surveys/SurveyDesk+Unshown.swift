import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Why nobody sees surveys that are ready.
extension SurveyDesk {
    /// The explanation for everybody that no presenter is there.
    private static let noPresenter =
        "nothing here shows surveys: neither an app nor 'hark agent' is connected for this account, and there is no "
        + "notify hook; 'hark ask' shows waiting surveys"

    /// Why nothing would show a ready survey in a scope; nil: a presenter or a notification does.
    ///
    /// - Parameter isAdministrator: Whether to include the output of the hook.
    func absence(in scope: Scope, _ isAdministrator: Bool) -> String? {
        if hasPresenter(in: scope) { return nil }
        guard hooks.settings.arguments != nil else { return SurveyDesk.noPresenter }
        if let trouble = hooks.trouble {
            return isAdministrator ? trouble : "its notification could not be shown"
        }
        guard !hooks.settings.mayHaveDesktop else { return nil }
        return
            "there is no desktop for a notification here, and neither an app nor 'hark agent' is connected; 'hark "
            + "ask' shows waiting surveys"
    }

    /// Why a waiting survey is not shown; nil: it is, as far as is known.
    func reason(of waiting: SurveyExplanation.Waiting, in scope: Scope, _ isAdministrator: Bool) -> String? {
        if let reason = waiting.reason ?? absence(in: scope, isAdministrator) { return reason }
        let presenters = watchers.filter { $0.isPresenter && $0.wants(scope) }
        if presenters.isEmpty {
            return hooks.settled.contains(waiting.presentation)
                ? "its notification was closed without a choice; 'hark ask' asks it" : nil
        }
        if presenters.allSatisfy(\.isKiosk) {
            return "the kiosk shows another one, or rests until the next visitor comes"
        }
        if presenters.allSatisfy({ $0.terms.passed.contains(waiting.presentation) }) {
            return "the program that shows surveys has given it back, and does not get it again; 'hark ask' asks it"
        }
        return presenters.allSatisfy(\.isBusy) ? "the program that shows surveys is busy with another one" : nil
    }

    /// Why nobody sees the ready surveys of a uid, or of all (nil), in one sentence; nil: no reason is known.
    func unseen(of uid: UInt32?, _ isAdministrator: Bool) throws(WireError) -> String? {
        if isAdministrator, let trouble = hooks.trouble { return trouble }
        let scopes = try ledger.lookUp { reader throws(StoreError) in try reader.scopesWithReady() }
        for scope in scopes where uid == nil || uid == scope.uid {
            guard let reason = absence(in: scope, isAdministrator) else { continue }
            let whose = options.isSystem ? " of uid \(scope.uid)" : ""
            return "what is ready in app '\(scope.app)'\(whose) is not shown: \(reason)"
        }
        return nil
    }

    /// The problems for `hark status` and `hark doctor`.
    var unseen: [Trouble] {
        if let trouble = hooks.trouble { return [("notify", trouble)] }
        do throws(WireError) {
            return try unseen(of: nil, true).map { [(SurveyDesk.waiting, $0)] } ?? []
        } catch {
            // An unreadable store is reported elsewhere.
            return []
        }
    }

    /// Not a fault, as long as nobody has come yet.
    private static var waiting: String { "waiting surveys" }
}
