import CSystemd
import Glibc
import HarkNotifier
import HarkServer
import HarkSettings
import HarkSimulation
import HarkStore
import HarkSystem
import HarkWire

/// The command `harkd`: reads its options, runs the daemon, and ends with a code of sysexits.h.
package enum HarkDaemonCommand {
    private static let usage = """
        Usage: harkd [OPTION]...
        Keeps events safe for the scripts and apps of this user (or, with --system, of this machine).

          --system        serve the whole machine: /run/hark, /var/lib/hark, /etc/hark
          --socket PATH   listen here (also HARK_SOCKET)
          --state DIR     keep the data here (also HARK_STATE)
          --config DIR    read harkd.json from this folder (also HARK_CONFIG)
          --check [FILE]  read the configuration and the files of surveys and forms it names, or that one file
                          (- is standard input), say what is wrong with it, line by line, and exit
          --json          with --check: say it as one line of JSON; with --describe: as an OpenRPC document
          --notify SECS   show the survey on standard input as a notification for so long at most (0: as the desktop
                          likes it), and print what was chosen; for the daemon and `hark agent`. With --stay the
                          desktop is asked to leave it there; with --unless-quiet it is not shown, and the exit code
                          75, while the desktop is not to be disturbed, or its session is locked or idle
          --while-quiet   wait for the end of that, and exit; for notify hooks, too
          --until-return  wait until such a time has begun and is over again, and exit
          --simulate FILE say as JSON what a file of surveys would have asked of what is read on standard input; for
                          `hark simulate`. With --against FILE another file as well; with --showings each showing
          --describe      print the protocol's documentation (Markdown) and exit
          --version       print the version and exit
          --help          print this and exit

        Signals: SIGTERM and SIGINT end it after the last commit, SIGHUP reads the configuration again.
        Exit codes: 0 ended in order, 1 what was checked can be used but is not all right, 64 usage, 66 no such file,
        69 another harkd is there, 70 a fault of its own, 71 too few open files or too little memory is allowed, 73 a folder or socket
        cannot be made, 74 the store cannot be used, 78 the configuration is wrong.
        Talk to it with `hark` (see `hark --help`), or over the socket (man hark-protocol).
        """

    private enum Exit {
        static let declined: Int32 = 1
        static let usage: Int32 = 64
        static let noInput: Int32 = 66
        static let unavailable: Int32 = 69
        static let software: Int32 = 70
        static let system: Int32 = 71
        static let cannotCreate: Int32 = 73
        static let inputOutput: Int32 = 74
        static let configuration: Int32 = 78
    }

    package static func run(_ arguments: [String]) -> Int32 {
        var options = CommandOptions()
        do throws(CommandOptions.Mistake) {
            options = try CommandOptions(arguments)
        } catch {
            complain("\(error.message)\nTry 'harkd --help'.")
            return Exit.usage
        }
        switch options.action {
        case .help: print(usage)
        case .version: print("harkd \(Version.current)")
        case .describe: print(options.isJSON ? OpenRPC.text : ProtocolDocument.text, terminator: "")
        case .check: return check(options)
        case .notify(let terms): return NotificationCommand.run(terms) { complain($0) }
        case .untilReturn: return NotificationCommand.waitForReturn { complain($0) }
        case .simulate(let files):
            do throws(SimulationCommand.Refusal) {
                try SimulationCommand.run(files, Family.sections)
            } catch {
                for line in error.lines { complain(line, prefix: "") }
                return error.code
            }
        case .whileQuiet: return NotificationCommand.waitWhileQuiet { complain($0) }
        case .serve:
            var daemon = Daemon.Options(isSystem: options.isSystem, paths: options.paths)
            // The running executable, even if its file was replaced or removed since the start.
            daemon.notifier = ["/proc/self/exe", "--notify"]
            return serve(daemon)
        }
        return 0
    }

    private static func check(_ options: CommandOptions) -> Int32 {
        let check =
            options.file.map { FileCheck(file: $0, Family.sections) }
            ?? FileCheck(configuration: options.paths, Family.sections)
        if options.isJSON {
            say(check.json, VisibleText.json)
        } else {
            for line in check.lines { complain(line, prefix: "") }
        }
        if let obstacle = check.obstacle {
            complain(obstacle)
            return Exit.noInput
        }
        if !check.errors.isEmpty { return Exit.configuration }
        if !check.warnings.isEmpty { return Exit.declined }
        if !options.isJSON { say(check.verdict, VisibleText.lines) }
        return 0
    }

    /// The files that the store, the loop and its threads open, and some for clients and programs.
    private static let filesAtLeast = 48
    /// With less memory, the daemon fails while it starts, or with the first requests.
    private static let addressesAtLeast: UInt64 = 96 << 20
    private static let dataAtLeast: UInt64 = 24 << 20

    private static func serve(_ options: Daemon.Options) -> Int32 {
        // Files are for the owner alone unless a mode says otherwise.
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        LastWords.onBusError()
        DaemonActor.bindToCurrentThread()
        return DaemonActor.assumeIsolated {
            do {
                // With too few, the daemon would start and then have none for clients.
                try OpenFiles.check(roomFor: filesAtLeast, of: "harkd")
                try MemoryRoom.check(addresses: addressesAtLeast, data: dataAtLeast, of: "harkd")
                let loop = try EventLoop()
                let control = Control()
                // Before any thread exists: threads inherit that the loop handles these signals.
                try loop.onSignal(SIGTERM) { control.end(loop) }
                try loop.onSignal(SIGINT) { control.end(loop) }
                try loop.onSignal(SIGHUP) { control.daemon?.reloadAndLog() }
                let daemon = try Daemon(options, loop: loop)
                control.daemon = daemon
                daemon.onRestart = { control.restart(loop, sockets: $0) }
                try daemon.serve()
                let memory = try IdleMemory(loop: loop)
                daemon.server.onUse = { memory.noteUse() }
                let code = try loop.run()
                memory.end()
                control.daemon = nil
                if let sockets = control.restart { throw SelfRestart.begin(CommandLine.arguments, sockets: sockets) }
                return code
            } catch {
                complain((error as? WireError)?.message ?? "\(error)")
                return code(for: error)
            }
        }
    }

    @DaemonActor
    private final class Control {
        var daemon: Daemon?
        private(set) var restart: [Int32]?
        private var isEnding = false

        /// Restarts the process; the daemon has stopped.
        func restart(_ loop: EventLoop, sockets: [Int32]) {
            guard !isEnding else { return }
            restart = sockets
            loop.exit(code: 0)
        }

        func end(_ loop: EventLoop) {
            isEnding = true
            DaemonActor.task {
                await self.daemon?.stop()
                loop.exit(code: 0)
            }
        }
    }

    private static func code(for error: any Error) -> Int32 {
        switch error {
        case is ConfigurationFile.Refusal: Exit.configuration
        case is StoreError: Exit.inputOutput
        // A failed look-up in the store that has not been reported yet.
        case let error as WireError where error.reason == .storeUnavailable: Exit.inputOutput
        case let error as SystemError where error.code == EADDRINUSE: Exit.unavailable
        case let error as SystemError where [EMFILE, ENFILE, ENOMEM].contains(error.code): Exit.system
        case is SystemError: Exit.cannotCreate
        default: Exit.software
        }
    }

    /// - Parameter escape: Escapes text of others, which a terminal might interpret.
    private static func say(_ text: String, _ escape: (String) -> String) {
        print(isatty(STDOUT_FILENO) == 1 ? escape(text) : text)
    }

    private static func complain(_ text: String, prefix: String = "harkd: ") {
        let line = Array((VisibleText.lines(prefix + text) + "\n").utf8)
        // If stderr is closed, there is nobody to tell.
        _ = write(STDERR_FILENO, line, line.count)
    }
}
