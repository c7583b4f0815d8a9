// hark-bench PROGRAMS FOLDER [SCALE [STEP…]]: measures the daemon and the tool in PROGRAMS on the disk of FOLDER, each
// compared with its peer in the same run, and prints one table. `make bench` runs it; `make bench STEPS="idle start"`
// only a part.
import Glibc

func run() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == SinkProcess.word { return try SinkProcess.run(arguments[2]) }
    guard arguments.count >= 3 else { throw Failure("usage: hark-bench PROGRAMS FOLDER [SCALE [STEP…]]") }
    guard let scale = arguments.count > 3 ? Double(arguments[3]) : 1, scale > 0 else {
        throw Failure("SCALE is a number above 0, not \(arguments[3])")
    }
    let folder = try absolutePath(arguments[2]) + "/\(getpid())"
    let measurements = Measurements(programs: arguments[1], folder: folder, scale: scale)
    let steps: [(name: String, rows: () throws -> [Row])] = [
        ("single", measurements.blocking),
        ("blocking-8", { try measurements.pipelined(depth: 1, rate: .ratioAtLeast(1.2), time: .ratioAtMost(1.5)) }),
        ("batches-10", { try measurements.pipelined(depth: 10, rate: .ratioAtLeast(2), time: .ratioAtMost(0.8)) }),
        ("batches-100", { try measurements.pipelined(depth: 100, rate: .ratioAtLeast(2), time: .ratioAtMost(0.8)) }),
        (
            "batches-1000",
            { try measurements.pipelined(depth: 1000, rate: .ratioAtLeast(2), time: .ratioAtMost(0.6)) }
        ),
        ("surveys", { [try measurements.unrelatedSurveys(), try measurements.audiences()] }),
        ("users", measurements.manyUsers),
        ("sessions", { [try measurements.interleaved()] }),
        ("disk", measurements.disk),
        ("rare", measurements.rare),
        ("list", { [try measurements.list()] }),
        ("statistics", measurements.statistics),
        ("tool", measurements.tool),
        ("sql", measurements.sql),
        ("answers", measurements.answers),
        ("studies", measurements.studies),
        ("executions", { [try measurements.unrelatedExecutions()] }),
        ("delivery", measurements.delivery),
        ("sinks", measurements.sinks),
        ("fleet", measurements.fleet),
        ("down", { [try measurements.downDestination()] }),
        ("one-shot", measurements.oneShot),
        ("window", measurements.firstFrame),
        ("start", { [try measurements.startUp()] }),
        ("idle", measurements.idle),
        (
            "growth",
            {
                print("\n" + table(try measurements.growth()))
                return []
            }
        ),
    ]
    let wanted = arguments.dropFirst(4)
    if wanted.first == "latency" { return try checkLatency(measurements, Array(wanted.dropFirst())) }
    if let unknown = wanted.first(where: { name in !steps.contains { $0.name == name } }) {
        throw Failure("there is no step \(unknown), only: \(steps.map(\.name).joined(separator: ", "))")
    }
    try check(folder, mkdir(folder, 0o700))
    var failed: [String] = []
    do {
        print(try machine(folder: folder))
        var rows: [Row] = []
        for step in steps where wanted.isEmpty || wanted.contains(step.name) {
            say("measuring \(step.name) …")
            // A failure must not lose the results of half an hour.
            do {
                rows += try step.rows()
            } catch {
                say("hark-bench: \(step.name): \(error)")
                failed.append(step.name)
            }
        }
        if !rows.isEmpty { print("\n" + table(rows)) }
    } catch {
        try removeFolder(folder)
        throw error
    }
    try removeFolder(folder)
    guard failed.isEmpty else { throw Failure("not measured: \(failed.joined(separator: ", "))") }
}

/// `hark-bench PROGRAMS FOLDER SCALE latency [NAME…]`: measures how long one client waits while others attack, with all
/// attacks or those whose name contains one of these. `make latency` runs it. It fails if a client waited for seconds;
/// people judge whether the goal is met, on a quiet machine.
func checkLatency(_ measurements: Measurements, _ names: [String]) throws {
    try check(measurements.folder, mkdir(measurements.folder, 0o700))
    let rows: [LatencyRow]
    do {
        print(try machine(folder: measurements.folder))
        rows = try measurements.latency(names)
    } catch {
        try removeFolder(measurements.folder)
        throw error
    }
    try removeFolder(measurements.folder)
    print("\n" + table(rows))
    guard let worst = rows.max(by: { $0.longest < $1.longest }), worst.longest > 2_000_000_000 else { return }
    throw Failure("\(worst.name): a record had to wait for \(milliseconds(worst.longest))")
}

do {
    try run()
} catch {
    say("hark-bench: \(error)")
    exit(1)
}
