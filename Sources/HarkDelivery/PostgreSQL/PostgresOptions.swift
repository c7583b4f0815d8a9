internal import HarkWire

/// The address of a database, and the credentials.
package struct PostgresOptions: Sendable, Equatable {
    /// `postgresql://…`, or libpq's own `key=value …`.
    package var url: String
    /// Takes precedence over a password in the URL or in `~/.pgpass`.
    package var password: String?
    /// Certificates to trust (PEM), instead of the URL's.
    package var authoritiesFile: String?
    /// The timeout of connecting, and of each command.
    package var timeoutSeconds = 30.0
    /// The reason why the database cannot be used, such as a password that cannot be read.
    package var problem: String?
    /// The name to load libpq by.
    package var library = PostgresLibrary.defaultName

    package init(url: String) { self.url = url }

    /// Returns the fault of a URL; nil if it has none.
    package static func fault(ofURL url: String) -> String? {
        guard !url.utf8.contains(0), !url.isEmpty else { return "must be a text without the character U+0000" }
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") || url.contains("=") else {
            return "must be a URL (postgresql://USER@HOST/DATABASE) or settings of libpq (service=NAME)"
        }
        guard credentials(in: url) == nil else {
            return "has a password, which does not belong here; put it into a file and name that with passwordFile "
                + "(or passwordCredential), or into ~/.pgpass"
        }
        return nil
    }

    /// The password in a URL or in settings.
    private static func credentials(in url: String) -> Substring? {
        if let (_, rest) = parts(of: url) {
            let authority = rest.prefix { !"/?#".contains($0) }
            if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":"),
                authority.index(after: colon) < at
            {
                return authority[authority.index(after: colon)..<at]
            }
        }
        // Other keywords for passwords, such as `sslpassword`, are for files and no more allowed here.
        return url.split(whereSeparator: { "?& ".contains($0) }).first { $0.contains("password=") }
    }

    /// Splits a URL behind its `://`; nil for keyword settings.
    private static func parts(of url: String) -> (scheme: Substring, rest: Substring)? {
        for scheme in ["postgresql://", "postgres://"] where url.hasPrefix(scheme) {
            return (url.prefix(scheme.count), url.dropFirst(scheme.count))
        }
        return nil
    }

    /// The server, for messages, without secrets.
    package var place: String {
        guard let (_, rest) = Self.parts(of: url) else { return "the database" }
        let authority = rest.prefix { !"/?#".contains($0) }
        let hosts = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        return hosts.isEmpty ? "the database" : "the database at \(hosts)"
    }

    /// Whether the database is reached by a Unix socket.
    package static func isOnThisMachine(_ url: String) -> Bool {
        guard let (_, rest) = parts(of: url) else { return url.contains("host=/") }
        let hosts =
            rest.prefix { !"/?#".contains($0) }.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return hosts.lowercased().hasPrefix("%2f") || hosts.isEmpty && url.contains("host=/") || rest.isEmpty
    }

    /// The URL for display, without the part after `?`, which may name a file or a secret.
    package static func shown(_ url: String) -> String {
        guard let (scheme, rest) = parts(of: url) else { return url }
        return String(scheme + rest.prefix { $0 != "?" })
    }

    var settings: [(key: String, value: String)] {
        var settings = [
            ("dbname", url), ("client_encoding", "UTF8"), ("fallback_application_name", "harkd"),
            // The kernel gives up unanswered data, too.
            ("tcp_user_timeout", "120000"),
        ]
        if let password { settings.append(("password", password)) }
        if let authoritiesFile { settings.append(("sslrootcert", authoritiesFile)) }
        return settings
    }

    /// A message of libpq on one line, without passwords.
    static func withoutSecrets(_ text: String, _ options: PostgresOptions) -> String {
        var line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
        if let password = options.password, !password.isEmpty {
            line = line.split(separator: password, omittingEmptySubsequences: false).joined(separator: "…")
        }
        return VisibleText.make(String(line.prefix(400)))
    }
}
