import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// Shows the board on the terminal, tick by tick, until it is closed.
struct TopLoop: ~Copyable {
    var source: TopSource
    private let interval: Int
    private let glyphs: Glyphs
    let signals: SignalQueue
    private var board = TopBoard()
    private var news: TopSource.News?
    private var decoder = KeyDecoder()
    private var screen: Screen
    private var size = TerminalMode.size
    private var isPaused = false
    private(set) var selected: String?
    /// The monotonic time of the last tick, in milliseconds.
    private var ticked: Int?

    private static let undecided = 50

    /// - Parameter interval: The time between ticks, in milliseconds.
    init(_ source: consuming TopSource, interval: Int, _ console: Console) {
        self.source = source
        self.interval = interval
        glyphs = console.glyphs
        signals = SignalQueue(SignalQueue.endings + [SIGTSTP, SIGCONT, SIGWINCH])
        screen = Screen(coloured: console.style.coloured)
    }

    /// - Throws: If the terminal cannot be used, or the daemon refuses the requests.
    mutating func run() throws {
        var mode = try TerminalMode()
        size = TerminalMode.size
        while true {
            if Self.now >= (ticked ?? 0) + (ticked == nil ? 0 : interval) {
                do throws(ClientError) { try tick() } catch {
                    mode.leave()
                    throw error
                }
            }
            draw()
            let left = max(0, (ticked ?? 0) + interval - Self.now)
            let ready = Input.wait(
                for: 0, signals.descriptor,
                atMost: CInt(clamping: decoder.isUndecided ? min(left, Self.undecided) : left))
            if ready[1] { try handleSignals(&mode) }
            let keys = ready[0] ? try readKeys(&mode) : decoder.isUndecided ? decoder.settle() : []
            for key in keys where try press(key, &mode) {
                mode.leave()
                return
            }
        }
    }

    private mutating func tick() throws(ClientError) {
        let now = Self.now
        defer { ticked = now }
        if isPaused { return }
        news = try source.tick()
        guard let news else { return }
        // The first reply is the baseline: its counts have no period.
        if let ticked { board.take(news.counts, seconds: Double(now - ticked) / 1_000) }
    }

    private static var now: Int { Int(MonotonicClock.now * 1_000) }

    private mutating func draw() {
        var frame = TopScreen(
            board: board, status: news?.status, surveys: news?.surveys ?? (0, false), size: size, isPaused: isPaused,
            selected: selected
        ).frame
        frame.lines = frame.lines.map { glyphs.apply($0) }
        TerminalMode.write(screen.update(to: frame))
    }

    private mutating func readKeys(_ mode: inout TerminalMode) throws -> [TerminalKey] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(0, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        guard count > 0 else {
            mode.leave()
            throw ToolError(.noInput, "the terminal has gone")
        }
        return decoder.feed(bytes[..<count])
    }

    /// - Returns: Whether to end.
    private mutating func press(_ key: TerminalKey, _ mode: inout TerminalMode) throws -> Bool {
        switch key {
        case .character("q"), .escape, .control("c"), .control("d"): return true
        case .character("s"):
            let orders = TopBoard.Order.allCases
            let place = orders.firstIndex(of: board.order) ?? 0
            board.order = orders[(place + 1) % orders.count]
        case .character("p"), .character(" "): isPaused.toggle()
        case .down: selected = board.name(1, below: selected)
        case .up: selected = board.name(-1, below: selected)
        case .pageDown: selected = board.name(max(2, size.rows - 8), below: selected)
        case .pageUp: selected = board.name(-max(2, size.rows - 8), below: selected)
        case .home: selected = board.ordered.first?.name
        case .end: selected = board.ordered.last?.name
        case .enter: try follow(&mode)
        case .control("l"): screen.forget()
        case .control("z"):
            mode.leave()
            SignalQueue.stop(wholeJob: true)
            try resume(&mode)
        default: break
        }
        return false
    }

    private mutating func handleSignals(_ mode: inout TerminalMode) throws {
        while let number = signals.next() {
            switch number {
            case SIGWINCH:
                size = TerminalMode.size
                screen.forget()
            case SIGTSTP:
                mode.leave()
                SignalQueue.stop(wholeJob: false)
                try resume(&mode)
            case SIGCONT: try resume(&mode)
            default:
                mode.leave()
                SignalQueue.endProcess(by: number)
            }
        }
    }

    /// Takes the terminal again, in any state.
    mutating func resume(_ mode: inout TerminalMode) throws {
        try mode.enter()
        size = TerminalMode.size
        screen.forget()
    }
}
