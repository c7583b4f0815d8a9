import HarkStore
import HarkSystem
import HarkWire

/// The totals of the store, which take a while to add up: who asks while they are added up waits for the next time, with
/// all others who do.
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
            // From here on it may miss what is committed, and whoever comes now needs another.
            running = next
            next = nil
            do throws(StoreError) { return .success(try await store.totals()) } catch { return .failure(error) }
        }
        next = reading
        return reading
    }
}
