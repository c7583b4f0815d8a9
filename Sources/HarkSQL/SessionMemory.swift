import HarkClient
import HarkWire

/// Sessions that a statement has looked up by id.
final class SessionMemory {
    private var known: [Identifier: JSONText?] = [:]
    private var missed = 0
    private var isFilled = false

    /// The maximum number of sessions to keep, at some hundred bytes each.
    private static let most = 20_000
    /// The number of separate look-ups after which the newest sessions are fetched page by page.
    private static let patience = 32

    /// Returns a session as in `session.list`; nil if it does not exist or this user may not see it.
    func session(_ id: Identifier, _ feed: Feed) throws -> JSONText? {
        if let session = known[id] { return session }
        missed += 1
        if missed > Self.patience, !isFilled {
            try fill(feed)
            if let session = known[id] { return session }
        }
        if known.count >= Self.most { known = [:] }
        let session: JSONText?
        do {
            let result = try feed.call(SessionGet(id.description))
            session = result.member("session").map { JSONText(ArraySlice(Array($0.bytes))) }
        } catch let error as ClientError where error.reason == .notFound {
            session = nil
        }
        known[id] = .some(session)
        return session
    }

    private func fill(_ feed: Feed) throws {
        isFilled = true
        var request = SessionList()
        (request.order, request.limit) = (.desc, ListPages.size)
        let newest = ListPages(feed, "sessions", request)
        while known.count < Self.most, let session = try newest.next() {
            guard let id = session.member("id")?.string.flatMap({ Identifier($0) }) else { continue }
            known[id] = .some(JSONText(ArraySlice(Array(session.bytes))))
        }
    }

    func forget() {
        known = [:]
        missed = 0
        isFilled = false
    }
}
