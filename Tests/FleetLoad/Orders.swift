/// What the command line asks for.
struct Orders {
    let broker: String
    let fleet: String
    let machines: Int
    /// Of each machine.
    let records: Int
    /// The file of the authority that has signed the broker's certificate.
    var authority: String?
    /// Records of a batch at most; nil for as many as a machine puts into one.
    var recordsOfBatch: Int?
    /// Batches that are handed over at once; each machine waits for the hub to have them before it goes on.
    var batchesOfParcel = Int.max
    /// Nothing is sent before all machines are ready.
    var isTogether = false

    static let usage = """
        usage: hark-fleet-load BROKER FLEET MACHINES RECORDS [--ca FILE] [--batch RECORDS] [--parcel BATCHES] [--together]

        Is so many machines of a fleet, each with so many records, and says when, in nanoseconds of the monotonic clock:
          begun NS               the first machine connects
          ready NS               the hub has greeted all
          taken NS MEDIAN SENT   the hub has acknowledged all; MEDIAN: from sending a batch to its acknowledgement; SENT: bytes
          document NS VERSION    all have this document of the hub's
        Then it stays connected until it is ended. --together: nobody sends before all are ready.
        """

    /// - Returns: nil for what is no such command.
    init?(_ arguments: [String]) {
        guard arguments.count >= 4, let machines = Int(arguments[2]), let records = Int(arguments[3]), machines > 0,
            records > 0
        else { return nil }
        (broker, fleet, self.machines, self.records) = (arguments[0], arguments[1], machines, records)
        var rest = arguments.dropFirst(4)
        while let option = rest.popFirst() {
            switch option {
            case "--ca":
                guard let file = rest.popFirst() else { return nil }
                authority = file
            case "--batch":
                guard let count = rest.popFirst().flatMap(Int.init), count > 0 else { return nil }
                recordsOfBatch = count
            case "--parcel":
                guard let count = rest.popFirst().flatMap(Int.init), count > 0 else { return nil }
                batchesOfParcel = count
            case "--together": isTogether = true
            default: return nil
            }
        }
    }
}
