import HarkLedger
import HarkSystem
package import HarkWire

/// Writes replies and streams, within the bounds for unread output.
extension ClientConnection {
    /// Writes a reply that does not depend on a commit.
    package func send(_ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        enqueue(json.bytes)
    }

    /// Writes a reply that is sent, in order, once everything decided so far is on disk.
    package func hold(_ write: (inout JSONWriter) -> Void) {
        guard !isClosed, !isMute else { return }
        write(&held)
        guard isWithinBounds else { return cutOff() }
        if !isAwaitingCommit {
            isAwaitingCommit = true
            server.ledger.await(self)
        }
    }

    /// Replies with an error, which never overtakes a reply that still waits for a commit.
    func reply(_ id: RequestID, _ error: WireError) {
        let error = peer.told(error)
        if isAwaitingCommit || !flying.isEmpty {
            hold { Envelope.error(id, error, in: &$0) }
        } else {
            send { Envelope.error(id, error, in: &$0) }
        }
    }

    package func enqueue(_ bytes: [UInt8]) {
        guard !isClosed, !isMute else { return }
        let waiting = output.count
        output.append(bytes)
        if waiting == 0 { flush() }
        // A single message may exceed the bound; the client is cut off by the next one if that is still unread.
        if waiting > 0 && output.count > limits.queuedBytes || !isWithinBounds { cutOff() }
    }

    package var queuedBytes: Int { output.count }

    /// The size of the replies that wait for a commit.
    var heldBytes: Int { held.bytes.count + flying.count }

    /// Whether the unread output of all clients of this user is within its bounds.
    private var isWithinBounds: Bool {
        countOwed()
        return countedBytes == 0 || memory.owed <= server.limits.queuedBytesPerUser && !memory.isBeyondShare
    }

    /// Counts the unread output of this client. It counts in steps, because counting each reply would cost too much.
    func countOwed() {
        let owed = isClosed ? 0 : output.count + heldBytes
        guard abs(owed - countedBytes) >= 1 << 12 || owed == 0 && countedBytes > 0 else { return }
        memory.note(owed: owed - countedBytes)
        countedBytes = owed
    }

    func flush() {
        do {
            let isDone = try output.send(to: descriptor)
            countOwed()
            adjustInterest()
            if isDone {
                closeWhenDone()
                for subscription in subscriptions.values { subscription.outputDrained() }
            }
        } catch {
            // The peer no longer reads (EPIPE). Its earlier requests are handled all the same.
            silence()
            output.clear()
            adjustInterest()
            closeWhenDone()
        }
    }

    /// Cuts off a peer that does not read: it gets the rest of the current line and a last error, and nothing else.
    private func cutOff() {
        guard !isMute, !isClosed else { return }
        let (most, whose, setting) =
            if output.count > limits.queuedBytes {
                (limits.queuedBytes, "you", "queuedBytes")
            } else if memory.owed > server.limits.queuedBytesPerUser {
                (server.limits.queuedBytesPerUser, "the clients of this user", "queuedBytesPerUser")
            } else {
                (server.memory.most, "all clients together (this user has more than its share)", "clientBytes")
            }
        let error = WireError(
            .slowReader,
            "more than \(most) bytes are waiting for \(whose) to read them; read faster, or ask for less "
                + "(limits.\(setting) in harkd.json raises the bound)")
        var last = JSONWriter()
        for number in subscriptions.keys.sorted() { last.subscriptionClosed(number, error) }
        Envelope.error(.null, error, in: &last)
        held.bytes = []
        // Far beyond the bound, even the rest of a line is too much.
        output.cut(
            last.bytes, keepsLine: memory.owed <= 2 * server.limits.queuedBytesPerUser && !memory.isBeyondShare)
        silence()
        isInputOver = true
        input.clear()
        Log.notice("a client that does not read was cut off", ["peer_uid": "\(peer.uid)"])
        server.statistics.slowReaders += 1
        flush()
    }

    func silence() {
        isMute = true
        endSubscriptions()
    }

    func closeWhenDone() {
        guard isInputOver, output.count == 0, isMute || isAnswered && subscriptions.isEmpty,
            !isPaused, !isWaitingForTurn
        else { return }
        close()
    }

    /// Whether the reply to every accepted request is in the queue.
    var isAnswered: Bool { !isAwaitingCommit && flying.isEmpty && deferredCalls == 0 }

    func adjustInterest() {
        // A client that has stopped sending is watched for its end alone, so that a silent subscriber is noticed.
        var interest: Interest = isInputOver ? .end : .arrival
        if output.count > 0 { interest.insert(.write) }
        source?.setInterest(interest)
    }
}
