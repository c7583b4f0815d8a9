import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// A client's subscription to executions.
@DaemonActor
final class ExecutionSubscription: ClientSubscription {
    let number: Int
    private let connection: ClientConnection
    private let app: String?
    private let desk: ExecutionDesk
    private var isCancelled = false

    init(number: Int, connection: ClientConnection, desk: ExecutionDesk, app: String?) {
        self.number = number
        self.connection = connection
        self.desk = desk
        self.app = app
    }

    func tell(_ stored: Stored<ExecutionRun>, of execution: Execution) {
        let run = stored.value
        let scope = run.key.scope
        guard !isCancelled, connection.peer.maySee(uid: scope.uid), app == nil || app.hasSameBytes(as: scope.app) else {
            return
        }
        var json = JSONWriter()
        Envelope.begin(.executionFired, in: &json)
        json.beginObject()
        json.key("subscription")
        json.int(number)
        json.key("execution")
        json.object(execution.document(showsProgram: connection.peer.isAdministrator))
        json.key("app")
        json.string(scope.app)
        json.key("uid")
        json.int(Int(scope.uid))
        run.writeCause(to: &json)
        json.key("at")
        json.timestamp(run.firedAt)
        json.key("runId")
        json.identifier(run.id)
        json.key("state")
        json.string(run.state.word)
        json.endObject()
        Envelope.end(&json)
        connection.enqueue(json.bytes)
    }

    func begin() { desk.add(self) }

    func cancel() {
        isCancelled = true
        desk.remove(self)
    }
}
