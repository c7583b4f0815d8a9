import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// A subscription to executions, of one app or of all.
extension Subscription<String?> {
    func tell(_ stored: Stored<ExecutionRun>, of execution: Execution) {
        let run = stored.value
        let scope = run.key.scope
        guard connection.peer.maySee(uid: scope.uid), terms == nil || terms.hasSameBytes(as: scope.app) else { return }
        notify(.executionFired) { json in
            ExecutionFired(run, of: execution, showsProgram: connection.peer.isAdministrator).writeMembers(to: &json)
        }
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
