import HarkSystem
import HarkWire

/// Replies and streams out, within what a client may leave unread.
extension ClientConnection {
    /// Writes a reply that nothing has to be safe for.
    func send(_ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        enqueue(json.bytes)
    }

    /// Writes a reply that goes out, in order, once everything decided so far is on disk.
    func hold(_ write: (inout JSONWriter) -> Void) {
        guard !isClosed, !isMute else { return }
        write(&held)
        guard isWithinBounds else { return cutOff() }
        if !isAwaitingCommit {
            isAwaitingCommit = true
            server.ledger.await(self)
        }
    }

    /// An error overtakes no reply that still waits for a commit.
    func reply(_ id: RequestID, _ error: WireError) {
        let error = peer.told(error)
        if isAwaitingCommit || !flying.isEmpty {
            hold { Envelope.error(id, error, in: &$0) }
        } else {
            send { Envelope.error(id, error, in: &$0) }
        }
    }

    func enqueue(_ bytes: [UInt8]) {
        guard !isClosed, !isMute else { return }
        let waiting = output.count
        output.append(bytes)
        if waiting == 0 { flush() }
        // One message may be longer than the bound; it is the next that finds it unread.
        if waiting > 0 && output.count > limits.queuedBytes || !isWithinBounds { cutOff() }
    }

    var queuedBytes: Int { output.count }

    /// Replies that wait for a commit.
    var heldBytes: Int { held.bytes.count + flying.count }

    /// Whether what all clients of this user are owed is within its bounds.
    private var isWithinBounds: Bool {
        countOwed()
        return countedBytes == 0 || memory.owed <= server.limits.queuedBytesPerUser && !memory.isBeyondShare
    }

    /// Counts what this client is owed. Only in steps: it would cost each reply something.
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
            // The peer reads no more (EPIPE). What it sent before is dealt with all the same.
            silence()
            output.clear()
            adjustInterest()
            closeWhenDone()
        }
    }

    /// The peer does not read: of what waits it gets the rest of the line it has begun to get, and a last error.
    private func cutOff() {
        guard !isMute, !isClosed else { return }
        let (most, whose, setting) =
            if output.count > limits.queuedBytes {
                (limits.queuedBytes, "you", "queuedBytes")
            } else if memory.owed > server.limits.queuedBytesPerUser {
                (server.limits.queuedBytesPerUser, "the clients of this user", "queuedBytesPerUser")
            } else {
                (
                    server.memory.most, "all clients together, of which this user has more than is left for others,",
                    "clientBytes"
                )
            }
        let error = WireError(
            .slowReader,
            "more than \(most) bytes are waiting for \(whose) to read them; read faster, or ask for less "
                + "(limits.\(setting) in harkd.json raises the bound)")
        var last = JSONWriter()
        for number in subscriptions.keys.sorted() { Subscription.writeClosed(number, error, to: &last) }
        Envelope.error(.null, error, in: &last)
        held.bytes = []
        // With so much the rest of a line is too much as well.
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

    /// Whether every request that was taken has its reply in the queue.
    var isAnswered: Bool { !isAwaitingCommit && flying.isEmpty && deferredCalls == 0 }

    func adjustInterest() {
        // Who has stopped sending is watched for its end alone, or a silent subscriber would stay for ever.
        var interest: Interest = isInputOver ? .end : .arrival
        if output.count > 0 { interest.insert(.write) }
        source?.setInterest(interest)
    }
}
