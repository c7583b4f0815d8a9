/// The exit codes that `hark` uses: those of sysexits(3), and one of timeout(1).
package enum ExitCode: Int32, Sendable {
    case ok = 0
    /// Somebody was asked and said no, or what was asked about is not so.
    case declined = 1
    /// The command line is wrong.
    case usage = 64
    /// The data is wrong: refused by the daemon, or not JSON.
    case data = 65
    /// What was asked for is not there: a file, a session, a user.
    case noInput = 66
    /// There is nobody to ask.
    case nobody = 67
    /// No daemon answers, or it went away.
    case unavailable = 69
    /// Something that should not happen, here or in the daemon.
    case software = 70
    /// There is no display to show a window on.
    case noDisplay = 71
    /// A file cannot be made.
    case cannotCreate = 73
    /// Reading or writing failed.
    case io = 74
    /// It may work later: the store is not available, a limit is reached.
    case temporary = 75
    /// A server that was asked refused.
    case server = 76
    /// Not allowed, or a quota is used up.
    case noPermission = 77
    /// A configuration is wrong.
    case configuration = 78
    /// Nobody has answered in time; as timeout(1) has it.
    case timedOut = 124
}
