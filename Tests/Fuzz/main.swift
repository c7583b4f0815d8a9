/// Looks for broken promises with random input:
///
/// - `hark-fuzz lines COUNT SEED` feeds damaged lines to the request reader;
/// - `hark-fuzz sequences COUNT SEED` sends nearly valid requests on many connections to a daemon that is killed, starved
///   and reconfigured meanwhile;
/// - `hark-fuzz fleet STEPS SEED` plays fleets of machines and a hub, both ends as they are, whose network, broker and
///   disks fail;
/// - `hark-fuzz replay FILE` repeats a failed run of sequences.
///
/// It ends with 1 at the first broken promise. The seed makes a run repeatable.
import Glibc
import HarkDaemon

func fail(_ message: String, status: Int32) -> Never {
    let text = Array("hark-fuzz: \(message)\n".utf8)
    // If stderr is closed, there is nobody to tell.
    _ = write(STDERR_FILENO, text, text.count)
    exit(status)
}

let usage = "usage: hark-fuzz lines|sequences|fleet [COUNT [SEED]] | replay FILE"

func number(_ index: Int, or standard: UInt64) -> UInt64 {
    guard CommandLine.arguments.count > index else { return standard }
    guard let value = UInt64(CommandLine.arguments[index]) else { fail(usage, status: 64) }
    return value
}

do throws(Finding) {
    switch CommandLine.arguments.dropFirst().first {
    // The daemon under test is this program, too: so it is built the same way, and always there.
    case "daemon": exit(HarkDaemonCommand.run(Array(CommandLine.arguments.dropFirst())))
    case "lines": try LineFuzzer.run(lines: Int(number(2, or: 1_000_000)), seed: number(3, or: 1))
    case "sequences": try SequenceFuzzer.run(requests: Int(number(2, or: 100_000)), seed: number(3, or: 1))
    case "fleet": try FleetFuzzer.run(steps: Int(number(2, or: 1_000_000)), seed: number(3, or: 1))
    case "replay" where CommandLine.arguments.count == 3: try SequenceFuzzer.replay(CommandLine.arguments[2])
    default: fail(usage, status: 64)
    }
} catch {
    fail(error.text, status: 1)
}
