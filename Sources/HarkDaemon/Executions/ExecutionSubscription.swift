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
        let fired = ExecutionFired(run, of: execution, showsProgram: connection.peer.isAdministrator)
        connection.notify(.executionFired, of: number, fired.writeMembers)
    }

    func begin() { desk.add(self) }

    func cancel() {
        isCancelled = true
        desk.remove(self)
    }
}

extension ExecutionFired {
    fileprivate init(_ run: ExecutionRun, of execution: Execution, showsProgram: Bool) {
        self.init()
        self.execution.definition = ExecutionDefinition(execution, showsProgram: showsProgram)
        self.execution.app = execution.app
        app = run.key.scope.app
        uid = Int64(run.key.scope.uid)
        let cause = ExecutionCause(run)
        (counter, value, event) = (cause.counter, cause.value, cause.event)
        at = run.firedAt
        runId = run.id
        state = run.state.word
    }
}
