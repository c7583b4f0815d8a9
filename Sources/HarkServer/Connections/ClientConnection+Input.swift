import HarkLedger
import HarkSystem
import HarkWire

/// Reads and handles lines, in turns with other clients.
extension ClientConnection {
    func handle(_ ready: Readiness) {
        if ready.has(.gone), !isGone { peerIsGone() }
        if ready.has(.write) { flush() }
        if !isClosed, ready.has(.input) {
            hasArrived = true
            isEnding = isEnding || ready.has(.end)
            if isListening { read() }
        }
        if !isClosed, isInputOver, !isPaused, ready.has(.gone) { close() }
    }

    var isListening: Bool { !isInputOver && !isPaused && !isWaitingForTurn }

    /// Handles what the client has sent, but stops its lookups and ends its waits: while it has the maximum of calls
    /// under way, nothing is read from it, and its end would not be noticed.
    private func peerIsGone() {
        isGone = true
        server.forget(self)
        endWaits()
    }

    /// Whether the client is still there to receive what it waits for.
    package var isAwaiting: Bool { !isClosed && !isGone }

    func endWaits() {
        for wait in Array(waits.values) { wait.end() }
    }

    private func read() {
        let slice = LoopSlice(microseconds: LineTurns.firstSlice)
        // A user who has used little of the loop lately need not wait for a turn.
        guard turns.spent(at: slice.start) < LineTurns.freeMicroseconds else { return wait(isShort: input.isShort) }
        if fill() { work(slice) }
        if hasArrived, isListening, !isClosed { wait(isShort: input.isShort) }
        spend(since: slice, isShort: true)
    }

    private func spend(since slice: LoopSlice, isShort: Bool) {
        let now = SystemClock.monotonicMicroseconds
        let spent = now &- slice.start
        share.spend(spent, at: now)
        turns.spend(spent, at: now, isShort: isShort)
    }

    /// - Returns: Whether there is anything new, including the end of the input.
    private func fill() -> Bool {
        do {
            guard
                let count = try input.fill({ room throws(SystemError) in try descriptor.read(into: room) })
            else {
                hasArrived = false
                return false
            }
            // Reading again would cost as much as a short request. At the end it is needed: data may precede it.
            if input.hasRoom, !isEnding { hasArrived = false }
            if count == 0 { isInputOver = true }
            server.onUse()
            return true
        } catch {
            // The peer is gone (ECONNRESET); its earlier requests have been handled.
            close()
            return false
        }
    }

    /// Handles the remaining input, and input that arrives meanwhile, for one slice of the loop's time.
    func takeTurn(isShort: Bool) {
        isWaitingForTurn = false
        guard !isClosed, !isPaused else { return }
        let slice = LoopSlice(microseconds: isShort ? LineTurns.firstSlice : LineTurns.slice)
        // Long input makes the next commit long, so it waits until there is room. Short input always has room.
        // A client that had a whole slice may have no input left, so only the current input counts.
        if input.isShort || !server.ledger.isFull { work(slice) } else { pause() }
        while hasArrived, isListening, !isClosed {
            guard fill() else { break }
            if !input.isShort, server.ledger.isFull { pause() } else { work(slice) }
            if hasArrived, isListening, !isClosed, slice.isOver { wait(isShort: input.isShort) }
        }
        spend(since: slice, isShort: isShort)
        adjustInterest()
    }

    /// Handles complete lines, as long as the ledger has room for their results and the slice has time.
    private func work(_ slice: LoopSlice) {
        while !isClosed, !isPaused, let item = input.next() {
            var wasQuick = false
            switch item {
            case .line(let line): wasQuick = server.router.handle(line, from: self)
            case .tooLong:
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "a line has at most \(limits.lineBytes) bytes; this one was passed over "
                            + "(limits.lineBytes in harkd.json raises the bound)"))
            case .noMemory:
                reply(
                    .null,
                    WireError(
                        .internalError,
                        "harkd has no memory for a line that long; this one was passed over, try again later"))
            case .noRoom:
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "the long lines that clients of this user are sending take \(memory.longLines) bytes, "
                            + "and may take \(limits.lineBytesPerUser); this one was passed over: send fewer at a "
                            + "time (limits.lineBytesPerUser in harkd.json raises the bound)"))
            case .noRoomForAll:
                server.reclaim()
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "the unfinished lines and unread replies of all clients take \(server.memory.taken) bytes of "
                            + "\(server.memory.most), of this user's \(memory.taken); this line was passed over: send it "
                            + "again later (limits.clientBytes in harkd.json raises the bound)"))
            }
            if isBusy {
                pause()
            } else if hasArrived || !input.isEmpty, !wasQuick || isTimeToLook, slice.isOver, !isClosed {
                return wait(isShort: false)
            }
        }
        if isInputOver, !isPaused, !isClosed {
            if let rest = input.takeRest(), !server.isStopping { server.router.handle(rest, from: self) }
            // The loop reports a closed peer only once, possibly while the client was waiting.
            if isGone { return close() }
            adjustInterest()
            closeWhenDone()
        }
    }

    /// Reading the clock after each of the quickest requests would cost as much as they do.
    private var isTimeToLook: Bool {
        quickRequests &+= 1
        return quickRequests & 15 == 0
    }

    /// - Parameter isShort: Whether the pending input can probably be handled in a moment.
    func wait(isShort: Bool) {
        isWaitingForTurn = true
        adjustInterest()
        server.turns.append(self, isShort: isShort)
    }

    /// Ends the input because the daemon stops: what the client has sent is handled, and it can send no more.
    func endInput() {
        do throws(SystemError) {
            try descriptor.endReading()
        } catch {
            close()
        }
    }

    var isBusy: Bool {
        server.ledger.isFull || deferredCalls >= ClientConnection.deferredAtOnce || heldBytes > limits.queuedBytes / 2
            || deferredCalls > 0 && server.hasManyCalls(of: peer.uid)
    }

    private func pause() {
        isPaused = true
        adjustInterest()
        server.pausedConnections[ObjectIdentifier(self)] = self
    }

    /// Continues after a pause, if there is room again.
    func resume() {
        guard isPaused, !isClosed, !isBusy else { return }
        isPaused = false
        server.pausedConnections[ObjectIdentifier(self)] = nil
        wait(isShort: input.isShort)
    }
}
