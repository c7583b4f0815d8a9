// hark-bench PROGRAMS FOLDER [SCALE]: measures the daemon and the tool in PROGRAMS on the disk of FOLDER, each beside its
// peer in the same run, and prints one table. `make bench` runs it.
import Glibc

func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { throw Failure("usage: hark-bench PROGRAMS FOLDER [SCALE]") }
    let folder = try absolutePath(arguments[2]) + "/\(getpid())"
    try check(folder, mkdir(folder, 0o700))
    let scale = arguments.count > 3 ? Double(arguments[3]) ?? 1 : 1
    let measurements = Measurements(programs: arguments[1], folder: folder, scale: scale)
    func step<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        say("measuring \(name) …")
        return try body()
    }
    do {
        print(try machine(folder: folder))
        var rows = try step("single records", measurements.blocking)
        rows.append(try step("8 × 100", { try measurements.pipelined(depth: 100, goal: .ratioAtLeast(2)) }))
        rows.append(try step("8 × 1000", { try measurements.pipelined(depth: 1000, goal: .none) }))
        rows.append(try step("surveys", measurements.unrelatedSurveys))
        rows.append(try step("executions", measurements.unrelatedExecutions))
        rows += try step("one shot", measurements.oneShot)
        rows.append(try step("start", measurements.startUp))
        rows += try step("idle", measurements.idle)
        print("\n" + table(rows))
    } catch {
        try removeFolder(folder)
        throw error
    }
    try removeFolder(folder)
}

do {
    try run()
} catch {
    say("hark-bench: \(error)")
    exit(1)
}
