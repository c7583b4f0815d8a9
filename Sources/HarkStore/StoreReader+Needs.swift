package import HarkCore

extension StoreReader {
    /// Reads the data that a command lacks. The engine knows the needs of commands (`Engine.bring`).
    package func read(_ lack: Lack) throws(StoreError) -> Supply {
        switch lack {
        case .scope(let scope): return .scope(scope, current: try currentSession(of: scope))
        case .user(let user): return .user(user, try surveys.state(of: user))
        case .holding(let holding, let uid): return .holding(holding, of: uid, try amount(of: holding, uid))
        case .wishes: return .wishes(try wishes(), quiet: try quietHours())
        case .quotas: return .quotas(try quotas(), credits: try credits())
        case .eventRules: return .eventRules(try eventRules())
        case .watches: return .watches(try watches())
        case .producer(let producer): return .producer(producer, try mark(of: producer))
        case .deviceId: return .deviceId(try meta(Engine.deviceIdKey))
        case .forms(let user): return .forms(try forms.forms(of: user), of: user)
        case .counters(let scope):
            let current = try currentSession(of: scope)
            return .counters(try counters.state(of: scope), of: scope, current: current)
        case .listeners(let name, let scope):
            return .listeners(try counters.listeners(to: name, in: scope), to: name, in: scope)
        case .executedEvents: return .executedEvents(try counters.executedEvents())
        case .execution(let key): return .execution(key, try counters.execution(key))
        case .presentation(let id): return .presentation(try surveys.presentation(id))
        case .prompt(let id): return .prompt(try surveys.presentations(ofPrompt: id))
        case .schedule(let key): return .schedule(try surveys.schedule(after: key, limit: SurveySchedule.page))
        case .usersShown: return .usersShown(try surveys.usersWithShown())
        case .usersWaiting(let scope): return .users(try surveys.usersWaiting(in: scope, limit: 16))
        case .usersHeld(let due, let uid): return .users(try usersHeld(until: due, of: uid))
        case .other(let need):
            guard let need = need as? any StoredNeed else { throw StoreError(.internal, "nobody can read \(need)") }
            return .other(try need.read(by: self))
        }
    }
}

/// A need of a family that no other family calls, with the method that reads it.
package protocol StoredNeed: FamilyNeed {
    func read(by reader: StoreReader) throws(StoreError) -> any FamilySupply
}
