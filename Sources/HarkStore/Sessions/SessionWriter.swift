internal import HarkCore
internal import HarkWire

/// Writes sessions, and the current session of each scope. Belongs to the `StoreWriter`.
final class SessionWriter {
    let database: Database
    let doomed: DoomedSessions
    var room = SessionRoom()
    private lazy var insert = DeferredStatement(
        database,
        """
        INSERT INTO session(row, id, uid, app, user, started, ended, implicit, metadata, machineUid,
            machineSession)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private lazy var end = DeferredStatement(database, "UPDATE session SET ended = ? WHERE row = ?")
    private lazy var setCurrent = DeferredStatement(
        database, "INSERT OR REPLACE INTO current(uid, app, session) VALUES (?, ?, ?)")
    private lazy var clearCurrent = DeferredStatement(database, "DELETE FROM current WHERE uid = ? AND app = ?")

    init(_ database: Database) {
        self.database = database
        doomed = DoomedSessions(database)
    }

    func write(_ row: SessionRow) throws(StoreError) {
        switch row {
        case .insert(let session):
            let identity = session.identity
            room.take(identity)
            try insert().bind(1, identity.row).bind(2, identity.id.rawBytes)
                .bind(3, Int64(identity.scope.uid)).bind(4, identity.scope.app).bind(5, identity.userId)
                .bind(6, identity.startedAt.milliseconds).bind(7, session.endedAt?.milliseconds)
                .bind(8, identity.implicitColumn).bind(9, identity.metadata.bytes)
                .bind(10, identity.machineUID.map(Int64.init))
                .bind(11, identity.machineSession?.rawBytes).run()
        case .end(let row, let at):
            try end().bind(1, at.milliseconds).bind(2, row).run()
        case .setCurrent(let scope, let row?):
            try setCurrent().bind(1, Int64(scope.uid)).bind(2, scope.placeName).bind(3, row).run()
        case .setCurrent(let scope, nil):
            try clearCurrent().bind(1, Int64(scope.uid)).bind(2, scope.placeName).run()
        }
    }
}

extension SessionIdentity {
    /// The kind of the session as stored: 0 requested, 1 started by a first event, 2 made for entries, 3 for notices
    /// that no clear covers. Sessions from 2 on are in no list.
    fileprivate var implicitColumn: Int64 {
        if outlastsClears { return 3 }
        if isForLogs { return 2 }
        return isImplicit ? 1 : 0
    }
}
