import HarkCore
import HarkSystem
import HarkWire

/// Puts forms into force as their document says.
@DaemonActor
final class FormDesk {
    let ledger: Ledger
    let source: DocumentSource<FormConfiguration>

    init(ledger: Ledger, source: DocumentSource<FormConfiguration>) {
        self.ledger = ledger
        self.source = source
    }

    func begin() {
        source.onChange = { [unowned self] configuration throws(WireError) in try configure(configuration) }
        source.begin()
    }

    func end() {
        source.end()
    }

    private func configure(_ configuration: FormConfiguration) throws(WireError) {
        try ledger.decide { engine, _, _ in engine.configure(configuration) }
    }

    /// What is wrong with the document.
    var problems: [DocumentIssue] { source.problems }
}
