import Glibc

/// The nanoseconds of each of `count` records by one client that waits for every reply.
func blockingRecords(_ peer: any Peer, count: Int) throws -> [Double] {
    let connection = try Connection(to: peer.socket)
    var counter = ReplyCounter(newlinesPerReply: peer.newlinesPerReply)
    let request = peer.request(1)
    return try peer.counting(count) {
        try (0..<count).map { _ in
            try measure {
                try connection.send(request)
                while try counter.receive(from: connection.descriptor) == 0 {}
            }
        }
    }
}

/// Records a second: `clients` connections, each with `depth` requests under way at a time, `total` records in all.
///
/// One thread drives all of them with poll(2), and the requests are made beforehand, so that neither is what is measured.
func pipelinedRecords(_ peer: any Peer, clients: Int, depth: Int, total: Int) throws -> Double {
    let rounds = max(1, total / (clients * depth))
    let records = rounds * clients * depth
    let nanoseconds = try peer.counting(records) {
        var load = try PipelinedLoad(peer, clients: clients, depth: depth, rounds: rounds)
        return try measure { try load.run() }
    }
    return Double(records) / nanoseconds * 1_000_000_000
}

/// Sends requests of one line each to a daemon, and waits for all of the replies.
func ask(_ socket: String, _ requests: [String]) throws {
    let connection = try Connection(to: socket)
    var counter = ReplyCounter(newlinesPerReply: 1)
    var rest = requests[...]
    while !rest.isEmpty {
        // Few enough that the unread replies find room, which may repeat the requests.
        var text: [UInt8] = []
        var unanswered = 0
        while unanswered < 500, text.count < 1 << 20, let request = rest.popFirst() {
            text += Array((request + "\n").utf8)
            unanswered += 1
        }
        try connection.send(text)
        while unanswered > 0 { unanswered -= try counter.receive(from: connection.descriptor) }
    }
}

/// Several clients that send a batch, wait for all of its replies, and send the next.
struct PipelinedLoad {
    struct Lane {
        let connection: Connection
        var counter: ReplyCounter
        var unsent: Int
        var unanswered: Int
        var roundsLeft: Int
        var sentAt: UInt64 = 0
    }

    let depth: Int
    let batch: [UInt8]
    var lanes: [Lane] = []
    /// The nanoseconds from the first byte of each batch to its last reply.
    private(set) var waits: [Double] = []

    init(_ peer: any Peer, clients: Int, depth: Int, rounds: Int) throws {
        self.depth = depth
        batch = (1...depth).flatMap { peer.request($0) }
        for _ in 0..<clients {
            let connection = try Connection(to: peer.socket)
            try check("fcntl", fcntl(connection.descriptor, F_SETFL, O_NONBLOCK))
            lanes.append(
                Lane(
                    connection: connection, counter: ReplyCounter(newlinesPerReply: peer.newlinesPerReply),
                    unsent: batch.count, unanswered: depth,
                    roundsLeft: rounds))
        }
    }

    mutating func run() throws {
        var polls = lanes.map { pollfd(fd: $0.connection.descriptor, events: Int16(POLLIN | POLLOUT), revents: 0) }
        var busy = lanes.count
        while busy > 0 {
            try check("poll", poll(&polls, nfds_t(polls.count), 10_000))
            for index in polls.indices where polls[index].revents != 0 {
                if polls[index].revents & Int16(POLLOUT) != 0 { try send(index) }
                if polls[index].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try receive(index) }
                if lanes[index].roundsLeft == 0 {
                    polls[index].fd = -1
                    busy -= 1
                } else {
                    polls[index].events = Int16(lanes[index].unsent > 0 ? POLLIN | POLLOUT : POLLIN)
                }
            }
        }
    }

    private mutating func send(_ index: Int) throws {
        let unsent = lanes[index].unsent
        if unsent == batch.count { lanes[index].sentAt = now() }
        let descriptor = lanes[index].connection.descriptor
        let sent = batch.withUnsafeBytes { write(descriptor, $0.baseAddress! + $0.count - unsent, unsent) }
        if sent < 0 && errno == EAGAIN { return }
        lanes[index].unsent -= try check("write", sent)
    }

    private mutating func receive(_ index: Int) throws {
        lanes[index].unanswered -= try lanes[index].counter.receive(from: lanes[index].connection.descriptor)
        guard lanes[index].unanswered == 0 else { return }
        waits.append(Double(now() - lanes[index].sentAt))
        lanes[index].roundsLeft -= 1
        lanes[index].unsent = batch.count
        lanes[index].unanswered = depth
        if lanes[index].roundsLeft > 0 { try send(index) }
    }
}
