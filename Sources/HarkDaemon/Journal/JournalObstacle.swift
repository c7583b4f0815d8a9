import HarkSystem

/// Why the journal is not read, in words for its account.
struct JournalObstacle: Error {
    let message: String
}

extension JournalFiles {
    /// The obstacle to reading, and what to do; nil: none.
    var obstacle: String? {
        switch (access, self) {
        case (.granted, _), (.empty, _): nil
        case (.denied, .folder(let path)): "the files in \(path) may not be read by this account; let it read them"
        case (.absent, .folder(let path)): "there is no folder \(path); make it, or name another"
        case (.denied, _):
            "the machine's journal may not be read: harkd's account is not in the group systemd-journal. Put it there, of the "
                + "system's daemon by 'systemctl edit harkd' ([Service] SupplementaryGroups=systemd-journal), and restart it"
        case (.absent, .system):
            "there is no journal here: systemd-journald does not run, or keeps none (Storage= in journald.conf)"
        case (.absent, .user):
            "no journal is kept of accounts here: have journald keep one on disk (Storage=persistent in journald.conf)"
        }
    }
}
