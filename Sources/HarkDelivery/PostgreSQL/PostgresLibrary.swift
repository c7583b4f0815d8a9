internal import CPostgreSQL
internal import Synchronization

/// libpq, loaded on first use and never unloaded; a daemon without a database never loads it.
final class PostgresLibrary: @unchecked Sendable {
    static let defaultName = "libpq.so.5"

    /// The functions, for the life of the process: written once, before other threads can see them.
    let functions: UnsafePointer<hark_pq>

    private static let loaded = Mutex<[String: PostgresLibrary]>([:])

    /// Loads the library. That takes a few milliseconds, so do not call it on the loop.
    static func load(_ name: String) throws(DeliveryFailure) -> PostgresLibrary {
        let result = loaded.withLock { loaded -> Result<PostgresLibrary, DeliveryFailure> in
            if let library = loaded[name] { return .success(library) }
            let result = Result { () throws(DeliveryFailure) in try PostgresLibrary(name) }
            if case .success(let library) = result { loaded[name] = library }
            return result
        }
        return try result.get()
    }

    private init(_ name: String) throws(DeliveryFailure) {
        let functions = UnsafeMutablePointer<hark_pq>.allocate(capacity: 1)
        functions.initialize(to: hark_pq())
        if let reason = hark_pq_load(functions, name).map({ String(cString: $0) }) {
            functions.deallocate()
            throw DeliveryFailure(
                .local, retryAfter: 30,
                "no database can be reached without libpq; install it (Debian: apt install libpq5): \(reason)")
        }
        self.functions = UnsafePointer(functions)
    }
}
