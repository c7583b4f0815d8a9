internal import CSQLite
import Glibc

/// Makes SQLite refuse everything that changes data or reaches beyond the tables.
///
/// SQLite asks for each action while it compiles a statement, so the decision depends on the meaning of the statement
/// rather than its text.
final class ReadOnly {
    /// Whether a table is being declared, for which SQLite asks as if it were created.
    var isDeclaring = false

    static let refusal = SQLError(
        .forbidden, "this statement would change something, and 'hark sql' only reads",
        hint: "Use SELECT, WITH or VALUES; 'hark record' and 'hark clear' change data.")

    /// Pragmas that only describe tables and the like.
    private static let pragmas: Set<String> = [
        "table_info", "table_xinfo", "table_list", "function_list", "collation_list", "compile_options",
    ]
    private static let functions: Set<String> = ["load_extension", "fts3_tokenizer"]

    /// This object must outlive the connection.
    func enforce(in database: OpaquePointer) -> CInt {
        sqlite3_set_authorizer(
            database,
            { object, action, first, second, _, _ in
                guard let object else { return SQLITE_DENY }
                let readOnly = Unmanaged<ReadOnly>.fromOpaque(object).takeUnretainedValue()
                return readOnly.isDeclaring || ReadOnly.allows(action, first, second) ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func allows(
        _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
    ) -> Bool {
        func text(_ word: UnsafePointer<CChar>?) -> String { word.map { String(cString: $0).lowercased() } ?? "" }
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return true
        case SQLITE_FUNCTION: return !functions.contains(text(second))
        case SQLITE_PRAGMA: return pragmas.contains(text(first))
        default: return false
        }
    }
}
