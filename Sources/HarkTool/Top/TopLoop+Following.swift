import Glibc
import HarkClient
import HarkWire

extension TopLoop {
    private static let look: CInt = 100

    /// Shows the events of the selected name as they come, until Ctrl-C.
    mutating func follow(_ mode: inout TerminalMode) throws {
        guard let selected, selected != TopSource.others else { return }
        mode.leave()
        TerminalMode.write("\n\(VisibleText.make(selected)) as it comes; Ctrl-C leads back\n")
        let words = [OwnProgram.path, "events", "--follow", "--name=\(selected)"] + source.machines.options
        // A session of its own, so that the keys of the terminal reach this process alone.
        guard let child = try? ChildProgram(words, captures: false) else { return try resume(&mode) }
        while child.endedWith() == nil {
            Input.wait(for: signals.descriptor, atMost: Self.look)
            while let number = signals.next() {
                switch number {
                case SIGINT: kill(child.pid, SIGTERM)
                case SIGTSTP: SignalQueue.stop(wholeJob: false)
                case SIGTERM, SIGHUP:
                    kill(child.pid, SIGTERM)
                    SignalQueue.endProcess(by: number)
                default: break
                }
            }
        }
        try resume(&mode)
    }
}
