import Glibc

extension Measurements {
    /// The cost of executions for a counter that none of them listens to: the daemon with and without 100,000 of them.
    func unrelatedExecutions() throws -> Row {
        let executions = Int(100_000 * scale)
        return try withServer(Server.counting(programs, folder: folder + "/executions")) { busy in
            try addExecutions(executions, to: busy.peer.socket)
            try busy.child.waitUntilIdle()
            return try withServer(Server.counting(programs, folder: folder + "/no-executions")) { plain in
                try cost(
                    "triggers a second, 8 clients × 100, \(text(Double(executions), decimals: 0)) executions elsewhere; none",
                    of: busy, beside: plain, total: Int(100_000 * scale), atLeast: 0.95)
            }
        }
    }

    /// Each listens to a counter of its own, of the same app.
    private func addExecutions(_ count: Int, to socket: String) throws {
        try ask(
            socket,
            (0..<count).map { number in
                #"{"id":\#(number),"method":"execution.add","params":{"id":"x\#(number)","#
                    + #""when":{"other_\#(number)":{"op":"gte","value":3}},"run":{"notify":true}}}"#
            })
    }
}

/// A counter that is triggered. The settings declare it, so it exists from the start.
struct CounterPeer: Peer {
    static let settings = #"{"counters":{"hits":{}}}"#

    let socket: String
    let newlinesPerReply = 1
    let countRequest = #"{"id":1,"method":"counter.get","params":{"name":"hits"}}"# + "\n"
    let countMark = #""value":"#

    func request(_ index: Int) -> [UInt8] {
        Array((#"{"id":\#(index),"method":"counter.trigger","params":{"name":"hits"}}"# + "\n").utf8)
    }
}
