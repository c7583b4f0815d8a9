package import HarkCore
import HarkSystem
package import HarkWire

/// A session of an export.
package struct ExportedSession {
    package let id: Identifier
    /// The owner of the session.
    package let uid: UInt32?
    package let app: String
    package let userId: String?
    package let metadata: Properties
    /// Metadata keys whose values were null.
    package let dropped: [String]
    package let startedAt: Timestamp
    package let endedAt: Timestamp?

    /// - Throws: The first fault.
    package init(_ given: Params) throws(WireError) {
        id = try given.required("id", .identifier)
        uid = try given.uid()
        app = try given.read("app", .string) ?? Scope.defaultApp
        userId = try given.read("userId", .string)
        (metadata, dropped) = try given.properties("metadata", .anObject(.properties))
        startedAt = try given.required("startedAt", .time)
        endedAt = try given.read("endedAt", .time)
    }
}

/// An event of an export.
package struct ExportedEvent {
    /// The recorder of the event, if the export names one.
    package typealias Source = (uid: UInt32?, pid: Int32?)

    package let id: Identifier
    package let name: String
    package let at: Timestamp
    package let properties: Properties
    /// Property keys whose values were null.
    package let dropped: [String]
    package let source: Source?

    package init(
        id: Identifier, name: String, at: Timestamp, properties: Properties, source: Source?
    ) throws(WireError) {
        try Limits.check(eventName: name)
        (self.id, self.name, self.at, self.properties, self.source) = (id, name, at, properties, source)
        dropped = []
    }

    /// - Throws: The first fault.
    package init(_ given: Params) throws(WireError) {
        id = try given.required("id", .identifier)
        name = try given.required("name", .string)
        at = try given.required("timestamp", .time)
        (properties, dropped) = try given.properties("properties", .eventProperties)
        let source = try given.read("source", .object).map { Params(object: $0) }
        if let source {
            let uid = try source.uid()
            let pid = try source.read("pid", MemberType<Int64>.integer(in: 0...Int64(Int32.max)))
            self.source = (uid, pid.map(Int32.init))
        } else {
            self.source = nil
        }
        try Limits.check(eventName: name)
    }

    /// Writes the result of an import: the event's number, or null if it was here already. It is written by hand, as each
    /// event is answered so.
    package func writeResult(_ recorded: Recorded?, to json: inout JSONWriter) {
        json.key("id")
        json.identifier(id)
        json.key("seq")
        if let recorded { json.uint(recorded.sequence) } else { json.null() }
        json.key("imported")
        json.bool(recorded != nil)
    }

    /// The recorder to store; only root may name somebody else.
    package func source(from peer: Peer) -> HarkCore.Source {
        let uid = source?.uid ?? peer.uid
        guard let source, peer.uid == 0 || uid == peer.uid else {
            return HarkCore.Source(uid: peer.uid, pid: peer.credentials.pid)
        }
        return HarkCore.Source(uid: uid, pid: source.pid ?? 0)
    }
}

extension Params {
    fileprivate func uid() throws(WireError) -> UInt32? {
        try read("uid", MemberType<Int64>.uid).map(UInt32.init)
    }
}

extension WireError {
    /// The error with the path of a member of an object parameter.
    package func inside(_ parameter: String) -> WireError {
        let inner = path.map { $0.hasPrefix("$.params.") ? String($0.dropFirst("$.params.".count)) : $0 }
        return WireError(reason, message, path: inner.map { "\(Params.path(parameter)).\($0)" })
    }
}
