/// The exit codes of `hark`: those of sysexits(3), and one of timeout(1).
package enum ExitCode: Int32, Sendable {
    case ok = 0
    /// A person was asked and said no, or the tested condition is false.
    case declined = 1
    /// The command line is wrong.
    case usage = 64
    /// The data is invalid: refused by the daemon, or not JSON.
    case data = 65
    /// The requested object does not exist: a file, a session, a user.
    case noInput = 66
    /// There is no person to ask.
    case nobody = 67
    /// No daemon answers, or it went away.
    case unavailable = 69
    /// An internal error, here or in the daemon.
    case software = 70
    /// There is no display for a window.
    case noDisplay = 71
    /// A file cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case io = 74
    /// A retry may succeed: the store is not available, or a limit is reached.
    case temporary = 75
    /// Another server refused the request.
    case server = 76
    /// The operation is not permitted, or a quota is used up.
    case noPermission = 77
    /// A configuration is wrong.
    case configuration = 78
    /// Nobody answered in time; the code of timeout(1).
    case timedOut = 124
}
