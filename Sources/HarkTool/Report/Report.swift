import HarkAsking
import HarkClient
import HarkWire

/// The content of a report, as the daemon counted it.
struct Report {
    /// The name of the machine.
    var machine = ""
    /// The headline; nil for the name of the machine.
    var title: String?
    /// Name, version and mode of the daemon.
    var daemon = ""
    var made: Timestamp
    /// The time of the report; nil without events if none was given.
    var range: ClosedRange<Timestamp>?
    /// The time of the same length before it, if its beginning is given.
    var past: ReportPast?
    /// The filters that narrowed it down: their words, and the given values.
    var filters: [(String, String)] = []
    /// Events by name, those with most first.
    var names: Statistics
    /// All events over time, with their users; nil where the time cannot be cut into buckets.
    var times: Statistics?
    var chart: Chart?
    /// The numbers that were asked for.
    var metrics: [ReportMetric] = []
    /// Events by weekday and hour; nil for a time that is too long.
    var hours: HourGrid?
    var logs = LogTally()
    var troubles = Troubles()
    var sessions = SessionTally()
    /// The latest texts, newest first; nil if they are not to be shown.
    var texts: [SurveyTallies.Text]?
    var surveys: [SurveyTally] = []
    var studies: [StudyTally] = []
    /// The destinations as `delivery.status` lists them.
    var destinations: [DestinationInfo] = []

    /// The number of names that are listed by themselves.
    static let mostNames = 20
    static let mostBuckets = 60
}

extension Report {
    /// Asks the daemon for all of it.
    init(_ arguments: Arguments, _ connection: inout Connection) throws {
        var request = try StatisticsRequest(arguments, &connection)
        request.by = ["@name"]
        request.limit = Int64(Self.mostNames)
        self.init(made: LocalTime.now, names: try request.ask(&connection))
        let (since, until) = try TimeArgument.range(arguments)
        let scope = try RecordScope(arguments, &connection)
        let app = arguments[.app]
        machine = MachineName.own
        let hello = try connection.call(Hello()).value
        daemon = "harkd \(hello.version), \(hello.mode) mode"
        for option in [Option.user, .app, .machine, .group, .where] {
            if let value = arguments[option] { filters.append((option.name, value)) }
        }
        if arguments.has(.anonymous) { filters.append(("user", "anonymous")) }

        range = request.range(of: names.json)
        if let range {
            request.by = []
            request.distinct = "@user"
            let step = TimeStep.fitting(range, atMost: Self.mostBuckets)
            request.step = step
            // A clock may have been off by centuries.
            if let boundaries = try? step.boundaries(range) {
                let times = try request.ask(&connection, boundaries)
                chart = Chart(times, .count, step, most: 1)
                self.times = times
            }
            hours = try HourGrid(request, range, &connection)
        }
        let pastRange = since.flatMap { ReportPast.range(before: $0, until ?? made) }
        let machines = MachineScope(arguments)
        sessions = try SessionTally(
            SessionPages(scope: scope, app: app, machines: machines), since: since, until: until, &connection)
        logs = try LogTally(scope, app, machines, since, until, &connection)
        troubles = try Troubles(arguments, &connection)
        let tallies = try SurveyTallies(
            scope, app: app, machines: machines, since: since, until: until, past: pastRange, &connection)
        (surveys, studies) = (tallies.all, tallies.studies)
        if arguments.has(Command.reportTexts) { texts = tallies.texts }
        if let pastRange {
            past = try ReportPast(
                pastRange, request, SessionPages(scope: scope, app: app, machines: machines), tallies.past, &connection)
        }
        destinations = try connection.call(DeliveryStatus()).value.destinations
    }
}
