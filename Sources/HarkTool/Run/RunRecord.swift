import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// Records a program's events for `hark run`: its start, an overrun, and its end.
///
/// The program does not wait for them: events during the run are only sent, and replies are read when they arrive.
final class RunRecord {
    /// Names of the events during the run.
    static let begun = "run.started"
    static let overdue = "run.overdue"

    private let name: String
    private let program: String
    /// The start time, which together with the process number identifies the run.
    private let started = LocalTime.now
    private let arguments: Arguments
    private let properties: PropertyArguments
    private let console: Console
    private var connection: Connection?
    /// The request whose reply is awaited.
    private var awaited: Int64?
    private var earlier: EarlierRuns
    /// Why an event was not recorded. Printed at the end, unless the last event fails too and says as much.
    private var problem: String?

    /// The timeout for a connection while the daemon's queue of new ones is full, in seconds.
    private static let connecting = 2.0
    private static let patience = 10.0

    /// - Parameter properties: The properties on the command line.
    init(_ arguments: Arguments, _ properties: PropertyArguments, program: String, _ console: Console) {
        name = arguments[RunOptions.name] ?? program
        self.program = program
        earlier = EarlierRuns(of: name, app: arguments[.app])
        self.arguments = arguments
        self.properties = properties
        self.console = console
    }

    /// A descriptor that becomes readable when a reply may have come; -1 while none is awaited.
    var descriptor: CInt { awaited == nil ? -1 : connection?.descriptor ?? -1 }

    /// Sends an event about the running program.
    ///
    /// - Parameter add: Adds properties of this event to the common ones.
    func tell(_ event: String, pid: pid_t, _ add: (inout PropertyArguments) -> Void = { _ in }) {
        var all = properties
        all.add("run", name)
        put(into: &all, pid)
        if !all.has("host") { all.add("host", MachineName.own) }
        add(&all)
        do throws(ClientError) {
            // The daemon answers in order, so waiting for this reply skips earlier ones.
            awaited = try send(event, all)
        } catch {
            lose(error)
        }
    }

    /// Reads the reply that has come.
    func hear() {
        guard let id = awaited else { return }
        do throws(ClientError) {
            if let request = earlier.next(after: try heed(id)) {
                awaited = try submit(request)
                return
            }
            // A program may run for days, so its connection is closed.
            connection = nil
        } catch {
            lose(error)
        }
    }

    /// Records the end of the program, and waits until it is on disk.
    ///
    /// - Parameter pid: Nil if the program could not be started.
    func end(pid: pid_t?, _ add: (inout PropertyArguments) -> Void) {
        var all = properties
        put(into: &all, pid)
        add(&all)
        do throws(ClientError) {
            try heed(try send(name, all))
            lookForEarlier()
            if let problem {
                console.say("hark run: an event about its start or its long time could not be recorded: \(problem)")
            }
        } catch {
            console.say("hark run: the outcome could not be recorded: \(Self.line(error))")
        }
    }

    /// Checks earlier runs to the end, unless that was done during the run.
    private func lookForEarlier() {
        guard !earlier.isOver else { return }
        earlier = EarlierRuns(of: name, app: arguments[.app])
        do throws(ClientError) {
            var reply: JSONText?
            while let request = earlier.next(after: reply) { reply = try heed(try submit(request)) }
        } catch {
            // This run's end is recorded; the next run checks again.
        }
    }

    private func submit(_ request: any WireMethod) throws(ClientError) -> Int64 {
        // The connection exists by now.
        try connection?.submit(request) ?? 0
    }

    private func put(into properties: inout PropertyArguments, _ pid: pid_t?) {
        properties.add("program", program)
        if let pid { properties.add("pid", Int64(pid)) }
        properties.add("startedAt", started.description)
    }

    private func send(_ event: String, _ properties: PropertyArguments) throws(ClientError) -> Int64 {
        if connection == nil { connection = try Connection(patience: Self.connecting) }
        connection?.patience = Self.patience
        var request = EventRecord(event, AnyJSON(text: properties.json), app: arguments[.app])
        request.userId = arguments[RunOptions.user]
        request.unattended = request.userId == nil ? true : nil
        return try submit(request)
    }

    @discardableResult
    private func heed(_ id: Int64) throws(ClientError) -> JSONText? {
        guard let result = try connection?.result(of: id) else { return nil }
        awaited = nil
        if !arguments.has(.quiet) { Warnings.say(result, console) }
        return result
    }

    private func lose(_ error: ClientError) {
        problem = Self.line(error)
        awaited = nil
        connection = nil
    }

    private static func line(_ error: ClientError) -> String {
        error.message.split(separator: "\n").map { VisibleText.make(String($0)) }.joined(separator: " ")
    }
}
