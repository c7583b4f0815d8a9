import HarkCore
import HarkWire

extension PromptQuestion {
    static func sample(_ name: String = "prompt", fallback: JSONValue? = nil) throws -> PromptQuestion {
        try PromptQuestion(name: name, title: "Deploy now?", kind: .options(["Yes", "No"]), fallback: fallback)
    }
}

extension Stage {
    /// Asks accounts of the machine, in the app `default`.
    @discardableResult
    mutating func ask(
        _ question: PromptQuestion, id: Identifier? = nil, uids: [UInt32] = [Stage.uid], timeout: Int64 = Stage.hour,
        source: Source? = nil
    ) throws -> PromptStanding {
        let scopes = uids.map { Scope(uid: $0, app: Scope.defaultApp) }
        for scope in scopes { disk.bring(.asking(in: scope), to: &engine) }
        defer { step() }
        return try engine.ask(
            question, id: id, in: scopes, timeout: timeout, source: source ?? self.source, now: now, into: &changes)
    }

    mutating func cancel(_ id: Identifier, uid: UInt32? = Stage.uid) throws -> PromptStanding {
        disk.bring(.prompt(id), to: &engine)
        defer { step() }
        return try engine.cancelPrompt(id, reason: .withdrawn, visibleTo: uid, now: now, into: &changes)
    }

    mutating func standing(_ id: Identifier, uid: UInt32? = Stage.uid) throws -> PromptStanding {
        disk.bring(.prompt(id), to: &engine)
        return try engine.prompt(id, visibleTo: uid)
    }
}
