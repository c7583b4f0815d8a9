package import HarkCore

extension StoreReader {
    /// The newest recorded send of a producer; nil if the producer is unknown.
    package func mark(of producer: Producer) throws(StoreError) -> ProducerMark? {
        let statement = try database.prepare(
            "SELECT number, sequence FROM producer WHERE uid = ? AND app = ? AND id = ?"
        ).bind(1, Int64(producer.scope.uid)).bind(2, producer.scope.app).bind(3, producer.id.text)
        guard try statement.step() else { return nil }
        let number = try statement.number(0, in: 1...Int64.max)
        let sequence = try statement.sequence(1)
        statement.reset()
        let recorded = try record(sequence).map {
            Recorded(id: $0.id, sequence: $0.sequence, sessionId: $0.session.id)
        }
        return ProducerMark(number: number, sequence: sequence, recorded: recorded)
    }
}
