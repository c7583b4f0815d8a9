/// One thing the fuzzer does: a line of the file that a failed run leaves.
///
/// Connections are numbers of the fuzzer's choice. A step about one that is gone does nothing, so that a file can be
/// shortened at will.
enum Step {
    /// How a request is answered.
    enum Answer: String {
        /// Once, in the order of the requests.
        case ordered
        /// Once, whenever it is ready.
        case once
        /// Not at all.
        case never
        /// Once, under its own id or under null: the line is damaged.
        case perhapsNull
    }

    /// Connects as a user of `FuzzedDaemon.users`; writes go out in pieces of at most `piece` bytes.
    case open(Int, user: Int, piece: Int)
    /// The text may hold the places of ids that only the daemon gives (`LearnedIDs`).
    case send(Int, id: Int, Answer, [UInt8])
    /// Sends no more, and reads on.
    case halfClose(Int)
    /// Closes the connection with unread data.
    case close(Int)
    /// Reads no more until `listen`.
    case mute(Int)
    case listen(Int)
    /// Records an event that must be there until it is cleared.
    case keep
    /// Clears everything of everybody.
    case clearAll
    /// Puts a variant of a file in place; the daemon notices, or a request tells it.
    case file(String, Int)
    /// The disk takes no writes any more, or takes them again.
    case refuse(Bool)
    /// `kill -9`, a new start, and a check for the acknowledged data.
    case kill
    /// Waits for all replies, and looks after the daemon's health.
    case settle
}

extension Step {
    var line: [UInt8] {
        switch self {
        case .open(let number, let user, let piece): Array("open \(number) \(user) \(piece)".utf8)
        case .send(let number, let id, let answer, let text):
            Array("send \(number) \(id) \(answer.rawValue) ".utf8) + text
        case .halfClose(let number): Array("halfClose \(number)".utf8)
        case .close(let number): Array("close \(number)".utf8)
        case .mute(let number): Array("mute \(number)".utf8)
        case .listen(let number): Array("listen \(number)".utf8)
        case .keep: Array("keep".utf8)
        case .clearAll: Array("clearAll".utf8)
        case .file(let name, let variant): Array("file \(name) \(variant)".utf8)
        case .refuse(let isOn): Array("refuse \(isOn ? 1 : 0)".utf8)
        case .kill: Array("kill".utf8)
        case .settle: Array("settle".utf8)
        }
    }

    init(line: some Collection<UInt8>) throws(Finding) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 4, omittingEmptySubsequences: false)
        let words = parts.prefix(4).map { String(decoding: $0, as: UTF8.self) }
        func number(_ index: Int) throws(Finding) -> Int {
            guard words.indices.contains(index), let number = Int(words[index]) else {
                throw Finding("not a step: \(String(decoding: line.prefix(80), as: UTF8.self))")
            }
            return number
        }
        switch words.first {
        case "open": self = .open(try number(1), user: try number(2), piece: try number(3))
        case "send":
            guard parts.count == 5, let answer = Answer(rawValue: words[3]) else { throw Finding("no answer or text") }
            self = .send(try number(1), id: try number(2), answer, Array(parts[4]))
        case "halfClose": self = .halfClose(try number(1))
        case "close": self = .close(try number(1))
        case "mute": self = .mute(try number(1))
        case "listen": self = .listen(try number(1))
        case "keep": self = .keep
        case "clearAll": self = .clearAll
        case "file": self = .file(words.count > 1 ? words[1] : "", try number(2))
        case "refuse": self = .refuse(try number(1) == 1)
        case "kill": self = .kill
        case "settle": self = .settle
        default: throw Finding("not a step: \(String(decoding: line.prefix(80), as: UTF8.self))")
        }
    }
}
