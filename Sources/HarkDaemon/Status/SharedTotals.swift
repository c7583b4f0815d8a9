import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// The totals of the store, which take long to compute: requests during a computation share the next one.
@DaemonActor
final class SharedTotals {
    private typealias Reading = Task<Result<StoreReader.Totals, StoreError>, Never>

    private let store: Store
    private var running: Reading?
    private var next: Reading?

    init(_ store: Store) { self.store = store }

    func read() async throws(WireError) -> StoreReader.Totals {
        let reading = next ?? begin()
        do throws(StoreError) {
            return try await reading.value.get()
        } catch {
            throw WireError(error)
        }
    }

    private func begin() -> Reading {
        let before = running
        let reading: Reading = DaemonActor.task { [self] in
            _ = await before?.value
            // From here on, the result may miss new commits, so later requests need another computation.
            running = next
            next = nil
            do throws(StoreError) { return .success(try await store.totals()) } catch { return .failure(error) }
        }
        next = reading
        return reading
    }
}
