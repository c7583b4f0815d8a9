package import HarkClient
import HarkWire

/// The data source of statements: connections, and the data already read.
///
/// Data is remembered for one statement only; the next one sees the daemon's newer data.
package final class Feed {
    private let connect: () throws -> Connection
    /// A descriptor that becomes readable when the statement is to end.
    let interruption: CInt?
    private var idle: [Line] = []
    /// The daemon's error; SQLite only knows that there was one.
    var failure: (any Error)?
    let sessions = SessionMemory()
    let pages = PageMemory()
    private var newestNumbers: [RecordListKind: Int64] = [:]

    /// The maximum number of idle connections.
    private static let mostIdle = 4

    package init(interruption: CInt? = nil, _ connect: @escaping () throws -> Connection) {
        self.connect = connect
        self.interruption = interruption
    }

    /// Discards the data of the last statement.
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

    /// Returns an idle connection for reuse.
    func giveBack(_ line: Line) {
        if idle.count < Self.mostIdle { idle.append(line) }
    }

    func call(_ request: some WireMethod) throws -> JSONText {
        let line = try take()
        let id = try line.connection.submit(request)
        let result: JSONText
        do {
            result = try line.result(of: id, unless: interruption)
        } catch let error as ClientError {
            // A refusal leaves the connection usable.
            if case .refused = error.code { giveBack(line) }
            throw error
        }
        giveBack(line)
        return result
    }

    /// Returns the number of the newest record of a list when this statement first asked; 0 if there is none.
    ///
    /// Later records are left out: a statement might never catch up with fast writers.
    func newestNumber(of kind: RecordListKind) throws -> Int64 {
        if let known = newestNumbers[kind] { return known }
        let newest = RecordPaging.newest(1)
        let page = try kind == .events ? call(EventList(newest)) : call(LogList(newest))
        let number = page.member(kind.member)?.elements.first?.member("seq")?.int ?? 0
        newestNumbers[kind] = number
        return number
    }
}
