import HarkCore
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// The counters and executions of the settings.
extension ExecutionDesk {
    /// Applies the settings. New or changed executions with `validateImmediately` are validated in every app that has
    /// counters, and in the apps of the daemon's own user that they are for.
    func configure(_ settings: Configuration) throws(WireError) {
        let configuration = settings.counters
        let before = ledger.settings.counters
        guard !isConfigured || configuration != before else { return }
        try ledger.decide { engine, changes, now in
            engine.configure(configuration, now: now, into: &changes)
        }
        let known = isConfigured ? before.executions : []
        isConfigured = true
        toValidate += configuration.executions.filter { $0.validateImmediately && !known.contains($0) }
        validate()
    }

    /// Tells the store the executions of the settings again, because an earlier commit may have been refused.
    func keepConfigured() throws(WireError) {
        try ledger.decide { engine, changes, now in
            engine.configure(engine.counters.configuration, now: now, into: &changes)
        }
    }

    /// Validates the pending executions, a batch of apps per turn. Apps that the store refuses are tried again when it
    /// recovers.
    func validate() {
        guard !toValidate.isEmpty, !isValidating else { return }
        let executions = toValidate
        toValidate = []
        isValidating = true
        DaemonActor.task { [self] in
            do throws(WireError) {
                let own = ownScopes(of: executions)
                try validate(executions, in: own)
                var last: Scope?
                while true {
                    let page = try ledger.lookUp { [last] reader throws(StoreError) in
                        try reader.scopesWithCounters(after: last, limit: 64)
                    }
                    try validate(executions, in: page.filter { !own.contains($0) })
                    try await ledger.settle()
                    guard let end = page.last else { break }
                    last = end
                }
                isValidating = false
                validate()
            } catch {
                isValidating = false
                toValidate = executions + toValidate
                Log.warning("executions that are to be validated immediately wait for the store: \(error.message)")
            }
        }
    }

    private func ownScopes(of executions: [Execution]) -> [Scope] {
        guard let ownUID else { return [] }
        let apps = Set(executions.map { ExactName($0.app ?? Scope.defaultApp) })
        return apps.sorted().map { Scope(uid: ownUID, app: $0.text) }
    }

    private func validate(_ executions: [Execution], in scopes: [Scope]) throws(WireError) {
        for scope in scopes {
            let ids = executions.map(\.id)
            let needs: [Need] = executions.map { .execution($0.id, raisesSurvey: $0.raisesSurvey, in: scope) }
            try ledger.decide(needing: .all(needs)) { engine, changes, now in
                engine.validate(ids, in: scope, source: Source(uid: scope.uid, pid: 0), now: now, into: &changes)
            }
        }
    }
}
