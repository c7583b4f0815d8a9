internal import HarkWire

/// Where a database is, and how to get in.
package struct PostgresOptions: Sendable, Equatable {
    /// `postgresql://…`, or libpq's own `key=value …`.
    package var url: String
    /// Takes precedence over what the URL and `~/.pgpass` say.
    package var password: String?
    /// Certificates to trust (PEM), in place of what the URL says.
    package var authoritiesFile: String?
    /// How long connecting, and each command, may take.
    package var timeoutSeconds = 30.0
    /// Why it cannot be used as it is configured, such as a password that cannot be read.
    package var problem: String?
    /// The name to load libpq by.
    package var library = PostgresLibrary.defaultName

    package init(url: String) { self.url = url }

    /// What is wrong with a URL; nil if nothing is.
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

    /// The password that a URL has, or settings have.
    private static func credentials(in url: String) -> Substring? {
        if let (_, rest) = parts(of: url) {
            let authority = rest.prefix { !"/?#".contains($0) }
            if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":"),
                authority.index(after: colon) < at
            {
                return authority[authority.index(after: colon)..<at]
            }
        }
        // Passwords by other names are those of files (`sslpassword`), and no better here.
        return url.split(whereSeparator: { "?& ".contains($0) }).first { $0.contains("password=") }
    }

    /// What is before the `://` of a URL, with that, and what is behind; nil for settings.
    private static func parts(of url: String) -> (scheme: Substring, rest: Substring)? {
        for scheme in ["postgresql://", "postgres://"] where url.hasPrefix(scheme) {
            return (url.prefix(scheme.count), url.dropFirst(scheme.count))
        }
        return nil
    }

    /// The server, for messages: without what may be a secret.
    package var place: String {
        guard let (_, rest) = Self.parts(of: url) else { return "the database" }
        let authority = rest.prefix { !"/?#".contains($0) }
        let hosts = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        return hosts.isEmpty ? "the database" : "the database at \(hosts)"
    }

    /// Whether it is reached without a network: by a Unix socket.
    package static func isOnThisMachine(_ url: String) -> Bool {
        guard let (_, rest) = parts(of: url) else { return url.contains("host=/") }
        let hosts =
            rest.prefix { !"/?#".contains($0) }.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return hosts.lowercased().hasPrefix("%2f") || hosts.isEmpty && url.contains("host=/") || rest.isEmpty
    }

    /// As it is shown: nothing behind the `?`, where a name of a file or a secret may stand.
    package static func shown(_ url: String) -> String {
        guard let (scheme, rest) = parts(of: url) else { return url }
        return String(scheme + rest.prefix { $0 != "?" })
    }

    var settings: [(key: String, value: String)] {
        var settings = [
            ("dbname", url), ("client_encoding", "UTF8"), ("fallback_application_name", "harkd"),
            // What nobody answers is given up by the kernel, too.
            ("tcp_user_timeout", "120000"),
        ]
        if let password { settings.append(("password", password)) }
        if let authoritiesFile { settings.append(("sslrootcert", authoritiesFile)) }
        return settings
    }

    /// One line of what libpq says, in which no password is.
    static func withoutSecrets(_ text: String, _ options: PostgresOptions) -> String {
        var line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
        if let password = options.password, !password.isEmpty {
            line = line.split(separator: password, omittingEmptySubsequences: false).joined(separator: "…")
        }
        return VisibleText.make(String(line.prefix(400)))
    }
}
