package import HarkClient
import HarkWire

/// What a statement reads from: connections, and what was read already.
///
/// What is remembered is one statement's: each begins with what the daemon has by then.
package final class Feed {
    private let connect: () throws -> Connection
    /// Readable once somebody wants the statement to end.
    let interruption: CInt?
    private var idle: [Line] = []
    /// Why the daemon could not be read; SQLite knows only that it was so.
    var failure: (any Error)?
    let sessions = SessionMemory()
    let pages = PageMemory()
    private var newestNumbers: [String: Int64] = [:]

    /// So many connections are kept for those who come next.
    private static let mostIdle = 4

    package init(interruption: CInt? = nil, _ connect: @escaping () throws -> Connection) {
        self.connect = connect
        self.interruption = interruption
    }

    /// Forgets what the last statement has read.
    func begin() {
        failure = nil
        sessions.forget()
        pages.forget()
        newestNumbers = [:]
        idle.removeAll { $0.isOver }
    }

    func take() throws -> Line {
        if let line = idle.popLast() { return line }
        return Line(try connect())
    }

    /// Takes a connection back on which nothing is awaited.
    func giveBack(_ line: Line) {
        if idle.count < Self.mostIdle { idle.append(line) }
    }

    func call(_ method: MethodShape, _ params: [UInt8]) throws -> JSONText {
        let line = try take()
        let id = try line.connection.submit(method.name, params)
        let result: JSONText
        do {
            result = try line.result(of: id, unless: interruption)
        } catch let error as ClientError {
            // A refusal is an answer too.
            if case .refused = error.code { giveBack(line) }
            throw error
        }
        giveBack(line)
        return result
    }

    /// The number of the newest record of a list when it was first asked for in this statement; 0 where there is none.
    ///
    /// What comes later is left out: one who reads would never reach the end of what others write as fast.
    func newestNumber(in method: MethodShape, _ list: StaticString) throws -> Int64 {
        if let known = newestNumbers[method.name] { return known }
        let page = try call(
            method,
            JSONWriter.object { params in
                params.member(.recordOrder, ListOrder.desc.rawValue)
                params.member(.recordLimit, 1)
            })
        let number = page.member(list)?.elements.first?.member("seq")?.int ?? 0
        newestNumbers[method.name] = number
        return number
    }
}
